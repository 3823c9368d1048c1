"""The weights of the gate: a logistic regression over ``gate_features``, read once from the package and never changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO

import numpy as np

from onrecord.model.turn import Turn
from onrecord.model.verdict import Reason
from onrecord.policy.gate_features import features
from onrecord.policy.gate_reasons import likely_reason


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a candidate is a lasting fact, 0..1, whether that is enough, and what it more likely is if not."""

    value: float
    passes: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight a feature, the intercept, and the probability from which on a candidate passes."""

    named: Mapping[str, float]
    bias: float
    threshold: float


@cache
def weights() -> Weights:
    """The packaged weights. They are data of this version and change only with it."""
    raw = resources.files("onrecord.policy").joinpath("data/gate.npz").read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        named = dict(zip(file["names"].tolist(), file["weights"].tolist(), strict=True))
        return Weights(named, float(file["bias"]), float(file["threshold"]))


def score(statement: str, turn: Turn, before: Sequence[Turn]) -> Score:
    """The probability that ``statement``, said in ``turn`` after ``before``, is a lasting fact."""
    model = weights()
    found = features(statement, turn, before)
    total = model.bias + sum(model.named.get(name, 0.0) * x for name, x in found.items())
    value = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
    return Score(value, value >= model.threshold, likely_reason(statement))
