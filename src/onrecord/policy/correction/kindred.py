"""The old record that the pair model finds to be of one attribute with a new statement, and the bond that the two have.

The model names; guards decide. A repetition that gives another value, or in most of the words of the old one, is none; what adds
to the old one replaces nothing; and of two that are as likely neither is meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.model.record import Record
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
from onrecord.policy.correction.resemblance import Resemblance, resemblances
from onrecord.policy.correction.topic import TITLES
from onrecord.policy.defaults import Policy
from onrecord.policy.language.polarity import difference
from onrecord.policy.language.text import terms

_EVEN = 0.5
#: A sentence of fewer words has no other words for the same: it differs from another one in what it says.
_TOLD = 4


def kindred(candidate: Candidate, new: Record, olds: Sequence[tuple[Record, float | None]], policy: Policy) -> Counterpart | None:
    """The one old record of the same attribute, or ``None`` if none is likely enough or two are.

    ``olds`` come with the cosine of the embedder to ``new``; those without one are not looked at.
    """
    known = [(old, cosine) for old, cosine in olds if cosine is not None]
    if not known:
        return None
    said, rows = resemblances(candidate, new, [old for old, _ in known], [cosine for _, cosine in known])
    ranked = sorted(((weights().one.probability(row.features), row) for row in rows), key=lambda pair: -pair[0])
    sure, row = ranked[0]
    second = ranked[1][0] if len(ranked) > 1 else 0.0
    if sure < policy.kindred_floor or sure - second < policy.kindred_lead or _stands_beside(row.pair, said):
        return None
    bond = _bond(row, said, sure, policy)
    return Counterpart(row.pair.old, bond, row.pair.named or row.pair.ended) if bond else None


def _stands_beside(pair: Beside, said: Said) -> bool:
    """Whether both can be true: another situation, another thing, or words that say that the old one stays."""
    words = said.new.statement
    common = pair.was.words & said.now.words
    if common and common <= named_by(pair.was) | named_by(said.now) | TITLES and pair.differs <= LOOSE:
        return True  # they share a name alone, of which much can be said
    return other_situation(pair, said) or other_thing(pair, said.now) or adds(words) or leaves(words)


def _bond(row: Resemblance, said: Said, sure: float, policy: Policy) -> Bond | None:
    pair = row.pair
    if weights().repeats.probability(row.features) >= _EVEN:
        return Bond.REPEATS if _may_repeat(pair, said, policy) else None
    voice = other_voice(pair.old, said.new)
    cue = said.correction  # a mere "now" is in any talk
    if weights().contradicts.probability(row.features) >= _EVEN or (said.doubted and not voice):
        return Bond.CONTRADICTS if cue or sure >= policy.kindred_sure else None
    if cue:
        return Bond.CORRECTS
    if not said.news and pair.differs <= LOOSE:
        return None  # much can be said of one name
    later = said.new.said_at - pair.old.said_at > policy.contradiction_window
    return Bond.CORRECTS if later and sure >= policy.kindred_sure else None


def _may_repeat(pair: Beside, said: Said, policy: Policy) -> bool:
    """Whether nothing that counts differs and a telling word is shared.

    Sentences that agree in most words and differ in one differ in what counts.
    """
    old, new = pair.old, said.new
    if not pair.met or pair.differs or pair.parallel or old.negation != new.negation or difference(old.statement, new.statement):
        return False
    words = [set(terms(record.statement)) for record in (old, new)]
    least = min(map(len, words))
    if least < _TOLD or len(words[0] & words[1]) > policy.paraphrase_overlap * least:
        return False
    return pair.part <= policy.paraphrase_overlap and compatible(pair.was, said.now)
