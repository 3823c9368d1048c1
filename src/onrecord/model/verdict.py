"""A candidate is what capture proposes; a verdict is what the gate said about it, kept whether it passed or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Source
from onrecord.model.scope import Origin, Scope

#: What begins the rule of a candidate that a model pointed at; its prompt follows.
MODEL_RULE = "model/"


class Act(StrEnum):
    """What the words do: state something, or ask that something be forgotten."""

    ASSERT = "assert"
    FORGET = "forget"


class Reason(StrEnum):
    """Why a candidate was kept or refused. Each refusal names the part of the write test that failed."""

    KEPT = "kept"
    EMPTY = "empty"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    ONE_OFF_REQUEST = "one_off_request"
    EPHEMERAL = "ephemeral"
    MOOD = "mood"
    JOKE = "joke_or_sarcasm"
    SMALL_TALK = "small_talk"
    QUOTED = "quoted"
    THIRD_PARTY = "third_party"
    ASSISTANT_WORDS = "assistant_words"
    TOOL_OUTPUT = "tool_output"
    DERIVABLE = "derivable"
    NOT_SPECIFIC = "not_specific"
    NOT_DURABLE = "not_durable"
    UNTRUSTED = "untrusted"
    UNSUPPORTED = "unsupported"
    UNREAD = "unread"
    INJECTION = "injection"
    SECRET = "secret"
    FEEDBACK = "feedback"
    FORGET_REQUEST = "forget_request"
    NO_TARGET = "no_target"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fact proposed for a subject, not yet a record.

    ``id`` becomes the record's id if it is added. ``said_at`` is when it was said, in UTC; ``valid_until`` is ``None`` until
    the gate gives it its kind's default. ``correction`` tells that the words correct something ("actually", "no longer"), and
    ``corrects`` the value or thing they point at, if they name it. ``rule`` names what proposed it.
    """

    id: str
    tenant: str
    subject: str
    scope: Scope
    scope_ref: str | None = None
    origin: Origin = field(default_factory=Origin)
    act: Act = Act.ASSERT
    kind: Kind
    key: str | None = None
    value: str | None = None
    cardinality: Cardinality = Cardinality.SINGLE
    statement: str
    negation: bool = False
    qualifier: str | None = None
    source: Source
    author: str
    quote: str = ""
    language: str = "en"
    confidence: float = 0.8
    trust: float = 1.0
    said_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    expiry_basis: ExpiryBasis = ExpiryBasis.DEFAULT
    correction: bool = False
    corrects: str | None = None
    explicit: bool = False
    pinned: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate decided about one candidate, or about a turn that gave none, and why.

    ``record_ids`` are the records that came of it, or that it changed. ``detail`` is one sentence for a reader.
    """

    id: str
    tenant: str
    subject: str
    turn_id: str | None
    accepted: bool
    reason: Reason
    detail: str
    statement: str
    kind: Kind | None
    rule: str
    at: datetime
    record_ids: tuple[str, ...] = ()
