"""How relevant a hit is in absolute terms, for the threshold: scores of one query say which is best, not whether it is any good.

The chance that a row answers the question, from its cosine and the share of BM25's ceiling that it reached: a logistic
function, fitted for each embedder. Rows of an embedder that nobody calibrated are judged as ``DEFAULT`` says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """``relevance = 1 / (1 + exp(-(bias + cosine_weight · cosine + lexical_weight · share)))``; ``floor`` is the threshold."""

    bias: float
    cosine_weight: float
    lexical_weight: float
    floor: float


#: By a prefix of the embedder's name. "" is a search by words alone.
CALIBRATIONS: Mapping[str, Calibration] = {
    "all-MiniLM-L6-v2": Calibration(bias=-4.0, cosine_weight=6.0, lexical_weight=4.0, floor=0.2),
    "": Calibration(bias=-3.0, cosine_weight=0.0, lexical_weight=8.0, floor=0.2),
}
#: Cosines of unknown embedders: anything that shares rare words or stands out passes.
DEFAULT = Calibration(bias=-4.0, cosine_weight=5.0, lexical_weight=5.0, floor=0.1)


def calibration(embedder: str) -> Calibration:
    """The calibration of an embedder by its name; of words alone for ``""``."""
    if not embedder:
        return CALIBRATIONS[""]
    return next((value for name, value in CALIBRATIONS.items() if name and embedder.startswith(name)), DEFAULT)


def relevance(cosine: float, share: float, calibrated: Calibration) -> float:
    """0..1, growing with both: ``cosine`` to the question, and ``share`` (0..1) of the highest BM25 the question could give."""
    z = calibrated.bias + calibrated.cosine_weight * cosine + calibrated.lexical_weight * share
    return 1.0 / (1.0 + math.exp(-max(min(z, 60.0), -60.0)))
