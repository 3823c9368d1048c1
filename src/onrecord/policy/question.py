"""What a question asks for, without a model: its terms and names, whose words it means, its type, and the time it points at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from onrecord.policy.text import STOP_WORDS, fold, query_terms, stem
from onrecord.policy.vocabulary import Vocabulary


class Asks(StrEnum):
    """The type of a question. ``other`` is also what a statement is."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    COUNT = "count"
    LIST = "list"
    PREFERENCE = "preference"
    YES_NO = "yes_no"
    OTHER = "other"


class Voice(StrEnum):
    """Whose words a question is after, where it tells: the person's own (``I``, ``my``) or the assistant's (``you said``)."""

    PERSON = "person"
    ASSISTANT = "assistant"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time that a question points at, ``end`` exclusive, both in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as understood. ``terms`` are those to look for, in order; ``names`` are folded words written as names.

    ``keys`` are the vocabulary's keys that it is about. ``newest`` tells that it wants the last state of something.
    """

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    asks: Asks
    voice: Voice
    keys: tuple[str, ...] = ()
    newest: bool = False
    window: Window | None = None

    @property
    def many(self) -> bool:
        """Whether a good answer is likely to rest on several places: counts, lists, comparisons."""
        return self.asks in (Asks.COUNT, Asks.LIST)


_TYPES = (
    (Asks.COUNT, r"\bhow (?:many|much|often|old|long|far)\b|\b(?:total|number|count|sum|average) (?:of|number|amount|cost)\b"),
    (Asks.LIST, r"\b(?:list|order of|what (?:are|were) (?:all|some|the)|which (?:\w+ )?(?:are|were)|summar\w+|different)\b"),
    (Asks.PREFERENCE, r"\b(?:prefer\w*|favou?rites?|recommend\w*|suggest\w*|tips?|advice|should i)\b"),
    (Asks.WHEN, r"\b(?:when|what (?:time|date|day|year|month)|which (?:day|year|month))\b"),
    (Asks.WHO, r"\b(?:who|whom|whose)\b"),
    (Asks.WHERE, r"\bwhere\b"),
    (Asks.YES_NO, r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|am)\b"),
)
_PATTERNS = tuple((asks, re.compile(pattern)) for asks, pattern in _TYPES)
_SAYING = "said|say|told|tell|mention|mentioned|suggest|suggested|recommend|recommended|wrote|write|gave|give|explained|explain|provided|listed|list|described|advise|advised|propose|proposed|shared"
_ASSISTANT = re.compile(
    rf"\byou (?:\w+ )?(?:{_SAYING})\b|\b(?:did|have|had) you (?:\w+ )?(?:{_SAYING})\b|"
    r"\b(?:our|the) (?:previous|last|earlier|past) (?:chat|conversation|discussion)|\byour (?:\w+ )?(?:advice|suggestions?|recommendations?|answer|explanation)\b"
)
_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our)\b")
_NEWEST = re.compile(r"\b(?:currently|current|now|nowadays|latest|newest|most recent(?:ly)?|these days|so far|still|at the moment)\b")
_NAME = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w]*(?:['’-][^\W\d_]+)*")


def understand(text: str, *, vocabulary: Vocabulary | None = None, window: Window | None = None) -> Question:
    """The question in ``text``; any text is one. ``window`` is the time it points at, if that is known."""
    folded = fold(text)
    return Question(
        text=text,
        terms=tuple(query_terms(text)),
        names=names(text),
        asks=_type(folded),
        voice=_voice(folded),
        keys=tuple(vocabulary.attribute_of(text)) if vocabulary else (),
        newest=bool(_NEWEST.search(folded)),
        window=window,
    )


def names(text: str) -> frozenset[str]:
    """The folded words of ``text`` that are written as names: a capital first, and neither stop words nor the word ``I``."""
    found = (fold(re.sub(r"['’]s?$", "", match)) for match in _NAME.findall(text))
    return frozenset(name for name in found if name not in STOP_WORDS and name != "i")


def names_author(question: Question, author: str) -> bool:
    """Whether the question names this author, by any word of the name, in whatever case."""
    return any(stem(part) in question.terms for part in re.findall(r"\w+", fold(author)))


def _type(folded: str) -> Asks:
    return next((asks for asks, pattern in _PATTERNS if pattern.search(folded)), Asks.OTHER)


def _voice(folded: str) -> Voice:
    if _ASSISTANT.search(folded):
        return Voice.ASSISTANT
    return Voice.PERSON if _PERSON.search(folded) else Voice.ANY
