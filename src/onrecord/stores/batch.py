"""The part of ``apply`` that touches no database: what the changes of a batch do to which rows, and whether it may.

Every store performs these same steps, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from onrecord.errors import InvalidInput, StaleRead
from onrecord.model.change import Change, Event, EventType, Step
from onrecord.model.moment import as_utc
from onrecord.model.record import Record, Usage
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.policy.transition import Load, steps
from onrecord.ports import Batch
from onrecord.stores.codec import plain_record


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a batch, those of one change together, and how the rows stand before and after it (``None``: not there)."""

    changes: Sequence[Sequence[Step]]
    before: Mapping[str, Record | None]
    after: Mapping[str, Record | None]


class _Draft:
    """Rows as the earlier steps of the batch left them."""

    def __init__(self, reach: Reach, load: Load) -> None:
        self.reach, self.load = reach, load
        self.before: dict[str, Record | None] = {}
        self.after: dict[str, Record | None] = {}

    def read(self, id: str) -> Record | None:
        if id not in self.after:
            self.before[id] = self.after[id] = self.load(id)
        return self.after[id]

    def perform(self, change: Change) -> list[Step]:
        done = [self._checked(step) for step in steps(change, self.read)]
        for step in done:
            self.after[step.record_id] = step.after
        return done

    def _checked(self, step: Step) -> Step:
        if step.after is None:
            return step
        row = plain_record(step.after)
        if not within(self.reach, row.tenant, row.subject) or (step.before and step.before.subject != row.subject):
            raise InvalidInput("record", f"{row.id} is not of a subject of this call", "name its tenant and subject in the reach")
        return replace(step, after=row)


def planned(batch: Batch, load: Load) -> Plan:
    """The plan of a batch. Raises what ``policy.transition.steps`` raises, and ``InvalidInput`` for rows outside the reach."""
    as_utc(batch.now, "now")
    for verdict in batch.verdicts:
        if not within(batch.reach, verdict.tenant, verdict.subject):
            raise InvalidInput("verdicts", f"{verdict.id} is not of a subject of this call", "name its subject in the reach")
    draft = _Draft(batch.reach, load)
    changes = [draft.perform(change) for change in batch.changes]
    return Plan(changes, draft.before, draft.after)


def check_epochs(batch: Batch, now: Mapping[str, int]) -> None:
    """Raises ``StaleRead`` if a subject moved since the batch was decided on."""
    for subject, epoch in batch.epochs.items():
        if subject not in batch.reach.subjects:
            raise InvalidInput("epochs", f"name {subject}, which is not in the reach", "pass what epochs(reach) returned")
        if now.get(subject, 0) != epoch:
            raise StaleRead(f"{subject} changed meanwhile: read it again and decide anew")


def captured_before(turn_id: str) -> StaleRead:
    """What to raise for a turn that somebody else captured since the batch was decided on."""
    return StaleRead(f"turn {turn_id} was captured meanwhile: read it again")


def captured(turn: Turn) -> Turn:
    """The turn once it is captured: it needs no note any more. Raises ``StaleRead`` if it is done already."""
    if turn.state in (CaptureState.DONE, CaptureState.QUARANTINED, CaptureState.SHED):
        raise captured_before(turn.id)
    return replace(turn, state=CaptureState.DONE, note=None)


def event_of(step: Step, seq: int, batch: Batch) -> Event:
    """The event that tells of a step. One of an erased record has no content."""
    gone = step.type is EventType.ERASED
    return Event(
        seq=seq,
        tenant=batch.reach.tenant,
        subject=step.subject,
        record_id=step.record_id,
        type=step.type,
        at=as_utc(batch.now, "now"),
        actor=batch.actor,
        reason="" if gone else step.reason,
        verdict_id=None if gone else step.verdict_id,
        before=None if gone else step.before,
        after=step.after,
    )


def retold(step: Step) -> bool:
    """Whether the text of the record is another after the step, so that vectors of the old one are void."""
    return step.before is not None and (step.after is None or step.after.text != step.before.text)


def within(reach: Reach, tenant: str, subject: str) -> bool:
    """Whether a row of that tenant and subject may be touched."""
    return tenant == reach.tenant and subject in reach.subjects


def check_turn(turn: Turn) -> None:
    """Raises ``InvalidInput`` for a turn that belongs to nobody."""
    Reach(turn.tenant, (turn.subject,))


def mentioned(old: Usage | None, at: datetime, mention: bool) -> Usage:
    """The counters of a record after a change: new ones for a new record, a mention more if it was mentioned."""
    if old is None or not mention:
        return old or Usage()
    return replace(old, mention_count=old.mention_count + 1, last_reinforced_at=_latest(old.last_reinforced_at, at))


def touched(old: Usage, at: datetime) -> Usage:
    """The counters of a record after a use more."""
    return replace(old, access_count=old.access_count + 1, last_reinforced_at=_latest(old.last_reinforced_at, at))


def _latest(old: datetime | None, at: datetime) -> datetime:
    moment = as_utc(at, "at")
    return moment if old is None else max(old, moment)
