"""A store in plain dicts and lists: the specification that runs. Brute force, one lock, and obviously right before fast."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from onrecord.errors import InvalidInput, NotFound, StoreClosed
from onrecord.model.change import Event, EventType
from onrecord.model.document import Document, Passage
from onrecord.model.erasure import Erased, Scan
from onrecord.model.key import ApiKey
from onrecord.model.moment import as_utc
from onrecord.model.query import Best, Corpus, Posting, Postings, View
from onrecord.model.record import Record, Usage
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Trace
from onrecord.model.turn import CaptureState, Turn
from onrecord.model.verdict import Verdict
from onrecord.policy.language import text as words
from onrecord.policy.recall.episode import searchable
from onrecord.policy.recall.rank import cut
from onrecord.policy.visible import record_test, turn_test
from onrecord.ports import UNSEEN, Appended, Batch, Erasure, Health, Vector
from onrecord.stores.accounts import Accounts, as_known
from onrecord.stores.attrition import Attrition
from onrecord.stores.batch import captured, check_epochs, check_turn, event_of, mentioned, planned, retold, touched, within
from onrecord.stores.carrier import Carrier
from onrecord.stores.codec import plain_turn, verdict_json, verdict_of
from onrecord.stores.detached import all_detached, detached, detached_event
from onrecord.stores.dialogues import Dialogues, Talks
from onrecord.stores.embeddings import Embeddings
from onrecord.stores.erasure import emptied_event, emptied_trace, emptied_verdict, named_by, receipt
from onrecord.stores.keyring import Keyring
from onrecord.stores.lanes import Lanes, owners
from onrecord.stores.oblivion import Before, Oblivion
from onrecord.stores.shelves import Shelves, visible
from onrecord.stores.threads import copies
from onrecord.stores.vectors import dimension, outdated, pack, ranked, unit, unpack

#: Seconds that a decision waits for those before it.
_PATIENCE = 10.0
#: A row by tenant and id.
Key = tuple[str, str]

RowT = TypeVar("RowT", Record, Turn, Record | Turn | Passage)


@dataclass(slots=True)
class _State:
    records: dict[Key, Record] = field(default_factory=dict)
    usage: dict[Key, Usage] = field(default_factory=dict)
    epochs: dict[Key, int] = field(default_factory=dict)
    turns: dict[Key, Turn] = field(default_factory=dict)
    #: Ids of the turns of a (tenant, subject, thread), in order.
    threads: dict[tuple[str, str, str | None], tuple[str, ...]] = field(default_factory=dict)
    vectors: dict[tuple[Corpus, str, str, str], bytes] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    #: For each event the seq of the first event of the same change; and the seq given last.
    changes: list[int] = field(default_factory=list)
    last: tuple[int, ...] = (0,)
    verdicts: dict[Key, Verdict] = field(default_factory=dict)
    traces: dict[Key, Trace] = field(default_factory=dict)
    dialogues: Dialogues = field(default_factory=Dialogues)
    keys: dict[str, ApiKey] = field(default_factory=dict)
    documents: dict[Key, Document] = field(default_factory=dict)
    passages: dict[Key, Passage] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(**{part.name: copy(getattr(self, part.name)) for part in fields(self)})


class InMemoryStore(Talks, Accounts, Attrition, Embeddings, Carrier, Keyring, Shelves):
    """Everything in this process, gone with it. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._lanes = Lanes()
        self._state = _State()
        self._closed = False

    # -- writing
    def append(self, turns: Sequence[Turn]) -> list[Appended]:
        """See ``Store.append``."""
        with self._writing() as state:
            done = [_append(state, turn) for turn in turns]
            return [Appended(detached(one.turn), one.existing) for one in done]

    def apply(self, batch: Batch) -> list[Event]:
        """See ``Store.apply``."""
        with self._writing() as state:
            return [detached_event(event) for event in _perform(state, batch)]

    def erase(self, erasure: Erasure, *, verify: bool = False, rehearse: bool = False) -> Erased:
        """See ``Store.erase``. There are no files here."""
        with self._writing() as state:
            draft = state.copy() if rehearse else state
            before, oblivion = Before(draft), Oblivion(draft, erasure)
            oblivion.perform(_perform(draft, erasure.batch), before)
        proof = Scan(files={}, parts=0) if verify and not rehearse else None
        return receipt(oblivion.gone, oblivion.emptied, proof)

    def put_vectors(
        self,
        corpus: Corpus,
        reach: Reach,
        model: str,
        vectors: Mapping[str, Vector],
        *,
        versions: Mapping[str, int] = UNSEEN,
    ) -> None:
        """See ``Store.put_vectors``."""
        with self._writing() as state:
            _set_vectors(state, corpus, reach, model, vectors, versions)

    def touch(self, reach: Reach, ids: Collection[str], at: datetime) -> None:
        """See ``Store.touch``."""
        with self._writing() as state:
            for record in _rows(state.records, reach, list(dict.fromkeys(ids))):
                key = record.tenant, record.id
                state.usage[key] = touched(state.usage[key], at)

    def fail_capture(self, reach: Reach, turn_id: str, park_at: int) -> Turn:
        """See ``Store.fail_capture``."""
        with self._writing() as state:
            turn = _turn(state, reach, turn_id)
            tries = turn.tries + 1
            parked = turn.state is CaptureState.PENDING and tries >= park_at
            failed = replace(turn, tries=tries, state=CaptureState.PARKED if parked else turn.state)
            state.turns[turn.tenant, turn.id] = failed
            return detached(failed)

    # -- reading records
    def get(self, reach: Reach, ids: Sequence[str]) -> list[Record]:
        """See ``Store.get``."""
        with self._reading() as state:
            return all_detached(_rows(state.records, reach, ids))

    def select(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Record]:
        """See ``Store.select``."""
        with self._reading() as state:
            found = sorted(_records(state, view), key=lambda record: record.id)
            return all_detached([record for record in found if after is None or record.id > after][:limit])

    def made_from(self, reach: Reach, ids: Sequence[str] | None = None) -> list[Record]:
        """See ``Store.made_from``."""
        with self._reading() as state:
            mine = {key[1] for rows in (state.records, state.turns) for key, row in rows.items() if _mine(reach, row)}
            asked = mine if ids is None else set(ids)
            others = [
                record for record in state.records.values() if record.tenant == reach.tenant and asked & set(record.sources)
            ]
            if ids is None:
                found = [record for record in others if record.subject not in reach.subjects]
            else:
                found = [r for r in others if r.subject in reach.subjects or asked & mine & set(r.sources)]
            return all_detached(sorted(found, key=lambda record: record.id))

    def usage(self, reach: Reach, ids: Sequence[str]) -> dict[str, Usage]:
        """See ``Store.usage``."""
        with self._reading() as state:
            return {record.id: state.usage[record.tenant, record.id] for record in _rows(state.records, reach, ids)}

    def epochs(self, reach: Reach) -> dict[str, int]:
        """See ``Store.epochs``."""
        with self._reading() as state:
            return _epochs(state, reach)

    # -- reading turns
    def turns(self, reach: Reach, ids: Sequence[str]) -> list[Turn]:
        """See ``Store.turns``."""
        with self._reading() as state:
            return all_detached(_rows(state.turns, reach, ids))

    def thread(self, reach: Reach, thread: str, *, last: int | None = None) -> list[Turn]:
        """See ``Store.thread``."""
        with self._reading() as state:
            found = [turn for subject in dict.fromkeys(reach.subjects) for turn in _thread(state, reach.tenant, subject, thread)]
            found.sort(key=lambda turn: (turn.seq, turn.subject))
            return all_detached(found if last is None else found[max(len(found) - last, 0) :])

    def neighbours(self, reach: Reach, turn_id: str, width: int, *, after: int | None = None) -> list[Turn]:
        """See ``Store.neighbours``."""
        with self._reading() as state:
            return [
                detached(other)
                for turn in _rows(state.turns, reach, [turn_id])
                for other in _thread(state, turn.tenant, turn.subject, turn.origin.thread)
                if -width <= other.seq - turn.seq <= (width if after is None else after)
            ]

    def pending(self, *, limit: int, reach: Reach | None = None) -> list[Turn]:
        """See ``Store.pending``."""
        with self._reading() as state:
            turns = (turn for turn in state.turns.values() if reach is None or within(reach, turn.tenant, turn.subject))
            waiting = (turn for turn in turns if turn.state is CaptureState.PENDING)
            return all_detached(sorted(waiting, key=lambda turn: (turn.written_at, turn.seq, turn.id, turn.tenant))[:limit])

    # -- threads and runs
    def put_summary(self, reach: Reach, thread: str, summary: Summary, *, at: datetime, after: int) -> None:
        """See ``Store.put_summary``."""
        with self._writing() as state:
            state.dialogues.put_summary(_owned(state, reach, thread), _place(reach, thread), summary, as_utc(at, "at"), after)

    def summary(self, reach: Reach, thread: str) -> Summary | None:
        """See ``Store.summary``."""
        with self._reading() as state:
            return state.dialogues.summary(_place(reach, thread))

    def threads(
        self, reach: Reach, *, archived: bool = False, limit: int = 100, after: ThreadInfo | None = None
    ) -> list[ThreadInfo]:
        """See ``Store.threads``."""
        with self._reading() as state:
            mine = [key for key in state.threads if key[2] is not None and within(reach, key[0], key[1])]
            return state.dialogues.listed([_thread(state, *key)[-1] for key in mine], archived, limit, after)

    def set_thread(self, reach: Reach, thread: str, *, title: str | None = None, archived: bool | None = None) -> ThreadInfo:
        """See ``Store.set_thread``."""
        with self._writing() as state:
            return state.dialogues.set_thread(_owned(state, reach, thread), thread, title, archived)

    def fork(self, reach: Reach, thread: str, new: str, *, upto: int) -> ThreadInfo:
        """See ``Store.fork``."""
        with self._writing() as state:
            taken = bool(_owned(state, reach, new))
            made = [_append(state, turn).turn for turn in copies(_owned(state, reach, thread), thread, new, upto, taken)]
            return state.dialogues.fork(made[-1], thread)

    def put_checkpoint(
        self, reach: Reach, run: str, step: int, state: Mapping[str, Any], *, status: RunStatus, at: datetime
    ) -> None:
        """See ``Store.put_checkpoint``."""
        with self._writing() as draft:
            draft.dialogues.put_checkpoint(_place(reach, run), step, state, status, as_utc(at, "at"))

    def checkpoint(self, reach: Reach, run: str) -> Checkpoint | None:
        """See ``Store.checkpoint``."""
        with self._reading() as state:
            return state.dialogues.checkpoint(_place(reach, run))

    def drop_run(self, reach: Reach, run: str) -> int:
        """See ``Store.drop_run``."""
        with self._writing() as state:
            return int(state.dialogues.checkpoints.pop(_place(reach, run), None) is not None)

    # -- searching
    def deciding(self, reach: Reach) -> AbstractContextManager[object]:
        """See ``Store.deciding``."""
        with self._reading():
            return self._lanes.held(owners(reach), _PATIENCE)

    def snapshot(self) -> AbstractContextManager[object]:
        """See ``Store.snapshot``."""
        return self._reading()

    def lexical(self, view: View, corpus: Corpus, terms: Sequence[str], *, best: Best | None = None) -> Postings:
        """See ``Store.lexical``."""
        with self._reading() as state:
            texts = {row.id: _terms(searchable(row)) for row in _visible(state, view, corpus)}
            rows = [Posting(id, len(held), tuple(held.count(term) for term in terms)) for id, held in texts.items()]
            mean = sum(row.length for row in rows) / max(1, len(rows))
            found = Postings.of(len(rows), mean, (row for row in rows if any(row.counts)))
            return found if best is None else cut(found, best)

    def nearest(
        self, view: View, corpus: Corpus, model: str, vector: Vector, *, limit: int, also: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """See ``Store.nearest``."""
        with self._reading() as state:
            dim = state.dims.get(model)
            if dim is None:
                return []
            dimension(model, {"": vector}, dim)
            keys = ((row.id, (corpus, model, row.tenant, row.id)) for row in _visible(state, view, corpus))
            found = [(id, state.vectors[key]) for id, key in keys if key in state.vectors]
            cosines = unpack([blob for _, blob in found], dim) @ unit(vector)
            return ranked([id for id, _ in found], cosines, limit, also)

    def recent(self, view: View, corpus: Corpus, *, limit: int) -> list[str]:
        """See ``Store.recent``."""
        with self._reading() as state:
            said = [(_said(row), row.id) for row in _visible(state, view, corpus)]
            return [id for _, id in sorted(said, reverse=True)[:limit]]

    # -- maintenance
    def check(self) -> Health:
        """See ``Store.check``. There are no derived indexes here that could differ."""
        with self._reading() as state:
            counts = dict.fromkeys(("records", "record_terms"), len(state.records))
            counts |= dict.fromkeys(("turns", "turn_terms"), len(state.turns))
            counts |= dict.fromkeys(("passages", "passage_terms"), len(state.passages))
            counts |= {name: len(getattr(state, name)) for name in ("events", "verdicts", "traces", "documents")}
            counts |= {name: len(getattr(state.dialogues, name)) for name in ("summaries", "checkpoints")}
            for corpus, model, _, _ in state.vectors:
                name = f"{corpus.value[:-1]}_vectors/{model}"
                counts[name] = counts.get(name, 0) + 1
            return Health(counts)

    def repair(self) -> Health:
        """See ``Store.repair``."""
        return self.check()

    def close(self) -> None:
        """See ``Store.close``."""
        with self._lock:
            self._closed, self._state = True, _State()

    @contextmanager
    def _reading(self) -> Iterator[_State]:
        with self._lock:
            if self._closed:
                raise StoreClosed("this store was closed")
            yield self._state

    @contextmanager
    def _writing(self) -> Iterator[_State]:
        """A copy to write on, which takes the place of the state if nothing goes wrong."""
        with self._reading() as state:
            draft = state.copy()
            yield draft
            self._state = draft


@lru_cache(maxsize=65_536)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(words.terms(text))


def _append(state: _State, turn: Turn) -> Appended:
    check_turn(turn)
    thread = _thread(state, turn.tenant, turn.subject, turn.origin.thread)
    for known in thread:
        if turn.client_id is not None and known.client_id == turn.client_id:
            return Appended(known, True)
    if (turn.tenant, turn.id) in state.turns:
        raise InvalidInput("id", f"turn {turn.id} exists already", "let the system give the id")
    stored = plain_turn(replace(turn, seq=thread[-1].seq + 1 if thread else 1))
    state.turns[turn.tenant, turn.id] = stored
    state.threads[turn.tenant, turn.subject, turn.origin.thread] = (*(known.id for known in thread), turn.id)
    state.dialogues.wake(stored)
    return Appended(stored, False)


def _perform(state: _State, batch: Batch) -> list[Event]:
    check_epochs(batch, _epochs(state, batch.reach))
    first = len(state.events)
    _change(state, batch)
    _set_vectors(state, Corpus.RECORDS, batch.reach, batch.model, batch.vectors)
    for id in batch.captured:
        state.turns[batch.reach.tenant, id] = captured(_turn(state, batch.reach, id))
    _turn_back(state, batch)
    return state.events[first:]


def _turn_back(state: _State, batch: Batch) -> None:
    """Withholds turns, with the summaries of their threads, and lets others be captured again."""
    for turn in _rows(state.turns, batch.reach, batch.withheld):
        withheld = replace(turn, state=CaptureState.QUARANTINED, tries=0, note=None)
        state.turns[turn.tenant, turn.id] = withheld
        state.dialogues.summaries.pop((turn.tenant, turn.subject, turn.origin.thread or ""), None)
    for turn in _rows(state.turns, batch.reach, batch.reread):
        if turn.state is CaptureState.DONE:
            state.turns[turn.tenant, turn.id] = replace(turn, state=CaptureState.PENDING, tries=0)


def _change(state: _State, batch: Batch) -> None:
    def load(id: str) -> Record | None:
        return next(iter(_rows(state.records, batch.reach, [id])), None)

    plan = planned(batch, load)
    _keep_verdicts(state, batch)
    for change in plan.changes:
        first = state.last[0] + 1
        for step in change:
            state.last = (state.last[0] + 1,)
            state.events.append(event_of(step, state.last[0], batch))
            state.changes.append(first)
            key = batch.reach.tenant, step.record_id
            if step.before is None and key in state.records:
                raise InvalidInput("id", f"record {step.record_id} exists already", "let the system give the id")
            if retold(step):
                _drop_vectors(state, key)
            if step.after is None:
                del state.records[key], state.usage[key]
            else:
                state.records[key] = step.after
                state.usage[key] = mentioned(state.usage.get(key), step.at or batch.now, step.mention)
        for step in change:
            if step.type is EventType.ERASED:
                _empty(state, batch.reach.tenant, step.record_id)
    for subject in {step.subject for change in plan.changes for step in change}:
        state.epochs[batch.reach.tenant, subject] = state.epochs.get((batch.reach.tenant, subject), 0) + 1


def _keep_verdicts(state: _State, batch: Batch) -> None:
    for verdict in batch.verdicts:
        if (verdict.tenant, verdict.id) in state.verdicts:
            raise InvalidInput("verdicts", f"{verdict.id} exists already", "let the system give the id")
        state.verdicts[verdict.tenant, verdict.id] = verdict_of(verdict_json(verdict))


def _empty(state: _State, tenant: str, id: str) -> None:
    """Takes the words of an erased record out of the account: its own events, and the reasons of changes it took part in."""
    theirs = [i for i, event in enumerate(state.events) if (event.tenant, event.record_id) == (tenant, id)]
    shared = {state.changes[i] for i in theirs}
    for i, event in enumerate(state.events):
        if state.changes[i] in shared:
            state.events[i] = replace(event, reason="")
    for i in theirs:
        state.events[i] = emptied_event(state.events[i])
    for key, verdict in state.verdicts.items():
        if key[0] == tenant and id in verdict.record_ids:
            state.verdicts[key] = emptied_verdict(verdict)
    for key, trace in state.traces.items():
        if key[0] == tenant and id in named_by(trace):
            state.traces[key] = emptied_trace(trace, {id})


def _set_vectors(
    state: _State,
    corpus: Corpus,
    reach: Reach,
    model: str,
    vectors: Mapping[str, Vector],
    versions: Mapping[str, int] = UNSEEN,
) -> None:
    if not vectors:
        return
    state.dims[model] = dimension(model, vectors, state.dims.get(model))
    table: Mapping[Key, Record | Turn | Passage] = getattr(state, corpus)  # each has the name of its corpus
    for row in _rows(table, reach, list(vectors)):
        if not outdated(row, versions):
            state.vectors[corpus, model, row.tenant, row.id] = pack(vectors[row.id])


def _drop_vectors(state: _State, key: Key) -> None:
    for model in state.dims:
        state.vectors.pop((Corpus.RECORDS, model, *key), None)


def _records(state: _State, view: View) -> list[Record]:
    tenant, at = view.reach.tenant, view.known_at
    rows = state.records.values() if at is None else as_known(state.records, state.events, tenant, at)
    shows = record_test(view)
    return [record for record in rows if shows(record)]


def _visible(state: _State, view: View, corpus: Corpus) -> Sequence[Record | Turn | Passage]:
    if corpus is not Corpus.TURNS:
        return _records(state, view) if corpus is Corpus.RECORDS else visible(state, view)
    shows = turn_test(view)
    return [turn for turn in state.turns.values() if shows(turn)]


def _rows(rows: Mapping[Key, RowT], reach: Reach, ids: Sequence[str]) -> list[RowT]:
    found = (rows.get((reach.tenant, id)) for id in ids)
    return [row for row in found if row is not None and row.subject in reach.subjects]


def _mine(reach: Reach, row: Record | Turn) -> bool:
    return within(reach, row.tenant, row.subject)


def _turn(state: _State, reach: Reach, id: str) -> Turn:
    for turn in _rows(state.turns, reach, [id]):
        return turn
    raise NotFound("turn", id)


def _thread(state: _State, tenant: str, subject: str, thread: str | None) -> list[Turn]:
    """The turns of one thread in order, for ``None`` those of the subject that have none."""
    return [state.turns[tenant, id] for id in state.threads.get((tenant, subject, thread), ())]


def _owned(state: _State, reach: Reach, thread: str) -> list[Turn]:
    """The turns of a thread of the first subject of a reach."""
    return _thread(state, reach.tenant, reach.subjects[0], thread)


def _place(reach: Reach, name: str) -> tuple[str, str, str]:
    return reach.tenant, reach.subjects[0], name


def _epochs(state: _State, reach: Reach) -> dict[str, int]:
    return {subject: state.epochs.get((reach.tenant, subject), 0) for subject in reach.subjects}


def _said(row: Record | Turn | Passage) -> datetime:
    return row.said_at if isinstance(row, Record) else row.at if isinstance(row, Turn) else row.written_at
