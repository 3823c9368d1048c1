"""Static embedders: a text is the mean of the vectors of its tokens. Far faster than a model, and coarser.

For bulk loads, and where a memory of millions must be embedded at all. The same text has the same vector, alone or among others,
up to the last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onrecord.providers.embed.lazy import Lazy

_Encode = Callable[[list[str]], NDArray[np.float32]]


class StaticEmbedder:
    """Unit vectors of a static model. A text in which it knows no token has the first unit vector.

    Questions and documents are embedded alike. ``load`` gives the dimension and the function that embeds; ``extra`` is the extra
    of onrecord that brings what it needs. Use ``model2vec`` or ``wordllama`` to make one.
    """

    def __init__(self, name: str, extra: str, load: Callable[[], tuple[int, _Encode]]) -> None:
        self._name = name
        self._model = Lazy(f"the embedder {name}", extra, load)

    @property
    def name(self) -> str:
        """What the vectors are: the library and the model."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector. Loads the model. Raises EmbedderUnavailable."""
        return self._model()[0]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, (n, dim), in the order given. Raises EmbedderUnavailable."""
        dim, encode = self._model()
        if not texts:
            return np.empty((0, dim), np.float32)
        vectors = np.array(encode([text.encode("utf-8", "replace").decode("utf-8") for text in texts]), np.float32)
        vectors[~vectors.any(axis=1), 0] = 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a text, (dim,): the same as for a document. Raises EmbedderUnavailable."""
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector


def model2vec(model: str) -> StaticEmbedder:
    """A model of the package model2vec (github.com/MinishLab/model2vec): a name on its hub, or a folder."""

    def load() -> tuple[int, _Encode]:
        from model2vec import StaticModel

        found: Any = StaticModel.from_pretrained(model)
        return int(found.dim), lambda texts: np.asarray(found.encode(texts, use_multiprocessing=False), np.float32)

    return StaticEmbedder(f"model2vec:{model}", "model2vec", load)


def wordllama() -> StaticEmbedder:
    """The 256 numbers that the package wordllama (github.com/dleemiller/WordLlama, MIT) has inside; nothing is fetched."""

    def load() -> tuple[int, _Encode]:
        import wordllama as package

        # it looks for its tokenizer in a folder of the wrong name, unless its own folder is given as the cache
        inside = Path(package.__file__).parent
        found: Any = package.WordLlama.load(cache_dir=inside, dim=_WORDLLAMA_DIM, disable_download=True)
        return _WORDLLAMA_DIM, lambda texts: np.asarray(found.embed(texts), np.float32)

    return StaticEmbedder(f"wordllama/{_WORDLLAMA_DIM}", "wordllama", load)


#: The largest that the package brings along.
_WORDLLAMA_DIM = 256
