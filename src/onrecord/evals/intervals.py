"""How sure a figure is: intervals over the questions (or whole conversations) that a set might as well have had.

Questions about one conversation share what is hard about it, so conversations are drawn and not questions, wherever there are
enough of them (the cluster bootstrap; Field and Welsh 2007). Percentile intervals are too narrow for few units; the levels at
which they are cut are moved outward (the expanded percentile interval of Hesterberg 2015, "What Teachers Should Know About the
Bootstrap"). All draws come from a seed.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

#: The share of intervals that hold the truth, were the set drawn again and again.
LEVEL = 0.95
#: Resamples of an interval: its ends move by less than a tenth of its width from seed to seed.
ROUNDS = 2_000
#: From so many conversations on they are drawn; of fewer there are too few different draws, and questions are drawn instead.
FEWEST_CLUSTERS = 5
#: Weights of one product of matrices, so that a large set stays within memory.
_CELLS = 4_000_000

Matrix = NDArray[np.float64]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Units:
    """What is drawn: the unit of each question, from 0, how many units there are, and what they are called."""

    of: NDArray[np.intp]
    count: int
    name: str

    @classmethod
    def of_questions(cls, clusters: Sequence[Hashable]) -> Units:
        """Those of questions whose conversations are ``clusters``, in the same order."""
        places: dict[Hashable, int] = {}
        for cluster in clusters:
            places.setdefault(cluster, len(places))
        if FEWEST_CLUSTERS <= len(places) < len(clusters):
            return cls(np.array([places[cluster] for cluster in clusters], np.intp), len(places), "conversations")
        return cls(np.arange(len(clusters)), len(clusters), "questions")


def intervals(columns: Mapping[str, Sequence[float]], clusters: Sequence[Hashable], *, seed: int) -> dict[str, Span]:
    """The interval of the mean of each column; columns are as long as ``clusters``. Empty for fewer than two units.

    The same draws serve all columns, so that their intervals can be compared.
    """
    units = Units.of_questions(clusters)
    if units.count < 2 or not columns:
        return {}
    values = np.array([list(column) for column in columns.values()], np.float64).T
    means = np.concatenate([weights @ values / weights.sum(1, keepdims=True) for weights in _weights(units, seed)])
    return {name: _cut(means[:, n], units.count) for n, name in enumerate(columns)}


def auroc_interval(
    positives: Sequence[float], negatives: Sequence[float], clusters: tuple[Sequence[Hashable], Sequence[Hashable]], *, seed: int
) -> Span | None:
    """The interval of ``metrics.auroc``; ``clusters`` are those of the positives and of the negatives. ``None`` for fewer than
    two units, or a draw without one of the sides."""
    units = Units.of_questions([*clusters[0], *clusters[1]])
    if units.count < 2:
        return None
    above = np.subtract.outer(np.array(positives, np.float64), np.array(negatives, np.float64))
    wins = (above > 0) + 0.5 * (above == 0)
    found = []
    for weights in _weights(units, seed):
        left, right = weights[:, : len(positives)], weights[:, len(positives) :]
        pairs = left.sum(1) * right.sum(1)
        there = pairs > 0
        found.append(((left @ wins) * right).sum(1)[there] / pairs[there])
    drawn = np.concatenate(found)
    return _cut(drawn, units.count) if len(drawn) else None


def proportion(n: int, of: int, level: float = LEVEL) -> Span:
    """Wilson's score interval of ``n`` of ``of`` independent trials (Wilson 1927): sound at 0 and at ``of`` too.

    Raises ``ValueError`` where ``of`` is 0.
    """
    if of < 1:
        raise ValueError("no trials have no interval")
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle, spread = n / of + z * z / (2 * of), z * math.sqrt(n / of * (1 - n / of) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def _weights(units: Units, seed: int) -> list[Matrix]:
    """How often each question counts in each resample, in blocks of rows."""
    rng = np.random.default_rng(seed)
    rows = max(1, min(ROUNDS, _CELLS // max(len(units.of), 1)))
    even = np.full(units.count, 1.0 / units.count)
    blocks = [min(rows, ROUNDS - first) for first in range(0, ROUNDS, rows)]
    return [rng.multinomial(units.count, even, size=block)[:, units.of].astype(np.float64) for block in blocks]


def _cut(drawn: Matrix, units: int) -> Span:
    """The ends of the interval among what was drawn."""
    tail = _tail(units)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _tail(units: int) -> float:
    """The share that is cut off on either side: Φ(-√(n / (n - 1)) · t), with t of Student's distribution of n - 1."""
    t = student((1 + LEVEL) / 2, units - 1)
    return NormalDist().cdf(-math.sqrt(units / (units - 1)) * t)


def student(share: float, freedom: int) -> float:
    """The quantile of Student's distribution, for a share from 0.5 up (Abramowitz and Stegun, 26.7.3 and 26.7.4, bisected)."""
    low, high = 0.0, 1.0
    while _within(high, freedom) < 2 * share - 1:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < 2 * share - 1 else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """The chance to be within ±t."""
    if freedom > 500:  # the normal one from there on: they differ in the third digit of the tail
        return 2 * NormalDist().cdf(t) - 1
    angle = math.atan(t / math.sqrt(freedom))
    cosine, term, total = math.cos(angle), 1.0, 0.0
    odd = freedom % 2
    if odd:
        term = cosine
    for n in range(2 if odd else 1, freedom, 2):
        total += term
        term *= cosine * cosine * n / (n + 1)
    total *= math.sin(angle)
    return (angle + total) * 2 / math.pi if odd else total
