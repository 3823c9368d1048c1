"""Questions of experience ("have I ever …?") whose first hits deny it: what tells of something done is given a place too. Pure.

People contradict themselves here more than anywhere: "I've never tested it" stands beside "it passed fifty test runs", which
shares few words with the question and comes far behind. Which of the two is so, nobody can tell who sees only one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from onrecord.model.trace import Scored
from onrecord.model.turn import Role, Turn
from onrecord.policy.language.text import query_terms
from onrecord.policy.recall.question import Question, Voice

#: Among so many of the first turns of a person a denial is looked for; behind the seventh so many others are put.
_DENYING, _BEFORE, _PLACES = 3, 7, 3
#: What a row's share of the question's words counts beside its score, which is a share of the best one's.
_WORDS = 0.5
#: Characters of a turn that are read.
_HEAD = 1_500
_ASKED = re.compile(r"^\W*(?:have|had|did) (?:i|we)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:i|we)(?:['’]ve| have| had)? never\b|\b(?:i|we) (?:have|had|did)(?:n['’]t| not)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:i|we)(?:['’]ve| have)(?: \w+ly| already| just| also)? (?!never|not|been|got|to\b)\w+(?:ed|en|t|un|ne)\b|"
    r"\bmy \w+ (?:\w+ ){0,4}(?:improved|increased|went|passed|reached)\b|\bafter (?:\w+ly )?\w+ing\b|"
    r"\b(?:completed|finished|implemented|achieved|managed to|passed)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s")


def with_other_side(question: Question, ranked: Sequence[Scored], turns: Mapping[str, Turn]) -> list[Scored]:
    """``ranked``, best first, with up to three turns that tell of something done right behind the seventh turn of a person, where
    the question asks for an experience of the asker and one of the first three such turns denies it. The others keep their order.
    """
    spoken = [one for one in ranked if one.id in turns and turns[one.id].role is Role.USER]
    if question.voice is not Voice.PERSON or not _ASKED.search(question.text) or len(spoken) <= _BEFORE:
        return list(ranked)
    if not any(_denies(question, turns[one.id]) for one in spoken[:_DENYING]):
        return list(ranked)
    best, last = spoken[0].score or 1.0, spoken[_BEFORE - 1].score
    done = [one for one in spoken[_BEFORE:] if _tells_of_something_done(turns[one.id])]
    done.sort(key=lambda one: (-(one.score / best + _WORDS * one.parts.get("bm25", 0.0)), one.id))
    moved = {one.id: replace(one, score=last, parts={**one.parts, "done": last - one.score}) for one in done[:_PLACES]}
    rest = [one for one in ranked if one.id not in moved]
    behind = next(n for n, one in enumerate(rest, 1) if one.id == spoken[_BEFORE - 1].id)
    return [*rest[:behind], *moved.values(), *rest[behind:]]


def _denies(question: Question, turn: Turn) -> bool:
    sentences = (sentence for sentence in _SENTENCE.split(turn.text[:_HEAD]) if _DENIES.search(sentence))
    return any(not set(question.terms).isdisjoint(query_terms(sentence)) for sentence in sentences)


def _tells_of_something_done(turn: Turn) -> bool:
    head = turn.text[:_HEAD]
    return _DONE.search(head) is not None and _DENIES.search(head) is None
