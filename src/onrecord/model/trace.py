"""Why a search answered what it did: every candidate with its score parts, what was dropped, what was used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from onrecord.model.query import Corpus
from onrecord.model.record import Record
from onrecord.model.scope import Origin
from onrecord.model.turn import Turn


class Drop(StrEnum):
    """Why a candidate was not returned."""

    BELOW_THRESHOLD = "below_threshold"
    OVER_LIMIT = "over_limit"
    DUPLICATE = "duplicate"
    RETIRED = "retired"
    NOT_TRUSTED = "not_trusted"
    IN_DIALOGUE = "in_dialogue"


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time that a question was understood to point at, both aware, ``until`` exclusive."""

    since: datetime
    until: datetime


class Standing(StrEnum):
    """What the words of a turn are worth as an answer.

    ``open``: nobody judged them. ``holds``: they gave records, which hold. ``likely``: they were nearly kept. ``light``: they
    state something that was found too light. ``told``: they tell what happened or was wanted then. ``unsaid``: they are no
    statement of their author (a question, a quotation, an assistant's words). ``over``: what they said is no longer so.
    """

    OPEN = "open"
    HOLDS = "holds"
    LIKELY = "likely"
    LIGHT = "light"
    TOLD = "told"
    UNSAID = "unsaid"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate. ``parts`` holds every number that went into ``score`` (cosine, bm25, freshness, ...).

    ``relevance`` (0..1) is absolute and is what the threshold looks at; ``score`` orders the hits of one query.
    """

    id: str
    corpus: Corpus
    score: float
    relevance: float
    parts: Mapping[str, float] = field(default_factory=dict)
    dropped: Drop | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of what a turn said: the records captured from it, whether none of them is true any more, and its standing.

    ``current`` tells whether its words may be taken for what is so; otherwise they are history: what was said then.
    """

    record_ids: tuple[str, ...] = ()
    retired: bool = False
    note: str = ""
    standing: Standing = Standing.OPEN
    current: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer: a ``record``, or a ``turn`` (an episode: what was said, never what is true now).

    ``stale`` marks a record past its kind's default end, ``fate`` says what became of a turn's words. ``conflicts_with`` are the
    other sides, which are among the hits too. ``trust`` (0..1) is that of the source.
    """

    id: str
    score: float
    relevance: float
    record: Record | None = None
    turn: Turn | None = None
    neighbours: tuple[Turn, ...] = ()
    fate: Fate = field(default_factory=Fate)
    stale: bool = False
    conflicts_with: tuple[str, ...] = ()
    trust: float = 1.0
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def current(self) -> bool:
        """Whether it may be taken for what is so: a record in force and not stale, or a turn whose words still stand."""
        return self.record.current and not self.stale if self.record else self.fate.current

    @property
    def text(self) -> str:
        """The statement of a record, the words of a turn."""
        return self.record.statement if self.record else self.turn.text if self.turn else ""

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the turns it rests on."""
        if self.record:
            return self.record.sources
        return (self.id,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The account of one search. ``returned`` are hit ids in order; ``injected`` those that reached a model's context.

    ``reranker`` looked again at the first candidates, if the search asked for it; ``rerank_fault`` says why it could not, and
    then their order is that without it.
    ``query`` is what was looked for. Where it was built from a thread, ``message`` is what was said, and ``built_from`` are the
    turns that the rest was taken from. ``periods`` are the spans of time that the question was understood to point at, none for
    any time. ``near_misses`` are the best candidates just under the cut.
    ``near_misses`` are the best candidates just under the cut. ``seen`` has hashes of what pointers gave, by record id.
    """

    id: str
    tenant: str
    subjects: tuple[str, ...]
    origin: Origin
    at: datetime
    query: str
    terms: tuple[str, ...]
    embedder: str
    threshold: float
    candidates: tuple[Scored, ...]
    returned: tuple[str, ...]
    injected: tuple[str, ...] = ()
    reranker: str = ""
    rerank_fault: str = ""
    message: str = ""
    built_from: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)

    @property
    def near_misses(self) -> tuple[Scored, ...]:
        """Up to five candidates that were relevant enough to look at, and were not returned, best first."""
        return tuple(c for c in self.candidates if c.dropped in (Drop.BELOW_THRESHOLD, Drop.OVER_LIMIT))[:5]


@dataclass(frozen=True, slots=True)
class Miss:
    """A probable miss: ``turn`` says ``record`` again (``corrected``: says that it is otherwise), and the search that ``trace``
    tells of had not returned it. ``record`` is as it stood then; ``why`` is one sentence on what tells that it belonged there."""

    record: Record
    turn: Turn
    trace: Trace
    corrected: bool
    why: str
