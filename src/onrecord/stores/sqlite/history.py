"""Events in the database. One that goes on from where the one before it ended holds only what changed: the sources of a record
that is said again and again would else be written whole each time, and what is written would grow with the square of that.

Such an event has an empty ``before`` and a difference (``stores.delta``) as ``after``. After so many of them the next is whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apsw

from onrecord.errors import StoreError
from onrecord.model.change import Event, EventType
from onrecord.model.moment import from_us, to_us
from onrecord.stores.codec import dumps, record_from, record_row, stored
from onrecord.stores.delta import changed, difference, same
from onrecord.stores.sqlite.rows import Values
from onrecord.stores.sqlite.statements import every, run

#: Differences in a row: so many are read before another one is written.
_IN_A_ROW = 16
#: What stands in ``before`` of an event that goes on from where the one before it ended.
ON = ""

State = Mapping[str, Any] | None


def add(connection: apsw.Connection, sid: int, event: Event, change: int) -> None:
    """Writes an event of a record of a subject; ``change`` is the number of the first event of the same change."""
    who = (to_us(event.at), event.record_id, event.type.value, event.actor, event.reason, event.verdict_id)
    before, after = _plain(event.before), _plain(event.after)
    run(connection, "add_event", event.seq, sid, change, *who, *_written(connection, sid, event.record_id, before, after))


def of_record(connection: apsw.Connection, tenant: str, subject: str, sid: int, uid: str) -> list[Event]:
    """The events of a record of a subject, oldest first."""
    return events_of_rows(tenant, subject, uid, every(connection, "events", sid, uid))


def events_of_rows(tenant: str, subject: str, uid: str, rows: Sequence[Values]) -> list[Event]:
    """The events of a record whose rows these are, all of them and oldest first."""
    return [_event(tenant, subject, uid, row, *states) for row, states in zip(rows, _states(rows), strict=True)]


def one(connection: apsw.Connection, tenant: str, subject: str, sid: int, uid: str, seq: int) -> Event:
    """An event of a record of a subject by its number."""
    return next(event for event in of_record(connection, tenant, subject, sid, uid) if event.seq == seq)


def join(connection: apsw.Connection, sid: int, uid: str, pairs: Sequence[tuple[int, int]]) -> None:
    """For each pair of events of a record that follow one another, in their order: the later one begins where the earlier one
    began, which goes."""
    rows = every(connection, "events", sid, uid)
    states = {row[0]: both for row, both in zip(rows, _states(rows), strict=True)}
    begun = dict[int, State]()
    for earlier, later in pairs:
        begun[later] = begun.pop(earlier, states[earlier][0])
        run(connection, "drop_event", earlier)
    for seq, before in begun.items():
        run(connection, "set_event", _text(before), _text(states[seq][1]), seq)


def _written(connection: apsw.Connection, sid: int, uid: str, before: State, after: State) -> tuple[str | None, str | None]:
    """The columns ``before`` and ``after`` of the next event of a record."""
    if before is not None and after is not None:
        rows = every(connection, "events_since_whole", sid, uid, _IN_A_ROW)
        if 0 < len(rows) < _IN_A_ROW and same(_end(rows), before):
            return ON, dumps(difference(before, after))
    return _text(before), _text(after)


def _end(rows: Sequence[Values]) -> State:
    """The state after the last of some events, of which the first is whole."""
    state: State = None
    for before, after in rows:
        state = _next(state, before, after)[1]
    return state


def _states(rows: Sequence[Values]) -> Iterator[tuple[State, State]]:
    state: State = None
    for row in rows:
        before, state = _next(state, *row[6:8])
        yield before, state


@stored("event")
def _next(state: State, before: str | None, after: str | None) -> tuple[State, State]:
    if before != ON:
        return _read(before), _read(after)
    if state is None:
        raise StoreError("a stored event is damaged: it goes on from where none ended")
    return state, changed(state, _read(after))


@stored("event")
def _event(tenant: str, subject: str, uid: str, row: Values, before: State, after: State) -> Event:
    seq, type, at, actor, reason, verdict_id, *_ = row
    return Event(
        seq=seq,
        tenant=tenant,
        subject=subject,
        record_id=uid,
        type=EventType(type),
        at=from_us(at),
        actor=actor,
        reason=reason,
        verdict_id=verdict_id,
        before=None if before is None else record_from(before),
        after=None if after is None else record_from(after),
    )


def _plain(record: Any) -> State:
    """A record as what is read of its JSON text."""
    return None if record is None else json.loads(dumps(record_row(record)))


def _text(state: State) -> str | None:
    return None if state is None else dumps(state)


def _read(text: str | None) -> Any:
    return None if text is None else json.loads(text)
