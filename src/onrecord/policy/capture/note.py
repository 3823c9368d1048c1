"""Notes: what a caller asks of a turn that is to be kept as it is. A note is stored with the turn until the turn is captured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from onrecord.model.blank import blank
from onrecord.model.moment import as_utc
from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Source, SourceType
from onrecord.model.turn import Turn
from onrecord.model.verdict import Candidate
from onrecord.policy.address import scope_of
from onrecord.policy.arguments import flag, moment, words
from onrecord.policy.capture.fields import corrects
from onrecord.policy.capture.key import key_of, value_of
from onrecord.policy.capture.propose import record_id
from onrecord.policy.defaults import Policy
from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.polarity import is_negated
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.secrecy.redact import redact
from onrecord.policy.trust import source_of, trust_of

#: How sure a statement on purpose is: of a person, and of one that a tool or document made.
_SURE, _UNSURE = 0.95, 0.5
_WORDS, _FLAGS, _TIMES = ("key", "value", "qualifier"), ("negation", "pinned"), ("valid_from", "valid_until")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A statement written on purpose, with the fields its writer knows."""

    statement: str
    kind: Kind = Kind.STATED_FACT
    key: str | None = None
    value: str | None = None
    qualifier: str | None = None
    negation: bool | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    pinned: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    at: datetime | None = None


def note_row(note: Note) -> dict[str, Any]:
    """The fields of a note that its turn does not hold already, as plain JSON without secrets. Raises ``InvalidInput``."""
    checks = {**dict.fromkeys(_WORDS, _clean), **dict.fromkeys(_FLAGS, flag), **dict.fromkeys(_TIMES, _time)}
    given = {name: getattr(note, name) for name in checks}
    row = {name: check(given[name], name) for name, check in checks.items() if given[name] is not None}
    return {"kind": note.kind.value, **row}


def noted(turn: Turn, policy: Policy, vocabulary: Vocabulary) -> Candidate | None:
    """A turn with a note as its one candidate; ``None`` for one without words, such as an image.

    What untrusted roles say stays a ``tool_fact``, also on purpose."""
    if blank(turn.text):
        return None
    row = dict(turn.note or {})
    source, given = source_of(turn), row.get("key")
    key = vocabulary.canonical(given) if given else key_of(turn.text, vocabulary)
    correction, corrected = corrects(turn.text, turn.text)
    trusted = source in (SourceType.USER_MESSAGE, SourceType.HUMAN_EDIT)
    said = turn.at.astimezone(UTC)
    start, until = (datetime.fromisoformat(row[name]) if name in row else None for name in _TIMES)
    return Candidate(
        id=record_id(turn.id, 0),
        tenant=turn.tenant,
        subject=turn.subject,
        scope=scope_of(turn.subject),
        origin=turn.origin,
        kind=Kind(row.get("kind", Kind.STATED_FACT)) if trusted else Kind.TOOL_FACT,
        key=key,
        value=row.get("value") or (None if given else value_of(turn.text, key)),
        cardinality=vocabulary.cardinality(key) if key else Cardinality.SINGLE,
        statement=turn.text,
        negation=row.get("negation", is_negated(without_asides(turn.text))),
        qualifier=row.get("qualifier"),
        source=Source(source, turn.id),
        author=turn.author,
        quote=turn.text,
        confidence=_SURE if trusted else _UNSURE,
        trust=trust_of(turn, policy),
        said_at=said,
        valid_from=start or said,
        valid_until=until,
        expiry_basis=ExpiryBasis.STATED if until else ExpiryBasis.DEFAULT,
        correction=correction,
        corrects=corrected,
        explicit=True,
        pinned=row.get("pinned", False),
        metadata=turn.metadata,
        derived_from=(turn.id,),
        rule="explicit",
    )


def _clean(value: object, field: str) -> str:
    return redact(words(value, field)).text


def _time(value: object, field: str) -> str:
    return as_utc(moment(value, field), field).isoformat()
