"""What arrives late: a statement that is read after what was said later, as if they had been read in the order they were said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onrecord.model.record import Record
from onrecord.model.verdict import Candidate
from onrecord.policy.capture.fields import corrects
from onrecord.policy.correction.counterpart import Counterpart, counterpart
from onrecord.policy.defaults import Policy


def answered_since(candidate: Candidate, new: Record, current: Sequence[Record], policy: Policy) -> Counterpart | None:
    """The one record said after ``new`` that answers it, and the bond of the two; ``None`` if none or several do."""
    later = [record for record in current if record.said_at > new.said_at]
    found = [(record, bound) for record in later if (bound := _bound(candidate, new, record, current, policy))]
    return replace(found[0][1], record=found[0][0], part=None) if len(found) == 1 else None


def _bound(candidate: Candidate, new: Record, later: Record, current: Sequence[Record], policy: Policy) -> Counterpart | None:
    """How ``later`` would have been bound to ``new`` if it had found it beside what else was on record then."""
    correction, named = corrects(later.statement, later.statement)
    spoken = replace(
        candidate,
        id=later.id,
        statement=later.statement,
        quote=later.quote,
        author=later.author,
        said_at=later.said_at,
        negation=later.negation,
        correction=correction,
        corrects=named,
    )
    then = [record for record in current if record.said_at <= later.said_at and record.id != later.id]
    bound = counterpart(spoken, later, [new, *then], policy)
    return bound if bound and bound.record.id == new.id else None
