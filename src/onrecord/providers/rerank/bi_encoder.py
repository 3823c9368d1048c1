"""A reranker without a cross-encoder: a second, better embedder, asked about the first rows alone."""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.ports import Embedder


class BiEncoderReranker:
    """The cosine of question and text by ``embedder``, negative ones as 0.

    Every text that was not asked about lately is embedded, so that a search takes as many passes as it has texts: put a
    ``VectorCache`` around the embedder.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """What the scores are."""
        return f"bi-encoder:{self._embedder.name}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One cosine per text, 0..1, in order. Raises what the embedder raises."""
        near = self._embedder.embed_documents(texts) @ self._embedder.embed_query(query)
        return [float(min(max(cosine, 0.0), 1.0)) for cosine in near]
