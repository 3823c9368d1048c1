"""What is carried from one store to another: rows with everything that belongs to them, each to be taken in as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from onrecord.model.change import EventType
from onrecord.model.document import Document, Passage
from onrecord.model.query import Corpus
from onrecord.model.record import Record, Usage
from onrecord.model.run import Checkpoint
from onrecord.model.summary import Summary
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An event of the same change, by its record and its number (from 1 on) among the events of that record."""

    id: str
    nth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event of a record, without what its place says already. ``beside`` are the others of the same change and subject."""

    type: EventType
    at: datetime
    actor: str
    reason: str
    verdict_id: str | None = None
    before: Record | None = None
    after: Record | None = None
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """A record with its counters and its events, oldest first."""

    record: Record
    usage: Usage
    events: tuple[Told, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is left of an erased record: that it was there, and events without words."""

    tenant: str
    subject: str
    id: str
    events: tuple[Told, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMark:
    """What somebody said about a thread, beside its turns."""

    tenant: str
    subject: str
    thread: str
    title: str = ""
    archived: bool = False
    forked_from: str | None = None
    forked_upto: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSummary:
    """The newest summary of a thread, made at ``at``."""

    tenant: str
    subject: str
    thread: str
    at: datetime
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The last step of a run."""

    tenant: str
    subject: str
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A document with all of its passages, in order."""

    document: Document
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The vector of a row as it is stored: half-precision numbers, the lowest byte first."""

    tenant: str
    subject: str
    corpus: Corpus
    model: str
    id: str
    vector: bytes


Parcel: TypeAlias = Turn | ThreadMark | ThreadSummary | RunState | Filed | Tombstone | Shelf | Verdict | Trace | Embedded
#: The kinds of parcels by the word that stands for them in an export.
PARCELS: Mapping[str, type[Parcel]] = {
    "turn": Turn,
    "thread": ThreadMark,
    "summary": ThreadSummary,
    "run": RunState,
    "record": Filed,
    "erased": Tombstone,
    "document": Shelf,
    "verdict": Verdict,
    "trace": Trace,
    "vector": Embedded,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Whose rows are meant: those of a tenant, of some subjects of it, or (``None`` for both) of everybody.

    ``vectors`` takes those along too; else they are made anew where the rows arrive."""

    tenant: str | None = None
    subjects: tuple[str, ...] | None = None
    vectors: bool = False

    def holds(self, tenant: str, subject: str) -> bool:
        """Whether rows of that tenant and subject are meant."""
        return self.tenant in (None, tenant) and (self.subjects is None or subject in self.subjects)


class Fate(StrEnum):
    """What became of a parcel. ``same``: it was there already, or further on; ``updated``: what was there was an earlier state of
    it; ``conflict``: something else is there, and stays; ``refused``: it is no row, or must not come back."""

    ADDED = "added"
    SAME = "same"
    UPDATED = "updated"
    CONFLICT = "conflict"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one parcel, and why, where it was not taken in."""

    fate: Fate
    detail: str = ""


def tenant_of(parcel: Parcel) -> str:
    """Whose outer wall it stands behind."""
    match parcel:
        case Filed():
            return parcel.record.tenant
        case Shelf():
            return parcel.document.tenant
    return parcel.tenant


def id_of(parcel: Parcel) -> str:
    """How it is called, for a message."""
    match parcel:
        case Filed():
            return parcel.record.id
        case Shelf():
            return parcel.document.id
        case ThreadMark() | ThreadSummary():
            return parcel.thread
        case RunState():
            return parcel.checkpoint.run
    return parcel.id
