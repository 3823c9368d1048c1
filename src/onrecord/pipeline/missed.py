"""Missed: the account of records is held against that of searches, to find what should have been recalled and was not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from onrecord.model.change import Event, EventType
from onrecord.model.query import View
from onrecord.model.record import Record, Status
from onrecord.model.scope import Reach
from onrecord.model.trace import Miss
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Reason
from onrecord.policy.recall.misses import Told, misses, restates
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine

_LIGHT = frozenset({Reason.NOT_DURABLE, Reason.NOT_SPECIFIC, Reason.EPHEMERAL, Reason.MOOD})
_AGAIN = frozenset({EventType.RESTATED, EventType.MERGED, EventType.SUPERSEDED})


def missed(engine: Engine, reach: Reach, *, since: datetime | None, limit: int) -> list[Miss]:
    """Probable misses among the latest ``policy.misses_traces`` searches, those of the latest turns first.

    ``since`` leaves out turns that were written before. Records that were erased left no words to compare.
    """
    store = engine.store
    told = [one for one in _told(engine, reach) if since is None or one.turn.written_at >= since]
    traces = store.traces(reach, limit=engine.policy.misses_traces) if told else []
    found = misses(told, traces)[:limit]
    return [Miss(masked(one.record), masked(one.turn), one.trace, one.corrected, one.why) for one in found]


def _told(engine: Engine, reach: Reach) -> Iterator[Told]:
    """Every later turn of a person that stated a record again, or otherwise, whether the record changed by it or not."""
    store = engine.store
    records = {r.id: r for r in store.select(View(reach=reach, statuses=frozenset(Status), every_scope=True))}
    usage = store.usage(reach, list(records))
    for id, record in records.items():
        if record.status is Status.SUPERSEDED or (id in usage and usage[id].mention_count > 1):
            events = store.events(reach, id)
            said = {event.seq: _said(engine, reach, event) for event in events if event.type in _AGAIN}
            turns = {turn.id: turn for turn in store.turns(reach, [ref for refs in said.values() for ref in refs])}
            yield from _of(events, said, turns)
    yield from _reminders(engine, reach, [record for record in records.values() if record.current])


def _reminders(engine: Engine, reach: Reach, records: Sequence[Record]) -> Iterator[Told]:
    """Turns that say a record again in words too light to change it."""
    refused = engine.store.verdicts(reach, accepted=False, limit=engine.policy.misses_traces)
    light = {verdict.turn_id: verdict.statement for verdict in refused if verdict.turn_id and verdict.reason in _LIGHT}
    for turn in engine.store.turns(reach, list(light)) if light else ():
        for record in records if turn.role is Role.USER else ():
            if record.said_at < turn.at and restates(light[turn.id], record):
                yield Told(record=record, turn=turn, corrected=False, since=record.said_at)


def _of(events: Sequence[Event], said: Mapping[int, Sequence[str]], turns: Mapping[str, Turn]) -> Iterator[Told]:
    for event in events:
        for turn in (turns[ref] for ref in said.get(event.seq, ()) if ref in turns):
            if event.before is not None and event.before.current and turn.role is Role.USER:
                corrected = event.type is EventType.SUPERSEDED
                yield Told(record=event.before, turn=turn, corrected=corrected, since=events[0].at)


def _said(engine: Engine, reach: Reach, event: Event) -> list[str]:
    """The sources that the event brought: those that the new record came with, or those that were added to the old one."""
    if event.before is None or event.after is None:
        return []
    after: Record | None = event.after
    if event.type is EventType.SUPERSEDED:
        began = engine.store.events(reach, event.after.superseded_by or "")[:1]
        after = began[0].after if began else None
    return [ref for ref in after.sources if ref not in event.before.sources] if after else []
