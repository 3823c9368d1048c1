"""The record, ``memory_record.v1``: one thing worth knowing, in words a person can read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.model.moment import as_utc
from onrecord.model.scope import Origin, Scope, checked_name, checked_subject

STATEMENT_LIMIT = 240
#: A guess of a model is never surer than this.
INFERENCE_CEILING = 0.6
KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Kind(StrEnum):
    """What sort of thing a record says."""

    STATED_FACT = "stated_fact"
    TOOL_FACT = "tool_fact"
    MODEL_INFERENCE = "model_inference"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"
    DECISION = "decision"
    RELATIONSHIP = "relationship"
    EPISODE = "episode"
    PROCEDURE = "procedure"
    POINTER = "pointer"


class Cardinality(StrEnum):
    """Whether a new value of a key supersedes the old one (``single``) or stands beside it (``multi``)."""

    SINGLE = "single"
    MULTI = "multi"


class SourceType(StrEnum):
    """What a record rests on."""

    USER_MESSAGE = "user_message"
    TOOL_RESULT = "tool_result"
    DOCUMENT = "document"
    HUMAN_EDIT = "human_edit"
    MODEL_INFERENCE = "model_inference"


class Status(StrEnum):
    """Where a record stands. Only ``active`` and ``conflicted`` records are offered as current."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONFLICTED = "conflicted"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"


CURRENT = frozenset({Status.ACTIVE, Status.CONFLICTED})
#: What was true at some time; an as-of query looks among these.
ONCE_TRUE = CURRENT | {Status.SUPERSEDED, Status.EXPIRED, Status.ARCHIVED}


class ExpiryBasis(StrEnum):
    """Whether the end was said ("until June") or is the default of the kind."""

    STATED = "stated"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Source:
    """What a record rests on; ``ref`` is the id of a stored turn, of the record itself for an edit (its history tells who made it
    and when), or a reference the caller can resolve."""

    type: SourceType
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One durable statement about one subject.

    ``confidence`` (0..1) is how sure we were when it was written, and time never changes it; ``trust`` (0..1) is the least
    trust of everything it was derived from. ``valid_from``..``valid_until`` is world time, ``written_at`` transaction time,
    ``said_at`` when the words were spoken. ``derived_from`` holds the ids of the turns and records it was made from, oldest
    first. Raises ``InvalidInput`` when a field breaks a rule.
    """

    id: str
    tenant: str
    subject: str
    scope: Scope
    scope_ref: str | None = None
    origin: Origin = field(default_factory=Origin)
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
    confidence: float
    trust: float
    valid_from: datetime
    valid_until: datetime
    expiry_basis: ExpiryBasis
    said_at: datetime
    written_at: datetime
    status: Status = Status.ACTIVE
    superseded_by: str | None = None
    conflicts_with: tuple[str, ...] = ()
    version: int = 1
    pinned: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_name(self.tenant, "tenant")
        checked_subject(self.subject)
        _check_words(self)
        _check_numbers(self)
        for name in ("valid_from", "valid_until", "said_at", "written_at"):
            object.__setattr__(self, name, as_utc(getattr(self, name), name))
        if self.scope in (Scope.RUN, Scope.THREAD) and not self.scope_ref:
            raise InvalidInput("scope_ref", f"is missing for scope {self.scope}", "name the run or thread")

    @classmethod
    def trusted(cls, values: Mapping[str, Any]) -> Record:
        """The record with these values, all of them, unchecked: for a store that reads back what it wrote."""
        record = object.__new__(cls)
        for name, put in _SLOTS:
            put(record, values[name])
        return record

    def reworded(self, statement: str, quote: str, negation: bool, qualifier: str | None) -> Record:
        """This record with other words, which are a part of its own and so need no check."""
        record = object.__new__(Record)
        for get, put in _COPIED:
            put(record, get(self))
        for (_, put), value in zip(_WORDS, (statement, quote, negation, qualifier), strict=True):
            put(record, value)
        return record

    @property
    def current(self) -> bool:
        """Whether it is offered as true today, its validity aside."""
        return self.status in CURRENT

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the turns and records that it rests on."""
        return self.derived_from or (self.source.ref,)

    @property
    def text(self) -> str:
        """What full text and vectors are made of: the statement, and the situation it holds in."""
        return text_of(self.statement, self.qualifier)


def text_of(statement: str, qualifier: str | None) -> str:
    """The text of a record of this statement, which holds in this situation."""
    if qualifier and qualifier.casefold() not in statement.casefold():
        return f"{statement} ({qualifier})"
    return statement


#: What sets each field of a record that is frozen: half of the time that ``object.__setattr__`` takes.
_SLOTS = tuple((name, getattr(Record, name).__set__) for name in Record.__slots__)
_COPIED = tuple((attrgetter(name), put) for name, put in _SLOTS)
_WORDS = tuple((name, getattr(Record, name).__set__) for name in ("statement", "quote", "negation", "qualifier"))


def _check_words(record: Record) -> None:
    if not record.statement.strip():
        raise InvalidInput("statement", "is empty", "say in one sentence what is to be remembered")
    if len(record.statement) > STATEMENT_LIMIT:
        raise InvalidInput("statement", f"is {len(record.statement)} characters", f"use at most {STATEMENT_LIMIT}")
    if record.key is not None and not KEY.fullmatch(record.key):
        raise InvalidInput("key", f"{record.key[:40]!r} is not snake_case", "write it like contact_channel")


def _check_numbers(record: Record) -> None:
    for name in ("confidence", "trust"):
        if not 0.0 <= getattr(record, name) <= 1.0:
            raise InvalidInput(name, f"{getattr(record, name)} is out of range", "use 0 to 1")
    if record.source.type is SourceType.MODEL_INFERENCE or record.kind is Kind.MODEL_INFERENCE:
        if record.confidence > INFERENCE_CEILING:
            raise InvalidInput("confidence", "of a model's inference is above 0.6", "lower it, or name a better source")
        if record.kind is Kind.CONSTRAINT:
            raise InvalidInput("kind", "a model's inference is never a constraint", "let a person state it")


@dataclass(frozen=True, slots=True)
class Usage:
    """Counters kept beside a record, batched, without events. ``access_count`` counts injections into a context."""

    last_reinforced_at: datetime | None = None
    access_count: int = 0
    mention_count: int = 1
