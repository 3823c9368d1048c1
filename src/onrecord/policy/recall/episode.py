"""How a turn is presented to search, and what the turns around it say about it. Pure.

Chat turns are short and lean on what stands beside them: "Yes, last summer!" answers the question before it. So the score of
a turn takes in shares of its neighbours' scores, and of the sitting it belongs to. A sitting is one thread on one day.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime

import numpy as np

from onrecord.model.document import Passage
from onrecord.model.query import Postings
from onrecord.model.record import Record
from onrecord.model.turn import Role, Turn
from onrecord.policy.language.text import query_terms
from onrecord.policy.recall.question import Order, Question, Voice, names_author
from onrecord.policy.recall.rank import bm25
from onrecord.policy.weights import EpisodeWeights

#: Characters of a unit. What lies further out would be beyond the embedder's 256 tokens anyway.
EPISODE_LIMIT = 1_500
_MONTHS = "January February March April May June July August September October November December".split()
#: A turn asks when its last characters hold a question mark: what is asked at the end is what the next turn answers.
_TAIL = 80
_SELF = re.compile(r"\b(?:I|my|me|mine|myself|I['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|once|dozen|hundred|thousand|daily|weekly|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
#: Where newer figures go first: so many turns in front, nearly as good as the older one, sharing so much of its words.
_LEADING, _NEARLY, _ALIKE = 5, 0.7, 0.2

Sitting = tuple[str, str | None, date]


def episode_text(turn: Turn) -> str:
    """What is embedded of a turn: its words as ``told`` shows them, cut at ``EPISODE_LIMIT`` characters."""
    return told(turn.at, turn.author, turn.text)[:EPISODE_LIMIT]


def searchable(row: Record | Turn | Passage) -> str:
    """What full text holds of a row: a record's text, a turn as ``told`` shows it, a passage below its heading."""
    match row:
        case Turn():
            return told(row.at, row.author, row.text)
        case Passage():
            return row.told
    return row.text


def told(at: datetime, author: str, text: str) -> str:
    """``[8 May 2023] author: text``: what full text holds of a turn; the day is that of the speaker's own zone.

    The day and author give vectors .044 and BM25 .047 of recall at 10 on LoCoMo (docs/decisions/0004-ranking.md).
    """
    return f"[{day_text(at)}] {author}: {text}"


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
    own = {id: sitting(turn) for id, turn in turns.items()}
    around = _sitting_parts(words, own, scores, weights, k1, b)
    beside = _beside_parts(turns, scores, weights)
    says = _author_parts(question, turns, weights)
    return {id: {k: v for k, v in {**beside[id], **around[id], **says[id]}.items() if v} for id in turns}


def _beside_parts(turns: Mapping[str, Turn], scores: Mapping[str, float], weights: EpisodeWeights) -> dict[str, dict[str, float]]:
    """Shares of the scores of the turns before and after, where those are candidates too."""
    places = {(turn.subject, turn.origin.thread, turn.seq): id for id, turn in turns.items()}
    found = {}
    for id, turn in turns.items():
        before = places.get((turn.subject, turn.origin.thread, turn.seq - 1))
        after = places.get((turn.subject, turn.origin.thread, turn.seq + 1))
        parts = found[id] = {"answered": 0.0, "following": 0.0, "continued": 0.0}
        # An assistant answers at length and echoes the question: what stands before and after says nothing new about it.
        if turn.role is Role.ASSISTANT:
            continue
        if before and turns[before].role is not Role.ASSISTANT:
            parts["answered"] = weights.answered * asks(turns[before]) * scores.get(before, 0.0)
        if after:
            parts["following"] = weights.following * scores.get(after, 0.0)
        around = (places.get((turn.subject, turn.origin.thread, turn.seq + step)) for step in (-2, 2))
        own = (scores.get(other, 0.0) for other in around if other and turns[other].author == turn.author)
        parts["continued"] = weights.continued * max(own, default=0.0)
    return found


def _author_parts(question: Question, turns: Mapping[str, Turn], weights: EpisodeWeights) -> dict[str, dict[str, float]]:
    """What speaks for a turn by who says it, and how."""
    authors = {turn.author for turn in turns.values()}
    named = {author for author in authors if names_author(question, author)}
    named = named if len(named) < len(authors) else set()
    mixed = any(turn.role is Role.ASSISTANT for turn in turns.values())
    own = question.voice is Voice.PERSON
    return {
        id: {
            "speaker": weights.speaker * (turn.author in named),
            "voice": weights.voice * (mixed and _speaks(turn.role, question.voice)),
            "self": weights.self_told * (own and bool(_SELF.search(turn.text[:EPISODE_LIMIT]))),
            "figure": weights.figure * (question.figure and bool(_FIGURE.search(turn.text[:EPISODE_LIMIT]))),
            "asking": weights.asking * (not mixed and asks(turn)),
            "window": weights.window * _inside(turn, question),
        }
        for id, turn in turns.items()
    }


def _sitting_parts(
    words: Postings, own: Mapping[str, Sitting], scores: Mapping[str, float], weights: EpisodeWeights, k1: float, b: float
) -> dict[str, dict[str, float]]:
    """What speaks for a turn by the sitting it belongs to."""
    told = _sitting_words(words, own, k1, b)
    most = max(told.values(), default=0.0) or 1.0
    tops: dict[Sitting, float] = defaultdict(float)
    for id, score in scores.items():
        tops[own[id]] = max(tops[own[id]], score)
    return {
        id: {"sitting": weights.sitting_words * told.get(place, 0.0) / most + weights.sitting_best * tops[place]}
        for id, place in own.items()
    }


def _sitting_words(words: Postings, own: Mapping[str, Sitting], k1: float, b: float) -> dict[Sitting, float]:
    """BM25 of the sittings, each the sum of its matching rows: the same function, over larger documents."""
    rows = [n for n, id in enumerate(words.ids) if id in own]
    places = list(dict.fromkeys(own[words.ids[n]] for n in rows))
    number = {place: n for n, place in enumerate(places)}
    groups = [number[own[words.ids[n]]] for n in rows]
    counts, lengths = np.zeros((len(places), words.counts.shape[1]), np.int64), np.zeros(len(places), np.int64)
    np.add.at(counts, groups, words.counts[rows])
    np.add.at(lengths, groups, words.lengths[rows])
    mean = float(lengths.mean()) if places else 0.0
    scores = bm25(Postings(len(places), mean, list(map(str, range(len(places)))), lengths, counts), k1, b)
    return {places[int(name)]: score for name, score in scores.items()}


def _speaks(role: Role, voice: Voice) -> bool:
    return (voice is Voice.PERSON and role is Role.USER) or (voice is Voice.ASSISTANT and role is Role.ASSISTANT)


def newest_first(ranked: Sequence[str], turns: Mapping[str, Turn], scores: Mapping[str, float]) -> list[str]:
    """The ids with the newest figure first: among the leading turns, one that gives another figure about the same thing goes
    above those said before it. Which ids are there, and those behind the leading ones, stay as they are.
    """
    leading = [id for id in ranked if id in turns][:_LEADING]
    told = {id: frozenset(query_terms(turns[id].text)) for id in leading}
    figures = {id: frozenset(match.casefold() for match in _FIGURE.findall(turns[id].text)) for id in leading}

    def updates(new: str, old: str) -> bool:
        later = turns[new].at > turns[old].at and scores[new] >= _NEARLY * scores[old]
        alike = len(told[new] & told[old]) >= _ALIKE * min(len(told[new]), len(told[old]))
        return later and bool(figures[old]) and not figures[new] <= figures[old] and alike

    order: list[str] = []
    for id in leading:
        place = next((n for n, old in enumerate(order) if updates(id, old)), len(order))
        order.insert(place, id)
    moved = iter(order)
    return [next(moved) if id in told else id for id in ranked]


def in_time_order(
    question: Question, ranked: Sequence[str], told: Mapping[str, datetime], texts: Mapping[str, str], scores: Mapping[str, float]
) -> list[str]:
    """The ids with the leading ones in the order of time that the question asks for: the first time, or the last.

    Of the first five those move that are nearly as good as the best and about the same thing; all others keep their places.
    ``told`` says when each was said.
    """
    if question.order is None or not ranked:
        return list(ranked)
    best = ranked[0]
    about = frozenset(query_terms(texts[best]))

    def alike(id: str) -> bool:
        words = frozenset(query_terms(texts[id]))
        return scores[id] >= _NEARLY * scores[best] and len(words & about) >= _ALIKE * min(len(words), len(about))

    group = [id for id in ranked[:_LEADING] if alike(id)]
    moved = iter(sorted(group, key=lambda id: told[id], reverse=question.order is Order.LAST))
    return [next(moved) if id in group else id for id in ranked]


def _inside(turn: Turn, question: Question) -> bool:
    return any(window.holds(turn.at) for window in question.windows)
