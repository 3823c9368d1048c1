"""Events, verdicts and traces in the database."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence, Set
from dataclasses import replace

import apsw

from onrecord.errors import StoreError
from onrecord.model.change import Event
from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.verdict import Verdict
from onrecord.stores.codec import trace_json, trace_of, verdict_json, verdict_of
from onrecord.stores.erasure import emptied_trace, emptied_verdict, named_by
from onrecord.stores.sqlite import history, subjects
from onrecord.stores.sqlite.statements import among, each, every, first, run, scalar, stream
from onrecord.stores.sqlite.subjects import Subject


def events(connection: apsw.Connection, reach: Reach, uid: str) -> list[Event]:
    """See ``Store.events``."""
    found = [
        event
        for subject in subjects.within(connection, reach)
        for event in history.of_record(connection, reach.tenant, subject.name, subject.sid, uid)
    ]
    return sorted(found, key=lambda event: event.seq)


def add_verdict(connection: apsw.Connection, tid: int, sid: int, verdict: Verdict) -> None:
    """Writes a new verdict."""
    row = (to_us(as_utc(verdict.at, "at")), int(verdict.accepted), verdict.id, verdict.turn_id, verdict_json(verdict))
    vid = scalar(connection, "add_verdict", tid, sid, *row)
    for uid in verdict.record_ids:
        run(connection, "add_verdict_record", tid, uid, vid)


def verdicts(
    connection: apsw.Connection, reach: Reach, turn_id: str | None, record_id: str | None, accepted: bool | None, limit: int
) -> list[Verdict]:
    """See ``Store.verdicts``."""
    found: list[tuple[int, str, str]] = []
    wanted = None if accepted is None else int(accepted)
    for subject in subjects.within(connection, reach):
        if record_id is not None:
            few = -1 if turn_id is not None else limit
            rows = every(connection, "verdicts_of_record", subject.sid, wanted, few, record_id, subject.tid)
        elif turn_id is not None:
            rows = every(connection, "verdicts_of_turn", subject.sid, wanted, limit, turn_id)
        else:
            rows = every(connection, "verdicts", subject.sid, wanted, limit)
        found += rows
    ordered = (verdict_of(body) for _, _, body in sorted(found, reverse=True))
    return [verdict for verdict in ordered if turn_id is None or verdict.turn_id == turn_id][: max(limit, 0)]


def verdicts_on(connection: apsw.Connection, reach: Reach, turn_ids: Collection[str]) -> dict[str, list[Verdict]]:
    """See ``Store.verdicts_on``."""
    wanted = sorted(set(turn_ids))
    known = subjects.within(connection, reach) if wanted else []
    rows = [row for subject in known for row in among(connection, "verdicts_on_turns", wanted, subject.sid)]
    found: dict[str, list[Verdict]] = {}
    for _, _, turn_id, body in sorted(rows, reverse=True):
        found.setdefault(turn_id, []).append(verdict_of(body))
    return found


def put_trace(connection: apsw.Connection, trace: Trace) -> None:
    """See ``Store.put_trace``."""
    at = to_us(as_utc(trace.at, "at"))
    owners = [subjects.named(connection, trace.tenant, name) for name in dict.fromkeys(trace.subjects)]
    tid = owners[0].tid
    drop_trace(connection, tid, trace.id)
    trid = scalar(connection, "add_trace", tid, at, trace.id, trace_json(_without_erased(connection, owners, trace)))
    for owner in owners:
        run(connection, "add_trace_subject", owner.sid, at, trace.id, trid)
    each(connection, "add_trace_row", [(tid, uid, trid) for uid in dict.fromkeys((*trace.returned, *trace.injected))])


def _without_erased(connection: apsw.Connection, owners: Sequence[Subject], trace: Trace) -> Trace:
    named = sorted(named_by(trace))
    gone = {uid for owner in owners for (uid,) in among(connection, "erased_among", named, owner.sid, owner.tid)}
    turns = [scored.id for scored in trace.candidates if scored.corpus is Corpus.TURNS]
    gone |= {uid for (uid,) in among(connection, "turns_gone", turns, owners[0].tid)}
    return emptied_trace(trace, gone) if gone else trace


def mark_injected(connection: apsw.Connection, reach: Reach, uid: str, ids: Sequence[str]) -> None:
    """See ``Store.mark_injected``."""
    found = trace(connection, reach, uid)
    if found:
        put_trace(connection, replace(found, injected=tuple(ids)))


def empty_verdict(connection: apsw.Connection, vid: int, body: str) -> None:
    """Takes its words from a verdict on an erased record; one that cannot be read may hold any, and goes."""
    try:
        verdict = verdict_of(body)
    except StoreError:
        run(connection, "drop_verdict_records", vid)
        run(connection, "drop_verdict", vid)
    else:
        run(connection, "set_verdict", verdict_json(emptied_verdict(verdict)), vid)


def empty_trace(connection: apsw.Connection, trid: int, body: str, erased: Set[str]) -> bool:
    """Takes the words from a trace that names one of the erased records, and tells if it had any; one that cannot be read may
    hold any, and goes."""
    try:
        found = trace_of(body)
    except StoreError:
        run(connection, "drop_trace_subjects", trid)
        run(connection, "drop_trace_rows", trid)
        run(connection, "drop_trace", trid)
        return False
    if named := erased & named_by(found):
        run(connection, "set_trace", trace_json(emptied_trace(found, named)), trid)
    return bool(named and found.query)


def drop_trace(connection: apsw.Connection, tid: int, uid: str) -> None:
    """Takes a trace away, if it is there."""
    trid, at, body = first(connection, "trace", tid, uid) or (0, 0, "")
    if not trid:
        return
    trace = trace_of(body)
    for name in trace.subjects:
        sid = subjects.named(connection, trace.tenant, name).sid
        run(connection, "drop_trace_subject", sid, at, trace.id, trid)
    run(connection, "drop_trace_rows", trid)
    run(connection, "drop_trace", trid)


def traces(connection: apsw.Connection, reach: Reach, record_id: str | None, limit: int) -> list[Trace]:
    """See ``Store.traces``."""
    known = subjects.within(connection, reach)
    if record_id is not None and known:
        rows = stream(connection, "traces_of_record", known[0].tid, record_id)
        ordered = (body for _, _, body in rows)
    else:
        streams = [stream(connection, "traces", subject.sid) for subject in known]
        ordered = (body for _, _, body in heapq.merge(*streams, reverse=True))
    found: dict[str, Trace] = {}
    for body in ordered:
        if len(found) >= limit:
            break
        trace = trace_of(body)
        if set(trace.subjects) <= set(reach.subjects):
            found[trace.id] = trace
    return list(found.values())


def trace(connection: apsw.Connection, reach: Reach, uid: str) -> Trace | None:
    """See ``Store.trace``."""
    for subject in subjects.within(connection, reach)[:1]:
        row = first(connection, "trace", subject.tid, uid)
        found = trace_of(row[2]) if row else None
        return found if found and set(found.subjects) <= set(reach.subjects) else None
    return None
