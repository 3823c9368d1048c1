"""Compaction: what of a thread is still there when it was summarised to a fourth or an eighth, once and five times over?

The scorer knows nothing of the engine's own notion of what is load-bearing: it looks for the labels of the data. In *keepsakes*
these are the keeps: a keep survives if the lines taken from its turn (or from one that restates it) hold all of its
``must_contain`` and, where it is a negation, a word that denies; it is inverted if they hold the ``must_contain`` and deny
where the turn did not, or the other way round.

In question sets they are the lines that answer a question: of each, the share of its
distinctive words (said in at most three turns) that is left in the lines taken from it, and of the words of the answer the share
that is left anywhere.

Two baselines of the same size run beside it: SumBasic (A. Nenkova and L. Vanderwende, "The impact of frequency on summarization",
MSR-TR-2005-101), summarising its own summary from round to round, and a sliding window of the newest turns.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from onrecord.evals.dataset import Dataset, Question
from onrecord.evals.dataset import Line as TalkLine
from onrecord.evals.keepsakes_gold import Keep, Scenario, has
from onrecord.model.scope import Origin
from onrecord.model.turn import Turn
from onrecord.policy.compaction.protect import Unit, units
from onrecord.policy.compaction.summary import summarize

Count = Callable[[str], int]
#: A method's output: pieces of text, each with the id of the turn it was taken from.
Kept = list[tuple[str, str]]

#: Words that deny, as the README of *keepsakes* lists them for the attribute ``negation``, their contracted forms, and those of
#: the German, French, Spanish and Japanese of the other writers.
_CUE = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|only|without|avoid|at most|max|zero|off|out|except|dont|cannot)\b|n't\b|"
    r"\b(?:kein\w*|nicht|nie|ohne|nur|ne|n'\w+|pas|jamais|sans|nada|nunca|sin)\b|ない|ません|なし|だけ"
)
_WORD = re.compile(r"\w[\w'’.:/-]*\w|\w")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_COMMON = frozenset(
    """the a an and or but if then so of at by for with about to from in on off up out is are was were be been being do does did
    have has had i you he she it we they me him her us them my your his its our their this that these those there here what which
    who how when where why not no yes can could will would should just really very too also some any all more most than as like
    get got go going know think want need one it's i'm that's don't""".split()
)


@dataclass(frozen=True)
class Thread:
    """A thread to compact, and its labels: keeps, or questions with the ids of the turns that answer them."""

    id: str
    turns: tuple[Turn, ...]
    keeps: tuple[Keep, ...] = ()
    #: Turns that say the same thing as a keep's own, by the keep's turn.
    restated: Mapping[str, frozenset[str]] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()

    @cached_property
    def units(self) -> dict[str, list[Unit]]:
        """The turns taken apart, by id: read once for all ratios and rounds."""
        return {turn.id: units(turn) for turn in self.turns}


def keepsakes_threads(scenarios: Iterable[Scenario]) -> list[Thread]:
    """Every conversation as one thread, in order."""
    return [Thread(s.id, s.turns, s.keeps, _partners(s)) for s in scenarios]


def talk_threads(dataset: Dataset, *, by_session: bool = False) -> list[Thread]:
    """Every talk as one thread, or (``by_session``) every sitting that answers a question.

    Questions without gold, with a faulty key or of a category apart are left out, and so is a thread without a question."""
    threads = []
    for talk in dataset.talks.values():
        asked = [q for q in dataset.scored if q.talk == talk.id and q.category not in dataset.apart and not q.faulty]
        groups = sorted({session for q in asked for session in q.sessions}) if by_session else [talk.id]
        for group in groups:
            lines = [line for line in talk.lines if not by_session or line.session == group]
            here = {line.id for line in lines}
            mine = tuple(q for q in asked if q.gold & here)
            if mine:
                threads.append(Thread(group, tuple(map(_turn, lines)), questions=mine))
    return threads


def evaluate_compaction(
    threads: Sequence[Thread], count: Count, *, ratios: Sequence[int] = (4, 8), rounds: Sequence[int] = (1, 5)
) -> dict[str, Any]:
    """For each ratio and number of rounds (``"4x, 1 round"``) the figures of ``ledger`` (ours), ``sumbasic``, ``window``.

    Each figure is a share with its counts; ``ratio`` is the one really achieved: tokens of the transcript over tokens of the
    result, over all threads. Baselines get as many tokens as ours took.
    """
    counted = lru_cache(maxsize=None)(count)
    report: dict[str, Any] = {}
    for ratio in ratios:
        for times in rounds:
            tallies = {name: _Tally() for name in ("ledger", "sumbasic", "window")}
            for thread in threads:
                _compare(thread, ratio, times, counted, tallies)
            report[f"{ratio}x, {times} round{'s' * (times > 1)}"] = {name: tally.report() for name, tally in tallies.items()}
    return report


def _compare(thread: Thread, ratio: int, times: int, count: Count, tallies: Mapping[str, _Tally]) -> None:
    ours, size = _ours(thread, ratio, times, count)
    made = {
        "ledger": ours,
        "sumbasic": _sized(lambda budget: _rounds_of_sumbasic(thread.turns, budget, times, count), size, count),
        "window": _sized(lambda budget: _window(thread.turns, budget, count), size, count),
    }
    whole = _size(thread.turns, count)
    for name, kept in made.items():
        tallies[name].size(whole, size if name == "ledger" else count("\n".join(text for text, _ in kept)))
        _score(thread, kept, tallies[name])
    tallies["ledger"].over += size * ratio > whole


# --- the methods


def _ours(thread: Thread, ratio: int, times: int, count: Count) -> tuple[Kept, int]:
    """The lines of the last of ``times`` compactions, each of a longer beginning of the thread, and their tokens."""
    ledger: tuple[Any, ...] = ()
    for part in _prefixes(thread.turns, times):
        summary = summarize(part, _size(part, count) // ratio, count, earlier=ledger, read=lambda turn: thread.units[turn.id])
        ledger = summary.ledger
    return [(line.text, id) for line in summary.lines for id in line.turn_ids], summary.tokens


def _prefixes(turns: Sequence[Turn], times: int) -> list[Sequence[Turn]]:
    return [turns[: max(1, len(turns) * n // times)] for n in range(1, times + 1)]


def _sized(method: Callable[[int], Kept], size: int, count: Count) -> Kept:
    """What ``method`` keeps of about ``size`` tokens: pieces cost less together than alone, so it may ask for a little more."""
    kept = method(size)
    return method(size + max(0, size - count("\n".join(text for text, _ in kept))))


def _rounds_of_sumbasic(turns: Sequence[Turn], budget: int, times: int, count: Count) -> Kept:
    kept: Kept = []
    done = 0
    for part in _prefixes(turns, times):
        new = [(piece, turn.id) for turn in part[done:] for piece in _SENTENCE.split(turn.text) if piece.strip()]
        kept = _sumbasic([*kept, *new], budget * len(part) // len(turns), count)
        done = len(part)
    return kept


def _sumbasic(pieces: Kept, budget: int, count: Count) -> Kept:
    """The pieces with the most probable words, each chosen one making its words less probable; in their own order."""
    words = [tuple(w for w in _words(text) if w not in _COMMON) for text, _ in pieces]
    weight = Counter(w for found in words for w in found)
    total = sum(weight.values()) or 1
    chance = {w: n / total for w, n in weight.items()}
    heap = [(-_mean(found, chance), n) for n, found in enumerate(words)]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap and budget > 3:
        known, n = heapq.heappop(heap)
        fresh = _mean(words[n], chance)
        cost = count(pieces[n][0])
        if cost > budget:
            continue
        if fresh < -known:  # probabilities only fall, so an old value is a bound
            heapq.heappush(heap, (-fresh, n))
            continue
        budget -= cost
        chosen.append(n)
        chance |= {w: chance[w] ** 2 for w in set(words[n])}
    return [pieces[n] for n in sorted(chosen)]


def _mean(words: Sequence[str], chance: Mapping[str, float]) -> float:
    return sum(chance[w] for w in words) / len(words) if words else 0.0


def _window(turns: Sequence[Turn], budget: int, count: Count) -> Kept:
    kept: Kept = []
    for turn in reversed(turns):
        budget -= count(turn.text)
        if budget < 0:
            break
        kept.insert(0, (turn.text, turn.id))
    return kept


# --- the score


@dataclass(slots=True)
class _Tally:
    hits: Counter[str] = field(default_factory=Counter)
    all: Counter[str] = field(default_factory=Counter)
    before: int = 0
    after: int = 0
    over: int = 0
    threads: int = 0
    inverted: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def size(self, before: int, after: int) -> None:
        self.before, self.after, self.threads = self.before + before, self.after + after, self.threads + 1

    def add(self, name: str, share: float) -> None:
        self.hits[name] += share  # type: ignore[assignment]
        self.all[name] += 1

    def report(self) -> dict[str, Any]:
        shares = {name: {"share": round(self.hits[name] / n, 4), "of": n} for name, n in sorted(self.all.items())}
        ratio = round(self.before / max(1, self.after), 2)
        return {
            "ratio": ratio,
            "over_budget": self.over,
            "threads": self.threads,
            **shares,
            "inverted": self.inverted,
            "missed": self.missed,
        }


def _score(thread: Thread, kept: Kept, tally: _Tally) -> None:
    by_turn: dict[str, str] = {}
    for text, turn in kept:
        by_turn[turn] = f"{by_turn[turn]}\n{text}" if turn in by_turn else text
    sources = {turn.id: turn.text for turn in thread.turns}
    for keep in thread.keeps:
        _score_keep(thread, keep, by_turn, sources, tally)
    if thread.questions:
        _score_questions(thread, by_turn, sources, tally)


def _score_keep(thread: Thread, keep: Keep, by_turn: Mapping[str, str], sources: Mapping[str, str], tally: _Tally) -> None:
    found = [by_turn[id] for id in sorted({keep.turn} | thread.restated.get(keep.turn, frozenset())) if id in by_turn]
    denied = _denies(_saying(sources[keep.turn], keep))
    alive = any(keep.said_in(text) and (not (keep.negation and denied) or _denies(text)) for text in found)
    own = by_turn.get(keep.turn, "")
    turned = (keep.negation and denied and not _denies(own)) or (_denies(own) and not _denies(sources[keep.turn]))
    if keep.said_in(own) and turned:
        tally.inverted.append(f"{thread.id}/{keep.turn} {keep.key}")
    for name in _classes(keep):
        tally.add(name, alive)
    if not alive and _binds(keep):
        tally.missed.append(f"{thread.id}/{keep.turn} {keep.key}")


def _saying(text: str, keep: Keep) -> str:
    """The sentences of a text that hold what has to appear, or all of it where none does."""
    held = [sentence for sentence in _SENTENCE.split(text) if any(has(sentence, must) for must in keep.must_contain)]
    return " ".join(held) or text


def _denies(text: str) -> bool:
    return _CUE.search(text.casefold().replace("’", "'")) is not None


def _binds(keep: Keep) -> bool:
    return keep.negation or keep.kind in ("constraint", "decision")


def _classes(keep: Keep) -> list[str]:
    joined = " ".join(keep.must_contain)
    return [
        "all keeps",
        *(["binding"] if _binds(keep) else ["other keeps"]),
        *(["negated"] if keep.negation else []),
        *([keep.kind] if keep.kind in ("constraint", "decision") else []),
        *(["with a number"] if re.search(r"\d", joined) else []),
        *(["with a code"] if re.search(r"[A-Za-z][-_]?\d|\d[A-Za-z]", joined) else []),
        *(["dated"] if keep.valid_until or keep.resolved_date else []),
    ]


def _score_questions(thread: Thread, by_turn: Mapping[str, str], sources: Mapping[str, str], tally: _Tally) -> None:
    spread = Counter(word for text in sources.values() for word in set(_words(text)))
    everything = set(_words("\n".join(by_turn.values())))
    for question in thread.questions:
        gold = sorted(question.gold & sources.keys())
        for id in gold:
            _score_line(sources[id], by_turn.get(id, ""), spread, tally)
        told = set(_words(question.answer)) & {w for id in gold for w in _words(sources[id])} - _COMMON
        if told:
            tally.add("answer words", len(told & everything) / len(told))


def _score_line(source: str, kept: str, spread: Mapping[str, int], tally: _Tally) -> None:
    """Adds the share of the line's distinctive words (said in at most three turns) that are still there, by their form."""
    there = set(_words(kept))
    rare = {word for word in _words(source) if spread[word] <= 3 and word not in _COMMON}
    named = {m.casefold() for m in re.findall(r"(?<=[a-z,] )[A-Z][\w'’-]+", source)}
    for name, words in (
        ("evidence words", rare),
        ("evidence numbers", {w for w in rare if re.search(r"\d", w)}),
        ("evidence names", rare & named),
    ):
        if words:
            tally.add(name, len(words & there) / len(words))


def _words(text: str) -> list[str]:
    return _words_of(text)


@lru_cache(maxsize=100_000)
def _words_of(text: str) -> list[str]:
    return [word.casefold().removesuffix("'s") for word in _WORD.findall(text.replace("’", "'"))]


# --- threads


def _partners(scenario: Scenario) -> dict[str, frozenset[str]]:
    pairs = [*scenario.restated, *((again, first) for first, again in scenario.restated)]
    return {turn: frozenset(other for one, other in pairs if one == turn) for turn, _ in pairs}


def _turn(line: TalkLine) -> Turn:
    return Turn(
        id=line.id,
        tenant="evals",
        subject="user:speaker",
        origin=Origin(thread=line.session),
        role=line.role,
        author=line.author,
        text=line.text,
        at=line.at,
        written_at=line.at,
    )


def _size(turns: Sequence[Turn], count: Count) -> int:
    """Tokens of the turns as a transcript."""
    return count("\n".join(f"{turn.author}: {turn.text}" for turn in turns))
