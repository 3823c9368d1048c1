"""Deciding on candidates in tests: what was said, what is on record, and what reconcile makes of the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from onrecord.model.change import Change
from onrecord.model.record import Kind, Record, Source, SourceType, Status
from onrecord.model.scope import Scope
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.admit import candidate_record
from onrecord.policy.correction.neighbour import Neighbour
from onrecord.policy.correction.outcome import Decision
from onrecord.policy.correction.reconcile import reconcile
from onrecord.policy.defaults import Policy
from onrecord.policy.transition import steps

POLICY = Policy()
T0 = datetime(2026, 3, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def said(statement: str, *, id: str = "rec_new", at: datetime = T0, **fields: Any) -> Candidate:
    """A preference of ``user:ana``, said at ``at``; ``fields`` replace what it has."""
    base: dict[str, Any] = {
        "id": id,
        "tenant": "t",
        "subject": "user:ana",
        "scope": Scope.USER,
        "kind": Kind.PREFERENCE,
        "statement": statement,
        "source": Source(SourceType.USER_MESSAGE, f"turn_{id}"),
        "author": "ana",
        "said_at": at,
        "valid_from": at,
    }
    return Candidate(**(base | fields))


def on_record(statement: str, *, id: str = "rec_old", at: datetime = T0, status: Status = Status.ACTIVE, **fields: Any) -> Record:
    """The record that ``said`` would have become at its time."""
    record = candidate_record(said(statement, id=id, at=at, **fields), POLICY, at)
    return replace(record, status=status)


def decide(
    candidate: Candidate, *old: Record, cosine: float = 0.9, told: Mapping[str, tuple[str, ...]] | None = None
) -> Decision:
    """What becomes of the candidate beside ``old``; ``told`` are the words of their sources, by id. Fails unless every change can
    be carried out and gives its reason."""
    now = candidate.said_at
    near = [Neighbour(record, cosine, told=(told or {}).get(record.id, ())) for record in old]
    decision = reconcile(candidate, candidate_record(candidate, POLICY, now), near, POLICY)
    rows: dict[str, Record | None] = {record.id: record for record in old}
    for change in decision.changes:
        assert change.reason.endswith(".")
        for step in steps(change, rows.get):
            rows[step.record_id] = step.after
    return decision


def only(decision: Decision) -> Change:
    """The one change of a decision. Fails if there are more or none."""
    (change,) = decision.changes
    return change
