"""``load`` on SQLite: parcels become rows, inside the transaction of the caller, each as a whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import apsw

from onrecord.errors import OnRecordError
from onrecord.model.change import EventType, Step
from onrecord.model.moment import as_utc, to_us
from onrecord.model.parcel import Embedded, Filed, Loaded, Parcel, RunState, Shelf, ThreadMark, ThreadSummary, Told, Tombstone
from onrecord.model.record import Record, Usage
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.ports import Batch
from onrecord.stores import settle
from onrecord.stores.batch import check_turn
from onrecord.stores.codec import (
    document_json,
    document_of,
    dumps,
    plain_turn,
    summary_json,
    verdict_json,
    verdict_of,
)
from onrecord.stores.erasure import emptied_verdict
from onrecord.stores.settle import ADDED, SAME, UPDATED
from onrecord.stores.sqlite import account, history, journal, subjects, vectors
from onrecord.stores.sqlite.apply import Application
from onrecord.stores.sqlite.departure import Owner, mark_of, run_at, shelf_of, summary_at, told, usage_of
from onrecord.stores.sqlite.documents import put_passages
from onrecord.stores.sqlite.rows import record_of_parts, thread_name
from onrecord.stores.sqlite.statements import among, every, first, run, scalar
from onrecord.stores.threads import Mark, marked, state_json
from onrecord.stores.vectors import unpack


class Arrival:
    """Parcels on their way into the database."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._keepers: Mapping[type, Callable[..., Loaded]] = {
            Turn: self._turn,
            ThreadMark: self._mark,
            ThreadSummary: self._summary,
            RunState: self._run,
            Filed: self._record,
            Tombstone: self._tombstone,
            Shelf: self._shelf,
            Verdict: self._verdict,
            Trace: self._trace,
            Embedded: self._vector,
        }

    def keep(self, parcel: Parcel) -> Loaded:
        """What became of it."""
        try:
            with self._connection:  # a savepoint: a parcel that fails leaves nothing
                done = self._keepers[type(parcel)](parcel)
        except OnRecordError as error:
            done = settle.refused(str(error))
        return done

    def _owner(self, tenant: str, name: str) -> Owner:
        Reach(tenant, (name,))
        subject = subjects.named(self._connection, tenant, name)
        return Owner(subject.sid, subject.tid, tenant, name)

    # -- turns and threads
    def _turn(self, parcel: Turn) -> Loaded:
        check_turn(parcel)
        theirs = plain_turn(parcel)
        owner = self._owner(theirs.tenant, theirs.subject)
        found = among(self._connection, "turns_by_uid", [theirs.id], owner.tid)
        if found:
            (mine,) = journal.by_ids(self._connection, theirs.tenant, [found[0][0]])
            done = settle.settle_turn(mine, theirs)
            if done is UPDATED:
                note = None if theirs.note is None else dumps(dict(theirs.note), "note")
                run(self._connection, "set_turn_state", theirs.state.value, theirs.tries, note, found[0][0])
            return done
        at = owner.sid, thread_name(theirs.origin.thread), theirs.seq, theirs.client_id
        taken = every(self._connection, "turn_in_thread", *at)
        if clash := settle.clash(theirs, [seq for seq, _ in taken], [client for _, client in taken]):
            return clash
        subject = subjects.named(self._connection, theirs.tenant, theirs.subject)
        journal.insert(self._connection, subject, theirs)
        subjects.save(self._connection, [subject])
        return ADDED

    def _mark(self, theirs: ThreadMark) -> Loaded:
        owner = self._owner(theirs.tenant, theirs.subject)
        mark = marked(Mark("", theirs.archived, theirs.forked_from, theirs.forked_upto), theirs.title, None)
        row = first(self._connection, "thread_mark", owner.sid, theirs.thread)
        done = settle.settle_mark(mark_of(owner, theirs.thread, *row) if row else None, theirs)
        if done is ADDED:
            kept = mark.title, int(mark.archived), mark.forked_from, mark.forked_upto
            run(self._connection, "add_thread_mark", owner.sid, theirs.thread, *kept)
        return done

    def _summary(self, theirs: ThreadSummary) -> Loaded:
        owner, covers = self._owner(theirs.tenant, theirs.subject), dumps(theirs.summary.covers)
        covered = scalar(self._connection, "last_seq_of", owner.tid, covers, owner.sid, theirs.thread)
        upto, *mine = first(self._connection, "summary_at", owner.sid, theirs.thread) or (0,)
        done = settle.settle_summary(summary_at(owner, theirs.thread, *mine) if mine else None, upto, theirs, covered)
        if done in (ADDED, UPDATED):
            at = to_us(as_utc(theirs.at, "at"))
            run(self._connection, "set_summary", owner.sid, theirs.thread, covered, at, summary_json(theirs.summary))
        return done

    def _run(self, theirs: RunState) -> Loaded:
        owner, last = self._owner(theirs.tenant, theirs.subject), theirs.checkpoint
        done = settle.settle_run(run_at(self._connection, owner, last.run), theirs)
        if done in (ADDED, UPDATED):
            at = to_us(as_utc(last.at, "at"))
            run(self._connection, "set_checkpoint", owner.sid, last.run, last.step, last.status.value, at, state_json(last.state))
        return done

    # -- records
    def _record(self, parcel: Filed) -> Loaded:
        theirs = settle.plain_filed(parcel)
        record = theirs.record
        owner = self._owner(record.tenant, record.subject)
        mine: Filed | None = None
        events = told(self._connection, owner, record.id)
        for _, _, sid, state, body in among(self._connection, "records_by_uid", [record.id], owner.tid):
            if sid != owner.sid:
                return settle.conflict("a record of another subject has this id")
            mine = Filed(record=record_of_parts(state, body), usage=self._usage(owner, record.id), events=events)
        done = settle.settle_record(mine, theirs) if mine else settle.settle_absent(events, theirs)
        if done in (ADDED, UPDATED):
            self._file(owner, mine, theirs)
            self._tell(owner, record.id, theirs.events[len(events) :])
        return done

    def _usage(self, owner: Owner, uid: str) -> Usage:
        ((_, _, *use),) = among(self._connection, "records_use", [uid], owner.tid)
        return usage_of(*use)

    def _file(self, owner: Owner, mine: Filed | None, theirs: Filed) -> None:
        """Writes the row, its words, full text, sources and counters, as a change would, without telling of it."""
        record = theirs.record
        step = _step(mine.record if mine else None, record)
        batch = Batch(reach=Reach(owner.tenant, (owner.name,)), now=theirs.events[-1].at, actor="")
        application = Application(self._connection, batch)
        id = application.put(mine.record if mine else None, record, [step])
        usage = settle.joined_use(mine.usage, theirs.usage) if mine else theirs.usage
        last = None if usage.last_reinforced_at is None else to_us(usage.last_reinforced_at)
        run(self._connection, "set_record_use", last, usage.access_count, usage.mention_count, id)

    def _tell(self, owner: Owner, uid: str, events: Sequence[Told]) -> None:
        seq = scalar(self._connection, "last_event")
        for told_now in events:
            seq += 1
            change = self._change_of(owner, told_now) or seq
            history.add(self._connection, owner.sid, settle.event_told(told_now, seq, owner.tenant, owner.name, uid), change)

    def _change_of(self, owner: Owner, event: Told) -> int | None:
        for beside in event.beside:
            change: int | None = scalar(self._connection, "nth_change", owner.sid, beside.id, beside.nth - 1)
            if beside.nth > 0 and change is not None:
                return change
        return None

    def _tombstone(self, parcel: Tombstone) -> Loaded:
        theirs = settle.plain_tombstone(parcel)
        owner = self._owner(theirs.tenant, theirs.subject)
        if first(self._connection, "record_key", owner.tid, theirs.id):
            return settle.conflict("the record is not erased here")
        events = told(self._connection, owner, theirs.id)
        done = settle.settle_tombstone(events, theirs)
        if done in (ADDED, UPDATED):
            self._tell(owner, theirs.id, theirs.events[len(events) :])
        return done

    # -- documents
    def _shelf(self, parcel: Shelf) -> Loaded:
        theirs = settle.plain_shelf(parcel)
        document = theirs.document
        owner = self._owner(document.tenant, document.subject)
        key, sid, held = first(self._connection, "document", owner.tid, document.id) or (0, owner.sid, "")
        if sid != owner.sid:
            return settle.conflict("a document of another subject has this id")
        named = first(self._connection, "document_named", owner.sid, document.collection, document.name)
        mine = shelf_of(self._connection, owner, key, held) if key else None
        done = settle.settle_shelf(mine, theirs, document_of(named[1]).id if named else None)
        if done in (ADDED, UPDATED):
            self._shelve(owner, key, theirs)
        return done

    def _shelve(self, owner: Owner, key: int, theirs: Shelf) -> None:
        document, body = theirs.document, document_json(theirs.document)
        called = document.collection, document.name, body
        if key:
            run(self._connection, "set_document", *called, key)
        else:
            key = scalar(self._connection, "add_document", owner.tid, owner.sid, document.id, *called)
        subject = subjects.named(self._connection, owner.tenant, owner.name)
        put_passages(self._connection, subject, key, theirs.passages)

    # -- the account and vectors
    def _verdict(self, theirs: Verdict) -> Loaded:
        owner, stored = self._owner(theirs.tenant, theirs.subject), verdict_of(verdict_json(theirs))
        body = scalar(self._connection, "verdict_by_uid", owner.tid, stored.id)
        if body is not None:
            return settle.settle_verdict(verdict_of(body), stored)
        gone = any(scalar(self._connection, "was_erased", owner.tid, uid) for uid in stored.record_ids)
        account.add_verdict(self._connection, owner.tid, owner.sid, emptied_verdict(stored) if gone else stored)
        return ADDED

    def _trace(self, theirs: Trace) -> Loaded:
        reach = Reach(theirs.tenant, theirs.subjects)
        if among(self._connection, "turns_gone", settle.turns_in(theirs), self._owner(theirs.tenant, theirs.subjects[0]).tid):
            return settle.refused("turns that it names are not here")
        mine = account.trace(self._connection, reach, theirs.id)
        done = settle.settle_trace(mine, theirs) if mine else ADDED
        if done in (ADDED, UPDATED):
            account.put_trace(self._connection, theirs)
        return done

    def _vector(self, theirs: Embedded) -> Loaded:
        owner, one = self._owner(theirs.tenant, theirs.subject), theirs.corpus.value[:-1]
        id, sid = first(self._connection, f"{one}_key", owner.tid, theirs.id) or (0, 0)
        if sid != owner.sid:
            return settle.refused("the row that it is of is not here")
        known = vectors.model_named(self._connection, theirs.model)
        if known and first(self._connection, f"{one}_vector_at", sid, known.mid, id):
            return SAME
        number = unpack([theirs.vector], settle.numbers_in(theirs.vector))[0]
        subject = subjects.named(self._connection, owner.tenant, owner.name)
        vectors.put(self._connection, theirs.corpus, theirs.model, {theirs.id: number}, [subject], raw={theirs.id: theirs.vector})
        subjects.save(self._connection, [subject])
        return ADDED


def _step(before: Record | None, after: Record) -> Step:
    return Step(type=EventType.ADDED, record_id=after.id, subject=after.subject, before=before, after=after, reason="")
