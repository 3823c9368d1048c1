"""Rows as lines of JSON that any program can read, back again, and the JSON Schema of both: all from the dataclasses themselves.

Times are ISO 8601 with microseconds and an offset, enumerations their words, bytes base64, tuples arrays. A field with a default
may be missing, so that older files are read; one that is not known is refused, so that nothing is lost unseen.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from onrecord.errors import InvalidInput
from onrecord.model.parcel import PARCELS, Extent, Parcel

#: The version of the format: it grows when older packages could not read what newer ones write.
FORMAT = 1
NAME = "onrecord export"
_HALF = re.compile(r"[\ud800-\udfff]")
_WORDS: Mapping[type, str] = {kind: word for word, kind in PARCELS.items()}
_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def head_line(extent: Extent) -> str:
    """The first line of an export."""
    return _dumps({NAME: FORMAT, "tenant": extent.tenant, "subjects": extent.subjects, "vectors": extent.vectors})


def check_head(line: str) -> None:
    """Raises ``InvalidInput`` if this is not the first line of an export that this package can read."""
    try:
        version = _loads(line)[NAME]
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(
            "source", "does not begin like an export", "name a file that export wrote, or say what it is from"
        ) from None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidInput("source", f"is of format {version!r}, which there is not", "name a file that export wrote")
    if version > FORMAT:
        raise InvalidInput("source", f"is of format {version}, this package reads up to {FORMAT}", "upgrade the package")


def parcel_line(parcel: Parcel) -> str:
    """The line of a parcel: an object with the word for its kind, and itself. The same parcel gives the same bytes."""
    return _dumps({_WORDS[type(parcel)]: plain(parcel)})


def parcel_of(line: str) -> Parcel:
    """The parcel of a line. Raises ``InvalidInput``, which names the field, for a line that holds none."""
    try:
        row = _loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("line", f"is no JSON: {error}", "restore the line from where it was written") from None
    if not isinstance(row, dict) or len(row) != 1 or not row.keys() <= PARCELS.keys():
        raise InvalidInput("line", "is no row of an export", f"begin it with one of {', '.join(PARCELS)}")
    ((word, value),) = row.items()
    kind: Any = PARCELS[word]
    parcel: Parcel = _reader(kind)(value, word)
    return parcel


def plain(value: Any) -> Any:
    """A value of the model as JSON values."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of every line of an export."""
    named: dict[str, Any] = {}
    head = {
        "type": "object",
        "properties": {
            NAME: {"const": FORMAT},
            "tenant": {"type": ["string", "null"]},
            "subjects": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "vectors": {"type": "boolean"},
        },
        "required": [NAME],
        "additionalProperties": False,
    }
    lines = [
        {"type": "object", "properties": {word: _schema(kind, named)}, "required": [word], "additionalProperties": False}
        for word, kind in PARCELS.items()
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{NAME}, format {FORMAT}: one line",
        "anyOf": [head, *lines],
        "$defs": dict(sorted(named.items())),
    }


# -- reading

_Read = Callable[[Any, str], Any]


@cache
def _reader(hint: Any) -> _Read:
    """What reads a value of this type; it is told how the value is called."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return _either(_reader(next(arg for arg in args if arg is not NoneType)))
    if origin is tuple:
        return _array(_reader(args[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _object(_reader(args[1]))
    if is_dataclass(hint):
        return _fields(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _word(hint)
    special: Mapping[Any, _Read] = {Any: lambda value, _: value, str: _text, datetime: _moment, bytes: _bytes}
    return special.get(hint) or _exactly(hint)


def _fields(kind: Any) -> _Read:
    hints = get_type_hints(kind)
    readers = {each.name: _reader(hints[each.name]) for each in fields(kind)}
    needed = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}

    def read(value: Any, where: str) -> Any:
        _expect(isinstance(value, dict), where, "is no object")
        for name in sorted(needed - value.keys()):
            raise InvalidInput(f"{where}.{name}", "is missing", "restore the line from where it was written")
        for name in sorted(value.keys() - readers.keys()):
            raise InvalidInput(f"{where}.{name}", "is not known to this package", "upgrade the package")
        return kind(**{name: readers[name](inner, f"{where}.{name}") for name, inner in value.items()})

    return read


def _either(inner: _Read) -> _Read:
    return lambda value, where: None if value is None else inner(value, where)


def _array(inner: _Read) -> _Read:
    def read(value: Any, where: str) -> Any:
        _expect(isinstance(value, list), where, "is no array")
        return tuple(inner(one, f"{where}[{n}]") for n, one in enumerate(value))

    return read


def _object(inner: _Read) -> _Read:
    def read(value: Any, where: str) -> Any:
        _expect(isinstance(value, dict), where, "is no object")
        return {name: inner(one, f"{where}.{name}") for name, one in value.items()}

    return read


def _word(kind: type[StrEnum]) -> _Read:
    def read(value: Any, where: str) -> Any:
        _expect(value in list(kind), where, f"is {value!r:.40}, not one of {', '.join(kind)}")
        return kind(value)

    return read


def _exactly(kind: Any) -> _Read:
    allowed = (int, float) if kind is float else (kind,)

    def read(value: Any, where: str) -> Any:
        _expect(type(value) in allowed, where, f"is no {_PLAIN[kind]}")
        return value

    return read


def _text(value: Any, where: str) -> Any:
    _expect(isinstance(value, str), where, "is no string")
    _expect(not _HALF.search(value), where, "holds half a character, which no file can hold")
    return value


def _moment(value: Any, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidInput(where, "is no time", "write it like 2026-03-01T12:00:00.000000+00:00") from None
    _expect(moment.tzinfo is not None, where, "is a time without an offset")
    return moment


def _bytes(value: Any, where: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except (TypeError, ValueError):
        raise InvalidInput(where, "is not base64", "restore the line from where it was written") from None


def _expect(holds: bool, where: str, problem: str) -> None:
    if not holds:
        raise InvalidInput(where, problem, "restore the line from where it was written")


# -- schema


def _schema(hint: Any, named: dict[str, Any]) -> dict[str, Any]:
    origin, args = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return {"anyOf": [_schema(next(arg for arg in args if arg is not NoneType), named), {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _schema(args[0], named)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(args[1], named)}
    if is_dataclass(hint) or (isinstance(hint, type) and issubclass(hint, StrEnum)):
        return _named(hint, named)
    special: Mapping[Any, dict[str, Any]] = {
        Any: {},
        datetime: {"type": "string", "format": "date-time"},
        bytes: {"type": "string", "contentEncoding": "base64"},
    }
    return special[hint] if hint in special else {"type": _PLAIN[hint]}


def _named(kind: Any, named: dict[str, Any]) -> dict[str, Any]:
    if kind.__name__ not in named:
        named[kind.__name__] = {}  # so that a type that holds itself is met once
        named[kind.__name__] = _fields_schema(kind, named) if is_dataclass(kind) else {"enum": [str(word) for word in kind]}
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _fields_schema(kind: Any, named: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {
        "type": "object",
        "description": " ".join((kind.__doc__ or "").split("\n")[0].split()),
        "properties": {each.name: _schema(hints[each.name], named) for each in fields(kind)},
        "required": [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING],
        "additionalProperties": False,
    }


# -- JSON


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _loads(line: str) -> Any:
    return json.loads(line, parse_constant=_no_number)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")
