"""The weights of the gate: a logistic regression over ``gate_features``, read once from the package and never changed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from io import BytesIO

import numpy as np

from onrecord.policy.gate.features import features


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight a feature, the intercept, and the probability from which on a candidate passes."""

    named: Mapping[str, float]
    bias: float
    threshold: float


@cache
def weights() -> Weights:
    """The packaged weights. They are data of this version and change only with it."""
    raw = resources.files("onrecord.policy.gate").joinpath("data/gate.npz").read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        named = dict(zip(file["names"].tolist(), file["weights"].tolist(), strict=True))
        named |= {f"w:{i}": w for i, w in enumerate(file["buckets"].tolist()) if w}
        words = file["words"].tobytes().decode().split("\n")
        named |= {f"l:{word}": w for word, w in zip(words, file["lexicon"].tolist(), strict=True)}
        return Weights(named, float(file["bias"]), float(file["threshold"]))


@lru_cache(maxsize=2_048)
def score(statement: str, message: str) -> float:
    """The probability, 0..1, that ``statement``, a part of ``message``, is a lasting fact."""
    model = weights()
    total = model.bias + sum(model.named.get(name, 0.0) * x for name, x in features(statement, message).items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
