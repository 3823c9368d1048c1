"""A tiny deterministic embedder, for tests: texts that share words or spelling are near each other, without a model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import InvalidInput

_WORD = re.compile(r"\w+")
_WORD_WEIGHT, _TRIGRAM_WEIGHT = 1.0, 0.25


class HashingEmbedder:
    """Unit vectors by signed feature hashing over words and their character trigrams, case ignored.

    The same text has the same vector in every process and on every machine. It knows no meaning: "car" and "automobile"
    are strangers. Raises InvalidInput when `dim` is less than 1.
    """

    def __init__(self, dim: int = 64) -> None:
        if dim < 1:
            raise InvalidInput("dim", "must be at least 1")
        self._dim = dim

    @property
    def name(self) -> str:
        """What the vectors are, as "hashing/64"."""
        return f"hashing/{self._dim}"

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._dim

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, dim), in the order given."""
        return np.array([self.embed_query(text) for text in texts], np.float32).reshape(-1, self._dim)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a text, (dim,): the same as for a document."""
        vector = np.zeros(self._dim)
        for feature, weight in _features(text.lower()):
            self._add(vector, feature, weight)
        if not vector.any():  # no word at all, or features that cancel out exactly
            self._add(vector, text, 1.0)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def _add(self, vector: NDArray[np.float64], feature: str, weight: float) -> None:
        digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=9).digest()
        vector[int.from_bytes(digest[:8], "big") % self._dim] += weight if digest[8] & 1 else -weight


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        yield word, _WORD_WEIGHT
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            yield "#" + padded[start : start + 3], _TRIGRAM_WEIGHT
