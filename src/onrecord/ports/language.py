"""What reads text: embedders, counters of tokens, rerankers, language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into vectors."""

    @property
    def name(self) -> str:
        """The identity of its vectors: model and precision. Vectors of different names are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        """Vectors of texts to be found, shape ``(n, dim)``, rows of length 1. Raises ``EmbedderError``."""
        ...

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, shape ``(dim,)``, length 1. Raises ``EmbedderError``."""
        ...


class TokenCounter(Protocol):
    """Counts tokens; never fewer than the model will.

    One that has a ``name`` (a string, another one whenever it would count differently) has its counts of turns kept."""

    def count(self, text: str) -> int:
        """Tokens of ``text``."""
        ...


class Reranker(Protocol):
    """Scores a small set of texts against a question. Only the order of its scores counts, and how far they lie apart."""

    @property
    def name(self) -> str:
        """What the scores are, for the trace."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One relevance per text, 0..1, in order. Raises ``RerankerError``."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls of a model took, in tokens. ``cached`` are those of ``given`` that the provider had read before."""

    calls: int = 0
    given: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.calls + other.calls, self.given + other.given, self.cached + other.cached, self.written + other.written)


class Answer(dict[str, Any]):
    """An answer that knows what it took."""

    def __init__(self, values: Mapping[str, Any], usage: Usage) -> None:
        super().__init__(values)
        self.usage = usage


class ChatModel(Protocol):
    """A language model that fills a JSON schema. Nothing uses one unless it is configured."""

    @property
    def name(self) -> str:
        """The model's name, for the ledger."""
        ...

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """An object that fits ``schema``, as far as the model kept to it: what it holds is checked by who asked. One that is an
        ``Answer`` is booked as what it says it took, any other by an estimate.

        Raises ``ModelUnavailable`` if nothing was asked, ``ModelError`` if the answer cannot be used."""
        ...
