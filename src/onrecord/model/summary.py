"""What stays of older dialogue: lines with their turns, and the ledger of what must not be lost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from onrecord.model.turn import Role


class SpanKind(StrEnum):
    """What makes a clause load-bearing."""

    NEGATION = "negation"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    NUMBER = "number"
    IDENTIFIER = "identifier"
    DATE = "date"
    RARE = "rare"


#: Kinds that no summary may lose, whatever its budget.
BINDING = frozenset({SpanKind.NEGATION, SpanKind.CONSTRAINT, SpanKind.DECISION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A load-bearing clause, verbatim, and the turn it stands in.

    ``tokens`` are what has to come through: values, codes, dates or names in their normal form, or a binding clause's terms.
    ``required`` spans must be kept; the others by budget.
    """

    kind: SpanKind
    text: str
    turn_id: str
    role: Role
    author: str
    tokens: tuple[str, ...] = ()
    required: bool = False


class Section(StrEnum):
    """The parts of a summary, in the order they are shown."""

    GOAL = "goal"
    CONSTRAINTS = "constraints"
    DECISIONS = "decisions"
    QUESTIONS = "open questions"
    FACTS = "facts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a summary. ``turn_ids`` are the turns it was taken from, oldest first; ``author`` who said it there."""

    section: Section
    text: str
    turn_ids: tuple[str, ...]
    author: str
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A summary of the turns ``covers``, oldest first. ``dropped`` are those of them that no line names; they stay in the store.

    ``text`` is what is shown, ``tokens`` its size. ``over`` tells that what is required did not fit ``budget``, so that it is
    bigger. ``carried`` are the lines put beside a model's text because it had lost them.
    """

    text: str
    lines: tuple[Line, ...]
    covers: tuple[str, ...]
    ledger: tuple[Span, ...]
    budget: int
    tokens: int
    carried: tuple[Line, ...] = ()
    dropped: tuple[str, ...] = ()
    over: bool = False


class FaultKind(StrEnum):
    """What is wrong with a summary: something is missing, turned into its opposite, changed, or in no source."""

    LOST = "lost"
    INVERTED = "inverted"
    ALTERED = "altered"
    INVENTED = "invented"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a summary. ``span`` is what it concerns (``None`` for what was invented), ``found`` what the summary says."""

    kind: FaultKind
    span: Span | None
    found: str = ""
