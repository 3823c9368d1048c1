"""What every memory must beat: BM25 alone, vectors alone, and the transcript itself. They are no products.

BM25 and vectors are those of the evaluations (``onrecord.evals.baselines``), over turns in this project's own store; so what they
need on disk is what that store needs for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.peers.peer import Cannot, Facts, Hit, Message

from onrecord.build import build
from onrecord.evals.baselines import by_vectors, by_words
from onrecord.evals.dataset import Dataset, Line, Talk
from onrecord.evals.ingest import ingest, reach_of
from onrecord.model.query import View
from onrecord.model.turn import Role
from onrecord.policy.recall.episode import told
from onrecord.ports import Embedder, Engine
from onrecord.providers.tokens import EstimateCounter

BM25, VECTORS, TRANSCRIPT = "bm25", "vectors", "transcript"
_STORED = frozenset({"add", "search", "everything"})
_RANKINGS: dict[str, Callable[[Engine, View, str, int], list[str]]] = {BM25: by_words, VECTORS: by_vectors}


class Baseline:
    """A plain ranking of turns. ``ranking`` is ``bm25`` or ``vectors``."""

    def __init__(self, ranking: str, setting: str, embedder: Embedder | None = None) -> None:
        self._name, self._setting, self._given = ranking, setting, embedder
        self._ranking = _RANKINGS[ranking]
        self._kept: dict[str, list[str]] = {}
        self._engine: Engine | None = None

    def open(self, folder: Path) -> Facts:
        """Opens ``turns.db`` there."""
        folder.mkdir(parents=True, exist_ok=True)
        self._engine = build(folder / "turns.db", embedder=self._given)
        embedder = self._engine.embedder.name if self._name == VECTORS else "none"
        return Facts(self._name, "", self._setting, embedder, _STORED)

    def add(self, subject: str, messages: Sequence[Message]) -> None:
        """Stores the turns and, for vectors, embeds them."""
        lines = tuple(_line(message) for message in messages)
        ingest(self._ready, Dataset(name="", talks={subject: Talk(subject, lines)}, questions=()), embed=self._name == VECTORS)
        self._kept.setdefault(subject, []).extend(line.id for line in lines)

    def search(self, subject: str, query: str, limit: int) -> list[Hit]:
        """By the ranking alone."""
        return self._hits(subject, self._ranking(self._ready, View(reach=reach_of(subject)), query, limit))

    def everything(self, subject: str) -> list[Hit]:
        """The turns that were added since it was opened."""
        return self._hits(subject, self._kept.get(subject, []))

    def erase(self, subject: str) -> None:
        """A ranking lets nothing go."""
        raise Cannot("a ranking has no erasure of its own")

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """A ranking makes no context."""
        raise Cannot("a ranking makes no context")

    def close(self) -> None:
        """Closes the file."""
        if self._engine is not None:
            self._engine.store.close()
            self._engine = None

    @property
    def _ready(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("the peer is not open: call open(folder) first")
        return self._engine

    def _hits(self, subject: str, ids: Sequence[str]) -> list[Hit]:
        return [Hit(turn.text, (turn.id,), episode=True) for turn in self._ready.store.turns(reach_of(subject), ids)]


class Transcript:
    """Everything as it was said, in a file for each thread; a context is its newest messages that fit."""

    def __init__(self, setting: str) -> None:
        self._setting, self._folder = setting, Path()
        self._said: dict[str, list[Message]] = {}

    def open(self, folder: Path) -> Facts:
        """Keeps text files there."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        return Facts(TRANSCRIPT, "", self._setting, "none", frozenset({"add", "everything", "erase", "context"}))

    def add(self, subject: str, messages: Sequence[Message]) -> None:
        """Appends the messages to the subject's file."""
        self._said.setdefault(subject, []).extend(messages)
        with self._file(subject).open("a", encoding="utf-8") as file:
            file.writelines(f"{told(message.at, message.speaker, message.text)}\n" for message in messages)

    def search(self, subject: str, query: str, limit: int) -> list[Hit]:
        """It is read whole."""
        raise Cannot("a transcript is read whole")

    def everything(self, subject: str) -> list[Hit]:
        """All that was said."""
        return [Hit(message.text, (message.id,), episode=True) for message in self._said.get(subject, [])]

    def erase(self, subject: str) -> None:
        """Removes the file."""
        self._said.pop(subject, None)
        self._file(subject).unlink(missing_ok=True)

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """The newest messages of the thread that fit, oldest first: a sliding window, and nothing else."""
        counter, left, kept = EstimateCounter(), tokens, []
        for message in reversed([one for one in self._said.get(subject, []) if one.thread == thread]):
            left -= counter.count(message.text)
            if left < 0:
                break
            kept.append({**message.payload, "role": message.role, "content": message.text})
        return kept[::-1]

    def close(self) -> None:
        """Nothing is held open."""

    def _file(self, subject: str) -> Path:
        return self._folder / f"{subject.encode().hex()}.txt"


def _line(message: Message) -> Line:
    role = Role(message.role)
    line = Line(id=message.id, session=message.thread, at=message.at, role=role, author=message.speaker, text=message.text)
    return replace(line, text=message.text or " ")
