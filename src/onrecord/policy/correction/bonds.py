"""The weights by which a resemblance is read: is the new statement of the same attribute of the same thing, does it repeat the
old one, does it contradict rather than replace it? Three logistic regressions over ``resemblance``, read once from the package.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO

import numpy as np

#: What the name of the embedder begins with whose cosines the weights were trained on.
EMBEDDER = "all-MiniLM-L6-v2"
Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Line:
    """One logistic regression: a weight a feature, and the intercept."""

    named: Mapping[str, float]
    bias: float

    def probability(self, features: Features) -> float:
        """0..1."""
        total = self.bias + sum([self.named.get(name, 0.0) * x for name, x in features.items() if x])
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
