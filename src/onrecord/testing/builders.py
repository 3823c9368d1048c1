"""Rows for tests: everything has a default, a test names only what it is about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from onrecord.model.change import Add, Change
from onrecord.model.document import Document, Passage
from onrecord.model.query import Corpus
from onrecord.model.record import ExpiryBasis, Kind, Record, Source, SourceType
from onrecord.model.scope import Origin, Reach, Scope
from onrecord.model.summary import Line, Section, Span, SpanKind, Summary
from onrecord.model.trace import Drop, Scored, Trace
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Reason, Verdict
from onrecord.ports import Batch, Vector

TENANT = "acme"
SUBJECT = "user:ana"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
REACH = Reach(TENANT, (SUBJECT,))


def a_record(id: str = "rec_1", statement: str = "Prefers email.", **fields: Any) -> Record:
    """A preference of ``user:ana`` at ``acme``, said by herself at ``NOW``."""
    given: dict[str, Any] = {
        "tenant": TENANT,
        "subject": SUBJECT,
        "scope": Scope.USER,
        "kind": Kind.PREFERENCE,
        "source": Source(SourceType.USER_MESSAGE, "turn_1"),
        "author": "ana",
        "confidence": 0.9,
        "trust": 1.0,
        "valid_from": NOW,
        "valid_until": NOW.replace(year=NOW.year + 2),
        "expiry_basis": ExpiryBasis.DEFAULT,
        "said_at": NOW,
        "written_at": NOW,
    }
    return Record(id=id, statement=statement, **given | fields)


def a_turn(id: str = "turn_1", text: str = "I prefer email.", *, thread: str | None = "thread_1", **fields: Any) -> Turn:
    """A message of ``user:ana`` at ``acme``, written at ``NOW``."""
    given: dict[str, Any] = {
        "tenant": TENANT,
        "subject": SUBJECT,
        "origin": Origin(thread=thread),
        "role": Role.USER,
        "author": "ana",
        "at": NOW,
        "written_at": NOW,
    }
    return Turn(id=id, text=text, **given | fields)


def a_verdict(id: str = "ver_1", **fields: Any) -> Verdict:
    """A kept candidate of ``turn_1``."""
    given: dict[str, Any] = {
        "tenant": TENANT,
        "subject": SUBJECT,
        "turn_id": "turn_1",
        "accepted": True,
        "reason": Reason.KEPT,
        "detail": "She says so.",
        "statement": "Prefers email.",
        "kind": Kind.PREFERENCE,
        "rule": "prefers",
        "at": NOW,
        "record_ids": ("rec_1",),
    }
    return Verdict(id=id, **given | fields)


def a_trace(id: str = "tra_1", **fields: Any) -> Trace:
    """A search that looked at ``rec_1`` and ``rec_2``, returned the first, and used it."""
    given: dict[str, Any] = {
        "tenant": TENANT,
        "subjects": (SUBJECT,),
        "origin": Origin(),
        "at": NOW,
        "query": "how does she like to be reached",
        "terms": ("like", "reach"),
        "embedder": "unit",
        "threshold": 0.3,
        "candidates": (
            Scored("rec_1", Corpus.RECORDS, 0.9, 0.8, {"cosine": 0.8}),
            Scored("rec_2", Corpus.RECORDS, 0.2, 0.1, {"cosine": 0.1}, Drop.BELOW_THRESHOLD),
        ),
        "returned": ("rec_1",),
        "injected": ("rec_1",),
    }
    return Trace(id=id, **given | fields)


def a_summary(*covers: str, text: str = "Never call her.", **fields: Any) -> Summary:
    """A summary of these turns (``turn_1`` if none is given) in one line, which comes from the first."""
    turns = covers or ("turn_1",)
    given: dict[str, Any] = {
        "lines": (Line(section=Section.CONSTRAINTS, text=text, turn_ids=turns[:1], author="ana"),),
        "ledger": (Span(kind=SpanKind.NEGATION, text=text, turn_id=turns[0], role=Role.USER, author="ana", required=True),),
        "budget": 100,
        "tokens": 4,
        "dropped": turns[1:],
    }
    return Summary(text=text, covers=turns, **given | fields)


def a_document(id: str = "doc_1", *, passages: int = 1, **fields: Any) -> Document:
    """The document ``guide.md`` of ``user:ana`` at ``acme``, first added at ``NOW``."""
    given: dict[str, Any] = {
        "tenant": TENANT,
        "subject": SUBJECT,
        "collection": "default",
        "name": "guide.md",
        "digest": "d",
        "size": 20,
        "added_at": NOW,
        "updated_at": NOW,
    }
    return Document(id=id, passages=passages, **given | fields)


def a_passage(id: str = "pas_1", text: str = "Trains leave at noon.", *, position: int = 1, **fields: Any) -> Passage:
    """The first passage of ``doc_1``."""
    given: dict[str, Any] = {
        "tenant": TENANT,
        "subject": SUBJECT,
        "document_id": "doc_1",
        "heading": "Travel",
        "digest": text,
        "written_at": NOW,
    }
    return Passage(id=id, text=text, position=position, **given | fields)


def a_batch(*changes: Change, **fields: Any) -> Batch:
    """A batch of ``user:ana`` at ``NOW``."""
    given: dict[str, Any] = {"reach": REACH, "now": NOW, "actor": "test"}
    return Batch(changes=changes, **given | fields)


def adds(*records: Record, **fields: Any) -> Batch:
    """A batch that adds records."""
    return a_batch(*(Add(reason="she said so", record=record) for record in records), **fields)


def a_vector(*numbers: float) -> Vector:
    """A vector of length 1 with these first components, of four. (1), (.5, .5, .5, .5) and such are exact in half precision."""
    vector = np.zeros(4, dtype=np.float32)
    vector[: len(numbers)] = numbers
    return vector
