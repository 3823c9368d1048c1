"""What is asked: a view says which rows may be looked at, a query what is looked for in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from onrecord.model.record import CURRENT, Kind, Status
from onrecord.model.scope import Origin, Reach


class Corpus(StrEnum):
    """The searchable sets: long-term records, the turns as they were said (episodes), and passages of documents."""

    RECORDS = "records"
    TURNS = "turns"
    PASSAGES = "passages"


class Include(StrEnum):
    """What a search returns."""

    RECORDS = "records"
    EPISODES = "episodes"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which rows may be looked at. Applied before any cut; ``None`` and empty mean no restriction.

    ``origin`` narrows to rows said there. ``valid_at`` drops records whose stated end has passed at that time; with ``as_of``
    records must also have begun by then. ``known_at`` shows the records as they stood in the database at that time.
    ``since``/``until`` bound the time said, ``until`` exclusive. ``filters`` is the AND / OR / NOT expression of
    ``policy.filter``. Records of scope run or thread show only where ``origin`` names it, or with ``every_scope``. Of passages
    reach, filters (over their document) and the time counts at which their document came or was replaced.
    """

    reach: Reach
    origin: Origin = field(default_factory=Origin)
    kinds: frozenset[Kind] | None = None
    statuses: frozenset[Status] = CURRENT
    key: str | None = None
    valid_at: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    filters: Mapping[str, Any] | None = None
    every_scope: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One search. ``limit`` caps the hits, ``threshold`` (0..1) overrides the embedder's calibrated relevance floor.

    ``rerank`` has the first candidates looked at again by the memory's reranker.
    ``message`` is what was said where ``text`` was built from it and from the turns ``built_from``, which are in the dialogue
    already and are no hits. ``thread`` is the one in which it is asked; it narrows nothing. ``fill`` is for a
    budget: if anything is relevant enough to answer, turns come behind it however weak, up to the limit. ``around`` is how many
    turns before and after each episode come with it.
    """

    text: str
    view: View
    include: Include = Include.BOTH
    limit: int = 5
    threshold: float | None = None
    now: datetime
    rerank: bool = False
    message: str = ""
    built_from: tuple[str, ...] = ()
    thread: str | None = None
    fill: bool = False
    around: int = 1


#: Whole numbers, one or more a row.
Numbers: TypeAlias = NDArray[np.int64]


class Posting(NamedTuple):
    """One row that holds at least one of the terms: its length in terms, and the count of each asked term."""

    id: str
    length: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """Which matching rows are wanted: the ``limit`` best by BM25 (``k1``, ``b``), ties by id, and those named in ``also``."""

    limit: int
    k1: float
    b: float
    also: Collection[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """What BM25 needs, over the rows of a view alone: their number, mean length in terms, and the matching rows.

    The matching rows are columns, since a common word matches most rows: their ``ids`` in any order, their ``lengths``, and
    their ``counts``, a column for each asked term. ``held`` tells how many rows hold each term, where not all of them are here.
    """

    size: int
    mean_length: float
    ids: Sequence[str]
    lengths: Numbers
    counts: Numbers
    held: Numbers | None = None

    @classmethod
    def of(cls, size: int, mean_length: float, rows: Iterable[Posting] = ()) -> Postings:
        """The postings of ``rows``."""
        ids, lengths, counts = zip(*rows, strict=True) if (rows := list(rows)) else ((), (), ())
        shape = len(ids), len(counts[0]) if counts else 0
        return cls(size, mean_length, ids, np.array(lengths, np.int64), np.array(counts, np.int64).reshape(shape))

    @property
    def holding(self) -> Numbers:
        """How many rows of the view hold each term."""
        return np.count_nonzero(self.counts, axis=0) if self.held is None else self.held

    def at(self, places: Sequence[int]) -> Postings:
        """Those of the matching rows that stand at these places."""
        ids = [self.ids[place] for place in places]
        return Postings(self.size, self.mean_length, ids, self.lengths[places], self.counts[places], self.holding)

    @property
    def rows(self) -> tuple[Posting, ...]:
        """The matching rows, in order of id."""
        every = zip(self.ids, self.lengths.tolist(), map(tuple, self.counts.tolist()), strict=True)
        return tuple(sorted(Posting(*row) for row in every))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Postings):
            return NotImplemented
        return (self.size, self.mean_length, self.rows) == (other.size, other.mean_length, other.rows) and (
            not len(self.ids) or self.holding.tolist() == other.holding.tolist()
        )

    __hash__ = None  # type: ignore[assignment]
