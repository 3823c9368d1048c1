"""The scoring of compaction on a made-up thread, by hand; and what is promised, on the real labels."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from onrecord.evals import compaction, keepsakes_gold
from onrecord.evals.compaction import Thread, evaluate_compaction, keepsakes_threads, talk_threads
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.evals.keepsakes_gold import Keep
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.providers.tokens import EstimateCounter

AT = datetime(2026, 3, 3, tzinfo=UTC)
FOLDER = Path(__file__).parent / "data" / "keepsakes"


def turn(id: str, text: str) -> Turn:
    return Turn(
        id=id, tenant="d", subject="user:a", origin=Origin(), role=Role.USER, author="Ana", text=text, at=AT, written_at=AT
    )


def keep(id: str, *must: str, negation: bool = False, kind: str = "stated_fact") -> Keep:
    return Keep(
        turn=id,
        subject="user:a",
        kind=kind,
        key=f"key_{id}",
        value="",
        must_contain=must,
        negation=negation,
        qualifier=None,
        valid_until=None,
        resolved_date=None,
    )


THREAD = Thread(
    "x",
    (turn("a", "Never open valve V-12 beyond thirty."), turn("b", "I live in Ghent."), turn("c", "What a day it was again!")),
    (keep("a", "V-12", "30", negation=True, kind="constraint"), keep("b", "Ghent")),
)


def scored(kept: list[tuple[str, str]], thread: Thread = THREAD) -> compaction._Tally:
    tally = compaction._Tally()
    compaction._score(thread, kept, tally)
    return tally


def test_a_limit_that_its_own_sentence_states_without_a_denial_survives_with_that_sentence() -> None:
    told = turn("a", "I did not cry. The job may go to 97 thousand and that is where it ends.")
    found = scored(
        [("The job may go to 97 thousand and that is where it ends.", "a")],
        Thread("x", (told,), (keep("a", "97", negation=True),)),
    )
    assert (found.hits["negated"], found.inverted) == (1, [])


def test_a_keep_survives_with_an_equal_value_and_its_denial() -> None:
    found = scored([("valve V-12: never beyond 30", "a"), ("Ghent", "b")])
    assert (found.hits["negated"], found.hits["constraint"], found.hits["all keeps"]) == (1, 1, 2)
    assert found.inverted == found.missed == []
    assert scored([("valve V-12: never beyond 20", "a")]).missed == ["x/a key_a"]


def test_a_keep_without_its_denial_is_inverted_and_missed() -> None:
    found = scored([("open valve V-12 beyond 30", "a")])
    assert found.hits["binding"] == 0
    assert found.inverted == found.missed == ["x/a key_a"]


def test_a_line_of_another_turn_does_not_count() -> None:
    assert scored([("Never open V-12 beyond 30", "c")]).hits["binding"] == 0


def test_restated_turns_stand_for_each_other() -> None:
    thread = Thread(THREAD.id, THREAD.turns, THREAD.keeps, {"a": frozenset({"c"})})
    assert scored([("Never open V-12 beyond 30", "c")], thread).hits["binding"] == 1


def question(*gold: str, answer: str = "") -> Question:
    return Question(id="q", talk="x", text="?", category="c", at=AT, gold=frozenset(gold), answer=answer)


def test_evidence_is_counted_by_the_distinctive_words_left_in_its_own_lines() -> None:
    thread = Thread("x", THREAD.turns, questions=(question("a", "b", answer="in Ghent"),))
    found = scored([("valve V-12", "a"), ("Ghent", "c")], thread)
    assert found.hits["evidence words"] == pytest.approx(2 / 6)  # of "never open valve V-12 beyond thirty"; of "live Ghent" none
    assert found.all["evidence words"] == 2
    assert found.hits["evidence numbers"] == 1
    assert found.hits["answer words"] == 1


def test_threads_are_talks_or_the_sittings_that_answer() -> None:
    lines = tuple(Line(id=f"l{n}", session=f"s{n % 2}", at=AT, role=Role.USER, author="Ana", text=f"line {n}") for n in range(4))
    asked = Question(id="q", talk="t", text="?", category="c", at=AT, gold=frozenset({"l1"}), sessions=frozenset({"s1"}))
    data = Dataset(name="d", talks={"t": Talk("t", lines)}, questions=(asked,))
    assert [(t.id, len(t.turns)) for t in talk_threads(data)] == [("t", 4)]
    assert [(t.id, [x.id for x in t.turns]) for t in talk_threads(data, by_session=True)] == [("s1", ["l1", "l3"])]


def test_the_report_has_every_ratio_round_and_method_with_its_size() -> None:
    report = evaluate_compaction(
        keepsakes_threads(keepsakes_gold.load(FOLDER)), EstimateCounter().count, ratios=(2,), rounds=(1, 3)
    )
    assert list(report) == ["2x, 1 round", "2x, 3 rounds"]
    for methods in report.values():
        assert list(methods) == ["ledger", "sumbasic", "window"]
        assert all(figures["ratio"] > 1 for figures in methods.values())
    assert report["2x, 1 round"]["ledger"] == report["2x, 3 rounds"]["ledger"]


@pytest.mark.data
def test_on_keepsakes_everything_binding_survives_and_nothing_is_inverted(data: Callable[[str], Path]) -> None:
    threads = keepsakes_threads(keepsakes_gold.load(data("keepsakes")))
    report = evaluate_compaction(threads, EstimateCounter().count)
    for methods in report.values():
        ours = methods["ledger"]
        assert ours["binding"]["share"] == 1.0, ours["missed"]
        assert ours["inverted"] == []
        assert ours["ratio"] >= 4.0
        assert ours["all keeps"]["share"] > 2 * max(methods[other]["all keeps"]["share"] for other in ("sumbasic", "window"))
