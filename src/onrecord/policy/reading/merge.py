"""Rules and a model side by side: the model adds what rules did not propose, and both are judged by the same gate."""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.model.turn import Turn
from onrecord.model.verdict import Act
from onrecord.policy.defaults import Policy, Reading
from onrecord.policy.gate.judge import Judged, judge
from onrecord.policy.reading.point import Told


def merged(ruled: Sequence[Judged], told: Sequence[Told], turn: Turn, before: Sequence[Turn], policy: Policy) -> list[Judged]:
    """The candidates of a turn that rules proposed and a model pointed at, with their rulings, those of rules first.

    What both found is the rules'. By a model alone, rules only read requests to forget."""
    kept = [one for one in ruled if policy.reading is not Reading.MODEL or one.candidate.act is Act.FORGET]
    if any(one.candidate.act is Act.FORGET for one in kept):
        return list(kept)  # who asks that something be forgotten tells nothing beside it
    found = [Judged(one.candidate, one.refused or judge(one.candidate, turn, before, policy)) for one in told]
    return [*kept, *(one for one in found if not any(_covers(other, one) for other in kept))]


def _covers(ruled: Judged, other: Judged) -> bool:
    """Whether a candidate of the rules says what the other one says, and is kept, or is the same words and refused."""
    mine, theirs = ruled.candidate, other.candidate
    alike = theirs.statement in mine.quote or mine.statement in theirs.quote
    return mine.statement == theirs.statement or (ruled.ruling.accepted and alike)
