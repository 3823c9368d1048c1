"""``load`` of the in-memory store: parcels become rows, each as a whole or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from onrecord.errors import OnRecordError
from onrecord.model.change import EventType
from onrecord.model.parcel import (
    Beside,
    Embedded,
    Filed,
    Loaded,
    Parcel,
    RunState,
    Shelf,
    ThreadMark,
    ThreadSummary,
    Told,
    Tombstone,
)
from onrecord.model.query import Corpus
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.stores import settle
from onrecord.stores.accounts import put
from onrecord.stores.batch import check_turn
from onrecord.stores.codec import plain_turn, summary_of, verdict_json, verdict_of
from onrecord.stores.erasure import emptied_verdict
from onrecord.stores.settle import ADDED, SAME, UPDATED
from onrecord.stores.shelves import document_called, passages_in, put_rows
from onrecord.stores.threads import Mark, marked, state_json
from onrecord.stores.vectors import dimension, unpack

Place = tuple[str, str, str]


class History:
    """The events of each record, with those beside each."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._events: dict[Place, list[int]] = defaultdict(list)
        self._changes: dict[tuple[str, str, int], list[tuple[int, Beside]]] = defaultdict(list)
        for n in range(len(state.events)):
            self._note(n)

    def _note(self, n: int) -> None:
        event = self._state.events[n]
        mine = self._events[event.tenant, event.subject, event.record_id]
        mine.append(n)
        beside = Beside(id=event.record_id, nth=len(mine))
        self._changes[event.tenant, event.subject, self._state.changes[n]].append((n, beside))

    def told(self, tenant: str, subject: str, id: str) -> tuple[Told, ...]:
        """The events of a record."""
        return tuple(self._told(n) for n in self._events.get((tenant, subject, id), ()))

    def _told(self, n: int) -> Told:
        event = self._state.events[n]
        group = self._changes[event.tenant, event.subject, self._state.changes[n]]
        others = sorted((beside for other, beside in group if other != n), key=lambda one: (one.id, one.nth))
        return settle.told_of(event, others)

    def erased(self, tenant: str, subject: str) -> list[str]:
        """The records of a subject of which nothing but events is there."""
        mine = sorted(id for at_tenant, at_subject, id in self._events if (at_tenant, at_subject) == (tenant, subject))
        rows = ((id, self._state.records.get((tenant, id))) for id in mine)
        return [id for id, record in rows if record is None or record.subject != subject]

    def add(self, tenant: str, subject: str, id: str, events: Sequence[Told]) -> None:
        """Tells further events of a record, each in the change of those beside it."""
        state = self._state
        for told in events:
            state.last = (state.last[0] + 1,)
            change = self._change_of(tenant, subject, told) or state.last[0]
            state.events.append(settle.event_told(told, state.last[0], tenant, subject, id))
            state.changes.append(change)
            self._note(len(state.events) - 1)

    def _change_of(self, tenant: str, subject: str, told: Told) -> int | None:
        for beside in told.beside:
            theirs = self._events.get((tenant, subject, beside.id), ())
            if len(theirs) >= beside.nth > 0:
                change: int = self._state.changes[theirs[beside.nth - 1]]
                return change
        return None


class Arrival:
    """Parcels on their way into a state."""

    def __init__(self, state: Any) -> None:
        self._state, self._history = state, History(state)
        self._erased = {(e.tenant, e.record_id) for e in state.events if e.type is EventType.ERASED}
        self._keepers: Mapping[type, Callable[[Any], Loaded]] = {
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
            return self._keepers[type(parcel)](parcel)
        except OnRecordError as error:
            return settle.refused(str(error))

    def _turn(self, theirs: Turn) -> Loaded:
        check_turn(theirs)
        turns, stored = self._state.turns, plain_turn(theirs)
        mine: Turn | None = turns.get((stored.tenant, stored.id))
        if mine is not None:
            done = settle.settle_turn(mine, stored)
            if done is UPDATED:
                turns[mine.tenant, mine.id] = replace(mine, state=stored.state, tries=stored.tries, note=stored.note)
            return done
        thread = stored.tenant, stored.subject, stored.origin.thread
        held = [turns[stored.tenant, id] for id in self._state.threads.get(thread, ())]
        if clash := settle.clash(stored, [turn.seq for turn in held], [turn.client_id for turn in held]):
            return clash
        turns[stored.tenant, stored.id] = stored
        self._state.threads[thread] = tuple(turn.id for turn in sorted([*held, stored], key=lambda turn: turn.seq))
        return ADDED

    def _mark(self, theirs: ThreadMark) -> Loaded:
        place, marks = _place(theirs, theirs.thread), self._state.dialogues.marks
        mark = marked(Mark("", theirs.archived, theirs.forked_from, theirs.forked_upto), theirs.title, None)
        done = settle.settle_mark(mark_at(self._state, place) if place in marks else None, theirs)
        if done is ADDED:
            marks[place] = mark
        return done

    def _summary(self, theirs: ThreadSummary) -> Loaded:
        place, dialogues, named = _place(theirs, theirs.thread), self._state.dialogues, set(theirs.summary.covers)
        held = [self._state.turns[theirs.tenant, id] for id in self._state.threads.get(place, ())]
        covered = max((turn.seq for turn in held if turn.id in named), default=0)
        mine = summary_at(self._state, place) if place in dialogues.summaries else None
        done = settle.settle_summary(mine, dialogues.summaries[place][0] if mine else 0, theirs, covered)
        if done in (ADDED, UPDATED):
            dialogues.keep_summary(place, covered, theirs.summary, theirs.at)
        return done

    def _run(self, theirs: RunState) -> Loaded:
        last = theirs.checkpoint
        place, steps = _place(theirs, last.run), self._state.dialogues.checkpoints
        done = settle.settle_run(run_at(self._state, place) if place in steps else None, theirs)
        if done in (ADDED, UPDATED):
            steps[place] = last.step, state_json(last.state), last.status, last.at
        return done

    def _record(self, parcel: Filed) -> Loaded:
        theirs = settle.plain_filed(parcel)
        record, key = theirs.record, (theirs.record.tenant, theirs.record.id)
        mine: Record | None = self._state.records.get(key)
        if mine is not None and mine.subject != record.subject:
            return settle.conflict("a record of another subject has this id")
        told = self._history.told(record.tenant, record.subject, record.id)
        if mine is None:
            done = settle.settle_absent(told, theirs)
        else:
            done = settle.settle_record(Filed(record=mine, usage=self._state.usage[key], events=told), theirs)
        if done in (ADDED, UPDATED):
            self._file(mine, theirs, len(told))
        return done

    def _file(self, mine: Record | None, theirs: Filed, known: int) -> None:
        state, record = self._state, theirs.record
        key = record.tenant, record.id
        if mine is not None and mine.text != record.text:
            for model in state.dims:
                state.vectors.pop((Corpus.RECORDS, model, *key), None)
        state.records[key] = record
        state.usage[key] = settle.joined_use(state.usage[key], theirs.usage) if mine else theirs.usage
        self._history.add(record.tenant, record.subject, record.id, theirs.events[known:])
        owner = record.tenant, record.subject
        state.epochs[owner] = state.epochs.get(owner, 0) + 1

    def _tombstone(self, parcel: Tombstone) -> Loaded:
        theirs = settle.plain_tombstone(parcel)
        if (theirs.tenant, theirs.id) in self._state.records:
            return settle.conflict("the record is not erased here")
        told = self._history.told(theirs.tenant, theirs.subject, theirs.id)
        done = settle.settle_tombstone(told, theirs)
        if done in (ADDED, UPDATED):
            self._history.add(theirs.tenant, theirs.subject, theirs.id, theirs.events[len(told) :])
            self._erased.add((theirs.tenant, theirs.id))
        return done

    def _shelf(self, parcel: Shelf) -> Loaded:
        theirs, state = settle.plain_shelf(parcel), self._state
        document = theirs.document
        held = state.documents.get((document.tenant, document.id))
        mine = Shelf(document=held, passages=tuple(passages_in(state, held))) if held else None
        named = document_called(state, document.tenant, document.subject, document.collection, document.name)
        done = settle.settle_shelf(mine, theirs, named.id if named else None)
        if done in (ADDED, UPDATED):
            put_rows(state, document, theirs.passages)
        return done

    def _verdict(self, theirs: Verdict) -> Loaded:
        Reach(theirs.tenant, (theirs.subject,))
        verdicts, stored = self._state.verdicts, verdict_of(verdict_json(theirs))
        key = stored.tenant, stored.id
        if key in verdicts:
            return settle.settle_verdict(verdicts[key], stored)
        mine = ((stored.tenant, id) for id in stored.record_ids)
        gone = any(row in self._erased and row not in self._state.records for row in mine)
        verdicts[key] = emptied_verdict(stored) if gone else stored
        return ADDED

    def _trace(self, theirs: Trace) -> Loaded:
        Reach(theirs.tenant, theirs.subjects)
        if any((theirs.tenant, id) not in self._state.turns for id in settle.turns_in(theirs)):
            return settle.refused("turns that it names are not here")
        mine = self._state.traces.get((theirs.tenant, theirs.id))
        done = settle.settle_trace(mine, theirs) if mine else ADDED
        if done in (ADDED, UPDATED):
            put(self._state, theirs)
        return done

    def _vector(self, theirs: Embedded) -> Loaded:
        state = self._state
        row = getattr(state, theirs.corpus).get((theirs.tenant, theirs.id))
        if row is None or row.subject != theirs.subject:
            return settle.refused("the row that it is of is not here")
        key = theirs.corpus, theirs.model, theirs.tenant, theirs.id
        if key in state.vectors:
            return SAME
        known = {"": unpack([theirs.vector], settle.numbers_in(theirs.vector))[0]}
        state.dims[theirs.model] = dimension(theirs.model, known, state.dims.get(theirs.model))
        state.vectors[key] = theirs.vector
        return ADDED


def _place(parcel: ThreadMark | ThreadSummary | RunState, name: str) -> Place:
    (subject,) = Reach(parcel.tenant, (parcel.subject,)).subjects
    return parcel.tenant, subject, name


def mark_at(state: Any, place: Place) -> ThreadMark:
    """The mark of a thread as it travels."""
    mark: Mark = state.dialogues.marks[place]
    return ThreadMark(
        tenant=place[0],
        subject=place[1],
        thread=place[2],
        title=mark.title,
        archived=mark.archived,
        forked_from=mark.forked_from,
        forked_upto=mark.forked_upto,
    )


def summary_at(state: Any, place: Place) -> ThreadSummary:
    """The summary of a thread as it travels."""
    _, body, at = state.dialogues.summaries[place]
    return ThreadSummary(tenant=place[0], subject=place[1], thread=place[2], at=at, summary=summary_of(body))


def run_at(state: Any, place: Place) -> RunState:
    """The state of a run as it travels."""
    return RunState(tenant=place[0], subject=place[1], checkpoint=state.dialogues.checkpoint(place))
