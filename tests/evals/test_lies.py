"""A model that lies gets nothing past the gate: over all conversations of keepsakes, a mood of it for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from onrecord.evals.keepsakes_gold import load
from onrecord.evals.lies import SORTS, evaluate_lies
from onrecord.memory import Memory
from onrecord.policy.defaults import Policy
from onrecord.ports import ChatModel, Clock
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.testing.liar import Liar

HERE = Path(__file__).parent / "data"


def memory(clock: Clock, reader: ChatModel | None) -> Memory:
    return Memory(":memory:", embedder=HashingEmbedder(), clock=clock, reader=reader, policy=Policy(reading_turns=1))


@pytest.mark.data
def test_no_lie_is_written_over_all_conversations(data: Callable[[str], Path]) -> None:
    folder = data("keepsakes")
    other = 0
    for n, scenario in enumerate(load(folder)):
        liar = Liar(mood=n % 6)
        found = evaluate_lies(folder, memory, [liar], only=[scenario.id])
        assert {sort: found["wrong"][sort] for sort in SORTS if sort != "other"} == dict.fromkeys(SORTS[:-1], 0), found["rows"]
        assert liar.told > 500
        other += found["wrong"]["other"]
    assert other <= 5


def test_what_is_written_because_of_a_model_and_was_never_said_is_counted() -> None:
    """A gate that lets everything through, for the eval itself."""

    def open_gate(clock: Clock, reader: ChatModel | None) -> Memory:
        made = memory(clock, None)
        if reader is not None:
            subject = load(HERE / "keepsakes")[0].turns[0].subject
            made.remember("The user lives in Atlantis", subject=subject)
        return made

    found = evaluate_lies(HERE / "keepsakes", open_gate, [Liar(), Liar(1)])
    assert found["wrong"]["unsaid"] >= 1
    assert {row["text"] for row in found["rows"]} == {"The user lives in Atlantis"}
