"""Which candidates are returned: relevant enough, not said twice, no more than the cap, conflicts with both sides. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from onrecord.model.trace import Drop, Scored

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

    Nothing is kept unless the most relevant candidate reaches ``floor``; then those that reach ``tail`` are, up to ``limit``.
    ``barred`` are ids not to return, with the reason. ``conflicts`` names the other sides of an id: they come right behind it,
    whatever their relevance, and the last hits make room; with a limit of one there is none to make. ``told_by`` names, for a
    turn, the records made from it: behind one of them it is a repetition.
    """

    limit: int
    floor: float
    tail: float
    barred: Mapping[str, Drop] = field(default_factory=dict)
    conflicts: Mapping[str, Collection[str]] = field(default_factory=dict)
    told_by: Mapping[str, Collection[str]] = field(default_factory=dict)


def select(ranked: Sequence[Scored], texts: Mapping[str, str], rules: Rules) -> Selection:
    """The first of ``ranked`` that are relevant enough, without repeats; ``texts`` are their words, by id."""
    free = [scored for scored in ranked if scored.id not in rules.barred]
    answered = max((scored.relevance for scored in free), default=0.0) >= rules.floor
    dropped = dict(rules.barred)
    kept: list[str] = []
    seen: list[_Words] = []
    for scored in free:
        if not answered or scored.relevance < rules.tail:
            dropped[scored.id] = Drop.BELOW_THRESHOLD
        elif len(kept) >= rules.limit:
            dropped[scored.id] = Drop.OVER_LIMIT
        else:
            words = _Words.of(texts.get(scored.id, ""))
            if any(words.repeats(other) for other in seen) or not set(kept).isdisjoint(rules.told_by.get(scored.id, ())):
                dropped[scored.id] = Drop.DUPLICATE
            else:
                kept.append(scored.id)
                seen.append(words)
    final = _with_sides(kept, rules.conflicts, {scored.id for scored in free}, rules.limit)
    return _selection(ranked, dropped, final)


@dataclass(frozen=True, slots=True)
class _Words:
    words: frozenset[str]
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _Words:
        head = text[:_HEAD].casefold()
        return cls(frozenset(_WORD.findall(head)), tuple(sorted(_NUMBER.findall(head))))

    def repeats(self, other: _Words) -> bool:
        together = len(self.words | other.words)
        alike = len(self.words & other.words) >= SAME_WORDS * together if together else False
        return alike and self.numbers == other.numbers


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
    lost = (one if one.id in chosen else replace(one, dropped=dropped.get(one.id, Drop.OVER_LIMIT)) for one in ranked)
    return Selection(tuple(by_id[id] for id in final), tuple(lost))


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
