"""Journal: what was said is redacted in memory and made durable before anything else reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onrecord.errors import EmbedderError
from onrecord.model.query import Corpus
from onrecord.model.receipt import TurnReceipt, TurnResult
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.policy.address import Address
from onrecord.policy.defaults import Policy
from onrecord.policy.episode import episode_text
from onrecord.policy.messages import Message
from onrecord.policy.redact import redact, redact_json
from onrecord.ports import Engine, Vector

#: Authors of messages that name none.
_AUTHORS = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system", Role.TOOL: "tool", Role.DOCUMENT: "document"}


@dataclass(frozen=True, slots=True)
class Journaled:
    """The receipts of all inputs in order, and the turns that are new and wait to be captured."""

    receipts: tuple[TurnReceipt, ...]
    turns: tuple[Turn, ...]


def prepare(
    engine: Engine, messages: Sequence[Message], address: Address, *, at: datetime | None, metadata: Mapping[str, Any]
) -> list[Turn | TurnReceipt]:
    """For each message the turn it becomes, secrets replaced, or the receipt of its refusal. Writes nothing."""
    return [_turn(engine, message, address, at, metadata) for message in messages]


def journal(engine: Engine, prepared: Sequence[Turn | TurnReceipt]) -> Journaled:
    """Makes the turns durable, in one transaction and in order. Raises ``StoreError``; then none was stored."""
    stored = iter(engine.store.append([item for item in prepared if isinstance(item, Turn)]))
    receipts, fresh = [], []
    for item in prepared:
        if isinstance(item, TurnReceipt):
            receipts.append(item)
            continue
        appended = next(stored)
        receipts.append(TurnReceipt(TurnResult.EXISTING if appended.existing else TurnResult.STORED, appended.turn.id))
        if not appended.existing or appended.turn.state is CaptureState.PENDING:
            fresh.append(appended.turn)
    return Journaled(tuple(receipts), tuple(fresh))


def embed_turns(engine: Engine, turns: Sequence[Turn]) -> dict[str, Vector]:
    """Embeds and indexes turns; vectors by turn id. If the embedder fails the turns stay unembedded and are found by words alone."""
    if not turns:
        return {}
    try:
        matrix = engine.embedder.embed_documents([episode_text(turn) for turn in turns])
    except EmbedderError:
        return {}
    vectors = {turn.id: matrix[i] for i, turn in enumerate(turns)}
    for reach in dict.fromkeys(Reach(turn.tenant, (turn.subject,)) for turn in turns):
        mine = {t.id: vectors[t.id] for t in turns if (t.tenant, (t.subject,)) == (reach.tenant, reach.subjects)}
        engine.store.put_vectors(Corpus.TURNS, reach, engine.embedder.name, mine)
    return vectors


def _turn(
    engine: Engine, message: Message, address: Address, at: datetime | None, metadata: Mapping[str, Any]
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
        text=redact(message.text).text,
        at=message.at or at or now,
        written_at=now,
        client_id=message.client_id,
        payload=redact_json(message.payload)[0],
        metadata=redact_json({**metadata, **(message.metadata or {})})[0],
    )


def _refusal(message: Message, policy: Policy) -> str:
    if not message.text.strip() and not message.payload:
        return "the message is empty"
    if len(message.text) > policy.text_limit:
        return (
            f"the message has {len(message.text)} characters; the limit is {policy.text_limit}: split it, or add it as a document"
        )
    return ""


def _author(role: Role, address: Address) -> str:
    kind, _, name = address.subject.partition(":")
    return name if role is Role.USER and kind == "user" else _AUTHORS[role]
