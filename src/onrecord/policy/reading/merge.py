"""Rules and a model side by side: the model adds what rules did not propose, and both are judged by the same gate."""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.model.turn import Turn
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.defaults import Policy, Reading
from onrecord.policy.gate.judge import Ruling, judge
from onrecord.policy.reading.point import Told

Judged = tuple[Candidate, Ruling]


def merged(ruled: Sequence[Judged], told: Sequence[Told], turn: Turn, before: Sequence[Turn], policy: Policy) -> list[Judged]:
    """The candidates of a turn that rules proposed and a model pointed at, with their rulings, those of rules first.

    What both found is the rules'. By a model alone, rules only read requests to forget."""
    kept = [one for one in ruled if policy.reading is not Reading.MODEL or one[0].act is Act.FORGET]
    if any(candidate.act is Act.FORGET for candidate, _ in kept):
        return list(kept)  # who asks that something be forgotten tells nothing beside it
    found = [(one.candidate, one.refused or judge(one.candidate, turn, before, policy)) for one in told]
    return [*kept, *(one for one in found if not any(_covers(other, one) for other in kept))]


def _covers(ruled: Judged, other: Judged) -> bool:
    """Whether a candidate of the rules says what the other one says, and is kept, or is the same words and refused."""
    mine, theirs = ruled[0].statement, other[0].statement
    return mine == theirs or (ruled[1].accepted and (theirs in ruled[0].quote or mine in other[0].quote))
