"""Which candidates are returned: relevant enough, not said twice, no more than the cap, conflicts with both sides. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from onrecord.model.trace import Drop, Scored
from onrecord.policy.language.remembered import remembered

#: Share of words two texts have in common from which on they say the same, if their numbers agree too.
SAME_WORDS = 0.9
_NUMBER, _WORD = re.compile(r"\d+"), re.compile(r"\w+")
#: Characters of a text that are compared.
_HEAD = 1_500
#: What a further row of a group counts, as a share of the row before it.
_FURTHER = 0.1


@dataclass(frozen=True, slots=True)
class Selection:
    """``kept`` in order of rank; ``candidates`` are all, best first, the others with the reason why they were dropped."""

    kept: tuple[Scored, ...]
    candidates: tuple[Scored, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a selection keeps to.

    Nothing is kept unless some candidate is relevant enough to answer alone, which is ``floor``; then those that reach ``tail``
    are, up to ``limit``. ``bounds`` are a floor and tail of their own, by id.
    ``barred`` are ids not to return, with the reason. ``conflicts`` names the other sides of an id: they come right behind it,
    whatever their relevance, and the last hits make room; with a limit of one there is none to make. ``told_by`` names, for a
    turn, the records made from it: beside one of them it is a repetition, and the record takes the better place of the two.
    """

    limit: int
    floor: float
    tail: float
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    barred: Mapping[str, Drop] = field(default_factory=dict)
    conflicts: Mapping[str, Collection[str]] = field(default_factory=dict)
    told_by: Mapping[str, Collection[str]] = field(default_factory=dict)

    def floor_of(self, id: str) -> float:
        """The relevance from which on a row answers alone."""
        return self.bounds[id][0] if id in self.bounds else self.floor

    def tail_of(self, id: str) -> float:
        """The relevance that a row needs behind one that answers."""
        return self.bounds[id][1] if id in self.bounds else self.tail


@dataclass(frozen=True, slots=True)
class Choice:
    """The ids that are kept, in order of rank, and why others of the ranked are not: without the rows, which are most of the
    work of a ``Selection`` that may not be the last."""

    ranked: Sequence[Scored]
    dropped: Mapping[str, Drop]
    kept: Sequence[str]

    def selection(self) -> Selection:
        """The rows themselves."""
        return _selection(self.ranked, self.dropped, self.kept)


def select(ranked: Sequence[Scored], texts: Mapping[str, str], rules: Rules) -> Selection:
    """The first of ``ranked`` that are relevant enough, without repeats; ``texts`` are their words, by id."""
    return choose(ranked, texts, rules).selection()


def choose(ranked: Sequence[Scored], texts: Mapping[str, str], rules: Rules) -> Choice:
    """What ``select`` keeps and drops."""
    free = [scored for scored in ranked if scored.id not in rules.barred]
    answered = any(scored.relevance >= rules.floor_of(scored.id) for scored in free)
    enough = [scored for scored in free if answered and scored.relevance >= rules.tail_of(scored.id)]
    dropped = dict.fromkeys((scored.id for scored in free), Drop.BELOW_THRESHOLD) | dict(rules.barred)
    kept = _Kept(rules, texts)
    for id in _records_first([scored.id for scored in enough], rules.told_by):
        reason = kept.add(id)
        if reason is not None:
            dropped[id] = reason
    final = _with_sides(kept.ids, rules.conflicts, {scored.id for scored in free}, rules.limit)
    return Choice(ranked, dropped, final)


def _records_first(order: Sequence[str], told_by: Mapping[str, Collection[str]]) -> list[str]:
    """The ids with the best of a turn's records before the turn."""
    placed: dict[str, None] = {}
    for id in order:
        told = told_by.get(id, ())
        best = next((other for other in order if other in told), None) if told else None
        placed.update(dict.fromkeys((best, id) if best else (id,)))
    return list(placed)


class _Kept:
    """What a selection holds so far."""

    def __init__(self, rules: Rules, texts: Mapping[str, str]) -> None:
        self._rules, self._texts = rules, texts
        self.ids: list[str] = []
        self._seen: dict[tuple[str, ...], list[_Words]] = {}

    def add(self, id: str) -> Drop | None:
        """Takes a row in, or tells why not."""
        if len(self.ids) >= self._rules.limit:
            return Drop.OVER_LIMIT
        words = _words_of(self._texts.get(id, ""))
        told = not set(self.ids).isdisjoint(self._rules.told_by.get(id, ()))
        alike = self._seen.setdefault(words.numbers, [])  # texts with other numbers say other things
        if told or any(words.repeats(other) for other in words.as_long(alike)):
            return Drop.DUPLICATE
        self.ids.append(id)
        alike.append(words)
        return None


@dataclass(frozen=True, slots=True)
class _Words:
    words: frozenset[str]
    numbers: tuple[str, ...]

    def as_long(self, others: Sequence[_Words]) -> list[_Words]:
        """Those of nearly as many words: no others can share enough, and most are others."""
        size = len(self.words)
        least, most = SAME_WORDS * size, size / SAME_WORDS
        return [other for other in others if least <= len(other.words) <= most]

    def repeats(self, other: _Words) -> bool:
        together = len(self.words | other.words)
        return len(self.words & other.words) >= SAME_WORDS * together if together else False


@remembered
def _words_of(text: str) -> _Words:
    head = text[:_HEAD].casefold()
    return _Words(frozenset(_WORD.findall(head)), tuple(sorted(_NUMBER.findall(head))))


def _with_sides(kept: Sequence[str], conflicts: Mapping[str, Collection[str]], there: Collection[str], limit: int) -> list[str]:
    order: list[str] = []
    bound: set[str] = set()
    for id in kept:
        sides = [side for side in sorted(conflicts.get(id, ())) if side in there]
        order += [one for one in (id, *sides) if one not in order]
        if sides:
            bound.update((id, *sides))
    while len(order) > limit:
        loose = [id for id in order if id not in bound]
        order.remove(loose[-1] if loose else order[-1])
    return order


def _selection(ranked: Sequence[Scored], dropped: Mapping[str, Drop], final: Sequence[str]) -> Selection:
    chosen = set(final)
    by_id = {scored.id: scored for scored in ranked}
    lost = (one if one.id in chosen else _dropped(one, dropped.get(one.id, Drop.OVER_LIMIT)) for one in ranked)
    return Selection(tuple(by_id[id] for id in final), tuple(lost))


def _dropped(one: Scored, reason: Drop) -> Scored:
    return Scored(one.id, one.corpus, one.score, one.relevance, one.parts, reason)


def rolled_up(scored: Sequence[tuple[str, float]], group_of: Mapping[str, str]) -> list[str]:
    """Groups (sittings, threads) by their rows' scores, best first: the best row, and a little for each further one.

    A row counts a tenth of the one before it, so that many weak rows do not outrank a strong one. Ties go by name.
    """
    totals: dict[str, float] = {}
    places: dict[str, int] = {}
    for id, score in sorted(scored, key=lambda pair: (-pair[1], pair[0])):
        group = group_of[id]
        totals[group] = totals.get(group, 0.0) + score * _FURTHER ** places.get(group, 0)
        places[group] = places.get(group, 0) + 1
    return sorted(totals, key=lambda group: (-totals[group], group))
