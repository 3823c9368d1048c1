"""The rows that a model's reply holds, or why it holds none. Nothing here raises, whatever the text, and nothing is guessed.

A reply may be an object already, or a text: with reasoning before the answer, prose around it, fences, several objects, an object
inside a string. The first object or list that has the rows asked for is the answer; what else stands there is talk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from onrecord.policy.replies.tolerant import Found, Twice, Unreadable, read, whole

#: Characters of a reply that are read; nobody asked for a longer one.
REPLY_LIMIT = 200_000
#: Places at which an answer is looked for, and rows of one that are read.
_PLACES, _ROWS = 64, 200
_TAGS = r"(?:think|thinking|thought|reasoning|reflection|analysis|scratchpad)"
_OPENS, _CLOSES = re.compile(rf"<{_TAGS}>", re.IGNORECASE), re.compile(rf"</{_TAGS}>", re.IGNORECASE)
#: Where a channel for the answer is announced (the "harmony" form of gpt-oss).
_FINAL = re.compile(r"<\|channel\|>\s*final\b.*?<\|message\|>", re.DOTALL)
_NUMBERED = re.compile(r"[\s\[(#\"']*(?:(?:turn|row|item|no|nr|id|t)[\s.:#_-]*)?(\d{1,9})[\s\])\"'.]*", re.IGNORECASE)


class Form(StrEnum):
    """What a field holds: words, a whole number, or a list of whole numbers."""

    TEXT = "text"
    WHOLE = "whole"
    WHOLES = "wholes"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row."""

    form: Form
    required: bool = True


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that can be used, in order, with the fields asked for and no other; why others were left out; whether the
    reply broke off."""

    rows: tuple[Mapping[str, Any], ...]
    dropped: tuple[str, ...] = ()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a reply cannot be used, for a reader."""

    reason: str


def rows(reply: object, name: str, fields: Mapping[str, Field]) -> Rows | Refused:
    """The rows under ``name`` in a reply, each with its ``fields``; an empty list is an answer, and silence is none."""
    if isinstance(reply, str):
        return _told(reply, name, fields)
    made = _held(Found(reply, 0), name, fields)
    return made or Refused(f"it holds no {name}")


def answer(text: str, names: Sequence[str]) -> Mapping[str, Any] | Refused:
    """The first object in ``text`` that has one of ``names``, its fields as they came; where none has, every object that stands
    there, as a list under the first name, for the one who knows what they should hold."""
    text = _clean(text)
    if (trouble := _trouble(text)) is not None:
        return Refused(trouble)
    loose: list[Any] = []
    for found in _values(text):
        value = _unwrapped(found.value, names)
        if isinstance(value, Mapping) and _has(value, names):
            return value
        if value == []:
            return {names[0]: value}
        loose += [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, Mapping) and row]
    return {names[0]: loose} if loose else Refused(_silence(text))


def _told(text: str, name: str, fields: Mapping[str, Field]) -> Rows | Refused:
    text = _clean(text)
    if (trouble := _trouble(text)) is not None:
        return Refused(trouble)
    first: Refused | None = None
    loose: list[Found] = []
    for found in _values(text):
        first = first or (None if found.cut else Refused(f"it holds no {name}"))
        if isinstance(found.value, Mapping) and _is_row(found.value, fields):
            loose.append(found)
            continue
        made = _held(found, name, fields)
        if isinstance(made, Rows):
            return made
        first = made or first
    if loose:  # one object a row, with or without a list around them
        return _shaped([found.value for found in loose], fields, cut=loose[-1].cut)
    return first or Refused(_silence(text))


def _clean(text: str) -> str:
    return text.replace("\x00", "").strip("\ufeff\u200b\u200e\u200f \t\r\n")


def _trouble(text: str) -> str | None:
    if not text:
        return "it is empty"
    return f"it has {len(text)} characters; {REPLY_LIMIT} are read" if len(text) > REPLY_LIMIT else None


def _silence(text: str) -> str:
    if _OPENS.search(text) and not _CLOSES.search(text):
        return "it is reasoning without an end"
    return "it breaks off before anything is said" if re.search(r"[{\[]", text) else "it holds no JSON"


# --- where values stand


def _values(text: str) -> Iterator[Found]:
    """The objects and lists of a text in order, those of its reasoning left out."""
    if (only := whole(text)) is not None:
        yield only
        return
    final = list(_FINAL.finditer(text))
    begin = final[-1].end() if final else 0
    closed = list(_CLOSES.finditer(text))
    after = closed[-1].end() if closed else begin
    if after > begin and re.search(r"[{\[]", text[after:]):
        yield from _scanned(text, after, len(text))
        return
    opened = _OPENS.search(text, begin)  # no end, or its end stands inside a string of the answer
    yield from _scanned(text, begin, opened.start() if opened else len(text))


def _scanned(text: str, begin: int, end: int) -> Iterator[Found]:
    """Values that begin between ``begin`` and ``end``, each behind the one before."""
    for _ in range(_PLACES):
        place = re.compile(r"[{\[]").search(text, begin, end)
        if place is None:
            return
        try:
            found = read(text, place.start())
        except Unreadable:
            begin = place.end()
            continue
        yield found
        begin = max(found.end, place.end())


# --- what they hold


def _is_row(value: Mapping[str, Any], fields: Mapping[str, Field]) -> bool:
    named = {_name(key) for key in value}
    return all(name in named for name, field in fields.items() if field.required)


def _held(found: Found, name: str, fields: Mapping[str, Field]) -> Rows | Refused | None:
    """The rows of a value; ``None`` if it is not of that shape."""
    value = _unwrapped(found.value, (name,))
    if isinstance(value, Mapping):
        inner = next((entry for key, entry in value.items() if _name(key) == name), _absent)
        if inner is _absent:
            return _shaped([value], fields, cut=found.cut) if _is_row(value, fields) else _under_another(value, fields, found.cut)
        value = _list_of(inner)
    if not isinstance(value, list):
        return None
    if value and not any(isinstance(row, Mapping) for row in value):
        return Refused("its entries are no objects")
    return _shaped(value, fields, cut=found.cut)


_absent = object()


def _unwrapped(value: Any, names: Sequence[str]) -> Any:
    """A value out of a string, or of the one object around it, that has one of the names."""
    if isinstance(value, str) and (inner := whole(value.strip())) is not None:
        value = inner.value
    if isinstance(value, Mapping) and not _has(value, names):
        inside = [entry for entry in map(_out_of_string, value.values()) if isinstance(entry, Mapping) and _has(entry, names)]
        return inside[0] if inside else value
    return value


def _out_of_string(value: Any) -> Any:
    if isinstance(value, str) and value[:1].strip() in ("{", "[") and (inner := whole(value.strip())) is not None:
        return inner.value
    return value


def _has(value: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(_name(key) in names for key in value)


def _under_another(value: Mapping[str, Any], fields: Mapping[str, Field], cut: bool) -> Rows | Refused | None:
    """Rows that are plainly the ones asked for, under a name that is not."""
    for entry in value.values():
        entry = _out_of_string(entry)
        if isinstance(entry, list) and entry and all(isinstance(row, Mapping) and _is_row(row, fields) for row in entry):
            return _shaped(entry, fields, cut=cut)
    return None


def _list_of(value: Any) -> Any:
    """What stands under the name as a list: nothing, one row, rows in a string, rows of a name that came twice."""
    if isinstance(value, Twice):
        parts = [_list_of(part) for part in value.values]
        return [row for part in parts if isinstance(part, list) for row in part]
    value = _out_of_string(value)
    if value is None:
        return []
    return [value] if isinstance(value, Mapping) else value


def _shaped(found: Sequence[Any], fields: Mapping[str, Field], *, cut: bool) -> Rows | Refused:
    made, dropped = [], []
    for number, row in enumerate(found[:_ROWS], 1):
        values = _row(_out_of_string(row), fields)
        if isinstance(values, str):
            dropped.append(f"row {number} {values}")
        else:
            made.append(values)
    if len(found) > _ROWS:
        dropped.append(f"{len(found) - _ROWS} rows more than {_ROWS}")
    if found and not made:
        return Refused(f"no row can be used: {dropped[0]}")
    if cut and not made:
        return Refused("it breaks off before a row is whole")
    return Rows(tuple(made), tuple(dropped), cut)


def _row(row: Any, fields: Mapping[str, Field]) -> Mapping[str, Any] | str:
    """The fields of a row, or what is wrong with it."""
    if not isinstance(row, Mapping):
        return "is no object"
    given = {_name(key): value for key, value in row.items()}
    made: dict[str, Any] = {}
    for name, field in fields.items():
        value = _one(given.get(name))
        read_ = None if value is None else _READ[field.form](value)
        if read_ is None and field.required:
            return f"has no {name}" if value is None else f"has a {name} that is no {field.form}"
        if read_ is not None:
            made[name] = read_
    return made


def _name(key: object) -> str:
    return str(key).strip(" \"'`").casefold()


def _one(value: Any) -> Any:
    """The value of a name that is given once, or always with the same value; nothing where they differ."""
    if not isinstance(value, Twice):
        return value
    return value.values[0] if all(other == value.values[0] for other in value.values) else None


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    # half a surrogate pair is no character, and has no UTF-8 form
    return value.encode("utf-8", "replace").decode("utf-8").replace("\x00", "").strip() or None


def _whole(value: Any) -> int | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return int(value)
    if isinstance(value, str) and (found := _NUMBERED.fullmatch(value[:40])) is not None:
        return int(found[1])
    return value if isinstance(value, int) and abs(value) < 10**9 else None


def _wholes(value: Any) -> list[int] | None:
    found = [number for entry in (value if isinstance(value, list) else [value]) if (number := _whole(entry)) is not None]
    return found or None


_READ = {Form.TEXT: _text, Form.WHOLE: _whole, Form.WHOLES: _wholes}
