"""Journal: what was said is redacted in memory and made durable before anything else reads it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onrecord.errors import EmbedderError, InvalidInput, StoreError
from onrecord.model.blank import blank
from onrecord.model.moment import as_utc
from onrecord.model.query import Corpus
from onrecord.model.receipt import TurnReceipt, TurnResult
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.policy.address import Address
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.messages import Message
from onrecord.policy.recall.episode import episode_text
from onrecord.policy.secrecy.asked import may_answer, redact_reply
from onrecord.policy.secrecy.redact import redact, redact_json
from onrecord.ports import Engine, Vector

_log = logging.getLogger("onrecord")
#: Texts given to the embedder at once.
BATCH = 64
#: Authors of messages that name none.
_AUTHORS = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system", Role.TOOL: "tool", Role.DOCUMENT: "document"}


@dataclass(frozen=True, slots=True)
class Journaled:
    """The receipts of all inputs in order, and the turns that are new and wait to be captured."""

    receipts: tuple[TurnReceipt, ...]
    turns: tuple[Turn, ...]


def prepare(
    engine: Engine,
    messages: Sequence[Message],
    address: Address,
    *,
    at: datetime | None,
    metadata: Mapping[str, Any],
    note: Mapping[str, Any] | None = None,
) -> list[Turn | TurnReceipt]:
    """For each message the turn it becomes, secrets replaced, or the receipt of its refusal. Writes nothing.

    With a ``note`` (of ``policy.note``) every turn is kept as it is; without one it is read. Raises ``InvalidInput`` for an
    ``at`` far in the future."""
    if at is not None and as_utc(at, "at") - engine.clock() > engine.policy.ahead_limit:
        raise InvalidInput("at", f"{at:%Y-%m-%d} is far in the future", "pass when it was said")
    asked = [_asked_before(engine, message, messages[n - 1] if n else None, address) for n, message in enumerate(messages)]
    return [
        _turn(engine, message, address, at, metadata, note, question) for message, question in zip(messages, asked, strict=True)
    ]


def _asked_before(engine: Engine, message: Message, before: Message | None, address: Address) -> str:
    """What the assistant said right before ``message``, where that may make a secret of it; else nothing."""
    if message.role is not Role.USER or not may_answer(message.text):
        return ""
    if before is not None:
        return before.text if before.role is Role.ASSISTANT else ""
    thread = address.origin.thread
    last = engine.store.thread(address.reach, thread, last=1) if thread else []
    return last[-1].text if last and last[-1].role is Role.ASSISTANT else ""


def journal(engine: Engine, prepared: Sequence[Turn | TurnReceipt]) -> Journaled:
    """Makes the turns durable, in one transaction and in order. Raises ``StoreError``; then none was stored."""
    stored = iter(engine.store.append([item for item in prepared if isinstance(item, Turn)]))
    receipts: list[TurnReceipt] = []
    fresh: dict[str, Turn] = {}
    for item in prepared:
        if isinstance(item, TurnReceipt):
            receipts.append(item)
            continue
        appended = next(stored)
        receipts.append(TurnReceipt(TurnResult.EXISTING if appended.existing else TurnResult.STORED, appended.turn.id))
        if not appended.existing or appended.turn.state is CaptureState.PENDING:
            fresh.setdefault(appended.turn.id, appended.turn)
    return Journaled(tuple(receipts), tuple(fresh.values()))


def embed_turns(engine: Engine, turns: Sequence[Turn]) -> None:
    """Embeds and indexes turns. On a failure they are found by words alone until maintenance embeds them."""
    vectors: dict[str, Vector] = {}
    for start in range(0, len(turns), BATCH):
        batch = turns[start : start + BATCH]
        try:
            matrix = engine.embedder.embed_documents([episode_text(turn) for turn in batch])
        except EmbedderError as error:
            _log.warning("embedding %d turns failed: %s", len(batch), type(error).__name__)
            continue
        vectors |= {turn.id: matrix[i] for i, turn in enumerate(batch)}
    for reach in dict.fromkeys(Reach(turn.tenant, (turn.subject,)) for turn in turns):
        at = reach.tenant, reach.subjects
        mine = {t.id: vectors[t.id] for t in turns if t.id in vectors and (t.tenant, (t.subject,)) == at}
        try:
            engine.store.put_vectors(Corpus.TURNS, reach, engine.embedder.name, mine)
        except (StoreError, EmbedderError) as error:  # also a dimension that is not the one of the vectors on record
            _log.warning("the vectors of %d turns were not kept: %s", len(mine), type(error).__name__)


def unknown(engine: Engine, turns: Sequence[Turn]) -> list[Turn]:
    """Those of ``turns`` that ``journal`` would find new: without those that came under the same client id before."""
    fresh: dict[tuple[str, str | None, str], Turn] = {}
    for turn in turns:
        thread, ids = turn.origin.thread, [turn.client_id] if turn.client_id is not None else []
        known = engine.store.of_client(Reach(turn.tenant, (turn.subject,)), thread, ids) if ids else []
        if all(other.state is CaptureState.PENDING for other in known):
            fresh.setdefault((turn.subject, thread, turn.client_id or turn.id), turn)
    return list(fresh.values())


def _turn(
    engine: Engine,
    message: Message,
    address: Address,
    at: datetime | None,
    metadata: Mapping[str, Any],
    note: Mapping[str, Any] | None,
    asked: str,
) -> Turn | TurnReceipt:
    refusal = _refusal(message, engine.policy)
    if refusal:
        return TurnReceipt(TurnResult.REFUSED, None, refusal)
    now = engine.clock()
    return Turn(
        id=engine.ids("turn"),
        tenant=address.reach.tenant,
        subject=address.subject,
        origin=address.origin,
        role=message.role,
        author=redact(message.author).text if message.author else _author(message.role, address),
        text=redact_reply(message.text, asked).text,
        at=message.at or at or now,
        written_at=now,
        client_id=message.client_id,
        payload=redact_json(message.payload)[0],
        metadata=redact_json({**metadata, **(message.metadata or {})})[0],
        note=note,
    )


def _refusal(message: Message, policy: Policy) -> str:
    if blank(message.text) and not message.payload:
        return "the message is empty"
    if len(message.text) > policy.text_limit:
        return (
            f"the message has {len(message.text)} characters; the limit is {policy.text_limit}: split it, or add it as a document"
        )
    return ""


def _author(role: Role, address: Address) -> str:
    kind, _, name = address.subject.partition(":")
    return name if role is Role.USER and kind == "user" else _AUTHORS[role]
