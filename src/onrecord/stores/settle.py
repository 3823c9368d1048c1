"""What is to become of a row that is brought in from elsewhere, from what is there already. The same for every store.

A row that was there, or is further on here, stays; one whose earlier state is here is brought up to date; where the two went
different ways, what is here stays and the difference is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from onrecord.errors import InvalidInput
from onrecord.model.change import Event
from onrecord.model.moment import as_utc
from onrecord.model.parcel import Beside, Fate, Filed, Loaded, RunState, Shelf, ThreadMark, ThreadSummary, Told, Tombstone
from onrecord.model.query import Corpus
from onrecord.model.record import Record, Usage
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.turn import CaptureState, Turn
from onrecord.model.verdict import Verdict
from onrecord.stores.codec import document_json, document_of, passage_json, passage_of, plain_record
from onrecord.stores.erasure import emptied_verdict
from onrecord.stores.shelves import check_passages

ADDED, SAME, UPDATED = Loaded(Fate.ADDED), Loaded(Fate.SAME), Loaded(Fate.UPDATED)
_FURTHER = {CaptureState.PENDING: 0, CaptureState.PARKED: 0, CaptureState.DONE: 1, CaptureState.QUARANTINED: 2}


def told_of(event: Event, beside: Sequence[Beside]) -> Told:
    """An event as it travels."""
    return Told(
        type=event.type,
        at=event.at,
        actor=event.actor,
        reason=event.reason,
        verdict_id=event.verdict_id,
        before=event.before,
        after=event.after,
        beside=tuple(beside),
    )


def event_told(told: Told, seq: int, tenant: str, subject: str, id: str) -> Event:
    """The event of ``told_of`` in its new place."""
    return Event(
        seq=seq,
        tenant=tenant,
        subject=subject,
        record_id=id,
        type=told.type,
        at=told.at,
        actor=told.actor,
        reason=told.reason,
        verdict_id=told.verdict_id,
        before=told.before,
        after=told.after,
    )


def plain_filed(parcel: Filed) -> Filed:
    """The parcel as any store gives it back. Raises ``InvalidInput`` for what cannot be stored."""
    record = plain_record(parcel.record)
    here = record.tenant, record.subject, record.id
    if not parcel.events:
        raise InvalidInput(
            "events", "are missing, and no record is without its history", "restore the line from where it was written"
        )
    if any((row.tenant, row.subject, row.id) != here for row in _rows(parcel.events)):
        raise InvalidInput("events", "tell of another record", "restore the line from where it was written")
    last = parcel.usage.last_reinforced_at
    usage = parcel.usage if last is None else replace(parcel.usage, last_reinforced_at=as_utc(last, "last_reinforced_at"))
    return Filed(record=record, usage=usage, events=_plain_events(parcel.events))


def plain_shelf(parcel: Shelf) -> Shelf:
    """The same for a document, whose passages have to be all of it."""
    check_passages(parcel.document, parcel.passages)
    passages = tuple(passage_of(passage_json(passage)) for passage in parcel.passages)
    return Shelf(document=document_of(document_json(parcel.document)), passages=passages)


def plain_tombstone(parcel: Tombstone) -> Tombstone:
    """The same for what is left of an erased record."""
    Reach(parcel.tenant, (parcel.subject,))
    if any(told.before or told.after for told in parcel.events):
        raise InvalidInput("events", "of an erased record hold rows", "restore the line from where it was written")
    return replace(parcel, events=_plain_events(parcel.events))


def _rows(events: Sequence[Told]) -> Iterator[Record]:
    return (row for told in events for row in (told.before, told.after) if row is not None)


def _plain_events(events: Sequence[Told]) -> tuple[Told, ...]:
    return tuple(
        replace(
            told,
            at=as_utc(told.at, "at"),
            before=told.before and plain_record(told.before),
            after=told.after and plain_record(told.after),
        )
        for told in events
    )


def numbers_in(vector: bytes) -> int:
    """How many numbers a stored vector has. Raises ``InvalidInput`` for bytes that are none."""
    if not vector or len(vector) % 2:
        raise InvalidInput("vector", f"has {len(vector)} bytes", "give two for each number")
    return len(vector) // 2


def conflict(what: str) -> Loaded:
    """Something else is there, and stays."""
    return Loaded(Fate.CONFLICT, f"{what}; what is here stays")


def refused(why: str) -> Loaded:
    """It may not be brought in."""
    return Loaded(Fate.REFUSED, why)


def clash(turn: Turn, numbers: Collection[int], clients: Collection[str | None]) -> Loaded | None:
    """Why a turn cannot be put into a thread in which these numbers and client ids are taken; ``None`` if it can."""
    if turn.seq < 1:
        raise InvalidInput("seq", f"is {turn.seq}", "number the turns of a thread from 1 on")
    if turn.seq in numbers:
        return conflict(f"the thread has another turn {turn.seq}")
    if turn.client_id is not None and turn.client_id in clients:
        return conflict("the thread has another turn of the same client id")
    return None


def settle_turn(mine: Turn, theirs: Turn) -> Loaded:
    """A turn never changes but for what became of its capture."""
    shed = CaptureState.SHED in (mine.state, theirs.state)  # words that were let go on one side do not come or go on the other
    if _uncaptured(mine, shed) != _uncaptured(theirs, shed):
        return conflict("another turn has this id")
    if shed:
        return SAME
    return UPDATED if _FURTHER[theirs.state] > _FURTHER[mine.state] else SAME


def _uncaptured(turn: Turn, wordless: bool) -> tuple[object, ...]:
    bare = replace(turn, state=CaptureState.PENDING, tries=0, note=None)
    return replace(bare, text="", payload={}) if wordless else bare, turn.at.utcoffset()


def settle_record(mine: Filed, theirs: Filed) -> Loaded:
    """A record whose events begin like those of the other is an earlier state of it."""
    ours, other = _bare(mine.events), _bare(theirs.events)
    if len(other) < len(ours) and ours[: len(other)] == other:
        return SAME
    if len(ours) < len(other) and other[: len(ours)] == ours:
        return UPDATED
    if ours != other or mine.record != theirs.record:
        return conflict("the record went another way")
    return SAME if joined_use(mine.usage, theirs.usage) == mine.usage else UPDATED


def settle_tombstone(mine: Sequence[Told], theirs: Tombstone) -> Loaded:
    """The same for what is left of an erased record; ``mine`` are the events here."""
    ours, other = _bare(mine), _bare(theirs.events)
    if ours == other or (len(other) < len(ours) and ours[: len(other)] == other):
        return SAME
    if other[: len(ours)] != ours:
        return conflict("other things are told of the erased record")
    return UPDATED if ours else ADDED


def settle_absent(mine: Sequence[Told], theirs: Filed) -> Loaded:
    """For a record that is not here; ``mine`` are the events that tell of it. What was erased here comes back only if they go on
    from there: an older copy holds what somebody wanted gone."""
    ours = _bare(mine)
    if _bare(theirs.events)[: len(ours)] == ours:
        return ADDED
    return refused("it was erased here")


def _bare(events: Sequence[Told]) -> list[Told]:
    return [replace(told, beside=()) for told in events]


def joined_use(mine: Usage, theirs: Usage) -> Usage:
    """Counters that tell of both: the greater of each, since one may hold the other's counts."""
    moments = [at for at in (mine.last_reinforced_at, theirs.last_reinforced_at) if at is not None]
    return Usage(
        last_reinforced_at=max(moments, default=None),
        access_count=max(mine.access_count, theirs.access_count),
        mention_count=max(mine.mention_count, theirs.mention_count),
    )


def settle_mark(mine: ThreadMark | None, theirs: ThreadMark) -> Loaded:
    """A title or state that somebody gave here is not overwritten."""
    if mine is None:
        return ADDED
    return SAME if mine == theirs else conflict("title, state or origin of the thread differ")


def settle_summary(mine: ThreadSummary | None, upto: int, theirs: ThreadSummary, covered: int) -> Loaded:
    """Of two summaries the one that covers more turns; ``upto`` and ``covered`` are the last turns of mine and theirs."""
    if not covered:
        return refused("the turns that it covers are not here")
    if mine is None:
        return ADDED
    if mine == theirs or covered < upto:
        return SAME
    return UPDATED if covered > upto else conflict("another summary covers the same turns")


def settle_run(mine: RunState | None, theirs: RunState) -> Loaded:
    """Of two states of a run that of the later step."""
    if mine is None:
        return ADDED
    if mine == theirs or theirs.checkpoint.step < mine.checkpoint.step:
        return SAME
    later = theirs.checkpoint.step > mine.checkpoint.step
    return UPDATED if later else conflict("the run went another way in that step")


def settle_shelf(mine: Shelf | None, theirs: Shelf, named: str | None) -> Loaded:
    """Of two states of a document the one of the later version; ``named`` is the id of the one that has its name here."""
    if named not in (None, theirs.document.id):
        return conflict("another document has this name")
    if mine is None:
        return ADDED
    if (mine.document.tenant, mine.document.subject) != (theirs.document.tenant, theirs.document.subject):
        return conflict("a document of another subject has this id")
    if mine == theirs or theirs.document.version < mine.document.version:
        return SAME
    later = theirs.document.version > mine.document.version
    return UPDATED if later else conflict("the document went another way in that version")


def settle_verdict(mine: Verdict, theirs: Verdict) -> Loaded:
    """A verdict never changes, but its words may have been erased here."""
    return SAME if mine in (theirs, emptied_verdict(theirs)) else conflict("another verdict has this id")


def settle_trace(mine: Trace, theirs: Trace) -> Loaded:
    """A trace is told anew when it is used; its words may have been erased here."""
    if mine == theirs or (not mine.query and not mine.terms):
        return SAME
    if replace(mine, injected=()) == replace(theirs, injected=()):
        return SAME if mine.injected else UPDATED
    return conflict("another trace has this id")


def turns_in(trace: Trace) -> list[str]:
    """The turns that a trace looked at. Where they are missing its words would be taken for those of erased ones."""
    return [scored.id for scored in trace.candidates if scored.corpus is Corpus.TURNS]
