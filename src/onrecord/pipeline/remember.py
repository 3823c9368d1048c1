"""Take in: messages are journaled, embedded and captured; or kept as they are, when the caller says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from onrecord.errors import InvalidInput, OnRecordError, SecretRefused, StoreError
from onrecord.model.moment import as_utc
from onrecord.model.receipt import Receipt, TurnReceipt, TurnResult
from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Source, SourceType
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Candidate, Reason
from onrecord.pipeline.capture import Captured, Judged, capture_turns, settle
from onrecord.pipeline.draft import Rehearsal
from onrecord.pipeline.journal import embed_turns, journal, prepare, unknown
from onrecord.pipeline.maintain import capture_or_queue
from onrecord.policy.address import Address, scope_of
from onrecord.policy.capture import record_id
from onrecord.policy.capture_fields import corrects
from onrecord.policy.capture_key import key_of, value_of
from onrecord.policy.gate import Ruling
from onrecord.policy.messages import Message, checked_text
from onrecord.policy.polarity import is_negated
from onrecord.policy.reconcile import candidate_record
from onrecord.policy.redact import redact, redact_json
from onrecord.policy.trust import source_of, trust_of
from onrecord.ports import Engine, Vector


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


def take_in(
    engine: Engine,
    messages: Sequence[Message],
    where: Address,
    *,
    at: datetime | None,
    metadata: Mapping[str, Any],
    infer: bool,
    dry_run: bool,
) -> Receipt:
    """The receipt of messages. A failure after the journal never reaches the caller: the turn is reported as queued."""
    prepared = prepare(engine, messages, where, at=at, metadata=metadata)
    if dry_run:
        return _rehearse(engine, prepared, infer)
    journaled = journal(engine, prepared)
    vectors = embed_turns(engine, journaled.turns)
    queued: dict[str | None, TurnReceipt] = {}
    done = Captured()
    for turn in journaled.turns:
        try:
            done += _capture(engine, turn, vectors, infer)
        except OnRecordError as error:
            queued[turn.id] = _queued(engine, turn, error)
    turns = tuple(queued.get(receipt.turn_id, receipt) for receipt in journaled.receipts)
    return Receipt(turns, done.items, done.changes)


def remember(engine: Engine, note: Note, where: Address, *, dry_run: bool = False) -> Receipt:
    """The receipt of one statement written on purpose; its words become a turn first, so that its source can be shown."""
    clean = redact(checked_text(note.statement, "statement"))
    if not clean.text.strip():
        raise InvalidInput("statement", "is empty", "say in one sentence what is to be remembered")
    if clean.found and not _says_something(clean.text):
        raise SecretRefused("statement", "holds nothing but a secret", "keep secrets in a vault, and a pointer to it here")
    message = Message(Role.USER, note.statement, {}, metadata=note.metadata)
    prepared = prepare(engine, [message], where, at=note.at, metadata={})
    turn = prepared[0]
    if isinstance(turn, TurnReceipt):
        raise InvalidInput("statement", turn.detail, "shorten it")
    judged = [_explicit(turn, note, engine)]
    candidate_record(judged[0].candidate, engine.policy, turn.written_at)  # a field that breaks a rule is refused here
    if dry_run:
        done = settle(engine, turn, judged, rehearsal=Rehearsal())
        return Receipt((), done.items, done.changes, dry_run=True)
    journaled = journal(engine, [turn])
    embed_turns(engine, journaled.turns)
    done = settle(engine, journaled.turns[0], judged)
    return Receipt(journaled.receipts, done.items, done.changes)


def _capture(engine: Engine, turn: Turn, vectors: Mapping[str, Vector], infer: bool) -> Captured:
    if infer:
        return capture_turns(engine, [turn], vectors)
    return settle(engine, turn, _as_it_is(engine, turn))


def _rehearse(engine: Engine, prepared: Sequence[Turn | TurnReceipt], infer: bool) -> Receipt:
    turns = unknown(engine, [item for item in prepared if isinstance(item, Turn)])
    rehearsal = Rehearsal()
    done = Captured()
    if infer:
        done = capture_turns(engine, turns, {}, rehearsal=rehearsal)
    else:
        for turn in turns:
            done += settle(engine, turn, _as_it_is(engine, turn), rehearsal=rehearsal)
    refused = tuple(item for item in prepared if isinstance(item, TurnReceipt))
    return Receipt(refused, done.items, done.changes, dry_run=True)


def _queued(engine: Engine, turn: Turn, error: OnRecordError) -> TurnReceipt:
    with suppress(StoreError):  # the try is not counted then; the journal holds the turn as pending all the same
        capture_or_queue(engine, turn, error)
    return TurnReceipt(TurnResult.QUEUED, turn.id, f"stored, not yet read ({type(error).__name__}); maintenance tries again")


def _as_it_is(engine: Engine, turn: Turn) -> list[Judged]:
    """The words of a turn as one candidate; none of a turn without words, such as an image."""
    return [_explicit(turn, Note(statement=turn.text, metadata=turn.metadata), engine)] if turn.text.strip() else []


def _explicit(turn: Turn, note: Note, engine: Engine) -> Judged:
    """The note as a candidate. What untrusted roles say stays a ``tool_fact``, also on purpose."""
    source = source_of(turn)
    trusted = source in (SourceType.USER_MESSAGE, SourceType.HUMAN_EDIT)
    text = redact(note.statement).text
    said = turn.at.astimezone(UTC)
    until = as_utc(note.valid_until, "valid_until") if note.valid_until else None
    corrected, old = corrects(text, text)
    key = engine.vocabulary.canonical(note.key) if note.key else key_of(text, engine.vocabulary)
    candidate = Candidate(
        id=record_id(turn.id, 0),
        tenant=turn.tenant,
        subject=turn.subject,
        scope=scope_of(turn.subject),
        origin=turn.origin,
        kind=note.kind if trusted else Kind.TOOL_FACT,
        key=key,
        value=note.value or (None if note.key else value_of(text, key)),
        cardinality=engine.vocabulary.cardinality(key) if key else Cardinality.SINGLE,
        statement=text,
        negation=is_negated(text) if note.negation is None else note.negation,
        qualifier=note.qualifier,
        source=Source(source, turn.id),
        author=turn.author,
        quote=text,
        confidence=0.95 if trusted else 0.5,
        trust=trust_of(turn, engine.policy),
        said_at=said,
        valid_from=as_utc(note.valid_from, "valid_from") if note.valid_from else said,
        valid_until=until,
        expiry_basis=ExpiryBasis.STATED if until else ExpiryBasis.DEFAULT,
        correction=corrected,
        corrects=old,
        explicit=True,
        pinned=note.pinned,
        metadata=redact_json(note.metadata)[0],
        derived_from=(turn.id,),
        rule="explicit",
    )
    return Judged(candidate, Ruling(True, Reason.KEPT, "written on purpose by the caller"))


def _says_something(text: str) -> bool:
    return any(word.isalpha() and len(word) > 2 for word in text.replace("[", " [").split() if not word.startswith("[secret"))
