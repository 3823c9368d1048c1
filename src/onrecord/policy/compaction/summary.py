"""An extractive summary: sentences chosen from the turns under a token budget, each with its turn, nothing rephrased.

What binds (constraints, negations, decisions) goes in first and whole, whatever the budget. Then sentences are taken for what
they add per token: each term counts once, for its rarity in the thread; numbers, dates, identifiers and names double; the
user's words more than a tool's, and a tool's more than the assistant's. (Greedy maximum coverage of weighted terms; H. Takamura
and M. Okumura, "Text summarization model based on maximum coverage problem and its variant", EACL 2009.)

A summary is always made from the turns, or from the ledger where their text is gone, never from an earlier summary: the same
turns give the same summary after any number of rounds.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from onrecord.model.summary import Line, Section, Span, SpanKind, Summary
from onrecord.model.turn import Role, Turn
from onrecord.policy.compaction.protect import Unit, made_unit, spans, units
from onrecord.policy.dialogue.parts import spoken
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.text import query_terms

Count = Callable[[str], int]
Read = Callable[[Turn], Sequence[Unit]]

#: What a term is worth by who says it. Assistants and tools say most and are asked about least.
ROLE_WORTH: Mapping[Role, float] = MappingProxyType(
    {Role.USER: 1.0, Role.SYSTEM: 1.0, Role.DOCUMENT: 0.6, Role.TOOL: 0.5, Role.ASSISTANT: 0.35}
)
#: Details answer questions that no other word answers.
DETAIL_WORTH = 2.0
#: So do names of people, places and things: on LoCoMo .70 instead of .52 of the names in evidence stay, and more of the rest.
NAME_WORTH = 2.0
#: What people say of themselves and theirs is what is asked about later: at 8x it keeps .84 instead of .80 of BEAM's words in
#: evidence, and .625 instead of .617 of the words of LoCoMo's answers.
SELF_WORTH = 1.5
_SELF = regex(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|us|our|ours|ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2}|yo|mi|mis|"
    r"nosotr[oa]s|nuestr[oa]s?|je|j'|moi|mon|ma|mes|nous|notre|nos)\b|[私僕俺我]"
)
#: A question tells less than a statement with the same words.
QUESTION_WORTH = 0.5
#: Tokens of a line's dash and break.
LINE_OVERHEAD = 2
#: How often what is left of the budget is filled up; the third time adds next to nothing.
FILLS = 3
#: The goal takes at most this share of the budget.
GOAL_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class _Pick:
    """A unit that may be chosen: where it stands (turn, unit), what it costs in tokens, what its terms are worth.

    ``turn_ids`` are all the turns that say it word for word."""

    place: tuple[int, int]
    turn_ids: tuple[str, ...]
    role: Role
    author: str
    unit: Unit
    cost: int
    terms: frozenset[str] = frozenset()
    worth: Mapping[str, float] = field(default_factory=dict)


def summarize(turns: Sequence[Turn], budget: int, count: Count, *, earlier: Iterable[Span] = (), read: Read = units) -> Summary:
    """A summary of ``turns`` (oldest first) in at most ``budget`` tokens, or as many more as what is required takes (``over``).

    ``earlier`` is the ledger of an earlier summary: its required spans of turns that are not here any more are kept too.
    Lines stand by section, then in the order of the turns. Same input, same summary. ``read`` takes a turn apart; give a
    cached ``protect.units`` where the same turns are read again and again.
    """
    split = [read(turn) for turn in turns]
    here = {turn.id for turn in turns}
    gone = [span for span in earlier if span.required and span.turn_id not in here]
    picks = _weighed(_unrepeated([*_remembered(gone, count), *_spoken(turns, split, count)]))
    lines, text = _chosen(turns, picks, budget, count)
    tokens = count(text)
    named = {id for line in lines for id in line.turn_ids}
    bound = (span for turn, found in zip(turns, split, strict=True) for span in spans(turn, found) if span.required)
    return Summary(
        text=text,
        lines=tuple(lines),
        covers=tuple(dict.fromkeys([*(span.turn_id for span in gone), *(turn.id for turn in turns)])),
        ledger=(*gone, *bound),
        budget=budget,
        tokens=tokens,
        dropped=tuple(turn.id for turn in turns if turn.id not in named),
        over=tokens > budget,
    )


def render(lines: Iterable[Line], speaker: str = "") -> str:
    """The lines as text under the names of their sections, each with its author where that is not ``speaker``.

    An author is named once for lines in a row, the further ones of which are indented."""
    shown: list[str] = []
    section, author = None, speaker
    for line in lines:
        if line.section is not section:
            section, author = line.section, speaker
            shown.append(f"{section.value.capitalize()}:")
        if line.author == speaker:
            shown.append(f"- {line.text}")
        else:
            shown.append(f"  {line.text}" if line.author == author else f"- {line.author}: {line.text}")
        author = line.author
    return "\n".join(shown)


# --- what may be chosen


def _remembered(gone: Iterable[Span], count: Count) -> list[_Pick]:
    """The clauses of turns that are not here any more, each once, placed before all others."""
    clauses = {(span.turn_id, span.text): span for span in gone}
    picks = []
    for n, span in enumerate(clauses.values()):
        clause = made_unit(span.text, frozenset({span.kind}), required=True)
        cost = count(span.text) + LINE_OVERHEAD
        picks.append(_Pick((n - len(clauses), 0), (span.turn_id,), span.role, span.author, clause, cost, clause.terms))
    return picks


def _spoken(turns: Sequence[Turn], split: Sequence[Sequence[Unit]], count: Count) -> list[_Pick]:
    return [
        _Pick((place, n), (turn.id,), turn.role, turn.author, said, count(said.text) + LINE_OVERHEAD, said.terms)
        for place, (turn, found) in enumerate(zip(turns, split, strict=True))
        for n, said in enumerate(found)
    ]


def _unrepeated(picks: Iterable[_Pick]) -> list[_Pick]:
    """The picks, what one author says word for word again put together with where it was said first."""
    first: dict[tuple[str, str], _Pick] = {}
    for pick in picks:
        key = (pick.author, " ".join(pick.unit.text.casefold().split()))
        known = first.get(key, pick)
        unit = pick.unit if pick.unit.required else known.unit
        first[key] = replace(known, unit=unit, turn_ids=tuple(dict.fromkeys(known.turn_ids + pick.turn_ids)))
    return list(first.values())


def _weighed(picks: list[_Pick]) -> list[_Pick]:
    spread = Counter(term for pick in picks for term in pick.terms)
    return [_with_worth(pick, spread, len(picks)) for pick in picks]


def _with_worth(pick: _Pick, spread: Mapping[str, int], total: int) -> _Pick:
    own = _SELF.search(pick.unit.text.casefold().replace("’", "'"))
    scale = ROLE_WORTH[pick.role] * (QUESTION_WORTH if pick.unit.asks else 1.0) * (SELF_WORTH if own else 1.0)
    names = {term for name in pick.unit.details.get(SpanKind.RARE, ()) for term in query_terms(name)}
    worth = {t: scale * math.log(1 + total / spread[t]) * _factor(t, names) for t in pick.terms}
    return replace(pick, worth=worth)


def _factor(term: str, names: set[str]) -> float:
    return DETAIL_WORTH if term[0] == "=" else NAME_WORTH if term in names else 1.0


# --- choosing


def _chosen(turns: Sequence[Turn], picks: Sequence[_Pick], budget: int, count: Count) -> tuple[list[Line], str]:
    """The lines and their text: the required picks, and others while they fit."""
    required = [pick for pick in picks if pick.unit.required]
    goal = [pick for pick in _goal(turns, picks, int(budget * GOAL_SHARE)) if not pick.unit.required]
    chosen, room = [*goal, *required], budget
    for _ in range(FILLS):  # a line costs less beside others than alone: what is left over is filled again
        chosen = _filled(picks, chosen, room)
        lines, text = _laid_out(chosen, turns, goal)
        room = budget + sum(pick.cost for pick in chosen) - count(text)
    while count(text) > budget and len(chosen) > len(required):
        chosen = chosen[:-1] if len(chosen) > len(goal) + len(required) else required
        lines, text = _laid_out(chosen, turns, goal)
    return lines, text


def _laid_out(chosen: Sequence[_Pick], turns: Sequence[Turn], goal: Sequence[_Pick]) -> tuple[list[Line], str]:
    lines = _lines(chosen, turns, goal)
    return lines, render(lines, _speaker(turns))


def _goal(turns: Sequence[Turn], picks: Sequence[_Pick], room: int) -> list[_Pick]:
    """What the user opened the thread with, if there is room for it."""
    opening = next((place for place, turn in enumerate(turns) if spoken(turn)), None)
    telling = (pick for pick in picks if pick.place[0] == opening and len(pick.terms) > 2)
    return [pick for pick in [next(telling, None)] if pick is not None and pick.cost <= room]


def _filled(picks: Sequence[_Pick], chosen: Sequence[_Pick], budget: int) -> list[_Pick]:
    """``chosen`` and then what adds most per token and fits, best first; ties go to what was said first.

    Where every term is covered and room is left, terms count anew: of two turns with one word, either may be asked for."""
    result = list(chosen)
    covered = {term for pick in result for term in pick.terms}
    for _ in range(FILLS):
        result += _cover(picks, result, covered, budget - sum(pick.cost for pick in result))
        covered = set()
    return result


def _cover(picks: Sequence[_Pick], before: Sequence[_Pick], covered: set[str], room: int) -> list[_Pick]:
    taken = {pick.place for pick in before}
    heap = [(-_gain(pick, covered), pick.place, pick) for pick in picks if pick.place not in taken and pick.cost <= room]
    heapq.heapify(heap)
    added: list[_Pick] = []
    while heap and room > LINE_OVERHEAD:
        known, place, pick = heapq.heappop(heap)
        gain = _gain(pick, covered) if pick.cost <= room else 0.0
        if gain <= 0.0:
            continue
        if -known > gain:  # gains only fall, so an old value is a bound
            heapq.heappush(heap, (-gain, place, pick))
            continue
        added.append(pick)
        covered |= pick.terms
        room -= pick.cost
    return added


def _gain(pick: _Pick, covered: set[str]) -> float:
    return sum(worth for term, worth in pick.worth.items() if term not in covered) / pick.cost


# --- lines


def _lines(chosen: Sequence[_Pick], turns: Sequence[Turn], goal: Sequence[_Pick]) -> list[Line]:
    aims = {pick.place for pick in goal}
    answered = max((place for place, turn in enumerate(turns) if turn.role is Role.ASSISTANT), default=-1)
    grouped: dict[tuple[Section, int], list[_Pick]] = {}
    for pick in sorted(chosen, key=lambda pick: pick.place):
        grouped.setdefault((_section(pick, aims, answered), pick.place[0]), []).append(pick)
    order = list(Section)
    keys = sorted(grouped, key=lambda key: (order.index(key[0]), key[1]))
    return [_line(section, place, grouped[section, place]) for section, place in keys]


def _section(pick: _Pick, aims: set[tuple[int, int]], answered: int) -> Section:
    if pick.place in aims and not pick.unit.required:
        return Section.GOAL
    if pick.unit.required and pick.role in (Role.USER, Role.SYSTEM):
        return Section.DECISIONS if SpanKind.DECISION in pick.unit.kinds else Section.CONSTRAINTS
    if pick.unit.asks and pick.role is Role.USER and pick.place[0] > answered:
        return Section.QUESTIONS
    return Section.FACTS


def _line(section: Section, place: int, picks: Sequence[_Pick]) -> Line:
    text = picks[0].unit.text
    for before, pick in itertools.pairwise(picks):
        near = pick.place[1] == before.place[1] + 1
        text += (" " if near and not text[-1].isalnum() else "; " if near else " … ") + pick.unit.text
    ids = tuple(dict.fromkeys(id for pick in picks for id in pick.turn_ids))
    return Line(section=section, text=text, turn_ids=ids, author=picks[0].author, place=place)


def _speaker(turns: Sequence[Turn]) -> str:
    """The one who needs no name: the author of most of the user's turns; nobody where two people speak."""
    authors = Counter(turn.author for turn in turns if turn.role is Role.USER)
    return authors.most_common(1)[0][0] if len(authors) == 1 else ""
