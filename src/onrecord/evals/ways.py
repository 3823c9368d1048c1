"""What of a talk is put before a model, by this memory and by simple ways, within the same tokens.

Every way is counted alike: of the simple ones the lines alone, of ours everything that is sent but the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from onrecord.errors import BudgetTooSmall
from onrecord.evals.baselines import by_vectors, by_words
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.evals.ingest import reach_of
from onrecord.memory import Memory
from onrecord.model.context import Context
from onrecord.model.query import View
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD

OURS, WORDS, VECTORS, WINDOW, WHOLE = "onrecord", "bm25", "vectors", "sliding window", "whole transcript"
WAYS = (OURS, WORDS, VECTORS, WINDOW, WHOLE)
#: Lines of a plain ranking: at 8,000 tokens short chat turns fill a context with fewer.
_DEPTH = 400


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model would see: the ids of the lines that stand in it word for word, its tokens, and its text.

    ``rested`` are further lines, on which what is shown rests without showing their words: those that a record came of."""

    lines: frozenset[str]
    tokens: int
    text: str
    rested: frozenset[str] = frozenset()


class Ways:
    """The ways over a set that ``memory`` has taken in."""

    def __init__(self, memory: Memory, dataset: Dataset) -> None:
        self._memory, self._dataset = memory, dataset
        self._sizes: dict[str, int] = {}
        self._ranked: tuple[str, dict[str, list[Line]]] = ("", {})

    def shown(self, way: str, question: Question, budget: int) -> Shown:
        """What one of ``WAYS`` shows for a question; the whole transcript knows no budget. Raises ``KeyError`` for another."""
        talk = self._dataset.talks[question.talk]
        if way == OURS:
            return self._ours(question, budget)
        if way == WHOLE:
            return Shown(frozenset(line.id for line in talk.lines), sum(map(self._size, talk.lines)), _text(talk.lines))
        if way == WINDOW:
            return self._filled(talk.lines[::-1], budget)
        return self._filled(self._rankings(question, talk)[way], budget)

    def _rankings(self, question: Question, talk: Talk) -> dict[str, list[Line]]:
        """The lines of a talk as the plain rankings have them; kept, as they are asked for at several budgets."""
        if self._ranked[0] != question.id:
            engine, view = self._memory.engine, View(reach=reach_of(talk.id))
            lines = {line.id: line for line in talk.lines}
            rankings = {
                WORDS: by_words(engine, view, question.text, _DEPTH),
                VECTORS: by_vectors(engine, view, question.text, _DEPTH),
            }
            self._ranked = question.id, {way: [lines[id] for id in ranking] for way, ranking in rankings.items()}
        return self._ranked[1]

    def _ours(self, question: Question, budget: int) -> Shown:
        own = self._memory.engine.tokens.count(question.text) + MESSAGE_OVERHEAD
        subject = reach_of(question.talk).subjects[0]
        try:
            made = self._memory.context(question.text, subject=subject, budget=budget + own)
        except BudgetTooSmall:  # the question itself is longer than all there is
            return Shown(frozenset(), 0, "")
        text = "\n".join(str(message["content"]) for message in made.messages[:-1])
        return Shown(frozenset(shown(made)), made.report.tokens - own, text, self._rested(made, question))

    def _rested(self, made: Context, question: Question) -> frozenset[str]:
        records = self._memory.engine.store.get(reach_of(question.talk), sorted(set(made.labels.values()) - shown(made)))
        return frozenset(id for record in records for id in record.sources)

    def _filled(self, ranking: Sequence[Line], budget: int) -> Shown:
        """The lines of a ranking that fit, the best first; one that is too long does not stop those behind it."""
        kept, left = list[Line](), budget - MESSAGE_OVERHEAD
        for line in ranking:
            if self._size(line) <= left:
                kept.append(line)
                left -= self._size(line)
        text = _text(sorted(kept, key=lambda line: line.at))
        return Shown(frozenset(line.id for line in kept), budget - left, text)

    def _size(self, line: Line) -> int:
        if line.id not in self._sizes:
            self._sizes[line.id] = self._memory.engine.tokens.count(_told(line))
        return self._sizes[line.id]


def shown(made: Context) -> set[str]:
    """The ids of the turns that a context shows word for word."""
    return {id for label, id in made.labels.items() if label.startswith("e")}


def share(question: Question, seen: Shown) -> float:
    """The share of the gold lines that are shown word for word."""
    return len(seen.lines & question.gold) / len(question.gold)


def by_way(ways: Ways, question: Question, budgets: Iterable[int]) -> dict[str, Mapping[int, Shown]]:
    """What every way shows at each budget."""
    return {way: {budget: ways.shown(way, question, budget) for budget in budgets} for way in WAYS}


def _told(line: Line) -> str:
    return f"[{line.at:%Y-%m-%d %H:%M}] {line.author}: {line.text}\n"


def _text(lines: Iterable[Line]) -> str:
    return "".join(map(_told, lines))
