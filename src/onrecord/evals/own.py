"""Your own conversations with labelled questions: JSON lines, messages as everywhere else and questions among them.

    {"role": "user", "content": "I joined a rowing club in Leith.", "id": "m1", "at": "2026-03-03T09:00:00+00:00"}
    {"question": "Which club did I join?", "answers": ["m1"]}

A line with ``role`` is a message. Further fields are ``name``, ``id`` (by default ``m`` and the number of its line), ``at`` (by
default a minute after the message before), ``session`` (by default one for each conversation) and ``conversation``, which
keeps conversations with different people apart: nothing is found from one in another.

A line with ``question`` is a question. ``answers`` are the ids of the messages that answer it, all of them; none for a question
that cannot be answered. Further fields are ``id``, ``conversation`` (needed where there are several), ``at`` (by default a day
after the last message), ``category``, and ``answer``, the answer in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.model.turn import Turn
from onrecord.policy.dialogue.messages import parse_messages
from onrecord.policy.portable import NAME as EXPORT
from onrecord.policy.portable import parcel_of

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_ONLY = "1"
_MESSAGE = frozenset({"conversation", "session"})
_QUESTION = frozenset({"question", "answers", "id", "conversation", "at", "category", "answer"})
_FIX = "see onrecord eval own --help, and docs/evaluation.md"


def load(path: Path) -> Dataset:
    """The data set of a file. Raises ``InvalidInput`` that names the line and the field, and where there is no question."""
    dataset = read(path)
    if not dataset.questions:
        raise InvalidInput(path.name, "holds no question", "label some: onrecord eval label " + path.name)
    return dataset


def read(path: Path) -> Dataset:
    """As ``load``, for a file that may hold messages alone: JSON lines, one JSON list of messages, or what ``onrecord export``
    wrote, of which the turns are read."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(path.name, f"is not UTF-8 at byte {error.start}", "convert it first, e.g. with iconv") from None
    except OSError as error:
        raise InvalidInput(path.name, f"can't be read: {error.strerror}", "name a file of messages") from None
    reading = _Reading(path.name)
    for number, row in _rows(text, path.name):
        reading.take(number, row)
    return reading.dataset()


def message_line(conversation: str, line: Line) -> str:
    """A message as a line of such a file."""
    said = {"role": line.role.value, "content": line.text, "name": line.author, "id": line.id, "at": line.at.isoformat()}
    return json.dumps({**said, "session": line.session, "conversation": conversation}, ensure_ascii=False)


def question_line(question: Question) -> str:
    """A question as a line of such a file."""
    row: dict[str, Any] = {"question": question.text, "answers": sorted(question.gold), "conversation": question.talk}
    named = {"id": question.id, "category": question.category, "answer": question.answer}
    return json.dumps({**row, **{name: value for name, value in named.items() if value}}, ensure_ascii=False)


@dataclass
class _Reading:
    """What was read so far."""

    name: str
    talks: dict[str, list[Line]] = field(default_factory=dict)
    home: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)

    def take(self, number: int, row: Mapping[str, Any]) -> None:
        where = f"{self.name} line {number}"
        if EXPORT in row:
            return
        if "question" in row:
            _known(row, _QUESTION, where)
            self.asked.append((number, row))
        elif "role" in row:
            conversation = _word(row, "conversation", where) or _ONLY
            self._add(conversation, _message(row, number, where, self._last(conversation)), where)
        elif "turn" in row:
            turn = _turn(row, where)
            self._add(turn.subject, _line(turn), where)
        elif len(row) != 1 or not isinstance(next(iter(row.values())), Mapping):  # other rows of an export hold no message
            raise InvalidInput(where, "is neither a message nor a question", 'write {"role": …, "content": …} or {"question": …}')

    def dataset(self) -> Dataset:
        talks = {name: Talk(name, tuple(lines)) for name, lines in self.talks.items()}
        if not talks:
            raise InvalidInput(self.name, "holds no message", _FIX)
        questions = [self._question(number, row) for number, row in self.asked]
        seen: set[str] = set()
        for question in questions:
            if question.id in seen:
                raise InvalidInput(f"{self.name}, id", f"{question.id!r} names two questions", "give each its own")
            seen.add(question.id)
        return Dataset(name="own", talks=talks, questions=tuple(questions))

    def _last(self, conversation: str) -> datetime:
        lines = self.talks.get(conversation)
        return lines[-1].at if lines else _BEGIN - timedelta(minutes=1)

    def _add(self, conversation: str, line: Line, where: str) -> None:
        if line.id in self.home:
            raise InvalidInput(f"{where}, id", f"{line.id!r} names two messages", "give each its own, in the whole file")
        self.home[line.id] = conversation
        self.talks.setdefault(conversation, []).append(line)

    def _question(self, number: int, row: Mapping[str, Any]) -> Question:
        where = f"{self.name} line {number}"
        conversation = _word(row, "conversation", where)
        if not conversation and len(self.talks) > 1:
            raise InvalidInput(f"{where}, conversation", "is missing", f"name one of {', '.join(list(self.talks)[:5])}")
        conversation = conversation or next(iter(self.talks))
        if conversation not in self.talks:
            raise InvalidInput(f"{where}, conversation", f"{conversation!r} has no message", "name one that has")
        lines = {line.id: line for line in self.talks[conversation]}
        gold = _answers(row, where)
        if unknown := [id for id in gold if id not in lines]:
            raise InvalidInput(
                f"{where}, answers", f"{unknown[0]!r} is no message of {conversation!r}", "name ids of its messages"
            )
        text = _word(row, "question", where)
        if not text.strip():
            raise InvalidInput(f"{where}, question", "is empty", "write what is asked")
        return Question(
            id=_word(row, "id", where) or f"q{number}",
            talk=conversation,
            text=text,
            category=_word(row, "category", where) or "question",
            at=_time(row, where) or self.talks[conversation][-1].at + timedelta(days=1),
            gold=frozenset(gold),
            sessions=frozenset(lines[id].session for id in gold),
            abstain=not gold,
            answer=_word(row, "answer", where),
        )


def _rows(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each object with the number of its line, or its place in the list."""
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, Mapping) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    if isinstance(whole, list):
        rows: Sequence[tuple[int, Any]] = list(enumerate(whole, 1))
    else:
        rows = [(number, _parsed(line, name, number)) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, row in rows:
        if not isinstance(row, Mapping):
            raise InvalidInput(f"{name} line {number}", f"is a {type(row).__name__}", "write one object a line")
        yield number, row


def _parsed(line: str, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{name} line {number}", f"is not JSON: {error}", "write one object a line") from None


def _message(row: Mapping[str, Any], number: int, where: str, last: datetime) -> Line:
    try:
        (said,) = parse_messages([{name: value for name, value in row.items() if name not in _MESSAGE}])
    except InvalidInput as error:
        raise InvalidInput(f"{where}, {error.field.removeprefix('messages[0].')}", error.problem, error.fix) from None
    return Line(
        id=said.client_id or f"m{number}",
        session=_word(row, "session", where) or _word(row, "conversation", where) or _ONLY,
        at=said.at or last + timedelta(minutes=1),
        role=said.role,
        author=said.author or said.role.value,
        text=said.text or " ",
    )


def _turn(row: Mapping[str, Any], where: str) -> Turn:
    try:
        parcel = parcel_of(json.dumps(row))
    except InvalidInput as error:
        raise InvalidInput(f"{where}, {error.field}", error.problem, error.fix) from None
    assert isinstance(parcel, Turn)  # the one kind that this key names
    return parcel


def _line(turn: Turn) -> Line:
    session = turn.origin.thread or turn.subject
    return Line(id=turn.id, session=session, at=turn.at, role=turn.role, author=turn.author, text=turn.text or " ")


def _answers(row: Mapping[str, Any], where: str) -> list[str]:
    given = row.get("answers")
    if given is None:
        raise InvalidInput(f"{where}, answers", "is missing", "list the ids of the messages that answer it, [] if none does")
    if not isinstance(given, list) or not all(isinstance(id, str) for id in given):
        raise InvalidInput(f"{where}, answers", "is no list of ids", 'write ["m3", "m8"]')
    return list(dict.fromkeys(given))


def _time(row: Mapping[str, Any], where: str) -> datetime | None:
    given = _word(row, "at", where)
    if not given:
        return None
    try:
        at = datetime.fromisoformat(given)
    except ValueError:
        raise InvalidInput(f"{where}, at", f"{given[:40]!r} is no time", "write ISO 8601, e.g. 2026-03-03T11:42+01:00") from None
    if at.tzinfo is None:
        raise InvalidInput(f"{where}, at", "has no time zone", "add one, e.g. +00:00")
    return at


def _word(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"{where}, {name}", f"is a {type(value).__name__}", "write a string")
    return value


def _known(row: Mapping[str, Any], names: frozenset[str], where: str) -> None:
    if unknown := sorted(set(row) - names):
        raise InvalidInput(f"{where}, {unknown[0]}", "is no field of a question", f"use {', '.join(sorted(names))}")
