"""Take in: messages are journaled, embedded and captured; or kept as they are, when the caller says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from onrecord.errors import InvalidInput, OnRecordError, SecretRefused, StoreError
from onrecord.model.blank import blank
from onrecord.model.moment import check_order
from onrecord.model.receipt import Receipt, TurnReceipt, TurnResult
from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.pipeline.capture import Captured, capture_turns
from onrecord.pipeline.draft import Rehearsal
from onrecord.pipeline.journal import embed_turns, journal, prepare, unknown
from onrecord.pipeline.maintain import capture_or_queue
from onrecord.pipeline.reading import waits_for_a_model
from onrecord.pipeline.reembed import follow
from onrecord.policy.address import Address
from onrecord.policy.capture.note import Note, note_row, noted
from onrecord.policy.correction.reconcile import candidate_record
from onrecord.policy.dialogue.messages import Message, checked_text
from onrecord.policy.secrecy.beside import given_away
from onrecord.policy.secrecy.redact import redact
from onrecord.ports import Engine

_FOR_A_MODEL = "stored, not yet read: a model reads it with what else is said, at one of the next maintenance runs"
_OUT_OF_TURN = "stored, not yet read: an earlier turn that it may speak of is not read yet; maintenance reads them in order"

#: Fields of a note in which a secret may stand.
_TOLD = ("statement", "value", "qualifier", "metadata")


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
    prepared = prepare(engine, messages, where, at=at, metadata=metadata, note=None if infer else {})
    return _rehearse(engine, prepared) if dry_run else _perform(engine, prepared)


def remember(engine: Engine, note: Note, where: Address, *, once: str | None = None, dry_run: bool = False) -> Receipt:
    """The receipt of one statement written on purpose; its words become a turn first, so that its source can be shown.

    What comes again under ``once``, the id that the caller gives it, is written once. As ``take_in``, when the statement and its
    fields are found to make a record."""
    if len(note.statement) > engine.policy.capture_limit:  # before anything reads it
        raise _too_long(note.statement)
    secret = given_away(checked_text(note.statement, "statement"), note.key, note.value)
    note = replace(note, **{name: secret.concealed(getattr(note, name)) for name in _TOLD})
    clean = redact(note.statement)
    if blank(clean.text):
        raise InvalidInput("statement", "is empty", "say in one sentence what is to be remembered")
    if (secret.words or clean.found) and not _says_something(clean.text):
        raise SecretRefused("statement", "holds nothing but a secret", "keep secrets in a vault, and a pointer to it here")
    if len(clean.text.strip()) > STATEMENT_LIMIT:
        raise _too_long(clean.text.strip())
    message = Message(Role.USER, note.statement, {}, client_id=once, metadata=note.metadata)
    (turn,) = prepare(engine, [message], where, at=note.at, metadata={}, note=note_row(note))
    if isinstance(turn, TurnReceipt):
        raise InvalidInput("statement", turn.detail, "shorten it")
    candidate = noted(turn, engine.policy, engine.vocabulary)
    assert candidate is not None
    record = candidate_record(candidate, engine.policy, turn.written_at)  # a field that breaks a rule is refused here
    check_order(record.valid_from, record.valid_until, ("valid_from", "valid_until"))
    return _rehearse(engine, [turn]) if dry_run else _perform(engine, [turn])


def _perform(engine: Engine, prepared: Sequence[Turn | TurnReceipt]) -> Receipt:
    journaled = journal(engine, prepared)
    embed_turns(engine, journaled.turns)
    waiting: dict[str | None, TurnReceipt] = {}
    done = Captured()
    for turn in journaled.turns:
        if waits_for_a_model(engine, turn):
            waiting[turn.id] = TurnReceipt(TurnResult.QUEUED, turn.id, _FOR_A_MODEL)
            continue
        try:
            done += capture_turns(engine, [turn])
        except OnRecordError as error:
            waiting |= _waiting(engine, turn, error)
    waiting |= {id: TurnReceipt(TurnResult.QUEUED, id, _OUT_OF_TURN) for id in done.waiting}
    turns = tuple(waiting.get(receipt.turn_id, receipt) for receipt in journaled.receipts)
    for reach in dict.fromkeys(Reach(turn.tenant, (turn.subject,)) for turn in journaled.turns):
        with suppress(StoreError):  # what was said is kept; found by its words it can do without
            follow(engine, reach)
    return Receipt(turns, done.items, done.changes)


def _rehearse(engine: Engine, prepared: Sequence[Turn | TurnReceipt]) -> Receipt:
    turns = unknown(engine, [item for item in prepared if isinstance(item, Turn)])
    done = capture_turns(engine, turns, rehearsal=Rehearsal())
    refused = tuple(item for item in prepared if isinstance(item, TurnReceipt))
    return Receipt(refused, done.items, done.changes, dry_run=True)


def _waiting(engine: Engine, turn: Turn, error: OnRecordError) -> dict[str | None, TurnReceipt]:
    """The receipt of a turn whose capture failed, under its id; none if it was captured all the same and the answer was lost."""
    state: CaptureState | None = CaptureState.PENDING
    with suppress(StoreError):  # the try is not counted then; the journal holds the turn as pending all the same
        state = capture_or_queue(engine, turn, error)
    if state is None:
        return {turn.id: TurnReceipt(TurnResult.REFUSED, None, "erased by somebody before it was read: nothing of it was kept")}
    if state is CaptureState.DONE:
        return {}
    then = "maintenance tries again" if state is CaptureState.PENDING else "it failed too often and waits for a person"
    return {turn.id: TurnReceipt(TurnResult.QUEUED, turn.id, f"stored, not yet read ({type(error).__name__}); {then}")}


def _too_long(statement: str) -> InvalidInput:
    return InvalidInput("statement", f"is {len(statement)} characters", f"use at most {STATEMENT_LIMIT}, or add it as a message")


def _says_something(text: str) -> bool:
    return any(word.isalpha() and len(word) > 2 for word in text.replace("[", " [").split() if not word.startswith("[secret"))
