"""``dump`` and ``load`` of the in-memory store; here the way out: its rows as parcels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onrecord.errors import StoreError
from onrecord.model.parcel import Embedded, Extent, Filed, Loaded, Parcel, RunState, Shelf, ThreadMark, ThreadSummary, Tombstone
from onrecord.model.query import Corpus
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.ports import Health
from onrecord.stores.arrival import Arrival, History, mark_at, run_at, summary_at
from onrecord.stores.detached import detached
from onrecord.stores.guarded import Guarded
from onrecord.stores.shelves import passages_in

Owner = tuple[str, str]


class Carrier(Guarded):
    """The methods of the in-memory store by which rows travel."""

    def dump(self, extent: Extent) -> Iterator[Parcel]:
        """See ``Store.dump``."""
        with self._reading() as state:
            held = state  # writers put another in its place and leave this one as it is
        yield from _dumped(held, extent)

    def load(self, parcels: Sequence[Parcel]) -> list[Loaded]:
        """See ``Store.load``."""
        with self._writing() as state:
            arrival = Arrival(state)
            return [arrival.keep(parcel) for parcel in parcels]

    def backup(self, path: str, *, force: bool = False) -> Health:
        """See ``Store.backup``. There is no file here to copy."""
        raise StoreError(f"nothing was written to {path}: this store is in no file; export it instead")


# -- out


def _dumped(state: Any, extent: Extent) -> Iterator[Parcel]:
    owners = [owner for owner in sorted(_owners(state)) if extent.holds(*owner)]
    history = History(state)
    for owner in owners:
        for part in (_turns, _marks, _summaries, _runs, _verdicts, _shelves):
            yield from part(state, owner)
        yield from _filed(state, history, owner)
        if extent.vectors:
            yield from _vectors(state, owner)
    for owner in owners:
        yield from _traces(state, owner, extent)


def _owners(state: Any) -> set[Owner]:
    rows = (*state.turns.values(), *state.records.values(), *state.events, *state.verdicts.values(), *state.documents.values())
    places = (*state.dialogues.marks, *state.dialogues.checkpoints)
    looked = {(trace.tenant, name) for trace in state.traces.values() for name in trace.subjects}
    return {(row.tenant, row.subject) for row in rows} | {place[:2] for place in places} | looked


def _of(rows: Mapping[Any, Any], owner: Owner) -> list[Any]:
    return sorted((row for row in rows.values() if (row.tenant, row.subject) == owner), key=lambda row: row.id)


def _turns(state: Any, owner: Owner) -> Iterator[Turn]:
    return (detached(turn) for turn in _of(state.turns, owner))


def _marks(state: Any, owner: Owner) -> Iterator[ThreadMark]:
    return (mark_at(state, place) for place in sorted(state.dialogues.marks) if place[:2] == owner)


def _summaries(state: Any, owner: Owner) -> Iterator[ThreadSummary]:
    return (summary_at(state, place) for place in sorted(state.dialogues.summaries) if place[:2] == owner)


def _runs(state: Any, owner: Owner) -> Iterator[RunState]:
    return (run_at(state, place) for place in sorted(state.dialogues.checkpoints) if place[:2] == owner)


def _verdicts(state: Any, owner: Owner) -> Iterator[Verdict]:
    return iter(_of(state.verdicts, owner))


def _shelves(state: Any, owner: Owner) -> Iterator[Shelf]:
    for document in _of(state.documents, owner):
        yield Shelf(document=document, passages=tuple(passages_in(state, document)))


def _traces(state: Any, owner: Owner, extent: Extent) -> Iterator[Trace]:
    for key in sorted(state.traces):
        trace = state.traces[key]
        if (trace.tenant, min(trace.subjects)) == owner and all(extent.holds(trace.tenant, name) for name in trace.subjects):
            yield trace


def _vectors(state: Any, owner: Owner) -> Iterator[Embedded]:
    for corpus in Corpus:
        rows = _of(getattr(state, corpus), owner)  # each corpus is kept under its name
        for model in sorted(state.dims):
            for row in rows:
                blob = state.vectors.get((corpus, model, owner[0], row.id))
                if blob is not None:
                    where = {"tenant": owner[0], "subject": owner[1], "corpus": corpus, "model": model}
                    yield Embedded(**where, id=row.id, vector=blob)


def _filed(state: Any, history: History, owner: Owner) -> Iterator[Filed | Tombstone]:
    """The records of an owner, then what is left of those that were erased."""
    for record in _of(state.records, owner):
        usage = state.usage[record.tenant, record.id]
        yield Filed(record=detached(record), usage=usage, events=history.told(*owner, record.id))
    for id in history.erased(*owner):
        yield Tombstone(tenant=owner[0], subject=owner[1], id=id, events=history.told(*owner, id))
