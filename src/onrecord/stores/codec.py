"""Rows as JSON and back. Every store keeps what this makes of a row, so all give the same thing back.

Times become integer microseconds, tuples lists, enumerations their words. What JSON or UTF-8 cannot hold is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from onrecord.errors import InvalidInput, StoreError
from onrecord.model.document import Document, Passage
from onrecord.model.moment import as_utc, from_us, to_us
from onrecord.model.query import Corpus
from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Record, Source, SourceType, Status
from onrecord.model.scope import Origin, Scope
from onrecord.model.summary import Line, Section, Span, SpanKind, Summary
from onrecord.model.trace import Drop, Period, Scored, Trace
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.model.verdict import Reason, Verdict

Row = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")
_E = TypeVar("_E", bound=StrEnum)


def _by_word(kind: type[_E]) -> Mapping[str, _E]:
    """The members of an enumeration by their words: a third of the time that calling it takes."""
    return {str(member): member for member in kind}


_SCOPES, _KINDS, _STATUSES, _SOURCES = _by_word(Scope), _by_word(Kind), _by_word(Status), _by_word(SourceType)
_CARDINALITIES, _BASES = _by_word(Cardinality), _by_word(ExpiryBasis)
ROLES, STATES = _by_word(Role), _by_word(CaptureState)
_NOWHERE = Origin()


@lru_cache(maxsize=4_096)
def origin_of(agent: str | None, run: str | None, thread: str | None) -> Origin:
    """The origin of these parts: checked once, as the turns of a thread share it."""
    return Origin(agent, run, thread)


def dumps(value: Any, field: str = "metadata") -> str:
    """``value`` as JSON text with sorted keys. Raises ``InvalidInput`` for what JSON or UTF-8 cannot hold."""
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"cannot be stored as JSON: {error}", "use plain JSON values and valid Unicode") from None
    return text


@contextmanager
def _refusing(field: str) -> Iterator[None]:
    """What does not have the type or the words that it should is the caller's fault."""
    try:
        yield
    except InvalidInput:
        raise
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InvalidInput(field, f"cannot be stored: {error}", "use the types and words of the model") from None


def stored(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """For functions that read what is stored: what cannot be read is damaged, and no fault of the caller."""

    def guard(read: Callable[P, T]) -> Callable[P, T]:
        @wraps(read)
        def guarded(*args: P.args, **named: P.kwargs) -> T:
            try:
                return read(*args, **named)
            except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
                raise StoreError(f"a stored {what} is damaged: {error}") from error

        return guarded

    return guard


def record_row(record: Record) -> Row:
    """A record as plain JSON values."""
    return {
        "id": record.id,
        "tenant": record.tenant,
        "subject": record.subject,
        "scope": record.scope,
        "scope_ref": record.scope_ref,
        "origin": _origin_row(record.origin),
        "kind": record.kind,
        "key": record.key,
        "value": record.value,
        "cardinality": record.cardinality,
        "statement": record.statement,
        "negation": record.negation,
        "qualifier": record.qualifier,
        "source": [record.source.type, record.source.ref],
        "author": record.author,
        "quote": record.quote,
        "language": record.language,
        "confidence": record.confidence,
        "trust": record.trust,
        "valid_from": to_us(record.valid_from),
        "valid_until": to_us(record.valid_until),
        "expiry_basis": record.expiry_basis,
        "said_at": to_us(record.said_at),
        "written_at": to_us(record.written_at),
        "status": record.status,
        "superseded_by": record.superseded_by,
        "conflicts_with": record.conflicts_with,
        "version": record.version,
        "pinned": record.pinned,
        "metadata": dict(record.metadata),
        "derived_from": record.derived_from,
    }


def record_from(row: Mapping[str, Any]) -> Record:
    """The record of ``record_row``. What is stored was checked when it was written, and is not checked again."""
    return Record.trusted(record_fields(row))


def record_fields(row: Mapping[str, Any]) -> Row:
    """The fields of the record of ``record_row``, for ``Record.trusted``."""
    return {
        **row,
        "scope": _SCOPES[row["scope"]],
        "origin": Origin(*row["origin"]) if any(row["origin"]) else _NOWHERE,
        "kind": _KINDS[row["kind"]],
        "cardinality": _CARDINALITIES[row["cardinality"]],
        "source": Source(_SOURCES[row["source"][0]], row["source"][1]),
        "valid_from": from_us(row["valid_from"]),
        "valid_until": from_us(row["valid_until"]),
        "expiry_basis": _BASES[row["expiry_basis"]],
        "said_at": from_us(row["said_at"]),
        "written_at": from_us(row["written_at"]),
        "status": _STATUSES[row["status"]],
        "conflicts_with": tuple(row["conflicts_with"]),
        "derived_from": tuple(row["derived_from"]),
    }


def record_json(record: Record | None) -> str | None:
    """A record as JSON text; ``None`` stays ``None``."""
    return None if record is None else dumps(record_row(record))


@stored("record")
def record_of(text: str | None) -> Record | None:
    """The record of ``record_json``."""
    return None if text is None else record_from(json.loads(text))


def plain_record(record: Record) -> Record:
    """The record as any store gives it back: plain JSON in ``metadata``, real enumerations."""
    with _refusing("record"):
        return Record(**record_fields(json.loads(dumps(record_row(record)))))


def turn_row(turn: Turn) -> Row:
    """A turn as plain JSON values; ``at`` as UTC with ``zone``, its offset in microseconds. Raises ``InvalidInput``."""
    return {
        "id": turn.id,
        "tenant": turn.tenant,
        "subject": turn.subject,
        "origin": _origin_row(turn.origin),
        "role": turn.role,
        "author": turn.author,
        "text": turn.text,
        "at": to_us(as_utc(turn.at, "at")),
        "zone": (turn.at.utcoffset() or timedelta()) // timedelta(microseconds=1),
        "written_at": to_us(as_utc(turn.written_at, "written_at")),
        "seq": turn.seq,
        "client_id": turn.client_id,
        "state": turn.state,
        "tries": turn.tries,
        "payload": dict(turn.payload),
        "metadata": dict(turn.metadata),
        "note": None if turn.note is None else dict(turn.note),
    }


def turn_from(row: Mapping[str, Any]) -> Turn:
    """The turn of ``turn_row``."""
    return Turn(
        id=row["id"],
        tenant=row["tenant"],
        subject=row["subject"],
        origin=Origin(*row["origin"]),
        role=Role(row["role"]),
        author=row["author"],
        text=row["text"],
        at=in_zone(row["at"], row["zone"]),
        written_at=from_us(row["written_at"]),
        seq=row["seq"],
        client_id=row["client_id"],
        state=CaptureState(row["state"]),
        tries=row["tries"],
        payload=row["payload"],
        metadata=row["metadata"],
        note=row["note"],
    )


def plain_turn(turn: Turn) -> Turn:
    """The turn as any store gives it back."""
    with _refusing("turn"):
        return turn_from(json.loads(dumps(turn_row(turn))))


def in_zone(us: int, zone: int) -> datetime:
    """The time ``us`` on the clock of an offset of ``zone`` microseconds."""
    moment = from_us(us)
    return moment.astimezone(timezone(timedelta(microseconds=zone))) if zone else moment


def verdict_json(verdict: Verdict) -> str:
    """A verdict as JSON text."""
    return dumps(
        {
            "id": verdict.id,
            "tenant": verdict.tenant,
            "subject": verdict.subject,
            "turn_id": verdict.turn_id,
            "accepted": verdict.accepted,
            "reason": verdict.reason,
            "detail": verdict.detail,
            "statement": verdict.statement,
            "kind": verdict.kind,
            "rule": verdict.rule,
            "at": to_us(as_utc(verdict.at, "at")),
            "record_ids": verdict.record_ids,
        },
        "verdicts",
    )


@stored("verdict")
def verdict_of(text: str) -> Verdict:
    """The verdict of ``verdict_json``."""
    row = json.loads(text)
    kind = row.pop("kind")
    return Verdict(
        **row
        | {
            "reason": Reason(row["reason"]),
            "kind": None if kind is None else Kind(kind),
            "at": from_us(row["at"]),
            "record_ids": tuple(row["record_ids"]),
        }
    )


def trace_json(trace: Trace) -> str:
    """A trace as JSON text. What the parts of its candidates are called stands in it once, and not with each of them:
    traces are most of what is written."""
    names = sorted({name for candidate in trace.candidates for name in candidate.parts})
    return dumps(
        {
            "id": trace.id,
            "tenant": trace.tenant,
            "subjects": trace.subjects,
            "origin": _origin_row(trace.origin),
            "at": to_us(as_utc(trace.at, "at")),
            "query": trace.query,
            "terms": trace.terms,
            "embedder": trace.embedder,
            "threshold": trace.threshold,
            "parts": names,
            "candidates": [
                [c.id, c.corpus, c.score, c.relevance, [c.parts.get(name) for name in names], c.dropped] for c in trace.candidates
            ],
            "returned": trace.returned,
            "injected": trace.injected,
            **({"reranker": trace.reranker, "rerank_fault": trace.rerank_fault} if trace.reranker else {}),
            "message": trace.message,
            "built_from": trace.built_from,
            "periods": [[to_us(as_utc(one.since, "since")), to_us(as_utc(one.until, "until"))] for one in trace.periods],
            "seen": dict(trace.seen),
        },
        "trace",
    )


@stored("trace")
def trace_of(text: str) -> Trace:
    """The trace of ``trace_json``, also of one that is older: not built from a thread, or with names in every candidate."""
    row = json.loads(text)
    names = row.pop("parts", ())
    return Trace(
        **row
        | {
            "subjects": tuple(row["subjects"]),
            "origin": Origin(*row["origin"]),
            "at": from_us(row["at"]),
            "terms": tuple(row["terms"]),
            "candidates": tuple(_scored_from(names, *candidate) for candidate in row["candidates"]),
            "returned": tuple(row["returned"]),
            "injected": tuple(row["injected"]),
            "built_from": tuple(row.get("built_from", ())),
            "periods": tuple(Period(*map(from_us, period)) for period in row.get("periods", ())),
        }
    )


def document_json(document: Document) -> str:
    """A document as JSON text."""
    row = {name: getattr(document, name) for name in Document.__dataclass_fields__}
    times = {name: to_us(as_utc(row[name], name)) for name in ("added_at", "updated_at")}
    return dumps(row | times | {"metadata": dict(document.metadata)}, "document")


@stored("document")
def document_of(text: str) -> Document:
    """The document of ``document_json``."""
    row = json.loads(text)
    return Document(**row | {name: from_us(row[name]) for name in ("added_at", "updated_at")})


def passage_json(passage: Passage) -> str:
    """A passage as JSON text."""
    row = {name: getattr(passage, name) for name in Passage.__dataclass_fields__}
    return dumps(row | {"written_at": to_us(as_utc(passage.written_at, "written_at"))}, "passages")


@stored("passage")
def passage_of(text: str) -> Passage:
    """The passage of ``passage_json``."""
    row = json.loads(text)
    return Passage(**row | {"written_at": from_us(row["written_at"])})


def summary_json(summary: Summary) -> str:
    """A summary as JSON text."""
    lines = {"lines": list(map(_line_row, summary.lines)), "carried": list(map(_line_row, summary.carried))}
    ledger = [[s.kind, s.text, s.turn_id, s.role, s.author, s.tokens, s.required] for s in summary.ledger]
    plain = {name: getattr(summary, name) for name in ("text", "covers", "budget", "tokens", "dropped", "over")}
    return dumps({**plain, **lines, "ledger": ledger}, "summary")


@stored("summary")
def summary_of(text: str) -> Summary:
    """The summary of ``summary_json``."""
    row = json.loads(text)
    return Summary(
        **row
        | {
            "covers": tuple(row["covers"]),
            "dropped": tuple(row["dropped"]),
            "lines": tuple(_line_from(*line) for line in row["lines"]),
            "carried": tuple(_line_from(*line) for line in row["carried"]),
            "ledger": tuple(_span_from(*span) for span in row["ledger"]),
        }
    )


def _line_row(line: Line) -> list[Any]:
    return [line.section, line.text, line.turn_ids, line.author, line.place]


def _line_from(section: str, text: str, turn_ids: list[str], author: str, place: int) -> Line:
    return Line(section=Section(section), text=text, turn_ids=tuple(turn_ids), author=author, place=place)


def _span_from(kind: str, text: str, turn_id: str, role: str, author: str, tokens: list[str], required: bool) -> Span:
    return Span(
        kind=SpanKind(kind),
        text=text,
        turn_id=turn_id,
        role=Role(role),
        author=author,
        tokens=tuple(tokens),
        required=required,
    )


def _scored_from(
    names: Sequence[str],
    id: str,
    corpus: str,
    score: float,
    relevance: float,
    parts: Row | list[float | None],
    dropped: str | None,
) -> Scored:
    given = parts if isinstance(parts, dict) else dict(zip(names, parts, strict=True))
    known = {name: value for name, value in given.items() if value is not None}
    return Scored(id, Corpus(corpus), score, relevance, known, None if dropped is None else Drop(dropped))


def _origin_row(origin: Origin) -> list[str | None]:
    return [origin.agent, origin.run, origin.thread]
