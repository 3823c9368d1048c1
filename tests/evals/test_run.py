"""A whole run over two tiny talks, and what its report says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from onrecord.build import build
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.evals.report import figures, head, markdown, plain, rows, summary
from onrecord.evals.run import OURS, VECTORS, WORDS, Report, evaluate
from onrecord.model.query import Include
from onrecord.model.turn import Role
from onrecord.providers.embed.hashing import HashingEmbedder

DAY = datetime(2026, 1, 5, tzinfo=UTC)


def a_line(id: str, text: str, days: int = 0, role: Role = Role.USER) -> Line:
    return Line(id=id, session=f"s{days}", at=DAY + timedelta(days=days), role=role, author=role.value, text=text)


def a_dataset(roles: tuple[Role, ...] = ()) -> Dataset:
    one = Talk(
        "one",
        (
            a_line("a", "My rowing club meets on Monday"),
            a_line("b", "A rowing club is a fine thing", role=Role.ASSISTANT),
            a_line("c", "My dentist is in Leith", 1),
            a_line("d", "My rowing club meets on Friday now", 2),
        ),
    )
    two = Talk("two", (a_line("x", "I grow leeks"), a_line("y", "Rain again", 1)))
    at = DAY + timedelta(days=9)
    questions = (
        Question(id="1", talk="one", text="When does my rowing club meet?", category="update", gold=frozenset("ad"),
                 sessions=frozenset({"s0", "s2"}), old=frozenset("a"), new=frozenset("d"), at=at),
        Question(id="2", talk="one", text="Where is my dentist?", category="plain", gold=frozenset("c"),
                 sessions=frozenset({"s1"}), faulty=True, at=at),
        Question(id="3", talk="two", text="What is my shoe size?", category="none", abstain=True, at=at),
    )  # fmt: skip
    return Dataset(name="tiny", talks={"one": one, "two": two}, questions=questions, roles=roles)


@pytest.fixture
def report() -> Report:
    return evaluate(a_dataset(), build(":memory:", embedder=HashingEmbedder()), limits=(1, 3))


def test_every_question_has_a_row_with_the_baselines_beside_it(report: Report) -> None:
    assert [row.question.id for row in report.rows] == ["1", "2", "3"]
    assert set(report.rows[0].rankings) == {OURS, WORDS, VECTORS}
    assert report.turns == 6
    assert report.rows[1].rankings[OURS][0] == "c"
    assert report.rows[1].sessions[OURS][0] == "s1"


def test_talks_do_not_see_each_other(report: Report) -> None:
    assert set(report.rows[2].rankings[OURS]) <= {"x", "y"}


def test_questions_of_other_talks_are_less_relevant(report: Report) -> None:
    row = report.rows[1]
    assert row.foreign is not None
    assert row.foreign < row.relevance
    assert report.rows[2].foreign is None


def test_lines_of_other_roles_are_passed_over() -> None:
    found = evaluate(a_dataset((Role.USER,)), build(":memory:", embedder=HashingEmbedder()), baselines=False, foreign=False)
    assert all("b" not in row.rankings[OURS] for row in found.rows)
    assert set(found.rows[0].rankings) == {OURS}


def test_records_count_as_the_lines_they_rest_on() -> None:
    seen: list[tuple[str, int, int]] = []
    engine = build(":memory:", embedder=HashingEmbedder())
    found = evaluate(a_dataset(), engine, include=Include.BOTH, progress=lambda *tick: seen.append(tick))
    assert set().union(*(row.rankings[OURS] for row in found.rows)) <= set("abcdxy")
    assert seen[-1] == ("ask", 3, 3)


def test_the_summary_has_classes_systems_and_counts(report: Report) -> None:
    found = summary(report)
    assert set(found["classes"]) == {"all", "all, faulty keys left out", "update", "plain"}
    assert found["classes"]["plain"][OURS]["R@1"] == 1.0
    assert found["classes"]["update"][OURS]["n"] == 1
    assert found["order"]["update, newer side first"] == {"yes": 1, "of": 1}
    assert set(found["abstention"]) == {"questions of other talks", "its own unanswerable questions"}
    assert json.loads(json.dumps(found)) == found


def test_rows_tell_what_was_asked_wanted_and_found(report: Report) -> None:
    first, _, last = rows(report)
    assert first["gold"] == ["a", "d"]
    assert first["systems"][OURS]["R@3"] == 1.0
    assert (first["newer"], first["older"]) == (0, 1)
    assert last["systems"] == {}


def test_the_table_has_a_line_for_each_class_and_system(report: Report) -> None:
    text = markdown(summary(report))
    assert "| plain | 1 | onrecord | 1.000 |" in text
    assert text.count("| bm25 |") == 4


def test_a_run_that_goes_on_gives_the_figures_of_one_that_went_through(report: Report) -> None:
    kept = rows(report)[:2]
    engine = build(":memory:", embedder=HashingEmbedder())
    again = evaluate(a_dataset(), engine, limits=(1, 3), done=["1", "2"], keep=lambda row: kept.append(plain(row, (1, 3))))
    assert len(again.rows) == 1
    whole, pieced = summary(report), figures(head(again), kept, seed=1)
    for part in ("classes", "abstention", "order", "questions"):
        assert pieced[part] == whole[part]


def test_the_tokens_of_the_first_hits_are_counted(report: Report) -> None:
    assert report.rows[1].tokens[WORDS] > 0
    assert "tokens@3" in rows(report)[1]["systems"][WORDS]
