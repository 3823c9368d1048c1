"""A candidate as the record it would become: ends, ceilings and lengths filled in. Decides nothing about other records."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from onrecord.model.moment import FOREVER, as_utc
from onrecord.model.record import INFERENCE_CEILING, ExpiryBasis, Kind, Record, SourceType
from onrecord.model.verdict import Candidate
from onrecord.policy.defaults import Policy
from onrecord.policy.language.shorten import shortened
from onrecord.policy.language.vocabulary import DEFAULT, Vocabulary

#: What text that nobody vouches for can't say: how to treat a person, or what is to be done.
_NOT_FROM_OUTSIDE = frozenset({Kind.PREFERENCE, Kind.CONSTRAINT, Kind.PROCEDURE})
_OUTSIDE = frozenset({SourceType.TOOL_RESULT, SourceType.DOCUMENT})
#: What a record takes from its candidate as it is.
_SHARED = (
    "id tenant subject scope scope_ref origin key value cardinality negation qualifier source author language valid_from "
    "said_at pinned"
).split()


def candidate_record(candidate: Candidate, policy: Policy, now: datetime, vocabulary: Vocabulary = DEFAULT) -> Record:
    """The record that ``candidate`` would become, written at ``now``.

    An end that was not said is the default of the kind, or of identity, counted from when it was said. A model's guess is
    capped at its ceiling and never a constraint; what a tool or document says is never a preference, constraint or procedure.
    A statement of more than 240 characters is cut at the end of a sentence or word, and all of its words go to ``quote`` if
    that is empty.
    Raises ``InvalidInput`` where the candidate breaks a rule of records.
    """
    kind = _kind(candidate)
    guess = SourceType.MODEL_INFERENCE is candidate.source.type or kind is Kind.MODEL_INFERENCE
    statement = shortened(candidate.statement)
    shared: dict[str, Any] = {name: getattr(candidate, name) for name in _SHARED}
    return Record(
        **shared,
        kind=kind,
        statement=statement,
        quote=candidate.quote or ("" if statement == candidate.statement.strip() else candidate.statement),
        confidence=min(candidate.confidence, INFERENCE_CEILING) if guess else candidate.confidence,
        trust=min(candidate.trust, policy.trust.get(candidate.source.type, 1.0)),
        valid_until=candidate.valid_until or default_end(candidate, kind, policy, vocabulary),
        expiry_basis=candidate.expiry_basis if candidate.valid_until else ExpiryBasis.DEFAULT,
        written_at=now,
        metadata=dict(candidate.metadata),
        derived_from=candidate.derived_from or (candidate.source.ref,),
    )


def default_end(candidate: Candidate, kind: Kind, policy: Policy, vocabulary: Vocabulary = DEFAULT) -> datetime:
    """When a statement of this kind lapses if nobody said until when, in UTC."""
    span = policy.span(kind, identity=vocabulary.is_identity(candidate.key))
    return _later(max(as_utc(candidate.valid_from, "valid_from"), as_utc(candidate.said_at, "said_at")), span)


def _kind(candidate: Candidate) -> Kind:
    if candidate.source.type in _OUTSIDE and candidate.kind in _NOT_FROM_OUTSIDE:
        return Kind.TOOL_FACT
    if candidate.source.type is SourceType.MODEL_INFERENCE and candidate.kind is Kind.CONSTRAINT:
        return Kind.MODEL_INFERENCE
    return candidate.kind


def _later(start: datetime, span: timedelta) -> datetime:
    return FOREVER if span >= FOREVER - start else start + span
