"""Rows of what is shown: records, recalled turns, the state of a run; dates and no ages, so that a row stays the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from onrecord.model.document import Excerpt
from onrecord.model.record import Record
from onrecord.model.run import Checkpoint
from onrecord.model.trace import Hit, Standing
from onrecord.model.turn import Turn
from onrecord.policy.dialogue.frame import Note, Row
from onrecord.policy.dialogue.prune import head_and_tail
from onrecord.policy.secrecy.redact import redact, redact_json

#: Characters of one value of a run's state; tool results can be pages, and the whole is in the run.
STATE_LIMIT = 600
#: Characters of what a pointer gave; more is a document.
LIVE_LIMIT = 2_000
_ELSEWHERE = "a record not shown"


def record_row(hit: Hit, label: str, labels: Mapping[str, str]) -> Row:
    """The row of a hit with a record; ``labels`` name the other sides of conflicts. Raises ``ValueError`` for an episode."""
    record = hit.record
    if record is None:
        raise ValueError("an episode has no record row")
    return Row(label, str(record.kind), redact(record.statement).text, tuple(_record_notes(hit, record, labels)))


def _record_notes(hit: Hit, record: Record, labels: Mapping[str, str]) -> Iterator[Note]:
    yield Note("said", record.said_at.date().isoformat())
    yield Note("by", record.author, free=True)
    if record.qualifier:
        yield Note("when", redact(record.qualifier).text, free=True)
    yield Note("source", str(record.source.type))
    yield Note("confidence", f"{record.confidence:.2f}")
    if record.negation:
        yield Note("must NOT or is NOT")
    if hit.stale:
        yield Note("stale since", f"{record.valid_until.date().isoformat()}, ask before relying on it")
    if record.conflicts_with:
        yield Note("CONFLICTS with", ", ".join(dict.fromkeys(labels.get(id, _ELSEWHERE) for id in record.conflicts_with)))


def episode_row(hit: Hit, label: str) -> Row:
    """The row of a hit with a turn: word for word, on which day and by whom; marked where what it said is no longer so."""
    turn = hit.turn
    if turn is None:
        raise ValueError("a record has no episode row")
    over = (Note("no longer so"),) if hit.fate.standing is Standing.OVER or hit.fate.retired else ()
    return Row(label, str(turn.role), turn.text, (Note("said", turn.at.date().isoformat()), *_by(turn), *over))


def turn_row(turn: Turn, label: str) -> Row:
    """The row of a turn of a dialogue, with the minute it was said and its author where that is more than the role."""
    return Row(label, str(turn.role), turn.text, (Note("said", f"{turn.at:%Y-%m-%d %H:%M}"), *_by(turn)))


def _by(turn: Turn) -> tuple[Note, ...]:
    return (Note("by", turn.author, free=True),) if turn.author != turn.role else ()


def passage_row(excerpt: Excerpt, label: str) -> Row:
    """The row of a passage: its text, the document and section it stands in, and the day that document is of."""
    passage, document = excerpt.passage, excerpt.document
    notes = [Note("from", document.name, free=True)]
    if passage.heading:
        notes.append(Note("section", passage.heading, free=True))
    notes.append(Note("dated", document.updated_at.date().isoformat()))
    return Row(label, "passage", redact(passage.text).text, tuple(notes))


def live_row(record: Record, label: str, text: str, *, at: datetime, failure: str, last: datetime | None) -> Row:
    """The row of what a pointer gave: the value of the record, when it was read, and whether it changed since the time before."""
    notes = [
        Note("read", f"{at:%Y-%m-%d %H:%M}"),
        Note("key", record.key or "", free=True),
        Note("from", record.value or "", free=True),
    ]
    if failure:
        notes.append(Note("failed", failure, free=True))
    if last is not None:
        notes.append(Note("changed since", f"{last:%Y-%m-%d %H:%M}"))
    shown = head_and_tail(redact(text).text, LIVE_LIMIT, "its system of record")
    return Row(label, "pointer", shown, tuple(notes))


def state_rows(checkpoint: Checkpoint) -> list[Row]:
    """The rows of a run's state: its step, what it waits for, its plan, values, results of tools and retries."""
    state = redact_json(dict(checkpoint.state))[0]
    entries = [
        ("status", str(checkpoint.status)),
        *([("waiting_for", state["waiting_for"])] if state.get("waiting_for") else []),
        *(("plan", step) for step in state.get("plan", ())),
        *_entries("value", state.get("values", {})),
        *_entries("result", state.get("results", {})),
        *_entries("retries", state.get("retries", {})),
    ]
    step = Note("step", str(checkpoint.step))
    return [Row(f"w{n}", type, _shown(value), (step, *key)) for n, (type, value, *key) in enumerate(entries, 1)]


def _entries(type: str, values: Mapping[str, Any]) -> Iterable[tuple[Any, ...]]:
    return ((type, value, Note("key", name, free=True)) for name, value in values.items())


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return head_and_tail(text, STATE_LIMIT, "the run")
