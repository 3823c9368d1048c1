"""``dump`` on SQLite: the rows of a snapshot as parcels, few of them in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import apsw

from onrecord.model.moment import from_us
from onrecord.model.parcel import (
    Beside,
    Embedded,
    Extent,
    Filed,
    Parcel,
    RunState,
    Shelf,
    ThreadMark,
    ThreadSummary,
    Told,
    Tombstone,
)
from onrecord.model.query import Corpus
from onrecord.model.record import Usage
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.stores.codec import document_of, summary_of, trace_of, verdict_of
from onrecord.stores.settle import told_of
from onrecord.stores.sqlite import journal, threads
from onrecord.stores.sqlite.documents import passage_of_row
from onrecord.stores.sqlite.history import events_of_rows
from onrecord.stores.sqlite.rows import id_range, record_of_parts
from onrecord.stores.sqlite.statements import among, every, scalar, stream

_AT_ONCE = 500


class Owner(NamedTuple):
    """A subject: its keys and names."""

    sid: int
    tid: int
    tenant: str
    name: str


def dump(connection: apsw.Connection, extent: Extent) -> Iterator[Parcel]:
    """See ``Store.dump``."""
    owners = [owner for owner in map(Owner._make, every(connection, "every_subject")) if extent.holds(owner.tenant, owner.name)]
    for owner in owners:
        for part in (_turns, _marks, _summaries, _runs, _verdicts, _shelves, _records, _tombstones):
            yield from part(connection, owner)
        if extent.vectors:
            yield from _vectors(connection, owner)
    for owner in owners:
        yield from _traces(connection, owner, extent)


def _turns(connection: apsw.Connection, owner: Owner) -> Iterator[Turn]:
    for keys in _some(connection, "turns_in_order", *id_range(owner.sid)):
        yield from journal.by_ids(connection, owner.tenant, keys)


def _marks(connection: apsw.Connection, owner: Owner) -> Iterator[ThreadMark]:
    for thread, title, archived, source, upto in every(connection, "thread_marks", owner.sid):
        yield mark_of(owner, thread, title, archived, source, upto)


def mark_of(owner: Owner, thread: str, title: str, archived: int, source: str | None, upto: int) -> ThreadMark:
    """The mark of a thread as it travels."""
    return ThreadMark(
        tenant=owner.tenant,
        subject=owner.name,
        thread=thread,
        title=title,
        archived=bool(archived),
        forked_from=source,
        forked_upto=upto,
    )


def _summaries(connection: apsw.Connection, owner: Owner) -> Iterator[ThreadSummary]:
    for thread, at, body in stream(connection, "summaries_of", owner.sid):
        yield summary_at(owner, thread, at, body)


def summary_at(owner: Owner, thread: str, at: int, body: str) -> ThreadSummary:
    """The summary of a thread as it travels."""
    return ThreadSummary(tenant=owner.tenant, subject=owner.name, thread=thread, at=from_us(at), summary=summary_of(body))


def _runs(connection: apsw.Connection, owner: Owner) -> Iterator[RunState]:
    for (name,) in every(connection, "runs_of", owner.sid):
        if state := run_at(connection, owner, name):
            yield state


def run_at(connection: apsw.Connection, owner: Owner, name: str) -> RunState | None:
    """The state of a run as it travels."""
    last = threads.checkpoint(connection, Reach(owner.tenant, (owner.name,)), name)
    return RunState(tenant=owner.tenant, subject=owner.name, checkpoint=last) if last else None


def _verdicts(connection: apsw.Connection, owner: Owner) -> Iterator[Verdict]:
    for keys in _some(connection, "verdict_keys", owner.sid):
        yield from (verdict_of(scalar(connection, "verdict_body", key)) for key in keys)


def _records(connection: apsw.Connection, owner: Owner) -> Iterator[Filed]:
    for keys in _some(connection, "records_in_order", *id_range(owner.sid)):
        for uid, state, body, *use in among(connection, "records_filed", keys):
            record = record_of_parts(state, body)
            yield Filed(record=record, usage=usage_of(*use), events=told(connection, owner, uid))


def usage_of(reinforced_at: int | None, accesses: int, mentions: int) -> Usage:
    """The counters of a record."""
    return Usage(None if reinforced_at is None else from_us(reinforced_at), accesses, mentions)


def told(connection: apsw.Connection, owner: Owner, uid: str) -> tuple[Told, ...]:
    """The events of a record as they travel, oldest first."""
    rows = every(connection, "changes_of", owner.sid, uid)
    events = events_of_rows(owner.tenant, owner.name, uid, [row[1:] for row in rows])
    return tuple(
        told_of(event, [Beside(id=id, nth=nth) for id, nth in every(connection, "beside", change, owner.sid, event.seq)])
        for (change, *_), event in zip(rows, events, strict=True)
    )


def _tombstones(connection: apsw.Connection, owner: Owner) -> Iterator[Tombstone]:
    for (uid,) in stream(connection, "erased_records", owner.sid, owner.tid):
        yield Tombstone(tenant=owner.tenant, subject=owner.name, id=uid, events=told(connection, owner, uid))


def _shelves(connection: apsw.Connection, owner: Owner) -> Iterator[Shelf]:
    for key, body in every(connection, "documents_in_order", owner.sid):
        yield shelf_of(connection, owner, key, body)


def shelf_of(connection: apsw.Connection, owner: Owner, key: int, body: str) -> Shelf:
    """A document as it travels."""
    passages = (passage_of_row(*row) for _, _, *row in every(connection, "passages_of", owner.sid, key))
    return Shelf(document=document_of(body), passages=tuple(passages))


def _vectors(connection: apsw.Connection, owner: Owner) -> Iterator[Embedded]:
    for corpus in Corpus:
        for model, uid, vector in stream(connection, f"{corpus.value[:-1]}_vectors_in_order", owner.sid):
            where = {"tenant": owner.tenant, "subject": owner.name, "corpus": corpus, "model": model}
            yield Embedded(**where, id=uid, vector=vector)


def _traces(connection: apsw.Connection, owner: Owner, extent: Extent) -> Iterator[Trace]:
    for keys in _some(connection, "trace_keys", owner.sid):
        for key in keys:
            trace = trace_of(scalar(connection, "trace_body", key))
            first = min(trace.subjects) == owner.name
            if first and all(extent.holds(trace.tenant, name) for name in trace.subjects):
                yield trace


def _some(connection: apsw.Connection, query: str, *values: int) -> Iterator[list[int]]:
    """The keys that a query gives, so many at a time."""
    found = stream(connection, query, *values)
    return iter(lambda: [key for (key,) in islice(found, _AT_ONCE)], [])
