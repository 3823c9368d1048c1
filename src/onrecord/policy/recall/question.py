"""What a question asks for, without a model: its terms and names, whose words it means, its type, and the time it points at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from onrecord.model.moment import EPOCH
from onrecord.model.record import Kind
from onrecord.policy.language.remembered import remembered
from onrecord.policy.language.text import STOP_WORDS, fold, query_terms, stem
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.temporal.phrases import Role, When, mentions


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


class Aim(StrEnum):
    """What a question wants to know: what is so, what was so on a day, what happened, or what was said."""

    STATE = "state"
    STOOD = "stood"
    STORY = "story"
    SAID = "said"


class Order(StrEnum):
    """Which of several times a question means."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time that a question points at, both aware, ``end`` exclusive."""

    start: datetime
    end: datetime

    def holds(self, at: datetime) -> bool:
        """Whether something said at ``at`` may be about this span: in it, or told a few days later."""
        return self.start <= at < self.end + TOLD_LATER

    def spans(self, at: datetime) -> bool:
        """Whether ``at`` lies in this span."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as understood. ``terms`` are those to look for, in order; ``names`` are folded words written as names.
    ``aim`` is what it wants to know.

    ``keys`` are the vocabulary's keys that it is about, ``kinds`` the kinds of record. ``newest`` tells that it asks for a state
    of today rather than for a story, ``figure`` that a number or a time answers it. ``windows`` are the spans of time it points
    at; empty means any time. ``order`` says which of several times it means, if it does,
    and ``changed`` that it asks how something changed.
    """

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    asks: Asks
    voice: Voice
    aim: Aim = Aim.STATE
    keys: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    newest: bool = False
    figure: bool = False
    windows: tuple[Window, ...] = ()
    order: Order | None = None
    changed: bool = False

    @property
    def news(self) -> bool:
        """Whether of two figures for one thing the newer one answers."""
        return (self.figure and self.newest) or self.changed

    @property
    def many(self) -> bool:
        """Whether a good answer is likely to rest on several places: counts, lists, comparisons."""
        return self.asks in (Asks.COUNT, Asks.LIST)


#: People tell of things for some days after they happened. Three is what LoCoMo and LongMemEval answer best to.
TOLD_LATER = timedelta(days=3)
_A_YEAR = timedelta(days=365)
_YEARLY = re.compile(
    r"^(?!.*(?:\d{4}|next|nächst|próxim|prochain))(?:.*\b)?(?:jan|feb|mar|mär|apr|avr|abr|may|mai|jun|jui|jul|aug|ago|aoû|sep|oct|okt|"
    r"nov|dec|dez|dic|déc|spring|summer|autumn|winter)",
    re.IGNORECASE,
)
#: Spans that are looked at: a question has one or two; a log that was pasted in has one a line.
_WINDOWS = 5
_QUOTED = 5
_WORDS = re.compile(r"\w+")
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
_SAID = "said|told|mentioned|suggested|recommended|wrote|gave|explained|provided|listed|described|advised|proposed|shared"
_SAY = "say|tell|mention|suggest|recommend|write|give|explain|provide|list|describe|advise|propose|share"
# "can you recommend" is a request of today; "you recommended" asks for words of the past.
_ASSISTANT = re.compile(
    rf"\byou (?:\w+ )?(?:{_SAID}|came up with)\b|\b(?:did|had) you (?:\w+ )?(?:{_SAY})\b|"
    r"\b(?:our|the) (?:previous|last|earlier|past) (?:chat|conversation|discussion)|"
    r"\byour (?:\w+ )?(?:advice|suggestions?|recommendations?|answer|explanation)\b"
)
_TALK = "say|tell|mention|ask|talk|discuss|speak|chat|joke|explain|describe"
_TALKED = "said|told|mentioned|asked|talked|discussed|spoke|chatted|joked|explained|described"
#: Asks for words of the past, whoever said them and whether or not they were meant.
_SAID_THEN = re.compile(
    rf"\b(?:did|had) (?:\w+ ){{1,3}}(?:{_TALK}|{_TALKED})\b|\b(?:i|we|you|he|she|they) (?:\w+ )?(?:{_TALKED})\b|"
    r"\b(?:our|this|that|any) (?:\w+ )?(?:chats?|conversations?|discussions?|messages?|sessions?)\b|\bremind me\b"
)
#: Asks what happened: by the tense of its verb, or by a time that lies behind. The perfect ("has she moved") asks what is so.
_HAPPENED = re.compile(
    r"\b(?:did|was|were|had|ago|yesterday|happened|used to|"
    r"last (?:night|time|week|weekend|month|year|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
)
_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our)\b")
_FIGURE = re.compile(r"\b(?:percentage|age|score|count|cost|price|quota|amount|time|rate|deadline|target|goal)\b")
_PAST = re.compile(
    r"\b(?:did|was|were|had|ago|last|passed|between|first|initially|originally|original|previous|previously|used to|earliest|"
    r"before|formerly|old|recommend\w*|suggest\w*|order|summar\w*|list)\b"
)
_NEWEST = re.compile(
    r"\b(?:currently|current|now|nowadays|latest|newest|most recent(?:ly)?|these days|so far|still|at the moment)\b"
)
_CHANGED = re.compile(
    r"\b(?:did|have|has) (?:i|we|you|he|she|they|[\w-]+) (?:\w+ )?(?:switch|change|increase|decrease|raise|lower)(?:e?d)?\b|"
    r"\b(?:more|less|fewer|higher|lower|earlier|later)\b.*\bor (?:more|less|fewer|higher|lower|earlier|later)\b"
)
_DOER = r"(?:did|have|has|had|was|were) (?:i|we|you|he|she|they|it|[\w-]+) (?:\w+ )?"
_FIRST = re.compile(
    rf"\bfirst (?:time|ever|mention\w*|heard|told|said|met)\b|\b{_DOER}first\b|\b(?:initially|originally|earliest|at first)\b"
)
_LAST = re.compile(
    rf"\b(?:last|latest|most recent) (?:time|mention\w*)\b|\b{_DOER}last(?! (?:\w+day|week|month|year|night|time\b))\b|"
    r"\bmost recently\b"
)
#: Words that ask for records of a kind: "what did I decide last month?" shares no word with any decision.
_KINDS = (
    (Kind.DECISION, re.compile(r"\b(?:decid\w*|decisions?|agree(?:d|ments?)?|chose|chosen?|settled? on)\b")),
    (Kind.PREFERENCE, re.compile(r"\bprefer\w*\b")),
    (Kind.CONSTRAINT, re.compile(r"\b(?:rules?|constraints?|limits?)\b")),
)
_NAMED = re.compile(r"\b([^\W\d_a-z]\w*)\b(?:['’]s\b)?")
_NAME = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w]*(?:['’-][^\W\d_]+)*")


def understand(text: str, *, now: datetime, vocabulary: Vocabulary | None = None) -> Question:
    """The question in ``text``, asked at ``now``; any text is one. Without a vocabulary it is about no key."""
    folded = fold(text)
    asks = _type(folded)
    return Question(
        text=text,
        terms=tuple(query_terms(text)),
        names=names(text),
        asks=asks,
        voice=_voice(folded),
        aim=_aim(folded),
        kinds=frozenset(kind for kind, pattern in _KINDS if pattern.search(folded)),
        keys=tuple(vocabulary.attribute_of(text)) if vocabulary else (),
        newest=_NEWEST.search(folded) is not None or _PAST.search(folded) is None,
        figure=asks in (Asks.COUNT, Asks.WHEN) or _FIGURE.search(folded) is not None,
        windows=windows(text, now),
        changed=_CHANGED.search(folded) is not None,
        order=Order.FIRST if _FIRST.search(folded) else Order.LAST if _LAST.search(folded) else None,
    )


def windows(text: str, now: datetime) -> tuple[Window, ...]:
    """The spans of past time that ``text`` points at. What recurs ("every day") or lies ahead points at none."""
    spans = (_window(when, now) for when in mentions(text, now) if when.role is not Role.RECURRING)
    return tuple(islice((span for span in spans if span.start < span.end), _WINDOWS))


def _window(when: When, now: datetime) -> Window:
    if when.start > now and _YEARLY.search(when.text):  # "before February" means the last one: memories lie behind
        when = replace(when, start=when.start - _A_YEAR, end=when.end - _A_YEAR)
    if when.role in (Role.BEFORE, Role.UNTIL):
        return Window(EPOCH, min(when.start if when.role is Role.BEFORE else when.end, now))
    if when.role in (Role.AFTER, Role.SINCE):
        return Window(when.end if when.role is Role.AFTER else when.start, now)
    return Window(when.start, min(when.end, now))


def names(text: str) -> frozenset[str]:
    """The folded words of ``text`` that are written as names: a capital first, and neither stop words nor the word ``I``."""
    found = (fold(re.sub(r"['’]s?$", "", match)) for match in _NAME.findall(text))
    return frozenset(name for name in found if name not in STOP_WORDS and name != "i")


def names_author(question: Question, author: str) -> bool:
    """Whether the question names this author, by any word of the name, in whatever case."""
    return any(stem(part) in question.terms for part in re.findall(r"\w+", fold(author)))


def quotes(question: str, said: str) -> bool:
    """Whether the question is words of ``said``, at least five in a row: whoever asks in its own words asks for just that."""
    words = _spaced(question)
    return words.count(" ") > _QUOTED and words in _spaced(said)


@remembered
def _spaced(text: str) -> str:
    return f" {' '.join(_WORDS.findall(fold(text)))} "


def without_names(text: str, people: Iterable[str]) -> str:
    """``text`` without the words that make up the names of ``people``; the whole ``text`` if nothing else is left."""
    own = {part for name in people for part in re.findall(r"\w+", fold(name))}
    rest = _NAMED.sub(lambda match: "" if fold(match[1]) in own else match[0], text)
    return " ".join(rest.split()) if re.search(r"\w", rest) else text


def _type(folded: str) -> Asks:
    return next((asks for asks, pattern in _PATTERNS if pattern.search(folded)), Asks.OTHER)


def _aim(folded: str) -> Aim:
    if _ASSISTANT.search(folded) or _SAID_THEN.search(folded):
        return Aim.SAID
    return Aim.STORY if _HAPPENED.search(folded) else Aim.STATE


def _voice(folded: str) -> Voice:
    if _ASSISTANT.search(folded):
        return Voice.ASSISTANT
    return Voice.PERSON if _PERSON.search(folded) else Voice.ANY
