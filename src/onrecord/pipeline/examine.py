"""Examine: what a turn proposes to keep, and what the gate says of each proposal. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.model.verdict import Reason
from onrecord.policy.capture.note import noted
from onrecord.policy.capture.propose import propose
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.gate.judge import Judged, Ruling, judge, judge_turn
from onrecord.policy.reading.merge import merged
from onrecord.policy.reading.point import Told
from onrecord.ports import Engine

#: Turns of the thread that capture reads before the one at hand.
_BEFORE = 8


def examine(
    engine: Engine, turn: Turn, before: Sequence[Turn], told: Sequence[Told] | None = None
) -> tuple[list[Judged], Ruling | None]:
    """The candidates of a turn with their rulings, and the ruling on the turn as a whole if it may give none, or is not to be
    shown for what the data in it says. Of a user's turn the user's own words are read; data is read where it stands alone.

    A turn with a note is kept as its note asks. ``told`` is what a model told of the turn, None where none was asked."""
    turn, *data = voices(turn)
    if turn.note is not None:
        asked = noted(turn, engine.policy, engine.vocabulary)
        return [Judged(asked, Ruling(True, Reason.KEPT, "written on purpose by the caller"))] if asked else [], None
    whole = judge_turn(turn, engine.policy)
    if whole is not None:
        return [], whole
    found = propose(turn, before, engine.policy, engine.vocabulary)
    beside = [ruling for other in data if (ruling := judge_turn(other, engine.policy))]
    unsafe = next((ruling for ruling in beside if ruling.reason is Reason.INJECTION), None)
    ruled = [Judged(c, judge(c, turn, before, engine.policy)) for c in found]
    return ruled if told is None else merged(ruled, told, turn, before, engine.policy), unsafe


def turns_before(engine: Engine, turn: Turn, batch: Sequence[Turn]) -> list[Turn]:
    """The turns before ``turn`` in its thread; those of a dry run are in ``batch`` alone."""
    if turn.seq:
        around = engine.store.neighbours(Reach(turn.tenant, (turn.subject,)), turn.id, _BEFORE, after=0)
        return [other for other in around if other.seq < turn.seq]
    earlier = list(batch[: list(batch).index(turn)])
    stored = []
    if turn.origin.thread:
        stored = engine.store.thread(Reach(turn.tenant, (turn.subject,)), turn.origin.thread, last=_BEFORE)
    return [*stored, *earlier][-_BEFORE:]
