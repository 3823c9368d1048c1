"""Cross-encoders of the packages sentence-transformers and fastembed: question and text are read together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onrecord.providers.embed.lazy import Lazy


class SentenceTransformersReranker:
    """A ``CrossEncoder`` of sentence-transformers with one output: a name on its hub, or a folder. Loaded at the first use."""

    def __init__(self, model: str) -> None:
        self._name = f"sentence-transformers:{model}"
        self._model: Lazy[Any] = Lazy(f"the reranker {self._name}", "sentence-transformers", lambda: _cross_encoder(model))

    @property
    def name(self) -> str:
        """What the scores are: the library and the model."""
        return self._name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One relevance per text, 0..1, in order. Raises EmbedderUnavailable."""
        model = self._model()
        logits = model.predict([(query, text) for text in texts], activation_fn=_identity, show_progress_bar=False)
        return [_sigmoid(float(logit)) for logit in logits]


class FastEmbedReranker:
    """A ``TextCrossEncoder`` of fastembed, by its name there; ``folder`` has its files, if they are not to be fetched."""

    def __init__(self, model: str, folder: str | Path | None = None) -> None:
        self._name = f"fastembed:{model}"
        self._model: Lazy[Any] = Lazy(f"the reranker {self._name}", "fastembed", lambda: _text_cross_encoder(model, folder))

    @property
    def name(self) -> str:
        """What the scores are: the library and the model."""
        return self._name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One relevance per text, 0..1, in order. Raises EmbedderUnavailable."""
        return [_sigmoid(float(logit)) for logit in self._model().rerank(query, list(texts))]


def _cross_encoder(model: str) -> Any:
    from sentence_transformers import CrossEncoder

    return CrossEncoder(model, device="cpu")


def _text_cross_encoder(model: str, folder: str | Path | None) -> Any:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder(model, specific_model_path=str(folder) if folder else None)


def _identity(logits: Any) -> Any:
    return logits


def _sigmoid(logit: float) -> float:
    """Into 0..1, without an overflow on either side."""
    return 1.0 / (1.0 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1.0 + math.exp(logit))
