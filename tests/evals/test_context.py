"""The evaluation of contexts, on a small set made up for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from onrecord import Memory
from onrecord.cli.contexts import contexts_markdown, contexts_page
from onrecord.cli.render import show
from onrecord.evals.context import EXCHANGES, evaluate_context, rows, summary
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.evals.ingest import TENANT
from onrecord.evals.ways import OURS, VECTORS, WHOLE, WINDOW, WORDS
from onrecord.model.turn import Role
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock

BEGIN = datetime(2025, 1, 1, 9, tzinfo=UTC)
THINGS = "lantern barge quilt kettle trellis accordion parasol sextant".split()


def line(n: int) -> Line:
    text = (
        f"The {THINGS[n]} stands in cellar number {n + 11}." if n < len(THINGS) else f"The weather of day {n} was mild and quiet."
    )
    at = BEGIN + timedelta(hours=n)
    return Line(
        id=f"l{n}", session=f"s{n // 20}", at=at, role=Role.USER if n % 2 == 0 else Role.ASSISTANT, author="ana", text=text
    )


def question(n: int) -> Question:
    at = BEGIN + timedelta(days=60)
    text = f"In which cellar number stands the {THINGS[n]}?"
    return Question(id=f"q{n}", talk="t", text=text, category="odd" if n % 2 else "even", at=at, gold=frozenset({f"l{n}"}))


@pytest.fixture
def dataset() -> Dataset:
    talk = Talk("t", tuple(line(n) for n in range(4 * EXCHANGES + 10)))
    return Dataset(name="made-up", talks={"t": talk}, questions=tuple(question(n) for n in range(4)))


def test_evidence_is_counted_at_equal_tokens_and_conversations_are_costed(
    dataset: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SteppingClock(BEGIN)
    with Memory(":memory:", tenant=TENANT, embedder=HashingEmbedder(), clock=clock) as memory:
        seen, held = evaluate_context(dataset, memory, clock, budgets=(400, 2_000, 8_000))
    assert len(seen) == 4
    for one in seen:
        assert set(one.shares) == {OURS, WORDS, VECTORS, WINDOW, WHOLE}
        assert one.shares[WHOLE][400] == 1.0
        assert one.shares[WINDOW][400] == 0.0
        for way in (OURS, WORDS, VECTORS, WINDOW):
            assert all(used <= budget for budget, used in one.tokens[way].items())
    found = summary(dataset, rows(seen), held, "estimate")
    assert found["evidence"][OURS]["2000"] == 1.0
    assert found["kept"] == 1.0
    assert set(found["classes"]) == {"even", "odd"}
    (conversation,) = held
    assert len(conversation.shares) == EXCHANGES - 1
    assert found["conversations"]["identical_share"] >= 0.7
    assert found["conversations"]["tokens_per_turn"] > 0
    assert [row["id"] for row in rows(seen)] == ["q0", "q1", "q2", "q3"]
    assert "| onrecord |" in contexts_markdown({"made-up": found})
    show(contexts_page({"made-up": found}))
    assert "of what 8,000 give" in capsys.readouterr().out
