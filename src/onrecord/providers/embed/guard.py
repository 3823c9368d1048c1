"""A wall around any embedder: whatever it raises becomes ``EmbedderError``, and what it returns is checked and normalised."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np

from onrecord.errors import EmbedderError
from onrecord.ports import Embedder, Vector

_log = logging.getLogger("onrecord")


class GuardedEmbedder:
    """The same embedder, which fails in one way only and never returns a vector of the wrong shape, length or kind."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dim(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dim

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        """As the inner embedder. Raises ``EmbedderError`` alone."""
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        return self._checked(lambda: self._inner.embed_documents(texts), (len(texts), self.dim))

    def embed_query(self, text: str) -> Vector:
        """As the inner embedder. Raises ``EmbedderError`` alone."""
        return self._checked(lambda: self._inner.embed_query(text), (self.dim,))

    def _checked(self, call: Callable[[], Vector], shape: tuple[int, ...]) -> Vector:
        try:
            vectors = np.asarray(call(), dtype=np.float32)
        except EmbedderError:
            raise
        except Exception as error:  # the boundary to foreign code: a user's embedder may raise anything
            _log.warning("embedder %s failed: %s", self.name, type(error).__name__)
            raise EmbedderError(f"embedder {self.name} failed: {type(error).__name__}") from error
        if vectors.shape != shape:
            raise EmbedderError(f"embedder {self.name} returned shape {vectors.shape}, not {shape}")
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        if not np.isfinite(vectors).all() or not (lengths > 0).all():
            raise EmbedderError(f"embedder {self.name} returned a vector without direction")
        return np.asarray(vectors / lengths, dtype=np.float32)
