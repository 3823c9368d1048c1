"""Checks a summary against the ledger: nothing binding lost, nothing turned round, no value changed or made up.

A binding clause is kept if it stands in the summary verbatim, or if one sentence there holds its values and most of its content
words and agrees in what it denies and from which side it bounds. A sentence with the same content that disagrees inverts it,
unless the ledger holds a clause that it repeats: what was said later may well say the opposite. Details are kept if their
value stands anywhere, in whatever way it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from onrecord.model.summary import BINDING, Fault, FaultKind, Line, Section, Span, SpanKind, Summary
from onrecord.model.turn import Role, Turn
from onrecord.policy.compaction.protect import NEGATORS, clauses, details, ledger
from onrecord.policy.compaction.summary import render, summarize
from onrecord.policy.language.binding import is_denial
from onrecord.policy.language.polarity import difference
from onrecord.policy.language.text import query_terms, terms

#: Share of a clause's content words that a sentence must hold to be about the same thing.
SAME_MATTER = 0.6
#: Words that bound from a side, in amount or in time. A denial turns the side round: "not before ten" is after ten.
_SIDES = (
    (
        re.compile(r"\b(?:at most|max(?:imum)?|under|below|up to|less|fewer|höchstens|maximal|máximo)\b"),
        re.compile(r"\b(?:at least|min(?:imum)?|over|above|more|exceed\w*|mindestens|mínimo)\b"),
    ),
    (
        re.compile(r"\b(?:before|until|till|by|earlier|vor|bis|antes|hasta|avant)\b"),
        re.compile(r"\b(?:after|since|later|nach|después|desde|après|depuis)\b"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, reduced to what is compared. ``sides`` has -1, 0 or 1 for each axis: below, unsaid, above."""

    text: str
    terms: frozenset[str]
    values: frozenset[str]
    denies: bool
    sides: tuple[int, ...]


def check(text: str, spans: Iterable[Span], sources: Sequence[Turn] = ()) -> list[Fault]:
    """The faults of ``text`` in order of ``spans``, then what it invents: values and names that none of ``sources`` holds.

    Without ``sources`` nothing counts as invented. An empty list means that every span came through.
    """
    return _Check(text, list(spans)).faults(sources)


def repair(faults: Iterable[Fault]) -> tuple[Line, ...]:
    """The lines that must stand beside the summary: every required span that was lost, verbatim, in order, each clause once."""
    lost = [fault.span for fault in faults if fault.kind is FaultKind.LOST and fault.span is not None and fault.span.required]
    unique: dict[tuple[str, str], Span] = {}
    for span in lost:
        unique.setdefault((span.turn_id, span.text), span)
    return tuple(_carried(span, place) for place, span in enumerate(unique.values()))


def accept(
    told: str | Sequence[Line], turns: Sequence[Turn], budget: int, count: Callable[[str], int], *, earlier: Sequence[Span] = ()
) -> tuple[Summary, list[Fault]]:
    """The summary to use where a model wrote ``told`` (lines, or a text), and the faults of its words.

    The model's words are used, with what they lost carried beside them, if they invert, alter and invent nothing and take, all
    together, no more tokens than ``budget`` or the extractive summary. Otherwise the extractive summary is the answer:
    a model that gives back its input, or worse, costs one call and no loop. ``earlier`` as for ``summarize``.
    """
    own = summarize(turns, budget, count, earlier=earlier)
    lines = _lines_of(told, own) if isinstance(told, str) else tuple(told)
    text = told.strip() if isinstance(told, str) else render(lines)
    faults = check(text, own.ledger, turns)
    if not text or any(fault.kind is not FaultKind.LOST for fault in faults):
        return own, faults
    carried = repair(faults)
    shown = "\n".join(filter(None, (text, render(carried))))
    tokens = count(shown)
    if tokens > max(budget, own.tokens):
        return own, faults
    named = {id for line in (*lines, *carried) for id in line.turn_ids}
    left = tuple(id for id in own.covers if id not in named)
    return replace(
        own, text=shown, lines=(*lines, *carried), carried=carried, tokens=tokens, over=tokens > budget, dropped=left
    ), faults


def _lines_of(text: str, own: Summary) -> tuple[Line, ...]:
    """A text that does not say what it was taken from: one line of all turns."""
    return (Line(section=Section.FACTS, text=text.strip(), turn_ids=own.covers, author=""),)


class _Check:
    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self.plain = _plain(text)
        self.said = [_said(clause) for clause in clauses(text)]
        self.values = frozenset(value for sentence in self.said for value in sentence.values)
        self.spans = [(span, _said(span.text)) for span in spans]
        self.known = frozenset(value for _, mine in self.spans for value in mine.values)

    def faults(self, sources: Sequence[Turn]) -> list[Fault]:
        found = [self._fault(span, mine) for span, mine in self.spans]
        return [
            *(fault for fault in found if fault is not None),
            *(_invented(self.values - self.known, sources) if sources else ()),
        ]

    def _fault(self, span: Span, mine: _Said) -> Fault | None:
        if span.kind not in BINDING:
            return None if self.values.issuperset(span.tokens) else Fault(FaultKind.LOST, span)
        about = [sentence for sentence in self.said if _same_matter(mine, sentence)]
        turned = [sentence for sentence in about if _opposed(mine, sentence)]
        if any(sentence not in turned and sentence.values >= mine.values for sentence in about):
            return None
        inverting = next((sentence for sentence in turned if not self._repeats(sentence)), None)
        if inverting is not None:
            return Fault(FaultKind.INVERTED, span, inverting.text)
        if not turned and _plain(span.text) in self.plain:
            return None
        changed = next((sentence for sentence in about if mine.values and sentence.values - self.known), None)
        return Fault(FaultKind.ALTERED, span, changed.text) if changed else Fault(FaultKind.LOST, span)

    def _repeats(self, sentence: _Said) -> bool:
        """Whether a clause of the ledger says what ``sentence`` says."""
        return any(_same_matter(mine, sentence) and not _opposed(mine, sentence) for _, mine in self.spans)


def _carried(span: Span, place: int) -> Line:
    theirs = span.role in (Role.USER, Role.SYSTEM)
    binding = Section.DECISIONS if span.kind is SpanKind.DECISION else Section.CONSTRAINTS
    return Line(
        section=binding if theirs else Section.FACTS, text=span.text, turn_ids=(span.turn_id,), author=span.author, place=place
    )


def _same_matter(mine: _Said, other: _Said) -> bool:
    content = mine.terms - NEGATORS
    return bool(content) and len(content & other.terms) >= SAME_MATTER * len(content)


def _opposed(mine: _Said, other: _Said) -> bool:
    """Whether one denies what the other asserts, or bounds from the other side."""
    if mine.text == other.text:
        return False
    both = [(a, b) for a, b in zip(mine.sides, other.sides, strict=True) if a and b]
    if both:
        return any(a != b for a, b in both)
    return mine.denies != other.denies or difference(mine.text, other.text) in ("polarity", "antonym")


def _said(text: str) -> _Said:
    values = frozenset(value for found in details(text).values() for value in found)
    denies = is_denial(text)
    return _Said(text, frozenset(query_terms(text)), values, denies, _sides(text, denies))


def _sides(text: str, denies: bool) -> tuple[int, ...]:
    folded = text.casefold()
    ways = (bool(high.search(folded)) - bool(low.search(folded)) for low, high in _SIDES)
    return tuple(-way if denies else way for way in ways)


def _invented(values: frozenset[str], sources: Sequence[Turn]) -> Iterator[Fault]:
    known = {token for span in ledger(sources) for token in span.tokens}
    words = {term for turn in sources for term in terms(f"{turn.author} {turn.text}")}
    for value in sorted(values - known):
        if not words.issuperset(terms(value)):
            yield Fault(FaultKind.INVENTED, None, value)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
