"""What was said before and found too light to keep, and what is made of it once somebody answers it.

A statement that looks like something of the moment ("PRs go against develop") turns out to last when it is corrected, when
somebody contradicts it or says it again: then both sides go on record, the old one as what was so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onrecord.model.change import Add, Change, Flag, Supersede
from onrecord.model.record import Cardinality, Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.beside import other_voice
from onrecord.policy.correction.counterpart import Bond
from onrecord.policy.correction.kindred import kindred
from onrecord.policy.correction.neighbour import Neighbour
from onrecord.policy.correction.outcome import Case, Decision, joined, quoted
from onrecord.policy.correction.revalued import revalued
from onrecord.policy.defaults import Policy
from onrecord.policy.language.doubt import is_doubtful, is_news


def answered(
    candidate: Candidate, new: Record, near: Sequence[Neighbour], light: Sequence[Neighbour], policy: Policy, *, alone: bool
) -> Decision | None:
    """What is to happen if ``new`` answers one of ``light``, more likely than anything of ``near`` on record; else ``None``.

    ``alone`` tells that ``new`` is kept whatever is there: of two light ones it has to be surer that they belong together.
    """
    bare = [n.record for n in light if _bare(n.record, new)]
    if bare:
        old = max(bare, key=lambda one: (one.said_at, one.id))
        return _both(Case(candidate, new, policy, policy.answer), old, _of_bare(candidate, new, old, policy))
    olds = [n for n in (*near, *light) if n.record.said_at <= new.said_at and n.record.source.ref != new.source.ref]
    floors = policy.answer if alone else policy.answer_light
    meant = {n.record.id for n in light}
    found = kindred(candidate, new, [(n.record, n.meaning) for n in olds], floors, policy, meant=meant) if light else None
    if found is None:
        return None
    return _both(Case(candidate, new, policy, floors), found.record, found.bond)


def _bare(old: Record, new: Record) -> bool:
    """Whether an earlier bare statement gives in the same words another value of what has one alone."""
    several = new.key is not None and new.cardinality is Cardinality.MULTI
    told = old.said_at <= new.said_at and old.source.ref != new.source.ref and old.negation == new.negation
    return told and not several and revalued(old.statement, new.statement)


def _of_bare(candidate: Candidate, new: Record, old: Record, policy: Policy) -> Bond:
    """The same speaker corrects with a word of correction, or a day later; else the two stand against each other."""
    if other_voice(old, new) or is_doubtful(candidate.quote or candidate.statement):
        return Bond.CONTRADICTS
    later = new.said_at - old.said_at > policy.contradiction_window
    return Bond.CORRECTS if candidate.correction or later or is_news(new.statement) else Bond.CONTRADICTS


def _both(case: Case, old: Record, bond: Bond) -> Decision:
    why = f"{quoted(old)} was too light alone; {quoted(case.new)} speaks of it again"
    kept = Add(reason=f"{why}, so it lasts.", record=old)
    if bond is Bond.REPEATS:
        again = joined(case, old)
        return replace(again, changes=(kept, *again.changes), answers=True)
    change: Change
    if bond is Bond.CORRECTS:
        change = Supersede(reason=f"{why} and takes its place.", old=old.id, version=old.version, record=case.new)
    else:
        change = Flag(reason=f"{why} and contradicts it, so both are kept.", ids=(old.id,), record=case.new)
    return Decision((kept, change), change.reason, answers=True)
