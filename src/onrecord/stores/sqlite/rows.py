"""Records and turns as columns of the SQLite tables, and back.

A record is kept in two parts: ``state``, the fields that change often, and ``body``, its words, which most changes leave alone.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple, TypeAlias

from onrecord.model.moment import from_us, to_us
from onrecord.model.record import ExpiryBasis, Record
from onrecord.model.turn import Turn
from onrecord.policy.language.text import terms
from onrecord.stores.codec import ROLES, STATES, dumps, in_zone, origin_of, record_fields, record_row, stored, turn_row

#: Columns of one row.
Values: TypeAlias = tuple[Any, ...]

_STATE = (
    "status",
    "superseded_by",
    "conflicts_with",
    "version",
    "confidence",
    "derived_from",
    "said_at",
    "valid_until",
    "pinned",
)


class FullText(NamedTuple):
    """What the full-text index holds of a text: each term once, the repetitions, and how many there are together."""

    terms: str
    again: str
    length: int


def full_text(text: str) -> FullText:
    """The full text of a text."""
    words = terms(text)
    rest = Counter(words)
    rest.subtract(rest.keys())
    return FullText(" ".join(rest), " ".join(rest.elements()), len(words))


def record_parts(record: Record) -> tuple[str, str]:
    """The state and the body of a record, as JSON."""
    row = record_row(record)
    state = {name: row.pop(name) for name in _STATE}
    return dumps(state), dumps(row)


@stored("record")
def fields_of_parts(state: str, body: str) -> dict[str, Any]:
    """The fields of the record of ``record_parts``."""
    return record_fields(json.loads(body) | json.loads(state))


def record_of_parts(state: str, body: str) -> Record:
    """The record of ``record_parts``."""
    return Record.trusted(fields_of_parts(state, body))


def record_values(record: Record, rev: int, moved: int, length: int, state: str) -> Values:
    """The columns of a record in the order of the queries ``add_record`` and ``set_record``; ``moved`` is when the last thing
    happened to it."""
    return (
        rev,
        moved,
        to_us(record.written_at),
        to_us(record.said_at),
        to_us(record.valid_from),
        to_us(record.valid_until),
        int(record.expiry_basis is ExpiryBasis.STATED),
        length,
        record.status.value,
        record.kind.value,
        record.key,
        record.scope.value,
        record.scope_ref,
        record.origin.agent,
        record.origin.run,
        record.origin.thread,
        state,
    )


def turn_values(turn: Turn, id: int, tid: int, sid: int, length: int) -> Values:
    """The columns of a turn in the order of the query ``add_turn``."""
    row = turn_row(turn)
    return (
        id,
        tid,
        sid,
        turn.id,
        turn.origin.agent,
        turn.origin.run,
        thread_name(turn.origin.thread),
        turn.role.value,
        turn.author,
        turn.text,
        row["at"],
        row["zone"],
        row["written_at"],
        turn.seq,
        turn.client_id,
        turn.state.value,
        turn.tries,
        dumps(row["payload"], "payload"),
        dumps(row["metadata"]),
        None if row["note"] is None else dumps(row["note"], "note"),
        length,
    )


@stored("turn")
def turn_of(tenant: str, values: Values) -> Turn:
    """The turn of a row of the queries ``turns_by_uid`` and ``turns_by_id``."""
    subject, id, agent, run, thread, role, author, text, at, zone, written_at, seq, client_id, state, tries = values[2:17]
    payload, metadata, note = values[17:]
    return Turn(
        id=id,
        tenant=tenant,
        subject=subject,
        origin=origin_of(agent, run, thread or None),
        role=ROLES[role],
        author=author,
        text=text,
        at=in_zone(at, zone),
        written_at=from_us(written_at),
        seq=seq,
        client_id=client_id,
        state=STATES[state],
        tries=tries,
        payload=_object(payload),
        metadata=_object(metadata),
        note=None if note is None else _object(note),
    )


def _object(text: str) -> dict[str, Any]:
    """An object of its own; most are empty, and to read those takes longer than all else of a turn."""
    found: dict[str, Any] = {} if text == "{}" else json.loads(text)
    return found


def thread_name(thread: str | None) -> str:
    """How the turn table calls a thread; a turn without one has an empty name there."""
    return thread or ""


def id_range(sid: int) -> tuple[int, int]:
    """The first and the last id of a subject's rows."""
    return sid << 32, (sid + 1 << 32) - 1
