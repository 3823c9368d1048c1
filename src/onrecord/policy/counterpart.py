"""Which older statement a new one answers to: the one it corrects, contradicts or repeats, where no key says so.

Shared words only nominate. A correction needs a cue and either names what is over or gives another value of the same kind; a
contradiction needs another voice, a doubt or a slip of the pen; a repetition says itself that it is one. What stands beside a
shared word has to fit: the heating of the kitchen is no news of the heating of the bedroom.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from onrecord.model.record import Record, SourceType
from onrecord.model.verdict import Candidate
from onrecord.policy.defaults import Policy
from onrecord.policy.doubt import is_doubtful, is_news
from onrecord.policy.polarity import difference
from onrecord.policy.text import fold, stem
from onrecord.policy.topic import Topic, Value, topic_of
from onrecord.policy.values import same_qualifier

_SPOKEN = frozenset({SourceType.USER_MESSAGE, SourceType.HUMAN_EDIT})


class Bond(StrEnum):
    """How a new statement stands to an old one."""

    CORRECTS = "corrects"
    CONTRADICTS = "contradicts"
    REPEATS = "repeats"


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The old record and the bond to it."""

    record: Record
    bond: Bond


@dataclass(frozen=True, slots=True)
class _Pair:
    """A new statement beside one old one. ``shared`` weighs the words in common by how few records have them."""

    old: Record
    was: Topic
    shared: float
    differs: frozenset[str]
    named: bool


def counterpart(candidate: Candidate, new: Record, current: Sequence[Record], policy: Policy) -> Counterpart | None:
    """The one old record that ``new`` answers to, or ``None`` if there is none or several would do."""
    now = _topic(new)
    gone = over(candidate.statement)
    rows = [(old, _topic(old)) for old in current]
    pairs = [_pair(old, was, now, gone, rows, new) for old, was in rows if old.said_at <= new.said_at]
    fitting = [pair for pair in pairs if not _other_thing(pair.was, now) and not _other_situation(pair, new, now)]
    for bond, test in ((Bond.CORRECTS, _corrects), (Bond.REPEATS, _repeats), (Bond.CONTRADICTS, _contradicts)):
        found = sorted((pair for pair in fitting if test(pair, candidate, new, policy)), key=_rank, reverse=True)
        if found and (len(found) == 1 or _rank(found[0]) > _rank(found[1])):
            return Counterpart(found[0].old, bond)
    return None


def _rank(pair: _Pair) -> tuple[bool, float]:
    return pair.named, round(pair.shared, 2)


def _topic(record: Record) -> Topic:
    """Words of statement and quotation, values of the statement alone."""
    said = topic_of(record.statement, record.language)
    if not record.quote or record.quote == record.statement:
        return said
    quoted = topic_of(f"{record.quote}", record.language)
    return Topic(said.words | quoted.words, said.values, {**quoted.beside, **said.beside})


def _pair(
    old: Record, was: Topic, now: Topic, gone: frozenset[str], rows: Sequence[tuple[Record, Topic]], new: Record
) -> _Pair:
    common = was.words & now.words
    mine = frozenset(part for part in re.split(r"\W+", fold(new.subject)) if part)
    shared = sum(1 / sum(word in other.words for _, other in rows) for word in common if word not in mine)
    return _Pair(old, was, shared, _kinds(was, now), _names_old(was, now, gone))


def _kinds(was: Topic, now: Topic) -> frozenset[str]:
    """The kinds of which both give a value, and not the same."""
    return frozenset(
        kind or gone.kind
        for kind in {value.kind for value in now.values}
        for come in now.values
        if come.kind == kind and not _holds(was, come)
        for gone in was.values
        if _one_kind(come, gone) and not _holds(now, gone)
    )


def _one_kind(one: Value, other: Value) -> bool:
    measures = {one.kind, other.kind}.isdisjoint({"time", "weekday", "day", "code", "name"})
    counts = one.kind.startswith("#") != other.kind.startswith("#")
    return one.kind == other.kind or (measures and ("" in (one.kind, other.kind) or counts))


def _holds(topic: Topic, value: Value) -> bool:
    return any(_one_kind(value, other) and value.normal == other.normal for other in topic.values)


def _names_old(was: Topic, now: Topic, gone: frozenset[str]) -> bool:
    """Whether the new statement names a value of the old one, or says of a word of it that it is over."""
    if gone & was.words or any(value.normal.casefold() in gone for value in was.values):
        return True
    return any(
        _holds(now, old) and any(_one_kind(come, old) and not _holds(was, come) for come in now.values)
        for old in was.values
        if old.kind not in ("name", "code")
    )


# --- what fits


def _other_thing(was: Topic, now: Topic) -> bool:
    """Whether a shared word belongs to two things: "bedroom heating" and "kitchen heating"."""
    for word in was.beside.keys() & now.beside.keys():
        one, other = was.beside[word], now.beside[word]
        if not one & other and not one & now.words and not other & was.words:
            return True
    return False


def _other_situation(pair: _Pair, new: Record, now: Topic) -> bool:
    """Two situations that share no word. One beside none is an exception, unless the old statement speaks of it too."""
    if _lacking(new) & pair.was.words or _lacking(pair.old) & now.words:
        return True
    if same_qualifier(pair.old.qualifier, new.qualifier):
        return False
    mine, theirs = topic_of(new.qualifier or "").words, topic_of(pair.old.qualifier or "").words
    if mine and theirs:
        return not mine & theirs
    return bool(mine - pair.was.words) or bool(theirs - now.words)


def _lacking(record: Record) -> frozenset[str]:
    """What a statement that denies nothing does without: a signing "with no interpreter" is another than one with."""
    if record.negation:
        return frozenset()
    return frozenset(stem(match[1]) for match in _WITHOUT.finditer(fold(record.statement)))


# --- bonds


def _corrects(pair: _Pair, candidate: Candidate, new: Record, policy: Policy) -> bool:
    if not candidate.correction and not pair.named:
        return False
    if pair.named and (candidate.correction or is_news(new.statement)):
        return pair.shared >= policy.named_overlap
    if _other_voice(pair.old, new) and not is_news(new.statement):
        return False
    return candidate.correction and bool(pair.differs) and pair.shared >= policy.topic_overlap


def _contradicts(pair: _Pair, candidate: Candidate, new: Record, policy: Policy) -> bool:
    if not pair.differs or not (_spoken(pair.old) or _spoken(new)):
        return False
    if _slip(pair.old, new):
        return pair.shared > 0
    unsettled = _other_voice(pair.old, new) or is_doubtful(candidate.quote or candidate.statement)
    return unsettled and pair.differs != {"code"} and pair.shared >= policy.topic_overlap


def _repeats(pair: _Pair, candidate: Candidate, new: Record, policy: Policy) -> bool:
    if pair.differs or pair.old.negation != new.negation or difference(pair.old.statement, new.statement):
        return False
    if not says_again(candidate.quote or candidate.statement) or says_again(pair.old.statement):
        return False
    return pair.shared >= policy.topic_overlap


def _spoken(record: Record) -> bool:
    return record.source.type in _SPOKEN


def _other_voice(old: Record, new: Record) -> bool:
    return old.author != new.author or _spoken(old) != _spoken(new)


def _slip(old: Record, new: Record) -> bool:
    """Whether each names a code and the two differ in a letter or in the order of letters."""
    codes = [{value.normal for value in topic_of(r.statement, r.language).values if value.kind == "code"} for r in (old, new)]
    return any(_nearly(a, b) for a in codes[0] - codes[1] for b in codes[1] - codes[0])


def _nearly(one: str, other: str) -> bool:
    if len(one) != len(other) or one == other:
        return False
    return sorted(one) == sorted(other) or sum(a != b for a, b in zip(one, other, strict=True)) == 1


# --- cues

_ENDED = (
    r"(?:out|dead|gone|over|history|retired|closed|finished|done|no more|obsolete|out of \w+|weg|vorbei|raus|fini[es]?|"
    r"terminée?|fuera|acabado)"
)
_OVER = (
    re.compile(rf"(?:^|[.;,:!–—-] ?)(?:\w+ )?(?P<what>[\w-]+)(?:'s| is| are| was| has| ist| est)? (?:now )?{_ENDED}\b"),
    re.compile(r"\b(?:instead of|rather than|no longer|not|statt|en vez de|au lieu de|replaces?|was) (?P<what>[\w.-]+)"),
    re.compile(rf"\b{_ENDED} (?:with|avec|mit|con) (?P<what>[\w-]+)"),
)
_WITHOUT = re.compile(r"\b(?:no|without|ohne|kein\w{0,2}|sin|sans) ([^\W\d_]{3,})")
_AGAIN = re.compile(
    r"\b(?:(?:so|and|once|say) again|again:|once more|(?:as|like) (?:i|we|he|she)(?:'ve| have)? (?:said|told|mentioned|say)|(?:i|we) (?:already )?said so|"
    r"same as (?:i|we)|i (?:already )?told you|remind(?:er|ing)?|confirm(?:ing)?|as (?:always|ever|before|usual)|"
    r"as it ever was|repeat(?:ing)?|wie gesagt|nochmal|noch mal|erinner\w+|wie immer|como (?:dije|siempre)|recuerda|"
    r"rappel|comme (?:je l'ai dit|toujours)|encore une fois)\b"
)


def over(statement: str) -> frozenset[str]:
    """The stems and values of which ``statement`` says that they are over or replaced."""
    words = fold(statement).replace("’", "'")
    named = [match["what"] for pattern in _OVER for match in pattern.finditer(words)]
    return frozenset(stem(part) for word in named for part in (word, *re.split(r"\W+", word)) if len(part) > 1 or part.isdigit())


def says_again(text: str) -> bool:
    """Whether ``text`` says that it was said before."""
    return _AGAIN.search(text.casefold().replace("’", "'")) is not None
