"""The common shape of a retrieval benchmark: talks made of lines, and questions with the lines that answer them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from onrecord.model.turn import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a talk. ``id`` is unique in the data set; ``session`` names its sitting; ``at`` is aware."""

    id: str
    session: str
    at: datetime
    role: Role
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One memory to search in: everything one person (or pair) said, oldest first."""

    id: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to one talk, asked at ``at``.

    ``gold`` are ids of the lines that answer it and ``sessions`` those of their sittings; both are empty where it cannot be
    answered (``abstain``). ``old`` and ``new`` are the two sides of an update or a contradiction, where the data name them.
    ``faulty`` marks a question whose key is known to be wrong.
    """

    id: str
    talk: str
    text: str
    category: str
    at: datetime
    gold: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    abstain: bool = False
    old: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    faulty: bool = False
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A benchmark. ``roles`` are the roles of the lines that count as units (all of them when empty).

    ``apart`` are categories reported but not averaged: they measure something else.
    """

    name: str
    talks: Mapping[str, Talk]
    questions: tuple[Question, ...]
    roles: tuple[Role, ...] = ()
    apart: frozenset[str] = frozenset()
    notes: tuple[str, ...] = field(default=())

    @property
    def scored(self) -> tuple[Question, ...]:
        """The questions that have at least one gold line, in order."""
        return tuple(question for question in self.questions if question.gold)

    @property
    def digest(self) -> str:
        """Sixteen digits that differ where questions, gold or lines do."""
        digest = hashlib.sha256()
        for question in self.questions:
            digest.update(repr((question.id, question.text, sorted(question.gold), question.answer)).encode("utf-8", "replace"))
        for talk in self.talks.values():
            digest.update("\0".join(line.id + line.text for line in talk.lines).encode("utf-8", "replace"))
        return digest.hexdigest()[:16]


def sampled(dataset: Dataset, count: int | None, seed: int) -> Dataset:
    """The set with ``count`` of its questions, drawn by the seed and in their order; with all of them for ``None``."""
    if count is None or count >= len(dataset.questions):
        return dataset
    places = sorted(random.Random(seed).sample(range(len(dataset.questions)), count))
    return replace(dataset, questions=tuple(dataset.questions[place] for place in places))
