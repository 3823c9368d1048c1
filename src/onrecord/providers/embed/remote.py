"""Embedders behind HTTP: OpenAI's ``/embeddings`` (platform.openai.com/docs/api-reference/embeddings), and Ollama."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import EmbedderError, InvalidInput
from onrecord.providers.embed.endpoint import DOCUMENTS, QUERY, Endpoint
from onrecord.providers.endpoint import Patience

OPENAI_URL, OLLAMA_URL = "https://api.openai.com/v1", "http://localhost:11434"
#: Texts a request. Servers take 2,048 or less than a million tokens; a smaller batch loses less when a request fails.
BATCH = 64
#: What a family of models was trained to read before a question and before a document, by a part of the model's name.
_PREFIXES: Mapping[str, tuple[str, str]] = {
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "mxbai-embed": ("Represent this sentence for searching relevant passages: ", ""),
    "e5-": ("query: ", "passage: "),
}
#: A model that reads no prefix, and models whose vectors the server shortens on request.
_PLAIN, _SHORTENED = ("", ""), "text-embedding-3"


class _Remote(ABC):
    """What both kinds share: batches, prefixes, one dimension."""

    def __init__(self, name: str, model: str, dim: int | None, endpoint: Endpoint, batch: int) -> None:
        if not model.strip():
            raise InvalidInput("embedder", f"{name} names no model", f"write it like {name}MODEL@URL")
        if batch < 1:
            raise InvalidInput("batch", "must be at least 1")
        self._name, self._model, self._endpoint, self._batch = name, model, endpoint, batch
        self._prefixes = next((pair for part, pair in _PREFIXES.items() if part in model.lower()), _PLAIN)
        self._dim, self._lock = dim, threading.Lock()

    @property
    def name(self) -> str:
        """What the vectors are: the protocol and the model. Where the server stands does not matter."""
        return self._name

    @property
    def dim(self) -> int:
        """The length of a vector; asked of the server where it was not given. Raises EmbedderError."""
        if self._dim is None:
            self._vectors(["dimension"], QUERY)
        assert self._dim is not None
        return self._dim

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector for each text, (n, dim), in the order given. Raises EmbedderError."""
        if not texts:
            return np.empty((0, self.dim), np.float32)
        told = [self._prefixes[1] + text for text in texts]
        return np.concatenate([self._vectors(told[at : at + self._batch], DOCUMENTS) for at in range(0, len(told), self._batch)])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question, (dim,). Raises EmbedderError."""
        vector: NDArray[np.float32] = self._vectors([self._prefixes[0] + text], QUERY)[0]
        return vector

    def _vectors(self, texts: Sequence[str], patience: Patience) -> NDArray[np.float32]:
        # servers refuse an empty text, and lone surrogates have no UTF-8 form
        sent = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        rows = list(self._asked(sent, patience))
        if len(rows) != len(texts):
            raise EmbedderError(f"{self._name} answered {len(rows)} vectors for {len(texts)} texts")
        try:
            matrix = np.array(rows, np.float32)
        except (TypeError, ValueError):  # rows of several lengths, or of something else than numbers
            raise EmbedderError(f"{self._name} answered something that is no list of vectors of one length") from None
        self._check(matrix)
        return matrix

    @abstractmethod
    def _asked(self, texts: Sequence[str], patience: Patience) -> Iterator[Any]:
        """The rows that the server answers, in the order of the texts."""

    def _check(self, matrix: NDArray[np.float32]) -> None:
        if matrix.ndim != 2 or not matrix.shape[1]:
            raise EmbedderError(f"{self._name} answered something that is no list of vectors of one length")
        if not np.isfinite(matrix).all():
            raise EmbedderError(f"{self._name} answered a vector with numbers that are not finite")
        with self._lock:
            self._dim = self._dim or matrix.shape[1]
        if matrix.shape[1] != self._dim:
            raise EmbedderError(f"{self._name} answered vectors of {matrix.shape[1]} numbers, not {self._dim}")


class OpenAiEmbedder(_Remote):
    """Vectors of a model behind any server that speaks OpenAI's ``/embeddings``: OpenAI, vLLM, llama.cpp, LM Studio, LiteLLM, ...

    Args:
        model: the name that the server knows it by.
        url: what stands before ``/embeddings``.
        key: the key, sent as a bearer token and nowhere else.
        dim: the length of a vector; None asks the server at the first use. Models of the family text-embedding-3 shorten theirs
            to it.
        batch: texts a request, at most.
        pause: waits for so many seconds between tries.

    Raises:
        InvalidInput: an argument is off.
    """

    def __init__(
        self,
        model: str,
        url: str = OPENAI_URL,
        *,
        key: str = "",
        dim: int | None = None,
        batch: int = BATCH,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        name = f"openai:{model}" + (f"#{dim}" if dim else "")
        super().__init__(name, model, dim, Endpoint(f"the embedder {name}", url, key=key, pause=pause), batch)
        self._shorten = {"dimensions": dim} if dim and _SHORTENED in model else {}

    def _asked(self, texts: Sequence[str], patience: Patience) -> Iterator[Any]:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float", **self._shorten}
        answer = self._endpoint.post("/embeddings", body, patience)
        try:  # they may come in any order
            rows = {int(row["index"]): row["embedding"] for row in answer["data"]}
            yield from (rows[place] for place in range(len(rows)))
        except (TypeError, KeyError, ValueError):
            raise EmbedderError(f"{self._name} answered without data, index and embedding; check the URL") from None


class OllamaEmbedder(_Remote):
    """Vectors of a model that Ollama serves (docs.ollama.com/api/embed). Arguments as for ``OpenAiEmbedder``, without a key."""

    def __init__(
        self,
        model: str,
        url: str = OLLAMA_URL,
        *,
        dim: int | None = None,
        batch: int = BATCH,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        name = f"ollama:{model}"
        super().__init__(name, model, dim, Endpoint(f"the embedder {name}", url, pause=pause), batch)

    def _asked(self, texts: Sequence[str], patience: Patience) -> Iterator[Any]:
        answer = self._endpoint.post("/api/embed", {"model": self._model, "input": list(texts)}, patience)
        try:
            yield from chain(answer["embeddings"])
        except (TypeError, KeyError):
            raise EmbedderError(f"{self._name} answered without embeddings; check the URL") from None
