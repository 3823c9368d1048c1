"""Which older statement a new one answers to: the one it corrects, contradicts or repeats, where no key says so.

Shared words only nominate. A correction needs a cue and either names what is over or gives another value of the same kind; a
contradiction needs another voice, a doubt or a slip of the pen; a repetition says itself that it is one. What stands beside a
shared word has to fit: the heating of the kitchen is no news of the heating of the bedroom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from onrecord.model.record import Kind, Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.beside import (
    LOOSE,
    Beside,
    Said,
    adds,
    all_beside,
    bare,
    heard,
    named_by,
    other_situation,
    other_thing,
    other_voice,
    plain_words,
    spoken,
)
from onrecord.policy.correction.several import of_several
from onrecord.policy.correction.topic import Topic, topic_of
from onrecord.policy.defaults import Policy
from onrecord.policy.language.again import says_again
from onrecord.policy.language.polarity import difference


class Bond(StrEnum):
    """How a new statement stands to an old one."""

    CORRECTS = "corrects"
    CONTRADICTS = "contradicts"
    REPEATS = "repeats"


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The old record and the bond to it. ``plain``: the new statement names what is over, or its value.

    ``part`` is the part of the old record that the new statement speaks of, where that is known."""

    record: Record
    bond: Bond
    plain: bool
    part: Record | None = None


def counterpart(candidate: Candidate, new: Record, current: Sequence[Record], policy: Policy) -> Counterpart | None:
    """The one old record that ``new`` answers to, or ``None`` if there is none or several would do."""
    said = heard(candidate, new)
    pairs = [pair for pair in all_beside(said, current) if pair.old.said_at <= new.said_at]
    for bond, test in ((Bond.CORRECTS, _corrects), (Bond.REPEATS, _repeats), (Bond.CONTRADICTS, _contradicts)):
        fitting = (pair for pair in pairs if test(pair, said, policy) and _fits(pair, said))
        found = sorted(fitting, key=_rank, reverse=True)
        if found and (len(found) == 1 or _rank(found[0]) > _rank(found[1])):
            return Counterpart(found[0].old, bond, _rank(found[0])[0])
    return None


def _fits(pair: Beside, said: Said) -> bool:
    apart = other_thing(pair, said.now) or other_situation(pair, said)
    return not apart and not of_several(pair.old.statement, said.new.statement)


def _rank(pair: Beside) -> tuple[bool, float]:
    return pair.named or pair.ended, round(pair.shared, 2)


# --- bonds

_MOMENTS = frozenset({"time", "day", "weekday"})


def _corrects(pair: Beside, said: Said, policy: Policy) -> bool:
    if adds(said.new.statement) or (said.doubted and not other_voice(pair.old, said.new)):
        return False
    if pair.ended and pair.shared >= policy.named_overlap:
        return True
    if pair.named:
        return (said.correction or said.news) and pair.shared >= policy.named_overlap
    if _updates(pair, said, policy):
        return True
    if not said.correction or not pair.differs or (other_voice(pair.old, said.new) and not said.news):
        return False
    if pair.differs <= LOOSE:
        return pair.shared >= policy.topic_overlap + (0.0 if _same_slot(pair.was, said.now) else policy.named_overlap)
    return pair.shared >= policy.topic_overlap or pair.covered


def _updates(pair: Beside, said: Said, policy: Policy) -> bool:
    """Whether the same person gives, days later, another figure of the same thing: as under a single key, that is news.

    The thing is the same where both name it, or one has all the words of the other: bulbs of the lobby are not those of the
    workshop. Times and dates are no figures: one thing happens on many of them."""
    same = pair.covered or bool(named_by(pair.was) & named_by(said.now))
    later = said.new.said_at - pair.old.said_at > policy.contradiction_window
    figures = bool(pair.differs) and pair.differs.isdisjoint(_MOMENTS | LOOSE)
    own = not other_voice(pair.old, said.new) and spoken(said.new)
    return same and later and figures and own and len(pair.differs) == 1 and pair.shared >= policy.topic_overlap


def _same_slot(was: Topic, now: Topic) -> bool:
    """Whether two names stand behind the same word: "Dr Adeyemi" and "Dr Novak"."""
    gone, come = ({value.normal.split("-")[0] for value in topic.values if value.kind == "name"} for topic in (was, now))
    before = [
        frozenset().union(*(topic.beside.get(name, frozenset()) for name in names))
        for topic, names in ((was, gone - come), (now, come - gone))
    ]
    return bool(before[0] & before[1])


def _contradicts(pair: Beside, said: Said, policy: Policy) -> bool:
    new, old = said.new, pair.old
    if not (spoken(old) or spoken(new)) or adds(new.statement):
        return False
    just_now = new.said_at - old.said_at <= policy.contradiction_window
    if just_now and other_voice(old, new) and said.gone & {bare(value) for value in pair.was.values}:
        return True
    if not pair.differs:
        return False
    if _slip(old, new, said.doubted):
        return pair.shared > 0
    return other_voice(old, new) and pair.shared >= policy.topic_overlap


def _repeats(pair: Beside, said: Said, policy: Policy) -> bool:
    old, new = pair.old, said.new
    if pair.differs or old.negation != new.negation or difference(old.statement, new.statement):
        return False
    if not spoken(new) or not pair.was.words & plain_words(new):
        return False  # they meet in the quotation alone, so the statement is about something else
    enough = policy.named_overlap if old.negation else policy.topic_overlap
    if said.again and not says_again(old.statement) and pair.met >= enough:
        return True
    # two standing rules; sentences that agree in most words and differ in one ("not good", "not bad") differ in what counts
    rules = old.kind is Kind.CONSTRAINT and new.kind is Kind.CONSTRAINT and old.negation
    if not rules or pair.parallel or pair.part > policy.paraphrase_overlap or not compatible(pair.was, said.now):
        return False
    alike = len(pair.was.values) > 1 and pair.was.values.keys() == said.now.values.keys()
    return pair.shared >= (policy.named_overlap if alike else policy.topic_overlap)


def compatible(was: Topic, now: Topic) -> bool:
    """Whether one gives no value that the other does not give."""
    return was.values.keys() <= now.values.keys() or now.values.keys() <= was.values.keys()


def _slip(old: Record, new: Record, doubted: bool) -> bool:
    """Whether each names a code and the two differ in the order of its letters, or in one where the speaker is in doubt.

    They differ in no other figure: part 10 in bay 0010 and part 1 in bay 0001 are two things.

    Items of a series differ in one letter too, and versions in anything.
    """
    was, now = (topic_of(record.statement, record.language) for record in (old, new))
    codes = [{value.normal for value in topic.values if value.kind == "code"} for topic in (was, now)]
    slips = [(a, b) for a in codes[0] - codes[1] for b in codes[1] - codes[0] if _nearly(a, b, doubted)]
    return any(_figures(was) - {a} == _figures(now) - {b} for a, b in slips)


def _figures(topic: Topic) -> set[str]:
    """Every number and code of a statement, names of things among them ("part 10")."""
    return {value.normal for value in topic.values if value.kind != "name"} | set(topic.labels.values())


def _nearly(one: str, other: str, doubted: bool) -> bool:
    if len(one) != len(other) or "." in one + other:
        return False
    return sorted(one) == sorted(other) or (doubted and sum(a != b for a, b in zip(one, other, strict=True)) == 1)
