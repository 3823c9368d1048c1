"""Undo: what one run of maintenance merged is as it was before, subject by subject."""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.errors import InvalidInput, NotFound, StaleRead
from onrecord.model.change import Change, Event, EventType, Recompute, Restore, Retract
from onrecord.model.record import Record, Status
from onrecord.model.scope import Reach
from onrecord.model.undo import Undone
from onrecord.pipeline.maintain import read_again
from onrecord.policy.lifecycle.expiry import RUN, UNDO, goes_on
from onrecord.ports import Batch, Engine


def undo(engine: Engine, tenant: str, run: str, *, dry_run: bool = False) -> Undone:
    """What a run changed goes back; what changed since, other than by being said again, stays. Raises ``NotFound`` for a run
    that merged nothing of the tenant, and ``InvalidInput`` for one of more than ``account_retention`` ago, which is told together
    with others."""
    events = engine.store.done_by(tenant, run) if run.startswith(RUN) else []
    if not events:
        raise NotFound("run", run)
    span = engine.policy.account_retention
    if events[-1].at < engine.clock() - span:
        raise InvalidInput("run", f"is older than {span.days} days, and told together with others", "restore single records")
    changes, left, reread = list[Change](), list[str](), list[str]()
    for subject in dict.fromkeys(event.subject for event in events):
        mine = [event for event in events if event.subject == subject]
        done = _undone(engine, Reach(tenant, (subject,)), mine, dry_run)
        changes, left, reread = changes + done[0], left + done[1], reread + done[2]
    return Undone(run=run, changes=changes, left=left, reread=reread, dry_run=dry_run)


def _undone(engine: Engine, reach: Reach, events: Sequence[Event], dry_run: bool) -> tuple[list[Change], list[str], list[str]]:
    for _ in range(engine.policy.reconcile_attempts):
        with engine.store.deciding(reach):
            epochs = engine.store.epochs(reach)
            changes, left, reread = _planned(engine, reach, events)
            if dry_run or not changes:
                return changes, left, reread
            batch = Batch(reach=reach, now=engine.clock(), actor=UNDO, changes=changes, reread=reread, epochs=epochs)
            try:
                engine.store.apply(batch)
            except StaleRead:
                continue
        read_again(engine, engine.store.turns(reach, reread))
        return changes, left, reread
    raise StaleRead("others kept writing while this was decided: try again")


def _planned(engine: Engine, reach: Reach, events: Sequence[Event]) -> tuple[list[Change], list[str], list[str]]:
    """The changes, ids of what stays as it is, and turns to read again. What was put back before is neither."""
    first: dict[str, Event] = {}
    last: dict[str, Event] = {}
    for event in events:
        first.setdefault(event.record_id, event)
        last[event.record_id] = event
    now = {record.id: record for record in engine.store.get(reach, list(first))}
    since = {id: [e for e in engine.store.events(reach, id) if e.seq > last[id].seq] for id in now}
    done = {id for id, later in since.items() if any(_undoes(event, first[id]) for event in later)}
    moved = {id for id, later in since.items() if id not in done and not all(map(goes_on, later))}
    held = {source for id in moved for source in now[id].sources} - done
    changes: list[Change] = []
    reread: list[str] = []
    for id in now.keys() - moved - held - done:
        changes.append(_back(now[id], first[id], last[id]))
        said = [source for event in since[id] if event.after for source in event.after.sources]
        merged = last[id].after
        known = merged.sources if merged else ()
        reread += [source for source in dict.fromkeys(said) if source not in known]
    return sorted(changes, key=_order), sorted((moved | held) & now.keys()), reread


def _order(change: Change) -> tuple[str, str]:
    return type(change).__name__, getattr(change, "id", "") or change.record.id  # type: ignore[attr-defined]


def _reason(first: Event) -> str:
    return f"what {first.actor} did is undone"


def _undoes(event: Event, first: Event) -> bool:
    return event.actor == UNDO and event.reason == _reason(first)


def _back(record: Record, first: Event, last: Event) -> Change:
    reason = _reason(first)
    if first.before is None:
        return Retract(id=record.id, reason=reason)
    if first.seq == last.seq and last.type is EventType.ARCHIVED and record.status is Status.ARCHIVED:
        return Restore(id=record.id, reason=reason)
    return Recompute(record=first.before, reason=reason)
