"""Contests: whether two records that somebody calls contradictory can indeed not both be true.

Whoever says so only nominates. What is flagged is kept and shown with both sides, so a wrong flag loses nothing; but it casts
doubt on what is true, and so the words have to bear it out: the two are of one thing in one situation, and give it different
values, or one denies what the other states.
"""

from __future__ import annotations

from onrecord.model.change import Flag
from onrecord.model.record import Cardinality, Kind, Record
from onrecord.policy.consolidation.merge import may_merge
from onrecord.policy.correction.beside import LOOSE, Beside, Said, adds, all_beside, leaves, other_situation, other_thing, spoken
from onrecord.policy.correction.topic import topic_of
from onrecord.policy.defaults import Policy
from onrecord.policy.language.polarity import difference


def contest(old: Record, new: Record, policy: Policy, run: str) -> Flag | None:
    """The flag on two records of which only one can be true, or ``None`` where both can; ``new`` was said later."""
    said = Said(new, topic_of(new.statement, new.language))
    pair = all_beside(said, [old])[0]
    if not _comparable(old, new) or adds(new.statement) or leaves(new.statement):
        return None
    if other_thing(pair, said.now) or other_situation(pair, said) or not _at_odds(pair, new, policy):
        return None
    return Flag(ids=(old.id, new.id), reason=f"“{old.statement}” and “{new.statement}” cannot both be true ({run})")


def _comparable(old: Record, new: Record) -> bool:
    """Whether both are in force, undisputed, said by people of one memory, and not two of what there may be several of."""
    placed = all(getattr(old, name) == getattr(new, name) for name in ("tenant", "subject", "scope", "scope_ref"))
    several = old.key == new.key and Cardinality.MULTI in (old.cardinality, new.cardinality)
    happened = Kind.EPISODE in (old.kind, new.kind)
    return placed and may_merge(old) and may_merge(new) and spoken(old) and spoken(new) and not several and not happened


def _at_odds(pair: Beside, new: Record, policy: Policy) -> bool:
    """Whether they give different values of one thing, or one denies most of the words of the other."""
    if difference(pair.old.statement, new.statement):
        return True
    if pair.differs - LOOSE:
        return pair.covered or pair.shared >= policy.topic_overlap
    return pair.old.negation != new.negation and pair.part > policy.paraphrase_overlap
