"""What a write call reports: for every input what was stored, refused or queued, and never what did not happen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from onrecord.model.change import Change
from onrecord.model.record import Record
from onrecord.model.verdict import Reason


class Result(StrEnum):
    """What became of one candidate. The first four are ADD, UPDATE and NOOP in other systems' words."""

    ADDED = "added"
    RESTATED = "restated"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    CONFLICTED = "conflicted"
    RETRACTED = "retracted"
    REFUSED = "refused"


class TurnResult(StrEnum):
    """What became of one input: journaled and read, journaled and waiting, or not stored at all."""

    STORED = "stored"
    EXISTING = "existing"
    QUEUED = "queued"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate of an input. ``record`` is the record as it stands after the call (``None`` if refused)."""

    result: Result
    reason: Reason
    detail: str
    statement: str
    record: Record | None = None
    turn_id: str | None = None


@dataclass(frozen=True, slots=True)
class TurnReceipt:
    """One input message."""

    result: TurnResult
    turn_id: str | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The reply of ``add``: the inputs in order, their candidates in order, and the changes (also of a dry run)."""

    turns: tuple[TurnReceipt, ...]
    items: tuple[Item, ...]
    changes: tuple[Change, ...]
    dry_run: bool = False

    @property
    def records(self) -> tuple[Record, ...]:
        """The records that were added or changed."""
        return tuple(item.record for item in self.items if item.record is not None)
