"""Decay: how much of a record's confidence is left at a time. Computed when read, never written into the record.

Retention halves with every half-life of the record's kind since it was last said or used, as forgetting does at a constant rate
(Ebbinghaus 1885 has the steeper curve of syllables; what is kept here is meaningful). Use stretches the half-life.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from onrecord.model.change import Archive
from onrecord.model.record import Kind, Record, Status, Usage
from onrecord.policy.defaults import Policy
from onrecord.policy.language.vocabulary import DEFAULT, Vocabulary


def fades(record: Record) -> bool:
    """Whether time takes anything from it. Constraints, negations and what is pinned stay as they are; a contradiction stays
    until somebody settles it."""
    return record.status is Status.ACTIVE and not (record.pinned or record.negation or record.kind is Kind.CONSTRAINT)


def retention(record: Record, usage: Usage, now: datetime, policy: Policy, vocabulary: Vocabulary = DEFAULT) -> float:
    """The share (0..1) of its confidence that a record has kept: 1 for one that does not fade or was said or used just now."""
    if not fades(record):
        return 1.0
    last = max(record.said_at, usage.last_reinforced_at or record.said_at)
    half_life = policy.half_life.get(record.kind, policy.default_half_life)
    if vocabulary.is_identity(record.key):
        half_life = max(half_life, policy.identity_half_life)
    age = max((now - last).total_seconds(), 0.0)
    kept: float = 0.5 ** (age / (half_life.total_seconds() * stretch(usage, policy)))
    return kept


def stretch(usage: Usage, policy: Policy) -> float:
    """How many times longer a half-life is for use: 1 for none, up to ``policy.half_life_stretch``.

    It grows in equal steps up to ``policy.reinforcement_cap`` uses; being said again counts as one."""
    uses = usage.access_count + max(usage.mention_count - 1, 0)
    return 1.0 + (policy.half_life_stretch - 1.0) * min(uses / policy.reinforcement_cap, 1.0)


def faded(rows: Iterable[tuple[Record, Usage]], now: datetime, policy: Policy, vocabulary: Vocabulary = DEFAULT) -> list[Archive]:
    """What is to be archived: fading records of which too little is left, in the order given."""
    found = []
    for record, usage in rows:
        kept = retention(record, usage, now, policy, vocabulary)
        if fades(record) and record.confidence * kept <= policy.archive_below:
            reason = f"faded: {kept:.0%} is left of a confidence of {record.confidence:.2f}, neither said nor used for long"
            found.append(Archive(id=record.id, version=record.version, reason=reason))
    return found
