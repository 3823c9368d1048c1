"""Checks a summary against the ledger: nothing binding lost, nothing turned round, no value changed or made up.

A binding clause is kept if it stands in the summary verbatim, or if one sentence there holds its values and most of its content words
and agrees in what it denies, limits and opposes. Sentences with the same content that disagree invert it. Details
are kept if their value stands anywhere, in whatever way it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from onrecord.model.summary import BINDING, Fault, FaultKind, Line, Section, Span, SpanKind, Summary
from onrecord.model.turn import Role, Turn
from onrecord.policy.polarity import difference
from onrecord.policy.protect import clauses, details, is_denial, ledger
from onrecord.policy.summary import render, summarize
from onrecord.policy.text import query_terms, terms

#: Share of a clause's content words that a sentence must hold to be about the same thing.
SAME_MATTER = 0.6
_NO = frozenset(term for word in "no not never nothing nobody none without cannot don't avoid kein nicht nie".split() for term in terms(word))
#: Words that set a bound from above or below, or in time: exchanging one for its opposite turns a rule round.
_SIDES = {
    "down": frozenset("most max maximum under below up less fewer höchstens maximal máximo".split()),
    "up": frozenset("least min minimum over above more mindestens mínimo".split()),
    "before": frozenset("before until till by vor bis antes hasta avant".split()),
    "after": frozenset("after from since nach ab después desde après depuis".split()),
}
_AGAINST = (("down", "up"), ("before", "after"))


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of a summary, reduced to what is compared."""

    text: str
    terms: frozenset[str]
    values: frozenset[str]
    denies: bool
    sides: frozenset[str]


def check(text: str, spans: Iterable[Span], sources: Sequence[Turn] = ()) -> list[Fault]:
    """The faults of ``text`` in order of ``spans``, then what it invents: values and names that none of ``sources`` holds.

    Without ``sources`` nothing counts as invented. An empty list means that every span came through.
    """
    said = [_said(clause) for clause in clauses(text)]
    plain = _plain(text)
    values = frozenset(value for sentence in said for value in sentence.values)
    found = (_fault(span, plain, said, values) for span in spans)
    return [*(fault for fault in found if fault is not None), *(_invented(values, sources) if sources else ())]


def repair(faults: Iterable[Fault]) -> tuple[Line, ...]:
    """The lines that must stand beside the summary: every required span that was lost, verbatim, in order, each clause once."""
    lost = [fault.span for fault in faults if fault.kind is FaultKind.LOST and fault.span is not None and fault.span.required]
    unique = {(span.turn_id, span.text): span for span in reversed(lost)}
    return tuple(_carried(span, place) for place, span in enumerate(reversed(unique.values())))


def accept(text: str, turns: Sequence[Turn], budget: int, count: Callable[[str], int]) -> tuple[Summary, list[Fault]]:
    """The summary to use where a model wrote ``text``, and the faults of the text.

    The model's text is used, with what it lost carried beside it, if it inverts, alters and invents nothing and takes, all
    together, no more tokens than ``budget`` or the extractive summary. Otherwise the extractive summary is the answer:
    a model that gives back its input, or worse, costs one call and no loop.
    """
    own = summarize(turns, budget, count)
    faults = check(text, own.ledger, turns)
    if not text.strip() or any(fault.kind is not FaultKind.LOST for fault in faults):
        return own, faults
    carried = repair(faults)
    shown = "\n".join(filter(None, (text.strip(), render(carried))))
    tokens = count(shown)
    if tokens > max(budget, own.tokens):
        return own, faults
    told = Line(section=Section.FACTS, text=text.strip(), turn_ids=own.covers, author="")
    lines = (told, *carried)
    return replace(own, text=shown, lines=lines, carried=carried, tokens=tokens, over=tokens > budget, dropped=()), faults


def _carried(span: Span, place: int) -> Line:
    theirs = span.role in (Role.USER, Role.SYSTEM)
    section = Section.FACTS if not theirs else Section.DECISIONS if span.kind is SpanKind.DECISION else Section.CONSTRAINTS
    return Line(section=section, text=span.text, turn_ids=(span.turn_id,), author=span.author, place=place)


def _fault(span: Span, plain: str, said: Sequence[_Said], values: frozenset[str]) -> Fault | None:
    if span.kind not in BINDING:
        return None if values.issuperset(span.tokens) else Fault(FaultKind.LOST, span)
    mine = _said(span.text)
    about = [sentence for sentence in said if _same_matter(mine, sentence)]
    turned = [sentence for sentence in about if _opposed(mine, sentence)]
    if any(sentence not in turned and sentence.values >= mine.values for sentence in about):
        return None
    if turned:
        return Fault(FaultKind.INVERTED, span, turned[0].text)
    if _plain(span.text) in plain:
        return None
    changed = next((s for s in about if s.values != mine.values and s.values and mine.values), None)
    return Fault(FaultKind.ALTERED, span, changed.text) if changed else Fault(FaultKind.LOST, span)


def _same_matter(mine: _Said, other: _Said) -> bool:
    content = mine.terms - _NO
    return bool(content) and len(content & other.terms) >= SAME_MATTER * len(content)


def _opposed(mine: _Said, other: _Said) -> bool:
    """Whether one denies what the other asserts, or bounds from the other side."""
    if mine.text == other.text:
        return False
    if mine.denies != other.denies and not (mine.denies and mine.sides and mine.sides & other.sides):
        return True
    if any({a in mine.sides, a in other.sides} == {True, False} == {b in mine.sides, b in other.sides} for a, b in _AGAINST):
        return any(a in mine.sides and b in other.sides for a, b in (*_AGAINST, *((b, a) for a, b in _AGAINST)))
    return difference(mine.text, other.text) in ("polarity", "antonym")


def _said(text: str) -> _Said:
    words = frozenset(terms(text))
    raw = set(text.casefold().split())
    values = frozenset(v for kind, found in details(text).items() if kind is not SpanKind.RARE for v in found)
    sides = frozenset(side for side, cues in _SIDES.items() if cues & raw)
    return _Said(text, frozenset(query_terms(text)) & words, values | _names(text), is_denial(text), sides)


def _names(text: str) -> frozenset[str]:
    return frozenset(details(text).get(SpanKind.RARE, ()))


def _invented(values: frozenset[str], sources: Sequence[Turn]) -> Iterator[Fault]:
    known = {token for span in ledger(sources) for token in span.tokens}
    words = {term for turn in sources for term in terms(f"{turn.author} {turn.text}")}
    for value in sorted(values - known):
        if not words.issuperset(terms(value)):
            yield Fault(FaultKind.INVENTED, None, value)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
