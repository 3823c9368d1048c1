"""What a change does to records, as pure steps. Every store performs these same steps, so all agree on what a change means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import singledispatch
from typing import Any

from onrecord.errors import InvalidInput, NotFound, VersionConflict
from onrecord.model.change import (
    Add,
    Archive,
    Change,
    Edit,
    Erase,
    EventType,
    Expire,
    Flag,
    Merge,
    Quarantine,
    Recompute,
    Reinforce,
    Resolve,
    Restore,
    Retract,
    Step,
    Supersede,
)
from onrecord.model.record import CURRENT, Record, Source, SourceType, Status

#: Reads a record as it stands, earlier steps of the same batch included; ``None`` if it is not there.
Load = Callable[[str], Record | None]

#: What ``Edit`` may set. The rest is identity, history or bookkeeping.
EDITABLE = frozenset(
    "kind key value cardinality statement negation qualifier confidence valid_from valid_until expiry_basis pinned metadata "
    "scope scope_ref language".split()
)
#: Of these, what makes another statement of it.
_SAYING = ("statement", "value", "negation", "qualifier")


def steps(change: Change, load: Load) -> list[Step]:
    """The steps of one change, in order. Raises ``NotFound``, ``VersionConflict`` or ``InvalidInput``; then nothing happened."""
    return _steps(change, load)


@singledispatch
def _steps(change: Change, load: Load) -> list[Step]:
    raise InvalidInput("changes", f"{type(change).__name__} is not a change", "pass the changes of model.change")


@_steps.register
def _(change: Add, load: Load) -> list[Step]:
    return [_step(change, EventType.ADDED, None, _fresh(change.record, load))]


@_steps.register
def _(change: Reinforce, load: Load) -> list[Step]:
    old = _load(load, change.id, change.version)
    new = _next(
        old,
        derived_from=_union(old.derived_from, change.sources),
        confidence=max(old.confidence, change.confidence),
        said_at=_latest(old.said_at, change.said_at),
        valid_until=_latest(old.valid_until, change.valid_until),
    )
    return [_step(change, EventType.RESTATED, old, new, mention=True, at=change.said_at)]


@_steps.register
def _(change: Merge, load: Load) -> list[Step]:
    old = _load(load, change.record.id, change.version)
    new = replace(
        change.record,
        version=old.version + 1,
        written_at=old.written_at,
        derived_from=_union(old.derived_from, change.record.derived_from),
    )
    return [_step(change, EventType.MERGED, old, new, mention=True, at=change.record.said_at)]


@_steps.register
def _(change: Supersede, load: Load) -> list[Step]:
    old = _load(load, change.old, change.version)
    record = _fresh(change.record, load)
    end = max(old.valid_from, min(old.valid_until, record.valid_from))
    gone = _next(old, status=Status.SUPERSEDED, superseded_by=record.id, valid_until=end, conflicts_with=())
    return [
        _step(change, EventType.ADDED, None, record),
        _step(change, EventType.SUPERSEDED, old, gone),
        *_settle(change, old, load, besides=(old.id, record.id)),
    ]


@_steps.register
def _(change: Flag, load: Load) -> list[Step]:
    old = [_load(load, id, None) for id in change.ids]
    ids = [record.id for record in old] + ([change.record.id] if change.record else [])
    if len(set(ids)) < 2:
        raise InvalidInput("ids", "a conflict needs two records", "name both sides")
    added = []
    if change.record:
        fresh = replace(_fresh(change.record, load), status=Status.CONFLICTED, conflicts_with=_others(change.record.id, ids))
        added = [_step(change, EventType.ADDED, None, fresh)]
    return added + [
        _step(
            change,
            EventType.CONFLICTED,
            record,
            _next(
                record,
                status=Status.CONFLICTED,
                conflicts_with=_union(record.conflicts_with, _others(record.id, ids)),
            ),
        )
        for record in old
    ]


@_steps.register
def _(change: Resolve, load: Load) -> list[Step]:
    kept = _load(load, change.keep, None)
    if kept.id in change.drop:
        raise InvalidInput("drop", f"holds {kept.id}, which is to be kept", "name the other sides")
    done: list[Step] = []
    for id in dict.fromkeys(change.drop):
        sight = _seeing(done, load)
        loser = _load(sight, id, None)
        gone = _next(loser, status=Status.SUPERSEDED, superseded_by=kept.id, conflicts_with=())
        done.append(_step(change, EventType.SUPERSEDED, loser, gone))
        done += _settle(change, loser, sight, besides=(*change.drop, kept.id))
    open_sides = tuple(id for id in kept.conflicts_with if id not in change.drop)
    status = Status.CONFLICTED if open_sides else Status.ACTIVE
    return [_step(change, EventType.RESOLVED, kept, _next(kept, status=status, conflicts_with=open_sides)), *done]


def _seeing(done: Sequence[Step], load: Load) -> Load:
    """Reads records as the earlier steps of the same change left them."""
    after = {step.record_id: step.after for step in done}
    return lambda id: after[id] if id in after else load(id)


@_steps.register
def _(change: Edit, load: Load) -> list[Step]:
    unknown = sorted(set(change.fields) - EDITABLE)
    if unknown:
        raise InvalidInput(unknown[0], "can't be edited", "editable are " + ", ".join(sorted(EDITABLE)))
    old = _load(load, change.id, change.version)
    return [_step(change, EventType.EDITED, old, _sourced(change, old, _next(old, **change.fields)))]


def _sourced(change: Edit, old: Record, new: Record) -> Record:
    """An edit that changes what a record says rests on the person who made it, no longer on the words of before: nobody is quoted
    with words they did not say, and what was said before the edit and arrives after it corrects nothing. The words of before stay
    in its history, and what it was derived from stays with it, as does its trust."""
    if all(getattr(old, name) == getattr(new, name) for name in _SAYING):
        return new
    return replace(
        new,
        source=Source(SourceType.HUMAN_EDIT, new.id),
        quote=new.statement,
        author=change.author or new.author,
        said_at=_latest(new.said_at, change.said_at),
    )


@_steps.register
def _(change: Archive, load: Load) -> list[Step]:
    return _retire(change, change.id, change.version, Status.ARCHIVED, EventType.ARCHIVED, load)


@_steps.register
def _(change: Expire, load: Load) -> list[Step]:
    return _retire(change, change.id, change.version, Status.EXPIRED, EventType.EXPIRED, load)


@_steps.register
def _(change: Retract, load: Load) -> list[Step]:
    return _retire(change, change.id, change.version, Status.RETRACTED, EventType.RETRACTED, load)


@_steps.register
def _(change: Quarantine, load: Load) -> list[Step]:
    return _retire(change, change.id, change.version, Status.QUARANTINED, EventType.QUARANTINED, load)


@_steps.register
def _(change: Recompute, load: Load) -> list[Step]:
    old = _load(load, change.record.id, change.version)
    new = replace(change.record, version=old.version + 1, written_at=old.written_at)
    left = [id for id in old.conflicts_with if id not in new.conflicts_with]
    gone = replace(old, conflicts_with=tuple(left))
    return [_step(change, EventType.RECOMPUTED, old, new), *_settle(change, gone, load, besides=(old.id,))]


@_steps.register
def _(change: Restore, load: Load) -> list[Step]:
    old = _load(load, change.id, change.version)
    if old.status in CURRENT:
        raise InvalidInput("id", f"record {old.id} is {old.status}", "only a record out of recall can be restored")
    return [_step(change, EventType.RESTORED, old, _next(old, status=Status.ACTIVE, superseded_by=None))]


@_steps.register
def _(change: Erase, load: Load) -> list[Step]:
    old = _load(load, change.id, None)
    return [*_settle(change, old, load, besides=(old.id,)), _step(change, EventType.ERASED, old, None)]


def _retire(change: Change, id: str, version: int | None, status: Status, event: EventType, load: Load) -> list[Step]:
    old = _load(load, id, version)
    gone = _next(old, status=status, conflicts_with=())
    return [_step(change, event, old, gone), *_settle(change, old, load, besides=(old.id,))]


def _settle(change: Change, gone: Record, load: Load, besides: Iterable[str]) -> list[Step]:
    """A conflict whose other side left is over: what stays is active again unless it conflicts with a third."""
    done = []
    for id in gone.conflicts_with:
        other = load(id)
        if id in set(besides) or other is None or gone.id not in other.conflicts_with:
            continue
        left = tuple(side for side in other.conflicts_with if side != gone.id)
        status = other.status if left or other.status is not Status.CONFLICTED else Status.ACTIVE
        done.append(_step(change, EventType.RESOLVED, other, _next(other, conflicts_with=left, status=status)))
    return done


def _load(load: Load, id: str, version: int | None) -> Record:
    record = load(id)
    if record is None:
        raise NotFound("record", id)
    if version is not None and record.version != version:
        raise VersionConflict(id, version, record.version)
    return record


def _fresh(record: Record, load: Load) -> Record:
    if load(record.id) is not None:
        raise InvalidInput("id", f"record {record.id} exists already", "let the system give the id")
    return record


def _next(record: Record, **fields: Any) -> Record:
    return replace(record, version=record.version + 1, **fields)


def _others(id: str, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(other for other in ids if other != id)


def _union(old: tuple[str, ...], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _latest(old: datetime, new: datetime | None) -> datetime:
    return old if new is None or new <= old else new


def _step(
    change: Change,
    type: EventType,
    before: Record | None,
    after: Record | None,
    *,
    mention: bool = False,
    at: datetime | None = None,
) -> Step:
    row = after or before
    assert row is not None
    return Step(
        type=type,
        record_id=row.id,
        subject=row.subject,
        before=before,
        after=after,
        reason=change.reason,
        verdict_id=change.verdict_id,
        mention=mention,
        at=at,
    )
