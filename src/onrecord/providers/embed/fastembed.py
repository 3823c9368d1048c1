"""Models of the package fastembed (qdrant.github.io/fastembed), on onnxruntime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onrecord.providers.embed.lazy import Lazy


class FastEmbedEmbedder:
    """Unit vectors of a model that fastembed knows, by its name there; fetched at the first use unless ``folder`` has its files.

    Questions and documents go through the two calls that fastembed has for them. The last bits of a vector may depend on what is
    embedded beside it.
    """

    def __init__(self, model: str, folder: str | Path | None = None) -> None:
        self._name = f"fastembed:{model}"
        self._model: Lazy[Any] = Lazy(f"the embedder {self._name}", "fastembed", lambda: _load(model, folder))

    @property
    def name(self) -> str:
        """What the vectors are: the library and the model."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector. Loads the model. Raises EmbedderUnavailable."""
        return int(self._model().embedding_size)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, dim), in the order given. Raises EmbedderUnavailable."""
        return _units(self._model().passage_embed(list(texts))) if texts else np.empty((0, self.dim), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a question, (dim,). Raises EmbedderUnavailable."""
        vector: NDArray[np.float32] = _units(self._model().query_embed(text))[0]
        return vector


def _load(model: str, folder: str | Path | None) -> Any:
    from fastembed import TextEmbedding

    return TextEmbedding(model, specific_model_path=str(folder) if folder else None)


def _units(vectors: Iterable[Any]) -> NDArray[np.float32]:
    matrix = np.array(list(vectors), np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), np.float32)
