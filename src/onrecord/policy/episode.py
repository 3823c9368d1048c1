"""How a turn is presented to search, and what the turns around it say about it. Pure.

Chat turns are short and lean on what stands beside them: "Yes, last summer!" answers the question before it. So the score of
a turn takes in shares of its neighbours' scores, and of the sitting it belongs to. A sitting is one thread on one day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from onrecord.model.query import Posting, Postings
from onrecord.model.turn import Role, Turn
from onrecord.policy.question import Question, Voice, names_author
from onrecord.policy.rank import bm25, peak_normalised

#: Characters of a unit. What lies further out would be beyond the embedder's 256 tokens anyway.
EPISODE_LIMIT = 1_500
_MONTHS = "January February March April May June July August September October November December".split()
#: A turn asks when its last characters hold a question mark: what is asked at the end is what the next turn answers.
_TAIL = 80

Sitting = tuple[str, str | None, date]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeWeights:
    """What context adds to a turn's own fused score (0..1), each a share of a number 0..1. Fitted on LoCoMo and BEAM,
    held out by conversation; see docs/decisions/0004-ranking.md."""

    previous: float = 0.10  # × the score of the turn before
    answered: float = 0.25  # × the same, more, where the turn before asks something
    following: float = 0.15  # × the score of the turn after
    sitting_words: float = 0.20  # × the BM25 of the whole sitting
    sitting_best: float = 0.10  # × the best score of a turn in the sitting
    speaker: float = 0.20  # the question names the author
    voice: float = 0.10  # the question asks for words of this role (I ... / you said ...)
    asking: float = -0.03  # a turn that asks seldom tells
    window: float = 0.15  # said in the time the question points at

    @property
    def most(self) -> float:
        """What all of them add at the most."""
        gains = (self.previous, self.answered, self.following, self.sitting_words, self.sitting_best)
        return sum(gains) + self.speaker + self.voice + self.window


def episode_text(turn: Turn) -> str:
    """``[8 May 2023] author: text``, cut at ``EPISODE_LIMIT`` characters; the day is that of the speaker's own zone.

    The day gives vectors .044 and BM25 .012 of recall at 10 on LoCoMo (findings, part B).
    """
    return f"[{day_text(turn.at)}] {turn.author}: {turn.text}"[:EPISODE_LIMIT]


def day_text(at: datetime) -> str:
    """A day as people write it, in English whatever the locale: ``8 May 2023``."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def sitting(turn: Turn) -> Sitting:
    """The sitting of a turn: its thread on its day, so that a thread that runs for years is not one sitting."""
    return (turn.subject, turn.origin.thread, turn.at.date())


def asks(turn: Turn) -> bool:
    """Whether the turn ends in a question, near enough."""
    return "?" in turn.text[-_TAIL:]


def in_context(
    question: Question,
    turns: Mapping[str, Turn],
    scores: Mapping[str, float],
    words: Postings,
    weights: EpisodeWeights,
    k1: float,
    b: float,
) -> dict[str, dict[str, float]]:
    """What context adds to the score of each turn, by the part's name. ``scores`` and ``words`` are those of ``turns``."""
    places = {(t.subject, t.origin.thread, t.seq): id for id, t in turns.items()}
    own = {id: sitting(turn) for id, turn in turns.items()}
    sittings = peak_normalised(_sitting_words(words, own, k1, b))
    tops: dict[Sitting, float] = defaultdict(float)
    for id, score in scores.items():
        tops[own[id]] = max(tops[own[id]], score)
    mixed = len({turn.role for turn in turns.values()}) > 1
    authors = {turn.author for turn in turns.values()}
    named = {author for author in authors if names_author(question, author)}
    named = named if len(named) < len(authors) else set()
    found: dict[str, dict[str, float]] = {}
    for id, turn in turns.items():
        parts = _beside(turn, turns, places, scores, weights)
        parts["sitting"] = weights.sitting_words * sittings.get(own[id], 0.0) + weights.sitting_best * tops[own[id]]
        parts["speaker"] = weights.speaker * (turn.author in named)
        parts["voice"] = weights.voice * (mixed and _speaks(turn.role, question.voice))
        parts["asking"] = weights.asking * asks(turn)
        parts["window"] = weights.window * _inside(turn, question)
        found[id] = {name: value for name, value in parts.items() if value}
    return found


def _beside(
    turn: Turn,
    turns: Mapping[str, Turn],
    places: Mapping[tuple[str, str | None, int], str],
    scores: Mapping[str, float],
    weights: EpisodeWeights,
) -> dict[str, float]:
    before = places.get((turn.subject, turn.origin.thread, turn.seq - 1))
    after = places.get((turn.subject, turn.origin.thread, turn.seq + 1))
    parts = {"following": weights.following * scores.get(after, 0.0)} if after else {}
    # What an assistant said before a person's message says little about that message.
    if before and (turns[before].role is not Role.ASSISTANT or turn.role is Role.ASSISTANT):
        share = weights.previous + weights.answered * asks(turns[before])
        parts["previous"] = share * scores.get(before, 0.0)
    return parts


def _sitting_words(words: Postings, own: Mapping[str, Sitting], k1: float, b: float) -> dict[Sitting, float]:
    """BM25 of the sittings, each the sum of its matching rows: the same function, over larger documents."""
    counts: dict[Sitting, list[int]] = {}
    lengths: dict[Sitting, int] = defaultdict(int)
    for row in words.rows:
        if row.id in own:
            total = counts.setdefault(own[row.id], [0] * len(row.counts))
            counts[own[row.id]] = [a + c for a, c in zip(total, row.counts, strict=True)]
            lengths[own[row.id]] += row.length
    names = {str(n): place for n, place in enumerate(counts)}
    rows = tuple(Posting(name, lengths[place], tuple(counts[place])) for name, place in names.items())
    mean = sum(lengths.values()) / len(lengths) if lengths else 0.0
    return {names[name]: score for name, score in bm25(Postings(len(rows), mean, rows), k1, b).items()}


def _speaks(role: Role, voice: Voice) -> bool:
    return (voice is Voice.PERSON and role is Role.USER) or (voice is Voice.ASSISTANT and role is Role.ASSISTANT)


def _inside(turn: Turn, question: Question) -> bool:
    return question.window is not None and question.window.start <= turn.at < question.window.end
