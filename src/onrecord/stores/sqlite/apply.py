"""``apply`` on SQLite: the plan of a batch becomes rows, inside the transaction of the caller."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.change import Event, EventType, Step
from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import Corpus
from onrecord.model.record import Record
from onrecord.ports import Batch
from onrecord.stores.batch import captured_before, check_epochs, event_of, planned, retold
from onrecord.stores.sqlite import account, history, subjects, vectors
from onrecord.stores.sqlite.rows import full_text, record_of_parts, record_parts, record_values
from onrecord.stores.sqlite.statements import among, each, every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject


class Application:
    """One batch on its way into the database."""

    def __init__(self, connection: apsw.Connection, batch: Batch) -> None:
        self._connection, self._batch = connection, batch
        known = subjects.within(connection, batch.reach)
        check_epochs(batch, {subject.name: subject.epoch for subject in known})
        self._tid = known[0].tid if known else -1
        self._subjects = {subject.name: subject for subject in known}
        self._keys: dict[str, int] = {}
        #: Vectors that went with their words, and traces that lost theirs.
        self.dropped = self.emptied = 0
        self._plan = planned(batch, self._load)

    def perform(self) -> list[Event]:
        """Writes everything; returns the events."""
        self._judge()
        events = self._tell()
        self._write_rows()
        vectors.put(self._connection, Corpus.RECORDS, self._batch.model, self._batch.vectors, self._subjects.values())
        self._close_captures()
        self._turn_back()
        subjects.save(self._connection, self._subjects.values())
        return events

    def _load(self, uid: str) -> Record | None:
        row = next(iter(among(self._connection, "records_by_uid", [uid], self._tid)), None)
        if row is None or all(subject.sid != row[2] for subject in self._subjects.values()):
            return None
        self._keys[uid] = row[0]
        return record_of_parts(row[3], row[4])

    def _subject(self, name: str) -> Subject:
        if name not in self._subjects:
            self._subjects[name] = subjects.named(self._connection, self._batch.reach.tenant, name)
            self._tid = self._subjects[name].tid
        return self._subjects[name]

    def key(self, uid: str) -> int:
        """The key that a record had before the batch."""
        return self._keys[uid]

    # -- verdicts
    def _judge(self) -> None:
        for verdict in self._batch.verdicts:
            subject = self._subject(verdict.subject)
            if scalar(self._connection, "has_verdict", subject.tid, verdict.id):
                raise InvalidInput("verdicts", f"{verdict.id} exists already", "let the system give the id")
            account.add_verdict(self._connection, subject.tid, subject.sid, verdict)

    # -- events
    def _tell(self) -> list[Event]:
        told: list[Event] = []
        seq = scalar(self._connection, "last_event")
        for change in self._plan.changes:
            mine = [event_of(step, seq + n, self._batch) for n, step in enumerate(change, 1)]
            for event in mine:
                history.add(self._connection, self._subject(event.subject).sid, event, seq + 1)
            seq += len(mine)
            told += mine
            for step in change:
                if step.type is EventType.ERASED:
                    self._empty(step)
        self._empty_traces([step for change in self._plan.changes for step in change if step.type is EventType.ERASED])
        return self._as_stored(told)

    def _empty(self, step: Step) -> None:
        """Takes the words of an erased record out of the account."""
        subject, uid = self._subject(step.subject), step.record_id
        run(self._connection, "empty_reasons", subject.sid, uid)
        run(self._connection, "empty_events", subject.sid, uid)
        for vid, body in every(self._connection, "verdicts_naming", subject.tid, uid):
            account.empty_verdict(self._connection, vid, body)

    def _empty_traces(self, erased: Sequence[Step]) -> None:
        """Takes the words of every search that looked at an erased record out of its trace."""
        for name in {step.subject for step in erased}:
            uids = {step.record_id for step in erased if step.subject == name}
            for trid, body in every(self._connection, "trace_bodies", self._subject(name).sid):
                self.emptied += account.empty_trace(self._connection, trid, body, uids)

    def _as_stored(self, told: list[Event]) -> list[Event]:
        """The events, without what was erased later in the same batch."""
        if all(event.type is not EventType.ERASED for event in told):
            return told
        where = (self._connection, self._batch.reach.tenant)
        return [history.one(*where, e.subject, self._subject(e.subject).sid, e.record_id, e.seq) for e in told]

    # -- rows
    def put(self, before: Record | None, after: Record, steps: list[Step]) -> int:
        """Writes one row as it is to stand, without telling of it; its key."""
        subject = self._subject(after.subject)
        subject.epoch += 1
        if before is None:
            self._insert(after, steps)
        else:
            self._keys[after.id] = (first(self._connection, "record_key", subject.tid, after.id) or (0,))[0]
            self._update(self._keys[after.id], before, after, steps)
        subjects.save(self._connection, [subject])
        return self._keys.get(after.id) or subject.sid << 32 | subject.records

    def _write_rows(self) -> None:
        steps: dict[str, list[Step]] = {}
        for change in self._plan.changes:
            for step in change:
                steps.setdefault(step.record_id, []).append(step)
        for name in {step.subject for mine in steps.values() for step in mine}:
            self._subject(name).epoch += 1
        for uid, mine in steps.items():
            self._write_row(uid, mine)

    def _write_row(self, uid: str, steps: list[Step]) -> None:
        before, after = self._plan.before[uid], self._plan.after[uid]
        ends = [n for n, step in enumerate(steps, 1) if step.type is EventType.ERASED]
        if before is not None and ends:
            self._delete(before, self._keys[uid])
            before = None
        since = steps[ends[-1] :] if ends else steps
        if after is None:
            return
        if before is None:
            self._insert(after, since)
        else:
            self._update(self._keys[uid], before, after, since)

    def _insert(self, record: Record, steps: list[Step]) -> None:
        subject = self._subject(record.subject)
        if first(self._connection, "record_key", subject.tid, record.id):
            raise InvalidInput("id", f"record {record.id} exists already", "let the system give the id")
        id, index, (state, body) = subject.next_record(), full_text(record.text), record_parts(record)
        values = record_values(record, subject.epoch, self._now(), index.length, state)
        run(self._connection, "add_record", *values, id, subject.tid, subject.sid, record.id)
        run(self._connection, "add_record_text", id, body)
        run(self._connection, "add_record_terms", id, index.terms, index.again)
        mentions, last = self._mentioned(steps)
        run(self._connection, "add_record_use", id, last, 1 + mentions)
        self._add_sources(id, record)

    def _update(self, id: int, before: Record, after: Record, steps: list[Step]) -> None:
        subject, index, (state, body) = self._subject(after.subject), full_text(after.text), record_parts(after)
        run(self._connection, "set_record", *record_values(after, subject.epoch, self._now(), index.length, state), id)
        if record_parts(before)[1] != body:
            run(self._connection, "drop_record_text", id)
            run(self._connection, "add_record_text", id, body)
        if after.text != before.text:
            run(self._connection, "drop_record_terms", id)
            run(self._connection, "add_record_terms", id, index.terms, index.again)
        if after.sources != before.sources:
            run(self._connection, "drop_record_sources", id)
            self._add_sources(id, after)
        if any(retold(step) for step in steps):
            self._drop_vectors(subject, id, keep=self._batch.model if after.id in self._batch.vectors else "")
        mentions, last = self._mentioned(steps)
        if mentions:
            run(self._connection, "mention_record", last, mentions, id)

    def _delete(self, record: Record, id: int) -> None:
        subject = self._subject(record.subject)
        self._drop_vectors(subject, id, keep="")
        for name in ("drop_record", "drop_record_text", "drop_record_terms", "drop_record_use", "drop_record_sources"):
            run(self._connection, name, id)
        subject.purges += 1

    def _add_sources(self, id: int, record: Record) -> None:
        tid = self._subject(record.subject).tid
        each(self._connection, "add_record_source", [(tid, source, id) for source in record.sources])

    def _drop_vectors(self, subject: Subject, id: int, *, keep: str) -> None:
        run(self._connection, "drop_record_vectors", subject.sid, id, keep)
        if dropped := self._connection.changes():
            subject.purges += 1
            self.dropped += dropped
        run(self._connection, "set_record_model", None, id)

    def _now(self) -> int:
        return to_us(as_utc(self._batch.now, "now"))

    def _mentioned(self, steps: list[Step]) -> tuple[int, int | None]:
        """How often the steps mention the record, and when last."""
        moments = [to_us(as_utc(step.at or self._batch.now, "at")) for step in steps if step.mention]
        return len(moments), max(moments, default=None)

    def _turn_back(self) -> None:
        """Withholds turns, with the summaries of their threads, and lets others be captured again."""
        for queries, uids in (("withhold_turn", self._batch.withheld), ("reread_turn", self._batch.reread)):
            for uid in uids:
                id, sid, thread = first(self._connection, "turn_place", self._tid, uid) or (0, 0, "")
                if any(subject.sid == sid for subject in self._subjects.values()):
                    run(self._connection, queries, id)
                    if queries == "withhold_turn":
                        run(self._connection, "drop_summary", sid, thread)

    def _close_captures(self) -> None:
        for uid in self._batch.captured:
            row = first(self._connection, "turn_key", self._tid, uid)
            if row is None or all(subject.sid != row[1] for subject in self._subjects.values()):
                raise NotFound("turn", uid)
            if not scalar(self._connection, "capture_done", row[0]):
                raise captured_before(uid)
