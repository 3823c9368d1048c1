"""Expiry: a stated end ends a record; the default end of its kind makes it stale, and asks a person whether it still holds.

Also which records that faded come back when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from onrecord.model.change import Edit, Event, EventType, Expire, Restore
from onrecord.model.moment import FOREVER
from onrecord.model.record import Cardinality, ExpiryBasis, Record, Status
from onrecord.policy.defaults import Policy
from onrecord.policy.language.vocabulary import DEFAULT, Vocabulary
from onrecord.policy.visible import is_stale

#: Who archives what faded. What a person or a merge put away does not come back by itself.
UPKEEP = "upkeep"
#: What the name of a run begins with that merges records: its events bear it, so that the run can be undone.
RUN = "upkeep_"
#: Who undoes a run.
UNDO = "undo"


def ended(records: Iterable[Record], now: datetime) -> list[Expire]:
    """What has come to the end that was stated for it, in the order given."""
    over = (r for r in records if r.current and r.expiry_basis is ExpiryBasis.STATED and now >= r.valid_until)
    return [
        Expire(id=record.id, version=record.version, reason=f"it was said to hold until {record.valid_until:%Y-%m-%d}")
        for record in over
    ]


def to_review(records: Iterable[Record], now: datetime) -> list[Record]:
    """Those that are past the default end of their kind and offered with that mark, the longest first."""
    return sorted((r for r in records if r.current and is_stale(r, now)), key=lambda record: (record.valid_until, record.id))


def renewal(record: Record, until: datetime | None, now: datetime, policy: Policy, vocabulary: Vocabulary = DEFAULT) -> Edit:
    """The record holds on: until a time that is stated, or for another lifespan of its kind."""
    span = policy.span(record.kind, identity=vocabulary.is_identity(record.key))
    end = until or (FOREVER if span >= FOREVER - now else now + span)
    basis = ExpiryBasis.STATED if until else ExpiryBasis.DEFAULT
    fields = {"valid_until": end, "expiry_basis": basis}
    return Edit(id=record.id, version=record.version, fields=fields, reason="a person says that it still holds")


def returning(record: Record, events: Sequence[Event], rivals: Iterable[Record], now: datetime) -> Restore | None:
    """The way back of a record that is asked for, or ``None``.

    It comes back only if it faded, its stated end has not come, and no current record (``rivals`` have its key) tells what it is
    now."""
    last = events[-1] if events else None
    put_away = record.status is Status.ARCHIVED and last is not None
    if not put_away or last is None or (last.type, last.actor) != (EventType.ARCHIVED, UPKEEP):
        return None
    if record.expiry_basis is ExpiryBasis.STATED and now >= record.valid_until:
        return None
    if any(_instead(record, rival) for rival in rivals):
        return None
    return Restore(id=record.id, version=record.version, reason="it had faded, and is asked for again")


def was_merged(record: Record, events: Sequence[Event]) -> bool:
    """Whether a record is archived because it went into another one."""
    last = events[-1] if events else None
    return record.status is Status.ARCHIVED and last is not None and last.actor.startswith(RUN)


def was_parted(events: Iterable[Event]) -> bool:
    """Whether a merge of the record was undone, or somebody restored it: it stays by itself then."""
    return any(event.actor == UNDO or (event.type is EventType.RESTORED and event.actor != UPKEEP) for event in events)


def _instead(record: Record, rival: Record) -> bool:
    if record.key is None or rival.key != record.key or rival.id == record.id:
        return False
    other_case = bool(record.qualifier and rival.qualifier and record.qualifier != rival.qualifier)
    return record.cardinality is Cardinality.SINGLE and not other_case


def goes_on(event: Event) -> bool:
    """Whether an event leaves a record saying what it said: it was said again, or maintenance names fewer of its sources."""
    return event.type is EventType.RESTATED or (event.type is EventType.RECOMPUTED and event.actor == UPKEEP)


def told_together(event: Event) -> bool:
    """Whether an event that is old enough is told together with such a one beside it: also what a run merged into the record."""
    return goes_on(event) or (event.type is EventType.MERGED and event.actor.startswith(RUN))
