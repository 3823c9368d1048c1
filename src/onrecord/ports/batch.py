"""What a store is given to write, and what it says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from onrecord.model.change import Change
from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.ports.language import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Everything one decision writes, in one transaction.

    ``epochs`` are the subjects' epochs the decision was made on: if any moved, nothing is written and ``StaleRead`` is raised.
    ``vectors`` maps ids of records added or changed to their vectors of ``model``; a changed text without one loses its old
    vector and shows up in ``unembedded``. ``captured`` are turns now done, whose notes go; if one was done before, nothing is
    written and ``StaleRead`` is raised. The words of ``withheld`` turns are not to be trusted any more, and the summaries of
    their threads go; ``reread`` are turns to be captured again. Of both, those that are not there are passed over.
    """

    reach: Reach
    now: datetime
    actor: str
    changes: Sequence[Change] = ()
    verdicts: Sequence[Verdict] = ()
    model: str = ""
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    captured: Sequence[str] = ()
    withheld: Sequence[str] = ()
    reread: Sequence[str] = ()
    epochs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What is to be gone, in one transaction: the records that the changes of ``batch`` erase, and more of its reach.

    Of ``subjects`` nothing stays, not even their names. With ``turns`` go the verdicts on them, their counts of tokens, the
    summaries of their threads, and the words of the traces that name them. ``threads`` (subject and name) lose their titles and
    the words of the traces that were made in them, ``runs`` (subject and name) their working memory.
    """

    batch: Batch
    subjects: Sequence[str] = ()
    turns: Sequence[str] = ()
    threads: Sequence[tuple[str, str]] = ()
    runs: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """A turn as stored; ``existing`` when its ``client_id`` was there before."""

    turn: Turn
    existing: bool


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A row that has no vector of the asked model. ``version`` is that of a record, 0 for a turn, whose words never change."""

    tenant: str
    subject: str
    id: str
    text: str
    version: int = 0


@dataclass(frozen=True, slots=True)
class Pruned:
    """How much was taken away of what is older than it is kept; ``places`` are turns without words."""

    traces: int = 0
    verdicts: int = 0
    tombstones: int = 0
    restatements: int = 0
    places: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """What ``check`` counted. ``faults`` has one sentence for each kind of difference; empty means whole."""

    counts: Mapping[str, int]
    faults: tuple[str, ...] = ()
