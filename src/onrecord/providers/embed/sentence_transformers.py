"""Models of the package sentence-transformers (sbert.net), which brings PyTorch along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onrecord.providers.embed.lazy import Lazy


class SentenceTransformersEmbedder:
    """Unit vectors of any model that sentence-transformers loads: a name on its hub, or a folder.

    Questions and documents are given the prompts that the model names for them. The last bits of a vector may depend on what is
    embedded beside it, as single precision is summed in another order. Loaded at the first use.
    """

    def __init__(self, model: str) -> None:
        self._name = f"sentence-transformers:{model}"
        self._model: Lazy[Any] = Lazy(f"the embedder {self._name}", "sentence-transformers", lambda: _load(model))

    @property
    def name(self) -> str:
        """What the vectors are: the library and the model."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector. Loads the model. Raises EmbedderUnavailable."""
        return int(self._model().get_embedding_dimension())

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, dim), in the order given. Raises EmbedderUnavailable."""
        return self._encoded(self._model().encode_document, list(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a question, (dim,). Raises EmbedderUnavailable."""
        return self._encoded(self._model().encode_query, text)

    def _encoded(self, encode: Any, texts: list[str] | str) -> NDArray[np.float32]:
        return np.asarray(encode(texts, normalize_embeddings=True, show_progress_bar=False), np.float32)


def _load(model: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(model, device="cpu")
