"""Which candidates are returned: relevant enough, not said twice, no more than the cap, conflicts with both sides. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from onrecord.model.trace import Drop, Scored
from onrecord.policy.text import terms

#: Share of terms two texts have in common from which on they say the same, if their numbers agree too.
SAME_WORDS = 0.9
_NUMBER = re.compile(r"\d+")
#: What a further row of a group counts, as a share of the row before it.
_FURTHER = 0.25


@dataclass(frozen=True, slots=True)
class Selection:
    """``kept`` in order of rank; ``candidates`` are all, best first, the others with the reason why they were dropped."""

    kept: tuple[Scored, ...]
    candidates: tuple[Scored, ...]


def select(
    ranked: Sequence[Scored],
    texts: Mapping[str, str],
    *,
    limit: int,
    threshold: float,
    barred: Mapping[str, Drop] | None = None,
    conflicts: Mapping[str, Collection[str]] | None = None,
) -> Selection:
    """The first ``limit`` of ``ranked`` that are as relevant as ``threshold``, without repeats.

    ``barred`` are ids not to return, with the reason. ``conflicts`` names the other sides of an id: they come right behind it,
    whatever their relevance, and the last hits make room; with a limit of one there is none to make.
    """
    barred = barred or {}
    fates: dict[str, Drop | None] = {}
    kept: list[str] = []
    seen: list[_Words] = []
    for scored in ranked:
        drop = barred.get(scored.id) or _drop(scored, threshold, full=len(kept) >= limit)
        if drop is None:
            words = _Words.of(texts.get(scored.id, ""))
            if any(words.repeats(other) for other in seen):
                drop = Drop.DUPLICATE
            else:
                kept.append(scored.id)
                seen.append(words)
        fates[scored.id] = drop
    final = _with_sides(kept, conflicts or {}, {scored.id for scored in ranked} - barred.keys(), limit)
    return _selection(ranked, fates, final)


@dataclass(frozen=True, slots=True)
class _Words:
    terms: frozenset[str]
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _Words:
        return cls(frozenset(terms(text)), tuple(sorted(_NUMBER.findall(text))))

    def repeats(self, other: _Words) -> bool:
        together = len(self.terms | other.terms)
        alike = len(self.terms & other.terms) >= SAME_WORDS * together if together else False
        return alike and self.numbers == other.numbers


def _drop(scored: Scored, threshold: float, *, full: bool) -> Drop | None:
    if scored.relevance < threshold:
        return Drop.BELOW_THRESHOLD
    return Drop.OVER_LIMIT if full else None


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


def _selection(ranked: Sequence[Scored], fates: Mapping[str, Drop | None], final: Sequence[str]) -> Selection:
    chosen = set(final)
    by_id = {scored.id: scored for scored in ranked}
    candidates = tuple(
        replace(scored, dropped=None if scored.id in chosen else fates[scored.id] or Drop.OVER_LIMIT) for scored in ranked
    )
    return Selection(tuple(replace(by_id[id], dropped=None) for id in final), candidates)


def rolled_up(scored: Sequence[tuple[str, float]], group_of: Mapping[str, str]) -> list[str]:
    """Groups (sittings, threads) by their rows' scores, best first: the best row, and a little for each further one.

    A row counts a quarter of the one before it, so that many weak rows do not outrank a strong one. Ties go by name.
    """
    totals: dict[str, float] = {}
    places: dict[str, int] = {}
    for id, score in sorted(scored, key=lambda pair: (-pair[1], pair[0])):
        group = group_of[id]
        totals[group] = totals.get(group, 0.0) + score * _FURTHER ** places.get(group, 0)
        places[group] = places.get(group, 0) + 1
    return sorted(totals, key=lambda group: (-totals[group], group))
