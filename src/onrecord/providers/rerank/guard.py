"""A wall around any reranker: whatever it raises becomes ``RerankerError``, and what it returns is checked."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from onrecord.errors import OnRecordError, RerankerError
from onrecord.ports import Reranker

_log = logging.getLogger("onrecord")


class GuardedReranker:
    """The same reranker, which fails in one way only and never returns too few scores, or some that are no numbers."""

    def __init__(self, inner: Reranker) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner reranker's name."""
        return self._inner.name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """As the inner reranker; none for no texts. Raises ``RerankerError`` alone."""
        if not texts:
            return []
        try:
            scores = np.asarray(self._inner.scores(query, texts), np.float64)
        except OnRecordError as error:
            raise RerankerError(f"reranker {self.name} failed: {error}") from error
        except Exception as error:  # the boundary to foreign code: a user's reranker may raise anything
            _log.warning("reranker %s failed: %s", self.name, type(error).__name__)
            raise RerankerError(f"reranker {self.name} failed: {type(error).__name__}") from error
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            raise RerankerError(f"reranker {self.name} returned {scores.shape} scores for {len(texts)} texts, or some not finite")
        return [float(score) for score in scores]
