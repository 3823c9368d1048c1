"""How much a new statement resembles each old one of its subject, as features of a small model: is it of the same attribute?

Meaning (the cosine of the embedder) is read against the rest of the subject: the nearest record by far is another matter than one
of ten that are as near. Words, classes of words, values, cues and voices say the rest. A feature is a name with a number, mostly
0..1. What the features mean is learned (``bonds``); nothing here decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import chain
from typing import TypeAlias

from onrecord.model.record import Kind, Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.beside import (
    Beside,
    Said,
    adds,
    all_beside,
    heard,
    holds,
    one_kind,
    other_situation,
    other_thing,
    other_voice,
    plain_words,
    spoken,
)
from onrecord.policy.correction.parts import record_parts, said_parts
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
    found: list[list[Resemblance]] = [[] for _ in olds]
    pieces = [record_parts(old) for old in olds]
    spoken = said_parts(candidate, new)
    for n, (words, part) in enumerate(spoken):
        seen = [k for k, known in enumerate(cosines) if n < len(known)]
        nearest = [_nearest(cosines[k][n]) for k in seen]
        reps = [pieces[k][j] for k, j in zip(seen, nearest, strict=True)]
        rows = _compared(words, part, reps, [cosines[k][n][j] for k, j in zip(seen, nearest, strict=True)])
        apart = dict(_apart(n, len(spoken), candidate.correction and not words.correction))
        for k, j, row in zip(seen, nearest, rows, strict=True):
            own = {"part old": float(j > 0), "parts old": min(len(pieces[k]), _PARTS) / _PARTS}
            found[k].append(replace(row, old=olds[k], features={**row.features, **apart, **own}))
    return found


def _nearest(row: Sequence[float]) -> int:
    return max(range(len(row)), key=row.__getitem__)


def _apart(n: int, parts: int, cue_elsewhere: bool) -> Iterator[tuple[str, float]]:
    yield "part new", float(n > 0)
    yield "parts new", min(parts, _PARTS) / _PARTS
    yield "cue elsewhere", float(cue_elsewhere)


def _compared(candidate: Candidate, new: Record, olds: Sequence[Record], cosines: Sequence[float]) -> list[Resemblance]:
    said = heard(candidate, new)
    pairs = all_beside(said, olds)
    counted = Counter(name for pair in pairs for name in _classes(pair.old))
    usual = _Set(nlargest(3, cosines), max((pair.shared for pair in pairs), default=0.0), counted)
    return [
        Resemblance(pair.old, said, pair, _features(said, pair, cosine, usual))
        for pair, cosine in zip(pairs, cosines, strict=True)
    ]


def _classes(record: Record) -> frozenset[str]:
    return concepts(record.statement)


def _features(said: Said, pair: Beside, cosine: float, usual: _Set) -> dict[str, float]:
    parts = _meaning(cosine, usual), _words(said, pair, usual), _values(said, pair), _cues(said, pair), _circumstances(said, pair)
    found = dict(chain.from_iterable(parts))
    found.update([(f"{one} & {other}", found[one] * found[other]) for one, other in _TOGETHER])
    return found


def _meaning(cosine: float, usual: _Set) -> Iterator[tuple[str, float]]:
    best, second, third = (*usual.nearest, 0.0, 0.0, 0.0)[:3]
    second = max(second, _USUAL)
    first = cosine >= best
    yield "cosine", cosine
    yield "near", max(0.0, cosine - _NEAR) * 2
    yield "nearest", float(first and cosine > _USUAL)
    yield "lead", max(0.0, min(0.3, cosine - second)) / 0.3 if first else 0.0
    yield "behind", min(0.4, best - cosine) / 0.4
    yield "among three", float(len(usual.nearest) < 3 or cosine >= third)


def _words(said: Said, pair: Beside, usual: _Set) -> Iterator[tuple[str, float]]:
    mine, theirs = _classes(said.new), _classes(pair.old)
    common = mine & theirs
    yield "shared", min(pair.shared, 4.0) / 4
    yield "shared some", float(pair.shared >= 0.5)
    yield "shared one", float(pair.shared >= 1)
    yield "shared two", float(pair.shared >= 2)
    yield "shared most", float(pair.shared > 0 and pair.shared >= usual.most_shared)
    yield "met", min(pair.met, 4.0) / 4
    yield "part", pair.part
    yield "covered", float(pair.covered)
    yield "parallel", float(pair.parallel)
    yield "classes", min(len(common), 4) / 4
    yield "rare classes", min(2.0, sum(1 / usual.classes[name] for name in common)) / 2
    yield "classes part", len(common) / max(1, min(len(mine), len(theirs)))
    yield "key words", float(any(word.startswith("key:") for word in pair.was.words & said.now.words))
    yield "same key", float(said.new.key is not None and said.new.key == pair.old.key)
    yield "other key", float(said.new.key is not None and pair.old.key is not None and said.new.key != pair.old.key)
    yield "other thing", float(other_thing(pair, said.now))
    yield "other situation", float(other_situation(pair, said))
    yield "short new", max(0.0, 1 - len(plain_words(said.new)) / 10)
    yield "long old", min(len(pair.old.statement.split()), _LONG) / _LONG
    yield "long new", min(len(said.new.statement.split()), _LONG) / _LONG


def _family(kind: str) -> str:
    """Units and counted things are figures; the other kinds of value stand for themselves."""
    return kind if kind in ("time", "weekday", "day", "code", "name") else "figure"


def _values(said: Said, pair: Beside) -> Iterator[tuple[str, float]]:
    was, now = pair.was.values, said.now.values
    same = {_family(value.kind) for value in now if holds(pair.was, value)}
    come = {value for value in now if not holds(pair.was, value)}
    gone = {value for value in was if not holds(said.now, value)}
    met = {_family(a.kind) for a in come for b in gone if one_kind(a, b)}
    for family in ("figure", "time", "weekday", "day", "code", "name"):
        yield f"same {family}", float(family in same)
        yield f"other {family}", float(family in met)
    beside = {_family(kind) for kind in pair.differs}
    yield "other value beside", float(bool(beside - {"name", "code"}))
    yield "other name beside", float(bool(beside & {"name", "code"}))
    yield "other value", float(bool(met))
    yield "one kind", float(bool({_family(v.kind) for v in was} & {_family(v.kind) for v in now}))
    yield "same values", float(bool(was) and was.keys() == now.keys())
    yield "none differ", float(not come or not gone)
    yield "named", float(pair.named)
    yield "ended", float(pair.ended)


def _cues(said: Said, pair: Beside) -> Iterator[tuple[str, float]]:
    yield "news", float(said.news)
    yield "correction", float(said.correction)
    yield "any news", float(said.news or said.correction)
    yield "again", float(said.again)
    yield "doubted", float(said.doubted)
    yield "adds", float(adds(said.new.statement))
    yield "gone", float(bool(said.gone))
    yield "same polarity", float(pair.old.negation == said.new.negation)
    yield "both deny", float(pair.old.negation and said.new.negation)
    yield "now denied", float(said.new.negation and not pair.old.negation)
    yield "now allowed", float(pair.old.negation and not said.new.negation)


def _circumstances(said: Said, pair: Beside) -> Iterator[tuple[str, float]]:
    old, new = pair.old, said.new
    gap = (new.said_at - old.said_at).total_seconds()
    yield "at once", float(gap < 60)
    yield "same day", float(gap < _DAY)
    yield "after a week", float(gap > _WEEK)
    yield "after a month", float(gap > _MONTH)
    yield "other voice", float(other_voice(old, new))
    yield "from data", float(not spoken(new))
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
