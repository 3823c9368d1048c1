"""A turn: one message of a thread, as it was said, kept before anything else reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from onrecord.model.scope import Origin


class Role(StrEnum):
    """Who speaks. ``document`` is text brought in from outside; like ``tool`` it is data and is never obeyed."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"


class CaptureState(StrEnum):
    """What became of a turn after it was journaled. ``parked`` failed too often and waits for a person; ``quarantined`` is not to
    be trusted: nothing is made of its words, and no model sees them. Those of a ``shed`` one were not kept any longer."""

    PENDING = "pending"
    DONE = "done"
    PARKED = "parked"
    QUARANTINED = "quarantined"
    SHED = "shed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. ``at`` keeps the speaker's own zone, for "yesterday"; ``seq`` counts from 1 within the thread.

    ``client_id`` makes an append idempotent: the same one in the same thread is the same turn. ``payload`` is the message as
    it came (content parts, tool calls), with secrets replaced; ``text`` is its readable part. ``note`` is what the caller asked
    of a turn that is to be kept as it is (``policy.note``), until it is captured; ``None`` for one that is to be read.
    """

    id: str
    tenant: str
    subject: str
    origin: Origin
    role: Role
    author: str
    text: str
    at: datetime
    written_at: datetime
    seq: int = 0
    client_id: str | None = None
    state: CaptureState = CaptureState.PENDING
    tries: int = 0
    payload: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    note: Mapping[str, Any] | None = None
