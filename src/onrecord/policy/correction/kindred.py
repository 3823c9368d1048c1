"""The old record that the pair model finds to be of one attribute with a new statement, and the bond that the two have.

The model names; guards decide. Both are read part by part, and the parts that are most likely of one attribute speak for the
whole. A repetition that gives another value, or in most of the words of the old one, is none; what adds to the old one replaces
nothing; and of two that are as likely neither is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from onrecord.model.record import Kind, Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.beside import (
    LOOSE,
    Beside,
    Said,
    adds,
    leaves,
    named_by,
    other_situation,
    other_thing,
    other_voice,
)
from onrecord.policy.correction.bonds import weights
from onrecord.policy.correction.counterpart import Bond, Counterpart, compatible
from onrecord.policy.correction.resemblance import Comparison, Cosines, Resemblance, Sieve
from onrecord.policy.correction.several import of_several
from onrecord.policy.correction.topic import TITLES
from onrecord.policy.defaults import Policy
from onrecord.policy.language.polarity import difference
from onrecord.policy.language.text import terms
from onrecord.policy.weights import BondFloors

#: A sentence of fewer words has no other words for the same: it differs from another one in what it says.
_TOLD = 4


#: More than the last digit of a sum.
_ROUNDING = 1e-9


def kindred(
    candidate: Candidate,
    new: Record,
    olds: Sequence[tuple[Record, Cosines]],
    floors: BondFloors,
    policy: Policy,
    *,
    meant: Collection[str] | None = None,
) -> Counterpart | None:
    """The one old record of the same attribute, or ``None`` if none is likely enough by ``floors`` or two are.

    ``olds`` come with the cosines of the embedder; those without any are not looked at. ``meant`` are the ids of those that it
    has to be one of, if only these are of interest.
    """
    known = [(old, cosines) for old, cosines in olds if cosines]
    if not known:
        return None
    compared = Comparison(candidate, new, [old for old, _ in known], [cosines for _, cosines in known])
    if meant is not None:
        places = {place for place, (old, _) in enumerate(known) if old.id in meant}
        if not compared.promising(places, reaching(floors.one)):
            return None
    # what is not even as likely as the next best may be changes nothing
    found = compared.close(reaching(floors.one - floors.lead))
    ranked = sorted((_likeliest(rows) for rows in found if rows), key=lambda pair: -pair[0])
    if not ranked or (meant is not None and ranked[0][1].old.id not in meant):
        return None
    sure, row = ranked[0]
    second = ranked[1][0] if len(ranked) > 1 else 0.0
    if sure < floors.one or sure - second < floors.lead or _stands_beside(row.pair, row.said):
        return None
    bond = _bond(row, sure, floors, policy)
    part = None if row.pair.old is row.old else row.pair.old
    return Counterpart(row.old, bond, row.pair.named or row.pair.ended, part) if bond else None


def reaching(floor: float) -> Sieve:
    """Whether a pair may be as likely as that."""

    def sieve(known: Mapping[str, float]) -> Callable[[Mapping[str, float], frozenset[str]], bool]:
        ceiling = weights().one.knowing(known)
        return lambda more, open_: ceiling(more, open_) >= floor - _ROUNDING

    return sieve


def _likeliest(rows: Sequence[Resemblance]) -> tuple[float, Resemblance]:
    """The parts of the two that are most likely of one attribute."""
    return max(((weights().one.probability(row.features), row) for row in rows), key=lambda pair: pair[0])


def _stands_beside(pair: Beside, said: Said) -> bool:
    """Whether both can be true: another situation, another thing, or words that say that the old one stays."""
    words = said.new.statement
    common = pair.was.words & said.now.words
    if common and common <= named_by(pair.was) | named_by(said.now) | TITLES and pair.differs <= LOOSE:
        return True  # they share a name alone, of which much can be said
    apart = other_situation(pair, said) or other_thing(pair, said.now) or of_several(pair.old.statement, words)
    return apart or adds(words) or leaves(words)


def _bond(row: Resemblance, sure: float, floors: BondFloors, policy: Policy) -> Bond | None:
    """The likeliest of the three bonds, if it is likely enough: without a word that says that something changed more so."""
    pair, said = row.pair, row.said
    again = weights().repeats.probability(row.features)
    open_ = (1 - again) * weights().contradicts.probability(row.features)
    repeats, contradicts, replaces = sure * again, sure * open_, sure * (1 - again - open_)
    if repeats >= max(contradicts, replaces):
        likely = again >= policy.repeat_floor and repeats >= floors.again
        return Bond.REPEATS if likely and _may_repeat(row, policy) else None
    if contradicts >= replaces or (said.doubted and not other_voice(pair.old, said.new)):
        return Bond.CONTRADICTS if contradicts + replaces * said.doubted >= floors.bond else None
    if said.correction:
        return Bond.CORRECTS if replaces >= floors.bond else None
    later = said.new.said_at - pair.old.said_at > policy.contradiction_window
    floor = floors.bond if said.news else floors.unsaid
    return Bond.CORRECTS if later and replaces >= floor else None


def _may_repeat(row: Resemblance, policy: Policy) -> bool:
    """Whether nothing that counts differs, and a telling word is shared, or is not needed.

    Sentences that agree in most words and differ in one differ in what counts.
    """
    pair, old, new = row.pair, row.pair.old, row.said.new
    if pair.differs or pair.parallel or not (pair.met or _needs_no_word(row, policy)):
        return False
    if old.negation != new.negation or difference(old.statement, new.statement):
        return False
    words = [set(terms(record.statement)) for record in (old, new)]
    least = min(map(len, words))
    if least < _TOLD or len(words[0] & words[1]) > policy.paraphrase_overlap * least:
        return False
    return pair.part <= policy.paraphrase_overlap and compatible(pair.was, row.said.now)


def _needs_no_word(row: Resemblance, policy: Policy) -> bool:
    """Two prohibitions that are near in meaning, or a statement that says of itself that it was said before."""
    old, new = row.pair.old, row.said.new
    rules = old.kind is Kind.CONSTRAINT and new.kind is Kind.CONSTRAINT and old.negation and new.negation
    return row.features["cosine"] >= policy.repeat_nearness and (rules or row.said.again)
