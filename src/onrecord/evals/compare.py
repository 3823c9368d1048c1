"""Two runs over the same questions: how far apart they are, and whether chance could have done it.

* *difference*: the mean over the shared questions of A's value less B's, with the interval of ``evals.intervals``.
* *p*: the two-sided randomisation test that flips the sign of each unit's sum of differences (Fisher 1935; recommended for
  search by Smucker et al. 2007). Units are conversations or questions, as for intervals. Up to twelve units all flips are gone
  through; of more, seeded ones, counted as (found + 1) / (drawn + 1) (Phipson and Smyth 2010).
* *mcnemar*: the exact test on the questions that one run has right and the other wrong (McNemar 1947), for values that are all 0
  or 1. It takes questions as independent.
* *won*, *lost*, *tied*: questions on which A's value is higher, lower, the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np

from onrecord.errors import InvalidInput
from onrecord.evals.intervals import Span, Units, intervals

Row: TypeAlias = Mapping[str, Any]
#: Flips that are gone through one by one: 2 ** 12 of them.
_EXACT = 12
_FLIPS = 20_000
#: Sums that differ by rounding alone are the same.
_SAME = 1e-9
#: What names a question, besides its id.
KEYS = ("set", "include", "mode", "half", "part", "scenario")


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric over one class of questions, A's less B's. ``interval`` is ``None`` for fewer than two units."""

    metric: str
    category: str
    questions: int
    units: str
    a: float
    b: float
    difference: float
    interval: Span | None
    p: float
    mcnemar: float | None
    won: int
    lost: int
    tied: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs share, and how many questions only one of them has."""

    compared: tuple[Compared, ...]
    only_a: int
    only_b: int


def compare(
    a: Iterable[Row],
    b: Iterable[Row],
    *,
    system: str,
    against: str,
    metrics: Sequence[str] = (),
    apart: Iterable[str] = (),
    seed: int = 1,
) -> Comparison:
    """``system`` of run A beside ``against`` of run B, over all questions and over each category.

    A row has ``id``, ``talk`` and ``category``, and its values under ``systems``, by system and metric. ``metrics`` are those
    wanted, by default all that both have; ``apart`` are categories left out of *all*. Raises ``InvalidInput`` where there is no
    such system or metric, or no question is shared.
    """
    left, right = _values(a, system, "A"), _values(b, against, "B")
    shared = [key for key in left if key in right]
    if not shared:
        raise InvalidInput("B", "shares no question with A", "compare two runs over the same set, with the same options")
    names = _metrics([(left[key], right[key]) for key in shared], metrics)
    found = []
    for category, keys in _classes(left, shared, frozenset(apart)):
        for name in names:
            pairs = [(left[key], right[key]) for key in keys if name in left[key].values and name in right[key].values]
            if pairs:
                found.append(_compared(name, category, pairs, seed))
    return Comparison(tuple(found), len(left) - len(shared), len(right) - len(shared))


def sign_flip(differences: Sequence[float], clusters: Sequence[Hashable], seed: int) -> float:
    """The chance that flipped signs give a sum at least as far from 0; 1 where nothing differs."""
    units = Units.of_questions(clusters)
    totals = dict.fromkeys(range(units.count), 0.0)
    for unit, difference in zip(units.of.tolist(), differences, strict=True):
        totals[unit] += difference
    sums = [total for total in totals.values() if abs(total) > _SAME]
    if not sums:
        return 1.0
    seen = abs(sum(sums)) - _SAME
    if len(sums) <= _EXACT:
        return fmean(abs(sum(flipped)) >= seen for flipped in product(*((total, -total) for total in sums)))
    rng = np.random.default_rng(seed)
    flips = rng.choice((1.0, -1.0), size=(_FLIPS, len(sums)))
    drawn: int = sum(abs(total) >= seen for total in (flips @ np.array(sums)).tolist())
    return (drawn + 1) / (_FLIPS + 1)


def mcnemar(won: int, lost: int) -> float:
    """The chance that of so many decided questions one side has so few or fewer, two-sided; 1 where none is decided."""
    total, few = won + lost, min(won, lost)
    return min(1.0, 2 * sum(comb(total, n) for n in range(few + 1)) / (1 << total))


@dataclass(frozen=True, slots=True)
class _Asked:
    talk: Hashable
    category: str
    values: Mapping[str, float]


def _values(rows: Iterable[Row], system: str, side: str) -> dict[Hashable, _Asked]:
    found: dict[Hashable, _Asked] = {}
    systems: set[str] = set()
    for row in rows:
        given = row.get("systems", {})
        systems |= given.keys()
        if system not in given:
            continue
        key = (str(row["id"]), *(str(row.get(name, "")) for name in KEYS))
        if key in found:
            raise InvalidInput(side, f"has {row['id']!r} twice", "give a file with the rows of one run")
        talk = (row.get("set"), row.get("talk", row["id"]))
        found[key] = _Asked(talk, str(row.get("category", "")), {name: float(value) for name, value in given[system].items()})
    if not found:
        there = ", ".join(sorted(systems)) or "none: it holds no values by system"
        raise InvalidInput(side, f"has no values of {system!r}", f"there are {there}")
    return found


def _metrics(pairs: Sequence[tuple[_Asked, _Asked]], wanted: Sequence[str]) -> list[str]:
    shared = list(dict.fromkeys(name for left, right in pairs for name in left.values if name in right.values))
    if unknown := [name for name in wanted if name not in shared]:
        raise InvalidInput("--metric", f"{unknown[0]!r} is in neither or in one of the runs", f"there are {', '.join(shared)}")
    return list(wanted) or shared


def _classes(
    rows: Mapping[Hashable, _Asked], keys: Sequence[Hashable], apart: frozenset[str]
) -> Iterable[tuple[str, list[Hashable]]]:
    yield "all", [key for key in keys if rows[key].category not in apart] or list(keys)
    categories = sorted({rows[key].category for key in keys})
    if len(categories) > 1:
        yield from ((name, [key for key in keys if rows[key].category == name]) for name in categories)


def _compared(metric: str, category: str, pairs: Sequence[tuple[_Asked, _Asked]], seed: int) -> Compared:
    a, b = ([one.values[metric] for one in side] for side in zip(*pairs, strict=True))
    talks = [left.talk for left, _ in pairs]
    differences = [x - y for x, y in zip(a, b, strict=True)]
    won, lost = sum(d > _SAME for d in differences), sum(d < -_SAME for d in differences)
    units = Units.of_questions(talks)
    return Compared(
        metric=metric,
        category=category,
        questions=len(pairs),
        units=f"{units.count} {units.name}",
        a=fmean(a),
        b=fmean(b),
        difference=fmean(differences),
        interval=intervals({metric: differences}, talks, seed=seed).get(metric),
        p=sign_flip(differences, talks, seed),
        mcnemar=mcnemar(won, lost) if {*a, *b} <= {0.0, 1.0} else None,
        won=won,
        lost=lost,
        tied=len(pairs) - won - lost,
    )
