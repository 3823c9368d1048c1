"""The default embedder: all-MiniLM-L6-v2 in 8 bits, bundled with this package, on the local processor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onrecord.providers.embed import encoder, weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2/int8"
DIM = 384
MAX_TOKENS = 256


class MiniLmEmbedder:
    """Sentence vectors of all-MiniLM-L6-v2 (384 numbers, English).

    A text gets the same vector, bit for bit, whether it comes alone or among others, since each has a run of its own.
    Only the first 256 tokens of a text count. Nothing is loaded before the first use; safe to share among threads.

    Args:
        threads: how many threads a run may use; None is all processors, at most 4.

    Raises:
        InvalidInput: `threads` is less than 1.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        self._encode = encoder.Encoder(
            "the default embedder",
            lambda: weights.read(weights.TOKENIZER_FILE),
            lambda: weights.read(weights.MODEL_FILE),
            max_tokens=MAX_TOKENS,
            threads=threads,
        )

    @property
    def name(self) -> str:
        """What the vectors are: model and precision. Vectors under different names must not be compared."""
        return NAME

    @property
    def dim(self) -> int:
        """The length of a vector: 384."""
        return DIM

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, 384), in the order given; an empty text has one as well.

        Raises:
            EmbedderUnavailable: at the first use: onnxruntime or tokenizers is missing, or a bundled file is missing or changed.
        """
        vectors = np.empty((len(texts), DIM), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed_query(text)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a text, (384,): the same as for a document. Raises as `embed_documents` does."""
        return self._encode(text)


def load_tokenizer() -> Tokenizer:
    """The bundled tokenizer, which cuts at 256 tokens and never pads. Raises EmbedderUnavailable, ImportError."""
    return encoder.load_tokenizer(weights.read(weights.TOKENIZER_FILE), MAX_TOKENS)
