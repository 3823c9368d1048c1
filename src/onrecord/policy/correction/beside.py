"""A new statement beside an old one: which words, values and things they share, and in which they differ.

Shared words weigh by how few records of the subject have them. What stands beside a shared word has to fit: the heating of the
kitchen is no news of the heating of the bedroom.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onrecord.model.record import Record, SourceType
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.season import other_season
from onrecord.policy.correction.topic import Topic, Value, topic_of
from onrecord.policy.language.again import says_again
from onrecord.policy.language.doubt import is_doubtful, is_news
from onrecord.policy.language.remembered import remembered
from onrecord.policy.language.text import fold, stem
from onrecord.policy.language.values import same_qualifier, telling

_SPOKEN = frozenset({SourceType.USER_MESSAGE, SourceType.HUMAN_EDIT})
#: Kinds that also stand in talk of anything else.
LOOSE = frozenset({"name", "code"})


@dataclass(frozen=True, slots=True)
class Beside:
    """A new statement beside one old one.

    ``shared`` weighs the words in common by how few records have them, without those that are over;
    ``covered`` says that one has all the words of the other.
    ``differs`` are the kinds of which both give a value and not the same; ``named`` that the new one names the value of the
    old, ``ended`` that it says of a word of it that it is over. ``parallel`` statements have one word each for themselves: "no
    nuts in the kitchen" and "no candles in the kitchen" are two rules. ``met`` is ``shared`` with names, which alone make no
    topic.
    """

    old: Record
    was: Topic
    shared: float
    covered: bool
    differs: frozenset[str]
    named: bool
    ended: bool
    parallel: bool
    met: float
    part: float


@dataclass(frozen=True, slots=True)
class Said:
    """The new statement and what it says of itself; nothing, where only the two are compared."""

    new: Record
    now: Topic
    gone: frozenset[str] = frozenset()
    correction: bool = False
    news: bool = False
    doubted: bool = False
    again: bool = False


def heard(candidate: Candidate, new: Record) -> Said:
    """What ``candidate``, which would become ``new``, says of itself."""
    words = candidate.quote or candidate.statement
    return Said(
        new=new,
        now=topic_of(new.statement, new.language),
        gone=over(candidate.statement),
        correction=candidate.correction,
        news=is_news(new.statement),
        doubted=is_doubtful(words),
        again=says_again(words),
    )


def all_beside(said: Said, olds: Sequence[Record]) -> list[Beside]:
    """``said`` beside each old record, in their order; words are weighed by how few of these records have them."""
    return list(Among(said, olds).pairs(range(len(olds))))


class Among:
    """``said`` among old records: how few of them hold a word, and each pair once it is asked for."""

    def __init__(self, said: Said, olds: Sequence[Record]) -> None:
        self._said, self._rows = said, [(old, whole_topic(old)) for old in olds]
        self._held = Counter(word for _, was in self._rows for word in was.words)

    def pairs(self, places: Iterable[int]) -> Iterator[Beside]:
        """The pairs with the old records at these places, in their order."""
        return (beside(*self._rows[place], self._said, self._held) for place in places)

    def most_shared(self) -> float:
        """What the old record shares that shares most."""
        common = (_topical(_in_common(old, was, self._said.now), was, self._said.now) for old, was in self._rows)
        return max((_weight(words - self._said.gone, self._held) for words in common if words), default=0.0)


def whole_topic(record: Record) -> Topic:
    """Words of statement and quotation, values of the statement alone."""
    said = topic_of(record.statement, record.language)
    if not record.quote or record.quote == record.statement:
        return said
    return _with_quote(record.statement, record.quote, record.language)


@remembered
def _with_quote(statement: str, quote: str, language: str) -> Topic:
    said, quoted = topic_of(statement, language), topic_of(quote, language)
    return replace(said, words=said.words | quoted.words, beside={**quoted.beside, **said.beside})


def beside(old: Record, was: Topic, said: Said, held: Mapping[str, int]) -> Beside:
    """``held`` tells by how many of the old records a word is held."""
    every = _in_common(old, was, said.now)
    common = _topical(every, was, said.now)
    statements = [plain_words(record) - _named(old.subject) for record in (old, said.new)]
    ended = said.gone & was.words
    return Beside(
        old=old,
        was=was,
        shared=_weight(common - ended, held),
        covered=any(words and words <= common for words in statements),
        differs=frozenset(_differing(was, said.now, common)),
        named=_names_old(was, said.now, said.gone),
        ended=bool(ended),
        met=_weight(every, held),
        parallel=min(len(words - common) for words in statements) == 1,
        part=max((len(words & common) / len(words) for words in statements if words), default=0.0),
    )


def _in_common(old: Record, was: Topic, now: Topic) -> frozenset[str]:
    """The words that both have, without those that name their subject."""
    common = was.words & now.words
    return common - _named(old.subject) if common else common


def _topical(common: frozenset[str], was: Topic, now: Topic) -> frozenset[str]:
    """``common``, or nothing where these are names: names alone make no topic, since much can be said of one person."""
    return frozenset() if not common or common <= named_by(was) | named_by(now) else common


def _weight(words: frozenset[str], held: Mapping[str, int]) -> float:
    return math.fsum(1 / held[word] for word in words)  # which does not depend on the order of a set


@remembered
def _named(subject: str) -> frozenset[str]:
    return frozenset(stem(part) for part in re.split(r"\W+", fold(subject)) if part)


def plain_words(record: Record) -> frozenset[str]:
    return _plain(record.statement, record.language)


@remembered
def _plain(statement: str, language: str) -> frozenset[str]:
    return frozenset(word for word in topic_of(statement, language).words if ":" not in word)


def named_by(topic: Topic) -> frozenset[str]:
    return frozenset(value.normal for value in topic.values if value.kind == "name")


def _differing(was: Topic, now: Topic, common: frozenset[str]) -> Iterator[str]:
    """The kinds of which both give a value beside words they share, and not the same."""
    keyed = any(word.startswith("key:") for word in common)
    for come, near in now.values.items():
        if holds(was, come) or not (keyed or near & common):
            continue
        for gone, around in was.values.items():
            if one_kind(come, gone) and not holds(now, gone) and (keyed or around & common):
                yield come.kind or gone.kind


def one_kind(one: Value, other: Value) -> bool:
    measures = {one.kind, other.kind}.isdisjoint({"time", "weekday", "day", "code", "name"})
    counts = one.kind.startswith("#") != other.kind.startswith("#")
    return one.kind == other.kind or (measures and ("" in (one.kind, other.kind) or counts))


def holds(topic: Topic, value: Value) -> bool:
    return any(one_kind(value, other) and value.normal == other.normal for other in topic.values)


def _names_old(was: Topic, now: Topic, gone: frozenset[str]) -> bool:
    """Whether the new statement names a value of the old one, and gives another of its kind in its place."""
    return any(
        (bare(old) in gone or (holds(now, old) and old.kind not in LOOSE and len(old.normal) > 1))
        and any(one_kind(come, old) and not holds(was, come) and bare(come) not in gone for come in now.values)
        for old in was.values
        if old.kind != "name"  # names are in any talk, as is a single digit that nothing points at
    )


def bare(value: Value) -> str:
    """A value as people name it: the 22 of ``t22:00``."""
    return value.normal.removeprefix("t").removesuffix(":00") if value.kind == "time" else value.normal.casefold()


# --- what fits


def other_thing(pair: Beside, now: Topic) -> bool:
    """Whether a shared word belongs to two things: "bedroom heating" and "kitchen heating", "dock 4" and "dock 5"."""
    was = pair.was
    for word in was.beside.keys() & now.beside.keys():
        one, other = was.beside[word], now.beside[word]
        if not one & other and not one & now.words and not other & was.words:
            return True
    labels = {word for word in was.labels.keys() & now.labels.keys() if was.labels[word] != now.labels[word]}
    if not labels or pair.named:
        return False
    measured = any(kind not in ("", "code", "name") and not kind.startswith("#") for kind in pair.differs)
    counted = all(
        _is_label(was, word) and _is_label(now, word) for word in labels
    )  # "room 1 has 10 seats", not "split five ways"
    return measured or not pair.differs or counted


def _is_label(topic: Topic, word: str) -> bool:
    """Whether the number behind a word is its name and no value too."""
    return any(value.kind.startswith("#") for value in topic.values) and all(
        value.normal != topic.labels[word] for value in topic.values
    )


def other_situation(pair: Beside, said: Said) -> bool:
    """Two situations that share no word. One beside none is an exception, unless the other statement speaks of it too."""
    old, new = pair.old, said.new
    if _lacking(new) & pair.was.words or _lacking(old) & said.now.words or other_season(old.statement, new.statement):
        return True
    if same_qualifier(old.qualifier, new.qualifier):
        return False
    mine, theirs = (_circumstance(record, pair.differs) for record in (new, old))
    if mine and theirs:
        return not mine & theirs
    return not mine <= _terms(old) or not theirs <= _terms(new)


def _circumstance(record: Record, differs: frozenset[str]) -> frozenset[str]:
    """The words of a qualifier; none where it is the value itself ("on Thursdays" beside "on Wednesdays")."""
    qualifier = record.qualifier or ""
    kinds = {value.kind for value in topic_of(qualifier).values}
    return frozenset() if kinds and kinds <= differs else telling(qualifier)


def _terms(record: Record) -> frozenset[str]:
    return telling(f"{record.statement} {record.quote}")


def _lacking(record: Record) -> frozenset[str]:
    """What a statement does without: a signing "with no interpreter" is another than one with. "No calls" forbids them."""
    return _without(record.statement, record.negation)


@remembered
def _without(statement: str, negation: bool) -> frozenset[str]:
    pattern = _WITHOUT if negation else _LACKS
    return frozenset(stem(match[1]) for match in pattern.finditer(fold(statement)))


# --- whose words


def spoken(record: Record) -> bool:
    return record.source.type in _SPOKEN


def other_voice(old: Record, new: Record) -> bool:
    return old.author != new.author or spoken(old) != spoken(new)


@remembered
def adds(statement: str) -> bool:
    return _ADDS.search(statement.casefold()) is not None


@remembered
def leaves(statement: str) -> bool:
    """Whether ``statement`` says that what was so stays so, so that it is an exception beside it."""
    return _LEAVES.search(statement.casefold()) is not None


# --- cues

_ENDED = r"(?:out|dead|gone|history|retired|no more|obsolete|out of (?:the )?\w+|weg|vorbei|raus|fini[es]?|terminée?|fuera)"
_IS_ENDED = rf"(?:is|are|'s|ist|est|c'est) (?:now |all )?(?:over|closed|finished|done|{_ENDED[3:-1]})"
#: Behind "was" these tell what happened, and name nothing that is over: "I was born in Tromso".
_DONE = r"(?:born|built|made|given|told|taught|taken|brought|\w{3,}(?:ed|ing))"
_OVER = (
    re.compile(
        rf"(?:^|[.;,:!–—-] ?)(?:\w+ )?(?!(?:is|are|was|has|ist|est|now)\b)(?P<what>[\w-]+?) ?"
        rf"(?:{_IS_ENDED}|(?:was |has )?{_ENDED})"
        r"(?=$|[.;,:!)]| (?:now|since|as of|for good)\b)"
    ),
    re.compile(
        rf"\b(?:instead of|rather than|no longer|not|statt|en vez de|au lieu de|replaces?|was(?! {_DONE}\b)) (?P<what>[\w.-]+)"
    ),
    re.compile(r"(?<![\w.])(?P<what>[\w.-]+)(?:'s| is| was| are)? (?:not (?:true|right|correct)|wrong|incorrect|falsch|faux)\b"),
    re.compile(rf"\b(?:done|finished|{_ENDED[3:-1]}) (?:with|avec|mit|con) (?P<what>[\w-]+)"),
)
_ADDS = re.compile(
    r"\b(?:too(?=$|[,.;!)])|as well|in addition|additionally|on top of that|zusätzlich|außerdem|dazu noch|además|también|en plus|"
    r"aussi)(?!\w)"
)
_LEAVES = re.compile(
    r"\b(?:(?:stays?|remains?|keeps?|is|are) (?:as (?:it |they )?(?:is|are|was|were|before)|"
    r"unchanged|the same|where (?:it|they) \w+)|"
    r"as is|(?:otherwise|apart from that|still) (?:the|as) (?:usual|before|same|rest)|same as (?:before|ever) otherwise|"
    r"(?<=\w )(?<!and )(?<!but )(?<!oh )(?<!so )also(?= \w)|"
    r"bleibt (?:es )?(?:so|wie|gleich)|sonst wie|sigue igual|queda igual|reste (?:comme|inchang\w+))(?!\w)"
)
_WITHOUT = re.compile(r"\b(?:with no|without|ohne|sin|sans) ([^\W\d_]{3,})")
_LACKS = re.compile(r"\b(?:no|without|ohne|kein\w{0,2}|sin|sans) ([^\W\d_]{3,})")


@remembered
def over(statement: str) -> frozenset[str]:
    """The stems and values of which ``statement`` says that they are over or replaced."""
    words = fold(statement).replace("’", "'")
    named = [match["what"] for pattern in _OVER for match in pattern.finditer(words)]
    return frozenset(stem(part) for word in named for part in (word, *re.split(r"\W+", word)) if len(part) > 1 or part.isdigit())
