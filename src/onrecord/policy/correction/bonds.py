"""The weights by which a resemblance is read: is the new statement of the same attribute of the same thing, does it repeat the
old one, does it contradict rather than replace it? Three logistic regressions over ``resemblance``, read once from the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from io import BytesIO
from typing import TypeAlias

import numpy as np

#: What the name of the embedder begins with whose cosines the weights were trained on.
EMBEDDER = "all-MiniLM-L6-v2"
Features: TypeAlias = Mapping[str, float]
#: How likely it is at the most, by the features that are known of a pair besides, and the names of those that may be anything
#: 0..1; all others are 0. A feature ``a & b`` is the product of ``a`` and ``b``, and is not named.
Ceiling: TypeAlias = Callable[[Features, frozenset[str]], float]
_Product: TypeAlias = tuple[tuple[str, ...], float]


@dataclass(frozen=True)
class Line:
    """One logistic regression: a weight a feature, and the intercept."""

    named: Mapping[str, float]
    bias: float

    def probability(self, features: Features) -> float:
        """0..1."""
        return _logistic(self.bias + self._sum(features))

    def knowing(self, known: Features) -> Ceiling:
        """What ``probability`` gives at the most for features of which some are ``known`` already."""
        base, products = self.bias + self._sum(known), list[_Product]()
        for one, other, weight in self._together:
            left = tuple(name for name in (one, other) if name not in known)
            weight *= math.prod(known[name] for name in (one, other) if name in known)
            if not left:
                base += weight
            elif weight:
                products.append((left, weight))

        def at_most(more: Features, open_: frozenset[str]) -> float:
            total = base + self._sum(more) + self._raised(open_)
            return _logistic(total + sum([_highest(left, weight, more, open_) for left, weight in products]))

        return at_most

    def _sum(self, features: Features) -> float:
        return sum([self.named.get(name, 0.0) * x for name, x in features.items() if x])

    def _raised(self, open_: frozenset[str]) -> float:
        """What these add at the most. There are few such sets: they go by what two statements have in common."""
        if open_ not in self._raises:
            self._raises[open_] = sum(max(0.0, self.named.get(name, 0.0)) for name in open_)
        return self._raises[open_]

    @cached_property
    def _raises(self) -> dict[frozenset[str], float]:
        return {}

    @cached_property
    def _together(self) -> list[tuple[str, str, float]]:
        pairs = ((name.split(" & "), weight) for name, weight in self.named.items() if " & " in name)
        return [(one, other, weight) for (one, other), weight in pairs]


def _highest(left: tuple[str, ...], weight: float, known: Features, open_: Collection[str]) -> float:
    """The most that a product of features adds: each is known, or 0..1 where it is open, or else 0."""
    free = False
    for name in left:
        value = known.get(name)
        if value is not None:
            weight *= value
        elif name in open_:
            free = True
        else:
            return 0.0
    return max(0.0, weight) if free else weight


def _logistic(total: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@dataclass(frozen=True, slots=True)
class Weights:
    """``one``: both statements are of one attribute of one thing. Given that, ``repeats``: they say the same; given that they do
    not, ``contradicts``: both stand open, rather than the new one taking the place of the old."""

    one: Line
    repeats: Line
    contradicts: Line


@cache
def weights() -> Weights:
    """The packaged weights. They are data of this version and change only with it."""
    raw = resources.files("onrecord.policy.correction").joinpath("data/bonds.npz").read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        names = file["names"].tolist()
        lines = [
            Line(dict(zip(names, file[name].tolist(), strict=True)), float(file[f"{name}_bias"]))
            for name in ("one", "repeats", "contradicts")
        ]
    return Weights(*lines)
