"""Which older statement a new one answers to: the one it corrects, contradicts or repeats, where no key says so.

Shared words only nominate. A correction needs a cue and either names what is over or gives another value of the same kind; a
contradiction needs another voice, a doubt or a slip of the pen; a repetition says itself that it is one. What stands beside a
shared word has to fit: the heating of the kitchen is no news of the heating of the bedroom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from onrecord.model.record import Kind, Record, SourceType
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.topic import Topic, Value, topic_of
from onrecord.policy.defaults import Policy
from onrecord.policy.language.doubt import is_doubtful, is_news
from onrecord.policy.language.polarity import difference
from onrecord.policy.language.text import fold, stem
from onrecord.policy.language.values import same_qualifier, telling

_SPOKEN = frozenset({SourceType.USER_MESSAGE, SourceType.HUMAN_EDIT})


class Bond(StrEnum):
    """How a new statement stands to an old one."""

    CORRECTS = "corrects"
    CONTRADICTS = "contradicts"
    REPEATS = "repeats"


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The old record and the bond to it. ``plain``: the new statement names what is over, or its value."""

    record: Record
    bond: Bond
    plain: bool


@dataclass(frozen=True, slots=True)
class _Pair:
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
class _Said:
    """The new statement and what it says of itself."""

    new: Record
    now: Topic
    gone: frozenset[str]
    correction: bool
    news: bool
    doubted: bool
    again: bool


def counterpart(candidate: Candidate, new: Record, current: Sequence[Record], policy: Policy) -> Counterpart | None:
    """The one old record that ``new`` answers to, or ``None`` if there is none or several would do."""
    words = candidate.quote or candidate.statement
    said = _Said(
        new=new,
        now=topic_of(new.statement, new.language),
        gone=over(candidate.statement),
        correction=candidate.correction,
        news=is_news(new.statement),
        doubted=is_doubtful(words),
        again=says_again(words),
    )
    rows = [(old, _topic(old)) for old in current]
    pairs = [_pair(old, was, said, rows) for old, was in rows if old.said_at <= new.said_at]
    fitting = [pair for pair in pairs if not _other_thing(pair, said.now) and not _other_situation(pair, said)]
    for bond, test in ((Bond.CORRECTS, _corrects), (Bond.REPEATS, _repeats), (Bond.CONTRADICTS, _contradicts)):
        found = sorted((pair for pair in fitting if test(pair, said, policy)), key=_rank, reverse=True)
        if found and (len(found) == 1 or _rank(found[0]) > _rank(found[1])):
            return Counterpart(found[0].old, bond, _rank(found[0])[0])
    return None


def _rank(pair: _Pair) -> tuple[bool, float]:
    return pair.named or pair.ended, round(pair.shared, 2)


def _topic(record: Record) -> Topic:
    """Words of statement and quotation, values of the statement alone."""
    said = topic_of(record.statement, record.language)
    if not record.quote or record.quote == record.statement:
        return said
    quoted = topic_of(record.quote, record.language)
    return replace(said, words=said.words | quoted.words, beside={**quoted.beside, **said.beside})


def _pair(old: Record, was: Topic, said: _Said, rows: Sequence[tuple[Record, Topic]]) -> _Pair:
    own = {stem(part) for part in re.split(r"\W+", fold(old.subject)) if part}
    common = (was.words & said.now.words) - own
    met = sum(1 / sum(word in other.words for _, other in rows) for word in common)
    if common <= _named_by(was) | _named_by(said.now):
        common = frozenset()  # names alone make no topic: much can be said of one person
    statements = [_plain_words(record) - own for record in (old, said.new)]
    ended = said.gone & was.words
    return _Pair(
        old=old,
        was=was,
        shared=sum(1 / sum(word in other.words for _, other in rows) for word in common - ended),
        covered=any(words and words <= common for words in statements),
        differs=frozenset(_differing(was, said.now, common)),
        named=_names_old(was, said.now, said.gone),
        ended=bool(ended),
        met=met,
        parallel=min(len(words - common) for words in statements) == 1,
        part=max((len(words & common) / len(words) for words in statements if words), default=0.0),
    )


def _plain_words(record: Record) -> set[str]:
    return {word for word in topic_of(record.statement, record.language).words if ":" not in word}


def _named_by(topic: Topic) -> frozenset[str]:
    return frozenset(value.normal for value in topic.values if value.kind == "name")


def _differing(was: Topic, now: Topic, common: frozenset[str]) -> Iterator[str]:
    """The kinds of which both give a value beside words they share, and not the same."""
    keyed = any(word.startswith("key:") for word in common)
    for come, near in now.values.items():
        if _holds(was, come) or not (keyed or near & common):
            continue
        for gone, around in was.values.items():
            if _one_kind(come, gone) and not _holds(now, gone) and (keyed or around & common):
                yield come.kind or gone.kind


def _one_kind(one: Value, other: Value) -> bool:
    measures = {one.kind, other.kind}.isdisjoint({"time", "weekday", "day", "code", "name"})
    counts = one.kind.startswith("#") != other.kind.startswith("#")
    return one.kind == other.kind or (measures and ("" in (one.kind, other.kind) or counts))


def _holds(topic: Topic, value: Value) -> bool:
    return any(_one_kind(value, other) and value.normal == other.normal for other in topic.values)


def _names_old(was: Topic, now: Topic, gone: frozenset[str]) -> bool:
    """Whether the new statement names a value of the old one, and gives another of its kind in its place."""
    return any(
        (_bare(old) in gone or (_holds(now, old) and old.kind not in _LOOSE and len(old.normal) > 1))
        and any(_one_kind(come, old) and not _holds(was, come) and _bare(come) not in gone for come in now.values)
        for old in was.values
        if old.kind != "name"  # names are in any talk, as is a single digit that nothing points at
    )


def _bare(value: Value) -> str:
    """A value as people name it: the 22 of ``t22:00``."""
    return value.normal.removeprefix("t").removesuffix(":00") if value.kind == "time" else value.normal.casefold()


# --- what fits


def _other_thing(pair: _Pair, now: Topic) -> bool:
    """Whether a shared word belongs to two things: "bedroom heating" and "kitchen heating", "dock 4" and "dock 5"."""
    was = pair.was
    for word in was.beside.keys() & now.beside.keys():
        one, other = was.beside[word], now.beside[word]
        if not one & other and not one & now.words and not other & was.words:
            return True
    labels = {word for word in was.labels.keys() & now.labels.keys() if was.labels[word] != now.labels[word]}
    measured = any(kind not in ("", "code", "name") and not kind.startswith("#") for kind in pair.differs)
    return bool(labels) and (measured or not pair.differs) and not pair.named


def _other_situation(pair: _Pair, said: _Said) -> bool:
    """Two situations that share no word. One beside none is an exception, unless the other statement speaks of it too."""
    old, new = pair.old, said.new
    if _lacking(new) & pair.was.words or _lacking(old) & said.now.words:
        return True
    if same_qualifier(old.qualifier, new.qualifier):
        return False
    mine, theirs = (_circumstance(record, pair.differs) for record in (new, old))
    if mine and theirs:
        return not mine & theirs
    return not mine <= _terms(old) or not theirs <= _terms(new)


def _circumstance(record: Record, differs: frozenset[str]) -> set[str]:
    """The words of a qualifier; none where it is the value itself ("on Thursdays" beside "on Wednesdays")."""
    qualifier = record.qualifier or ""
    kinds = {value.kind for value in topic_of(qualifier).values}
    return set() if kinds and kinds <= differs else telling(qualifier)


def _terms(record: Record) -> set[str]:
    return telling(f"{record.statement} {record.quote}")


def _lacking(record: Record) -> frozenset[str]:
    """What a statement does without: a signing "with no interpreter" is another than one with. "No calls" forbids them."""
    pattern = _WITHOUT if record.negation else _LACKS
    return frozenset(stem(match[1]) for match in pattern.finditer(fold(record.statement)))


# --- bonds

#: Kinds that also stand in talk of anything else.
_LOOSE = frozenset({"name", "code"})
_MOMENTS = frozenset({"time", "day", "weekday"})


def _corrects(pair: _Pair, said: _Said, policy: Policy) -> bool:
    if _adds(said.new.statement) or (said.doubted and not _other_voice(pair.old, said.new)):
        return False
    if pair.ended and pair.shared >= policy.named_overlap:
        return True
    if pair.named:
        return (said.correction or said.news) and pair.shared >= policy.named_overlap
    if _updates(pair, said, policy):
        return True
    if not said.correction or not pair.differs or (_other_voice(pair.old, said.new) and not said.news):
        return False
    if pair.differs <= _LOOSE:
        return pair.shared >= policy.topic_overlap + (0.0 if _same_slot(pair.was, said.now) else policy.named_overlap)
    return pair.shared >= policy.topic_overlap or pair.covered


def _updates(pair: _Pair, said: _Said, policy: Policy) -> bool:
    """Whether the same person gives, days later, another figure of the same thing: as under a single key, that is news.

    The thing is the same where both name it, or one has all the words of the other: bulbs of the lobby are not those of the
    workshop. Times and dates are no figures: one thing happens on many of them."""
    same = pair.covered or bool(_named_by(pair.was) & _named_by(said.now))
    later = said.new.said_at - pair.old.said_at > policy.contradiction_window
    figures = bool(pair.differs) and pair.differs.isdisjoint(_MOMENTS | _LOOSE)
    own = not _other_voice(pair.old, said.new) and _spoken(said.new)
    return same and later and figures and own and len(pair.differs) == 1 and pair.shared >= policy.topic_overlap


def _same_slot(was: Topic, now: Topic) -> bool:
    """Whether two names stand behind the same word: "Dr Adeyemi" and "Dr Novak"."""
    gone, come = ({value.normal.split("-")[0] for value in topic.values if value.kind == "name"} for topic in (was, now))
    before = [
        frozenset().union(*(topic.beside.get(name, frozenset()) for name in names))
        for topic, names in ((was, gone - come), (now, come - gone))
    ]
    return bool(before[0] & before[1])


def _contradicts(pair: _Pair, said: _Said, policy: Policy) -> bool:
    new, old = said.new, pair.old
    if not (_spoken(old) or _spoken(new)) or _adds(new.statement):
        return False
    just_now = new.said_at - old.said_at <= policy.contradiction_window
    if just_now and _other_voice(old, new) and said.gone & {_bare(value) for value in pair.was.values}:
        return True
    if not pair.differs:
        return False
    if _slip(old, new, said.doubted):
        return pair.shared > 0
    return _other_voice(old, new) and pair.shared >= policy.topic_overlap


def _repeats(pair: _Pair, said: _Said, policy: Policy) -> bool:
    old, new = pair.old, said.new
    if pair.differs or old.negation != new.negation or difference(old.statement, new.statement):
        return False
    if not _spoken(new) or not pair.was.words & _plain_words(new):
        return False  # they meet in the quotation alone, so the statement is about something else
    enough = policy.named_overlap if old.negation else policy.topic_overlap
    if said.again and not says_again(old.statement) and pair.met >= enough:
        return True
    # two standing rules; sentences that agree in most words and differ in one ("not good", "not bad") differ in what counts
    rules = old.kind is Kind.CONSTRAINT and new.kind is Kind.CONSTRAINT and old.negation
    if not rules or pair.parallel or pair.part > policy.paraphrase_overlap or not _compatible(pair.was, said.now):
        return False
    alike = len(pair.was.values) > 1 and pair.was.values.keys() == said.now.values.keys()
    return pair.shared >= (policy.named_overlap if alike else policy.topic_overlap)


def _compatible(was: Topic, now: Topic) -> bool:
    """Whether one gives no value that the other does not give."""
    return was.values.keys() <= now.values.keys() or now.values.keys() <= was.values.keys()


def _spoken(record: Record) -> bool:
    return record.source.type in _SPOKEN


def _other_voice(old: Record, new: Record) -> bool:
    return old.author != new.author or _spoken(old) != _spoken(new)


def _slip(old: Record, new: Record, doubted: bool) -> bool:
    """Whether each names a code and the two differ in the order of letters, or in one letter where the speaker is in doubt.

    Items of a series differ in one letter too, and versions in anything.
    """
    codes = [{value.normal for value in topic_of(r.statement, r.language).values if value.kind == "code"} for r in (old, new)]
    return any(_nearly(a, b, doubted) for a in codes[0] - codes[1] for b in codes[1] - codes[0])


def _nearly(one: str, other: str, doubted: bool) -> bool:
    if len(one) != len(other) or "." in one + other:
        return False
    return sorted(one) == sorted(other) or (doubted and sum(a != b for a, b in zip(one, other, strict=True)) == 1)


def _adds(statement: str) -> bool:
    return _ADDS.search(statement.casefold()) is not None


# --- cues

_ENDED = r"(?:out|dead|gone|history|retired|no more|obsolete|out of (?:the )?\w+|weg|vorbei|raus|fini[es]?|terminée?|fuera)"
_IS_ENDED = rf"(?:is|are|'s|ist|est|c'est) (?:now |all )?(?:over|closed|finished|done|{_ENDED[3:-1]})"
_OVER = (
    re.compile(
        rf"(?:^|[.;,:!–—-] ?)(?:\w+ )?(?!(?:is|are|was|has|ist|est|now)\b)(?P<what>[\w-]+?) ?"
        rf"(?:{_IS_ENDED}|(?:was |has )?{_ENDED})"
        r"(?=$|[.;,:!)]| (?:now|since|as of|for good)\b)"
    ),
    re.compile(r"\b(?:instead of|rather than|no longer|not|statt|en vez de|au lieu de|replaces?|was) (?P<what>[\w.-]+)"),
    re.compile(r"(?<![\w.])(?P<what>[\w.-]+)(?:'s| is| was| are)? (?:not (?:true|right|correct)|wrong|incorrect|falsch|faux)\b"),
    re.compile(rf"\b(?:done|finished|{_ENDED[3:-1]}) (?:with|avec|mit|con) (?P<what>[\w-]+)"),
)
_ADDS = re.compile(
    r"\b(?:too(?=$|[,.;!)])|as well|in addition|additionally|on top of that|zusätzlich|außerdem|dazu noch|además|también|en plus|"
    r"aussi)(?!\w)"
)
_WITHOUT = re.compile(r"\b(?:with no|without|ohne|sin|sans) ([^\W\d_]{3,})")
_LACKS = re.compile(r"\b(?:no|without|ohne|kein\w{0,2}|sin|sans) ([^\W\d_]{3,})")
_AGAIN = re.compile(
    r"\b(?:(?:so|and|once|say) again|again:|once more|(?:as|like) (?:i|we|he|she)(?:'ve| have)? (?:said|told|mentioned|say)|"
    r"(?:i|we) (?:already )?said so|"
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
