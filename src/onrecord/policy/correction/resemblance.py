"""How much a new statement resembles each old one of its subject, as features of a small model: is it of the same attribute?

Meaning (the cosine of the embedder) is read against the rest of the subject: the nearest record by far is another matter than one
of ten that are as near. Words, classes of words, values, cues and voices say the rest. A feature is a name with a number, mostly
0..1. What the features mean is learned (``bonds``); nothing here decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from heapq import nlargest
from itertools import chain
from typing import TypeAlias

from onrecord.model.record import Kind, Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.beside import (
    Among,
    Beside,
    Said,
    adds,
    heard,
    holds,
    one_kind,
    other_situation,
    other_thing,
    other_voice,
    plain_words,
    spoken,
    whole_topic,
)
from onrecord.policy.correction.parts import count_of, record_part, said_parts
from onrecord.policy.correction.topic import Topic
from onrecord.policy.language.concepts import concepts
from onrecord.policy.language.values import same_qualifier

_DAY, _WEEK, _MONTH = 86_400.0, 7 * 86_400.0, 30 * 86_400.0
#: From this cosine on two statements are near by any measure; below it most pairs of a subject lie.
_NEAR = 0.35
#: How near the next record of a subject usually is: the nearest of one or two is near only beyond that.
_USUAL = 0.3
_LONG = 40
_PARTS = 6


#: Cosines of the embedder: a row for the new statement and each of its parts, a column for the old one and each of its parts.
Cosines: TypeAlias = Sequence[Sequence[float]]
#: Made of the features of a new statement alone: whether a pair with it is worth reading closely, by those of its features that
#: are cheap to tell, and the names of those that may be anything 0..1; all others are 0, but for products (``a & b``).
Sieve: TypeAlias = Callable[[Mapping[str, float]], Callable[[Mapping[str, float], frozenset[str]], bool]]


@dataclass(frozen=True, slots=True)
class Resemblance:
    """An old record, or the part of it that is nearest, beside the new statement or a part of it, with the features of the pair.

    ``old`` is the record itself; ``pair`` holds what is compared of it.
    """

    old: Record
    said: Said
    pair: Beside
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Set:
    """What is usual among the old records: the three highest cosines, the largest overlap, and the classes of all of them."""

    nearest: Sequence[float]
    most_shared: float
    classes: Counter[str]


def resemblances(
    candidate: Candidate, new: Record, olds: Sequence[Record], cosines: Sequence[Cosines]
) -> list[list[Resemblance]]:
    """For each of ``olds`` its resemblance to the new statement, and to each part of that, in their order.

    Of an old record that part is compared which is nearest. Parts that the cosines do not reach are not looked at.
    """
    return Comparison(candidate, new, olds, cosines).close()


class Comparison:
    """A new statement and its parts beside old ones: at a glance, and closely, which is most of what a comparison costs."""

    def __init__(self, candidate: Candidate, new: Record, olds: Sequence[Record], cosines: Sequence[Cosines]) -> None:
        spoken = said_parts(candidate, new)
        self._olds = olds
        self._rows = [_Row(n, spoken, candidate.correction, olds, cosines) for n in range(len(spoken))]

    def promising(self, places: Collection[int], worth: Sieve) -> bool:
        """Whether any pair with the old records at these places may be worth a close look."""
        return any(row.worth(worth, places) for row in self._rows)

    def close(self, worth: Sieve | None = None) -> list[list[Resemblance]]:
        """The resemblances; without the pairs that are not worth it, where that is asked."""
        found: list[list[Resemblance]] = [[] for _ in self._olds]
        for row in self._rows:
            for place, one in row.close(row.worth(worth)):
                found[place].append(replace(one, old=self._olds[place]))
        return found


class _Row:
    """The ``n``-th part of a new statement beside the nearest part of each old one that its cosines reach."""

    def __init__(
        self,
        n: int,
        spoken: Sequence[tuple[Candidate, Record]],
        correction: bool,
        olds: Sequence[Record],
        cosines: Sequence[Cosines],
    ) -> None:
        words, part = spoken[n]
        self._said = heard(words, part)
        self._places = [k for k, known in enumerate(cosines) if n < len(known)]
        nearest = [_nearest(cosines[k][n]) for k in self._places]
        self._cosines = [cosines[k][n][j] for k, j in zip(self._places, nearest, strict=True)]
        self._reps = [record_part(olds[k], j) for k, j in zip(self._places, nearest, strict=True)]
        self._nearest = nlargest(3, self._cosines)
        self._apart = dict(_apart(n, len(spoken), correction and not words.correction))
        self._frames = [
            {"part old": float(j > 0), "parts old": min(count_of(olds[k]), _PARTS) / _PARTS}
            for k, j in zip(self._places, nearest, strict=True)
        ]

    def worth(self, worth: Sieve | None, among: Collection[int] | None = None) -> list[int]:
        """Which pairs are worth a close look, by their numbers here; among the old records at some places, or all."""
        wanted = [i for i, place in enumerate(self._places) if among is None or place in among]
        if worth is None or not wanted:
            return wanted
        test = worth({**dict(_cues(self._said)), **self._apart})
        return [i for i in wanted if test(*self._glance(i))]

    def close(self, numbers: Sequence[int]) -> Iterator[tuple[int, Resemblance]]:
        """The resemblances of these pairs, with the places of their old records."""
        if not numbers:
            return
        said, among = self._said, Among(self._said, self._reps)
        counted = Counter(name for old in self._reps for name in _classes(old))
        usual = _Set(self._nearest, among.most_shared(), counted)
        for i, pair in zip(numbers, among.pairs(numbers), strict=True):
            features = {**_features(said, pair, self._cosines[i], usual), **self._apart, **self._frames[i]}
            yield self._places[i], Resemblance(pair.old, said, pair, features)

    def _glance(self, i: int) -> tuple[dict[str, float], frozenset[str]]:
        """What a sieve is asked of a pair: the features that need neither the words of the two nor the other old records, and the
        names of those that may hold, since the two have words or kinds of values in common."""
        said, old, was = self._said, self._reps[i], whole_topic(self._reps[i])
        told = _meaning(self._cosines[i], self._nearest), _polarity(said, old), _circumstances(said, old), _sizes(said, old)
        known = dict(chain(*told), **self._frames[i])
        families = _families(was) & _families(said.now) if was.values and said.now.values else frozenset[str]()
        known["one kind"] = float(bool(families))
        if not families:
            known["none differ"] = float(not was.values or not said.now.values)
        return known, _open(not was.words.isdisjoint(said.now.words), families)


def _nearest(row: Sequence[float]) -> int:
    return max(range(len(row)), key=row.__getitem__)


def _apart(n: int, parts: int, cue_elsewhere: bool) -> Iterator[tuple[str, float]]:
    yield "part new", float(n > 0)
    yield "parts new", min(parts, _PARTS) / _PARTS
    yield "cue elsewhere", float(cue_elsewhere)


def _classes(record: Record) -> frozenset[str]:
    return concepts(record.statement)


def _features(said: Said, pair: Beside, cosine: float, usual: _Set) -> dict[str, float]:
    read = _words(said, pair, usual), _values(said, pair)
    known = _cues(said), _polarity(said, pair.old), _circumstances(said, pair.old)
    found = dict(chain(_meaning(cosine, usual.nearest), *read, *known))
    found.update([(f"{one} & {other}", found[one] * found[other]) for one, other in _TOGETHER])
    return found


def _meaning(cosine: float, nearest: Sequence[float]) -> Iterator[tuple[str, float]]:
    best, second, third = (*nearest, 0.0, 0.0, 0.0)[:3]
    second = max(second, _USUAL)
    first = cosine >= best
    yield "cosine", cosine
    yield "near", max(0.0, cosine - _NEAR) * 2
    yield "nearest", float(first and cosine > _USUAL)
    yield "lead", max(0.0, min(0.3, cosine - second)) / 0.3 if first else 0.0
    yield "behind", min(0.4, best - cosine) / 0.4
    yield "among three", float(len(nearest) < 3 or cosine >= third)


def _words(said: Said, pair: Beside, usual: _Set) -> Iterator[tuple[str, float]]:
    common = _classes(said.new) & _classes(pair.old)
    yield "shared", min(pair.shared, 4.0) / 4
    yield "shared some", float(pair.shared >= 0.5)
    yield "shared one", float(pair.shared >= 1)
    yield "shared two", float(pair.shared >= 2)
    yield "shared most", float(pair.shared > 0 and pair.shared >= usual.most_shared)
    yield "met", min(pair.met, 4.0) / 4
    yield "part", pair.part
    yield "covered", float(pair.covered)
    yield "parallel", float(pair.parallel)
    yield "rare classes", min(2.0, sum(1 / usual.classes[name] for name in common)) / 2
    yield "key words", float(any(word.startswith("key:") for word in pair.was.words & said.now.words))
    yield "other thing", float(other_thing(pair, said.now))
    yield "other situation", float(other_situation(pair, said))
    yield from _sizes(said, pair.old)


def _sizes(said: Said, old: Record) -> Iterator[tuple[str, float]]:
    new, mine, theirs = said.new, _classes(said.new), _classes(old)
    common = len(mine & theirs)
    yield "classes", min(common, 4) / 4
    yield "classes part", common / max(1, min(len(mine), len(theirs)))
    yield "same key", float(new.key is not None and new.key == old.key)
    yield "other key", float(new.key is not None and old.key is not None and new.key != old.key)
    yield "long old", min(len(old.statement.split()), _LONG) / _LONG


#: The families of values: units and counted things are figures, the other kinds stand for themselves.
_FAMILIES = ("figure", "time", "weekday", "day", "code", "name")
#: Features that say nothing where two statements share no word, where they have no family of values in common, or either.
_OF_WORDS = frozenset(
    ("shared", "shared some", "shared one", "shared two", "shared most", "met", "part", "covered", "key words", "ended")
)
_OF_VALUES = frozenset(("other value", "same values", "none differ", "named"))
_OF_BOTH = frozenset(("other value beside", "other name beside"))
_ALWAYS_OPEN = frozenset(("parallel", "rare classes", "other thing", "other situation", "ended"))


@cache
def _open(common: bool, families: frozenset[str]) -> frozenset[str]:
    """What may hold of two statements with words or families of values in common."""
    values = {f"{how} {family}" for family in families for how in ("same", "other")} | _OF_VALUES if families else set[str]()
    return _ALWAYS_OPEN | (_OF_WORDS if common else set()) | values | (_OF_BOTH if common and families else set())


def _family(kind: str) -> str:
    return kind if kind in _FAMILIES else "figure"


def _families(topic: Topic) -> frozenset[str]:
    return frozenset(_family(value.kind) for value in topic.values)


def _values(said: Said, pair: Beside) -> Iterator[tuple[str, float]]:
    was, now = pair.was.values, said.now.values
    same = {_family(value.kind) for value in now if holds(pair.was, value)}
    come = {value for value in now if not holds(pair.was, value)}
    gone = {value for value in was if not holds(said.now, value)}
    met = {_family(a.kind) for a in come for b in gone if one_kind(a, b)}
    for family in _FAMILIES:
        yield f"same {family}", float(family in same)
        yield f"other {family}", float(family in met)
    beside = {_family(kind) for kind in pair.differs}
    yield "other value beside", float(bool(beside - {"name", "code"}))
    yield "other name beside", float(bool(beside & {"name", "code"}))
    yield "other value", float(bool(met))
    yield "one kind", float(bool(_families(pair.was) & _families(said.now)))
    yield "same values", float(bool(was) and was.keys() == now.keys())
    yield "none differ", float(not come or not gone)
    yield "named", float(pair.named)
    yield "ended", float(pair.ended)


def _cues(said: Said) -> Iterator[tuple[str, float]]:
    yield "news", float(said.news)
    yield "correction", float(said.correction)
    yield "any news", float(said.news or said.correction)
    yield "again", float(said.again)
    yield "doubted", float(said.doubted)
    yield "adds", float(adds(said.new.statement))
    yield "gone", float(bool(said.gone))
    yield "short new", max(0.0, 1 - len(plain_words(said.new)) / 10)
    yield "long new", min(len(said.new.statement.split()), _LONG) / _LONG
    yield "from data", float(not spoken(said.new))


def _polarity(said: Said, old: Record) -> Iterator[tuple[str, float]]:
    yield "same polarity", float(old.negation == said.new.negation)
    yield "both deny", float(old.negation and said.new.negation)
    yield "now denied", float(said.new.negation and not old.negation)
    yield "now allowed", float(old.negation and not said.new.negation)


def _circumstances(said: Said, old: Record) -> Iterator[tuple[str, float]]:
    new = said.new
    gap = (new.said_at - old.said_at).total_seconds()
    yield "at once", float(gap < 60)
    yield "same day", float(gap < _DAY)
    yield "after a week", float(gap > _WEEK)
    yield "after a month", float(gap > _MONTH)
    yield "other voice", float(other_voice(old, new))
    yield "old from data", float(not spoken(old))
    yield "two data", float(not spoken(new) and not spoken(old))
    yield "same kind", float(old.kind == new.kind)
    yield "two rules", float(old.kind is Kind.CONSTRAINT and new.kind is Kind.CONSTRAINT)
    yield "other tongue", float(old.language != new.language)
    yield "same situation", float(same_qualifier(old.qualifier, new.qualifier))
    yield "both situated", float(bool(old.qualifier and new.qualifier))


#: Features that say more together than each alone.
_TOGETHER = (
    ("near", "nearest"),
    ("near", "any news"),
    ("near", "again"),
    ("near", "other value"),
    ("near", "shared one"),
    ("near", "rare classes"),
    ("nearest", "any news"),
    ("nearest", "shared most"),
    ("nearest", "other value beside"),
    ("lead", "any news"),
    ("shared", "any news"),
    ("shared", "other value"),
    ("shared", "other voice"),
    ("rare classes", "any news"),
    ("rare classes", "other value"),
    ("other value beside", "any news"),
    ("same values", "near"),
    ("both deny", "near"),
    ("both deny", "shared"),
    ("now allowed", "near"),
    ("now denied", "near"),
    ("none differ", "near"),
    ("none differ", "again"),
    ("two rules", "near"),
)
