"""``erase`` on SQLite: turns, threads, runs and whole subjects leave every table, inside the transaction of the caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Set

import apsw

from onrecord.errors import NotFound
from onrecord.model.change import EventType
from onrecord.model.trace import Trace
from onrecord.ports import Erasure
from onrecord.stores.codec import trace_json, trace_of
from onrecord.stores.erasure import emptied_trace, named_by, without_subjects
from onrecord.stores.sqlite import account, subjects
from onrecord.stores.sqlite.apply import Application
from onrecord.stores.sqlite.rows import id_range, thread_name
from onrecord.stores.sqlite.statements import every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject

#: Tables whose rows name their subject, and those whose keys lie in its range.
BY_SUBJECT = (
    *("record", "record_vector", "turn", "turn_vector", "event", "verdict", "thread", "summary", "checkpoint"),
    *("document", "passage", "passage_vector"),
)
BY_KEY = ("record_text", "record_use", "record_terms", "turn_terms", "turn_size", "passage_terms")


class Erasing:
    """One erasure on its way through the database. ``gone`` and ``emptied`` count rows by what they were."""

    def __init__(self, connection: apsw.Connection, erasure: Erasure) -> None:
        self._connection, self._erasure = connection, erasure
        self.gone: Counter[str] = Counter()
        self.emptied: Counter[str] = Counter()
        #: Keys of whole subjects; of turns; of records with the number of the event that tells of it.
        self.sids: list[int] = []
        self.turns: list[tuple[int, int, str]] = []
        self.records: list[tuple[int, int, str, int]] = []
        #: Threads and runs as (subject, name).
        self.threads: list[tuple[int, str]] = []
        self.runs: list[tuple[int, str]] = []

    def perform(self) -> None:
        """Takes everything away."""
        batch = self._erasure.batch
        application = Application(self._connection, batch)
        events = application.perform()
        for event in events:
            if event.type is EventType.ERASED:
                key = application.key(event.record_id)
                self.records.append((key >> 32, key, event.record_id, event.seq))
        self.gone["records"] += len(self.records)
        self.gone["record_vectors"] += application.dropped
        self.emptied["traces"] += application.emptied
        known = {subject.name: subject for subject in subjects.within(self._connection, batch.reach)}
        self._drop_turns(known.values())
        for name, thread in self._erasure.threads:
            if name in known:
                self._drop_thread(known[name], thread)
        for name, job in self._erasure.runs:
            if name in known:
                self.runs.append((known[name].sid, job))
                self._run("checkpoints", "drop_checkpoint", *self.runs[-1])
        subjects.save(self._connection, known.values())
        for name in self._erasure.subjects:
            if name in known:
                self._drop_subject(known[name])

    def _run(self, what: str, query: str, *values: object) -> None:
        run(self._connection, query, *values)
        self.gone[what] += self._connection.changes()

    # -- turns
    def _drop_turns(self, known: Iterable[Subject]) -> None:
        owners = {subject.sid: subject for subject in known}
        tid = next((subject.tid for subject in owners.values()), -1)
        for uid in self._erasure.turns:
            id, sid, thread = first(self._connection, "turn_place", tid, uid) or (0, 0, "")
            if sid not in owners:
                raise NotFound("turn", uid)
            self.turns.append((sid, id, uid))
            self._run("turns", "drop_turn", id)
            self._run("turn_terms", "drop_turn_terms", id)
            self._run("turn_vectors", "drop_turn_vectors", sid, id)
            self._run("summaries", "drop_summary", sid, thread)
            self._drop_verdicts(tid, uid)
            owners[sid].purges += 1
            owners[sid].turn_epoch += 1
        gone = {uid for _, _, uid in self.turns}
        if gone:
            for sid in {sid for sid, _, _ in self.turns}:
                self._empty_traces(sid, lambda trace: bool(gone & named_by(trace)), gone)

    def _drop_verdicts(self, tid: int, turn: str) -> None:
        for (vid,) in every(self._connection, "verdicts_on_turn", tid, turn):
            run(self._connection, "drop_verdict_records", vid)
            self._run("verdicts", "drop_verdict", vid)

    def _drop_thread(self, subject: Subject, thread: str) -> None:
        self.threads.append((subject.sid, thread))
        self._run("threads", "drop_thread", subject.sid, thread)
        self._run("summaries", "drop_summary", subject.sid, thread)
        run(self._connection, "orphan_forks", subject.sid, thread)
        self._empty_traces(subject.sid, lambda trace: thread_name(trace.origin.thread) == thread)

    def _empty_traces(self, sid: int, chosen: Callable[[Trace], bool], ids: Set[str] = frozenset()) -> None:
        for trid, body in every(self._connection, "trace_bodies", sid):
            trace = trace_of(body)
            if chosen(trace):
                run(self._connection, "set_trace", trace_json(emptied_trace(trace, ids)), trid)
                self.emptied["traces"] += bool(trace.query)

    # -- whole subjects
    def _drop_subject(self, subject: Subject) -> None:
        self.sids.append(subject.sid)
        for _, body in every(self._connection, "trace_bodies", subject.sid):
            self._leave_trace(subject, trace_of(body))
        run(self._connection, "drop_subject_verdict_records", subject.sid)
        low, high = id_range(subject.sid)
        run(self._connection, "drop_subject_sources", low, high)
        for table in BY_KEY:
            self._run(table, f"drop_{table}_between", low, high)
        for table in BY_SUBJECT:
            self._run("summaries" if table == "summary" else f"{table}s", f"drop_{table}_of", subject.sid)
        run(self._connection, "retire_subject", subject.sid)

    def _leave_trace(self, subject: Subject, trace: Trace) -> None:
        """Takes a subject out of a trace; one that looked at nobody else goes."""
        mine = {uid for uid in named_by(trace) if scalar(self._connection, "source_in", subject.tid, uid, subject.sid)}
        account.drop_trace(self._connection, subject.tid, trace.id)
        left = without_subjects(emptied_trace(trace, mine), {subject.name}, mine)
        if left.subjects:
            account.put_trace(self._connection, left)
            self.emptied["traces"] += bool(trace.query)
        else:
            self.gone["traces"] += 1


def leftovers(connection: apsw.Connection, erasing: Erasing) -> list[str]:
    """The places in which rows of what was erased are left; empty if all are gone."""
    found: Counter[str] = Counter()
    for sid in erasing.sids:
        low, high = id_range(sid)
        for table in BY_KEY:
            found[table] += scalar(connection, f"count_{table}_between", low, high)
        for table in (*BY_SUBJECT, "trace_subject"):
            found[table] += scalar(connection, f"count_{table}_of", sid)
        found["record_source"] += scalar(connection, "count_record_source_between", low, high)
    for sid, id, uid in erasing.turns:
        for table in ("turn", "turn_terms", "turn_size"):
            found[table] += scalar(connection, f"count_{table}_between", id, id)
        found["turn_vector"] += scalar(connection, "count_turn_vector_at", sid, id)
        found["verdict"] += scalar(connection, "count_verdicts_on_turn", uid, sid)
        found["summary"] += scalar(connection, "count_summaries_naming", sid, uid)
    for sid, id, uid, last in erasing.records:
        for table in ("record", "record_text", "record_use", "record_terms", "record_source"):
            found[table] += scalar(connection, f"count_{table}_between", id, id)
        found["record_vector"] += scalar(connection, "count_record_vector_at", sid, id)
        found["event"] += scalar(connection, "words_left", sid, uid, last)
        found["verdict"] += scalar(connection, "count_verdicts_with_words", sid, uid)
    for sid, thread in erasing.threads:
        found["thread"] += first(connection, "thread_mark", sid, thread) is not None
        found["summary"] += first(connection, "summary", sid, thread) is not None
    for sid, job in erasing.runs:
        found["checkpoint"] += first(connection, "checkpoint", sid, job) is not None
    found["trace"] += _traces_left(connection, erasing)
    return [f"{count} rows of {table}" for table, count in sorted(found.items()) if count]


def _traces_left(connection: apsw.Connection, erasing: Erasing) -> int:
    ids = {uid for _, _, uid in erasing.turns} | {uid for _, _, uid, _ in erasing.records}
    sids = {sid for sid, *_ in (*erasing.turns, *erasing.records, *erasing.threads)}
    told = {trid: (sid, trace_of(body)) for sid in sids for trid, body in every(connection, "trace_bodies", sid)}
    within = {(sid, thread) for sid, thread in erasing.threads}
    left = (ids & named_by(trace) or (sid, trace.origin.thread) in within for sid, trace in told.values() if trace.query)
    return sum(map(bool, left))
