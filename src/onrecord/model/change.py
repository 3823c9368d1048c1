"""Changes say what is to happen to records; events say what did.

``[Change]`` is the hinge of the system: policies return it, a dry run shows it, ``store.apply`` performs it, the audit log,
replay and undo read it. ``version`` on a change is the version it was decided on; ``None`` means whatever is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from onrecord.model.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Base of all changes; ``reason`` is one sentence for a reader."""

    reason: str
    verdict_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Add(Change):
    """A new record. One that is older than what is known arrives with status ``superseded``."""

    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforce(Change):
    """The same thing was said again: a further source, a mention more, perhaps surer (``confidence`` never falls)."""

    id: str
    version: int | None = None
    sources: tuple[str, ...] = ()
    confidence: float = 0.0
    said_at: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Change):
    """The record says more now: ``record`` is the result, under the same id."""

    record: Record
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersede(Change):
    """``record`` takes the place of ``old``, which is no longer true from ``record.valid_from`` on."""

    old: str
    version: int | None = None
    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Change):
    """Two or more records contradict each other and nobody can tell which holds: all are kept and shown as conflicting."""

    ids: tuple[str, ...]
    record: Record | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Change):
    """A conflict is settled: ``keep`` holds, ``drop`` are superseded by it."""

    keep: str
    drop: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(Change):
    """A person or a caller set fields of a record. Only the named fields change.

    Where they change what the record says, ``author`` (if given) is who says so from ``said_at`` on (if given)."""

    id: str
    version: int | None = None
    fields: Mapping[str, Any]
    author: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive(Change):
    """The record faded; it can be restored."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore(Change):
    """An archived, expired, retracted or quarantined record is active again."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire(Change):
    """Its time is up."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract(Change):
    """It was taken back: out of recall, kept in history."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine(Change):
    """Its source is not to be trusted: out of recall until a person decides."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompute(Change):
    """Something it was made from is no longer believed, or no longer there: ``record`` is what is left, under the same id."""

    record: Record
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase(Change):
    """Gone, with its words in events, verdicts, traces and indexes; a tombstone without content remains."""

    id: str


class EventType(StrEnum):
    """What happened to a record."""

    ADDED = "added"
    RESTATED = "restated"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    CONFLICTED = "conflicted"
    RESOLVED = "resolved"
    EDITED = "edited"
    ARCHIVED = "archived"
    RESTORED = "restored"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"
    RECOMPUTED = "recomputed"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to one record. ``before`` and ``after`` hold what undo and as-of queries need.

    ``seq`` grows with every event of a database; ``before`` is ``None`` for a new record, both are for an erased one.
    """

    seq: int
    tenant: str
    subject: str
    record_id: str
    type: EventType
    at: datetime
    actor: str
    reason: str
    verdict_id: str | None = None
    before: Record | None = None
    after: Record | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one change does to one record: the row before and after, and how the event is called. Internal to stores."""

    type: EventType
    record_id: str
    subject: str
    before: Record | None
    after: Record | None
    reason: str
    verdict_id: str | None = None
    mention: bool = False
    at: datetime | None = None
