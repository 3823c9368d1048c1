"""Deterministic doubles of embedders and models, shipped for users' tests as well as ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from onrecord.errors import EmbedderError, ModelError
from onrecord.ports import Embedder, Vector


class SteppingClock:
    """A clock that stands where it is put, and moves by ``step`` each time it is read."""

    def __init__(self, start: datetime, step: timedelta = timedelta(0)) -> None:
        self.now, self._step = start, step

    def __call__(self) -> datetime:
        """The time set, moved on by one step afterwards."""
        now, self.now = self.now, self.now + self._step
        return now


class CountingIds:
    """Ids ``prefix_`` and a number of eight digits: two memories that are told the same give the same ids."""

    def __init__(self) -> None:
        self.last = 0

    def __call__(self, prefix: str) -> str:
        """The next id."""
        self.last += 1
        return f"{prefix}_{self.last:08}"


class GatedEmbedder:
    """Another embedder that calls ``gate`` before each of its calls: a gate that waits makes it as slow as a test needs."""

    def __init__(self, inner: Embedder, gate: Callable[[], object]) -> None:
        self._inner, self.gate = inner, gate

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dim(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dim

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        """As the inner embedder, behind the gate."""
        self.gate()
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        """As the inner embedder, behind the gate."""
        self.gate()
        return self._inner.embed_query(text)


class FailingEmbedder(GatedEmbedder):
    """Another embedder that fails with ``EmbedderError`` whenever ``fails(n)`` holds for its n-th call, counted from 1."""

    def __init__(self, inner: Embedder, fails: Callable[[int], bool] = lambda n: True) -> None:
        super().__init__(inner, self._count)
        self._fails, self.calls = fails, 0

    def _count(self) -> None:
        self.calls += 1
        if self._fails(self.calls):
            raise EmbedderError(f"scripted failure of call {self.calls}")


class ScriptedModel:
    """A chat model that gives the replies it was given, in order; an exception among them is raised."""

    name = "scripted"

    def __init__(self, replies: Sequence[Mapping[str, Any] | ModelError]) -> None:
        self._replies, self.asked = list(replies), list[tuple[str, str]]()

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The next reply. Raises ``ModelError`` when the script says so or has ended."""
        self.asked.append((system, user))
        if not self._replies:
            raise ModelError("the script has ended")
        reply = self._replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        return reply
