"""What was said in passing and not kept, once it is answered: both sides are on record, and what was taken back stays gone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from onrecord.memory import Memory
from onrecord.model.record import Record, Status
from onrecord.providers.embed import MiniLmEmbedder
from onrecord.providers.scripted import SteppingClock

WHO: dict[str, Any] = {"subject": "project:atlas"}
LIGHT = "Rotas come out Thursdays, a fortnight ahead."
NEWS = "From now on rotas come out Mondays, a fortnight ahead, never later."


@pytest.fixture
def memory(clock: SteppingClock) -> Memory:
    return Memory(":memory:", embedder=MiniLmEmbedder(), clock=clock)


def say(memory: Memory, text: str) -> tuple[Record, ...]:
    return memory.add([{"role": "user", "name": "Tobi", "content": text}], **WHO).records


def statements(memory: Memory, *statuses: Status) -> dict[str, Status]:
    return {record.statement: record.status for record in memory.get_all(statuses=list(statuses or Status), **WHO)}


def test_a_light_statement_is_history_once_it_is_corrected(memory: Memory, clock: SteppingClock) -> None:
    assert say(memory, LIGHT) == ()
    clock.now += timedelta(days=40)
    say(memory, NEWS)
    assert statements(memory) == {LIGHT: Status.SUPERSEDED, NEWS: Status.ACTIVE}
    assert LIGHT not in str(memory.context("When do the rotas come out?", **WHO).messages).replace(NEWS, "")


def test_what_was_erased_is_not_read_again_from_its_turn(memory: Memory, clock: SteppingClock) -> None:
    say(memory, LIGHT)
    clock.now += timedelta(days=40)
    say(memory, NEWS)
    old = next(record for record in memory.get_all(statuses=list(Status), **WHO) if record.statement == LIGHT)
    memory.delete(old.id, **WHO)
    clock.now += timedelta(days=40)
    say(memory, "Change again: from now on rotas come out Wednesdays, a fortnight ahead, never later.")
    assert LIGHT not in statements(memory)


def test_a_dry_run_brings_nothing_back(memory: Memory, clock: SteppingClock) -> None:
    say(memory, LIGHT)
    clock.now += timedelta(days=40)
    memory.add([{"role": "user", "name": "Tobi", "content": NEWS}], dry_run=True, **WHO)
    assert statements(memory) == {}
