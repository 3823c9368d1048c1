"""Multi-Session Chat: captured facts against human ones, on a made-up pair."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from onrecord.evals.keepsakes import rule_capture
from onrecord.evals.keepsakes_score import share
from onrecord.evals.msc import Read, evaluate_msc, human_facts, matches, report
from onrecord.model.record import Kind, Source, SourceType
from onrecord.model.scope import Scope
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Candidate

DATA = Path(os.environ.get("ONRECORD_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
REAL = DATA / "msc" / "valid_with_facts.jsonl.gz"


def said(speaker: str, text: str, fact: str | None) -> dict[str, object]:
    return {"speaker": speaker, "text": text, "fact": fact, "agg_facts": []}


PAIR = {
    "id": "pair_0",
    "sessions": {
        "1": {
            "dialog": [
                said("bot_0", "I keep two goats and I bake bread on Sundays.", "I keep two goats. I bake bread on Sundays."),
                said("bot_1", "Lovely. I row on the river.", "I row on the river."),
                said("bot_0", "It rained all day.", None),
            ]
        }
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The pair, twice."""
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps({**PAIR, "id": f"pair_{n}"}) + "\n" for n in range(2)).encode()))
    return path


def stated(turn: Turn, text: str) -> Candidate:
    return Candidate(
        id=f"rec_{turn.id}",
        tenant=turn.tenant,
        subject=turn.subject,
        scope=Scope.USER,
        kind=Kind.STATED_FACT,
        statement=text,
        source=Source(SourceType.USER_MESSAGE, turn.id),
        author=turn.author,
        said_at=turn.at,
        valid_from=turn.at,
    )


def test_human_facts_are_sentences() -> None:
    assert human_facts("I have a son. My son is in junior high.") == ("I have a son.", "My son is in junior high.")
    assert human_facts(None) == ()


def test_matches_are_one_to_one() -> None:
    assert matches(["I keep two goats", "I keep goats"], ["I keep two goats.", "I bake bread."]) == 1
    assert matches(["I bake bread", "I keep two goats"], ["I keep two goats.", "I bake bread."]) == 2
    assert matches(["I keep two goats"], []) == 0


def test_report_by_hand() -> None:
    reads = [
        Read("p/1/1", "p", "s", "", ("I keep two goats.", "I bake bread."), ("I keep two goats",)),  # token F1: 4 of 4 and 7
        Read("p/1/2", "p", "s", "", ("I row on the river.",), ()),
        Read("p/1/3", "p", "s", "", (), ("It rained all day",)),
    ]
    found = report(reads)
    assert (found["precision"], found["recall"]) == (share(1, 2), share(1, 3))
    assert found["f1"] == pytest.approx(0.4)
    assert found["token_f1"] == {"rate": pytest.approx(8 / 11 / 2), "of": 2}
    assert found["token_f1_captured"] == {"rate": pytest.approx(8 / 11), "of": 1}
    assert (found["turn_precision"], found["turn_recall"]) == (share(1, 2), share(1, 2))
    assert [row["captured"] for row in found["rows"]] == [["It rained all day"]]
    assert [row["matched"] for row in found["questions"]] == [1, 0, 0]
    assert found["questions"][0]["systems"]["onrecord"]["recall"] == 0.5


def test_each_dialogue_is_read_from_both_sides(file: Path) -> None:
    heard: list[tuple[str, str, list[str]]] = []

    def capture(turn: Turn, before: Sequence[Turn]) -> list[Candidate]:
        assert turn.role is Role.USER
        heard.append((turn.subject, turn.text[:6], [other.role.value for other in before]))
        return [stated(turn, turn.text)]

    steps: list[tuple[int, int]] = []
    found = evaluate_msc(file, capture, limit=1, progress=lambda done, total: steps.append((done, total)))
    assert heard == [
        ("user:bot_0", "I keep", []),
        ("user:bot_0", "It rai", ["user", "assistant"]),
        ("user:bot_1", "Lovely", ["assistant"]),
    ]
    assert steps == [(1, 1)]
    assert found["turns"] == 3
    assert found["recall"] == share(2, 3)  # one sentence of two, and the rowing


def test_limit_is_the_number_of_pairs(file: Path) -> None:
    assert evaluate_msc(file, lambda turn, before: [])["turns"] == 6


@pytest.mark.data
@pytest.mark.skipif(not REAL.exists(), reason="the data set is not here")
def test_the_real_set() -> None:
    found = evaluate_msc(REAL, rule_capture(), limit=3)
    assert found["turns"] > 100
    assert found == evaluate_msc(REAL, rule_capture(), limit=3)
