"""Arguments: what callers pass is checked by name before anything happens, and refused with the field and the way out.

A wrong type, an unknown word, a time without a zone or a number out of range is never taken for something else. What is not in
``CHECKS`` is checked where it is read: names by ``policy.address``, messages by ``policy.messages``, filters by ``policy.filter``
and fields of an edit by ``pipeline.amend``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum
from typing import Any, ParamSpec, TypeVar

from onrecord.errors import InvalidInput
from onrecord.model.context import Preset, Shape
from onrecord.model.moment import as_utc
from onrecord.model.query import Include
from onrecord.model.record import Kind, Status
from onrecord.model.turn import Turn

P = ParamSpec("P")
R = TypeVar("R")
#: Returns the value as the method is to see it. Raises ``InvalidInput``.
Check = Callable[[Any, str], Any]

#: More rows than any call means.
_MOST = 2**31 - 1
#: Bytes of a file's name: file systems take 255, and a copy lies beside it under a longer one until it is whole.
_FILE_NAME = 230


def checked(**special: Check) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: the method gets its arguments checked, by ``special`` or ``CHECKS``. A default passes as it is."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)
        every = {**CHECKS, **special}
        mine = {name: every[name] for name in signature.parameters if name in every}

        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            for name, value in list(bound.arguments.items()):
                if name in mine and value is not signature.parameters[name].default:
                    bound.arguments[name] = mine[name](value, name)
            return method(*bound.args, **bound.kwargs)

        return call

    return decorate


def string(value: Any, field: str) -> str:
    """``value`` if it is a string."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a string")
    return value


def words(value: Any, field: str) -> str:
    """``value`` if it is a string that can be stored as UTF-8."""
    try:
        string(value, field).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(field, f"holds half a character at {error.start}", "decode it with errors='replace'") from None
    return str(value)


def named(value: Any, field: str) -> str:
    """``value`` if it is words, and not nothing."""
    if not words(value, field):
        raise InvalidInput(field, "is empty", "give one, or leave it out")
    return str(value)


def place(value: Any, field: str) -> Any:
    """``value`` if it can be the path of a file: a string, or what stands for one."""
    path = value if isinstance(value, str) else value.__fspath__() if hasattr(value, "__fspath__") else None
    if not isinstance(path, str):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a path")
    if not path.strip():
        raise InvalidInput(field, "is empty", "name a file")
    if "\0" in path:
        raise InvalidInput(field, "holds a null character", "name a file")
    try:
        size = len(path.rpartition("/")[2].encode("utf-8", "surrogateescape"))  # as systems give names that are no UTF-8
    except UnicodeEncodeError as error:
        raise InvalidInput(field, f"holds half a character at {error.start}", "name a file") from None
    if size > _FILE_NAME:
        raise InvalidInput(field, f"ends in a name of {size} bytes", f"use at most {_FILE_NAME}")
    return value


def flag(value: Any, field: str) -> bool:
    """``value`` if it is true or false; ``"no"`` is neither."""
    if not isinstance(value, bool):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass True or False")
    return value


def whole(least: int, most: int = _MOST) -> Check:
    """A check for whole numbers from ``least`` to ``most``."""
    span = f"{least} or more" if most == _MOST else f"{least} to {most}"

    def check(value: Any, field: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidInput(field, f"is a {type(value).__name__}", f"use a whole number, {span}")
        if not least <= value <= most:
            raise InvalidInput(field, f"is {value}", f"use {span}")
        return value

    return check


def share(value: Any, field: str) -> float:
    """``value`` if it is a number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidInput(field, f"is a {type(value).__name__}", "use a number from 0 to 1")
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(field, f"is {value}", "use 0 to 1")
    return float(value)


def moment(value: Any, field: str) -> datetime:
    """``value`` if it is a time with a zone. A phrase that nobody understood must never mean "any time"."""
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a datetime with a time zone")
    as_utc(value, field)
    return value


def mapping(value: Any, field: str) -> Mapping[str, Any]:
    """``value`` if it is an object."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass an object of JSON values")
    return value


def objects(value: Any, field: str) -> tuple[Mapping[str, Any], ...]:
    """``value`` if it is a list of objects."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or not all(isinstance(one, Mapping) for one in value):
        raise InvalidInput(field, "are no list of objects", "pass a list of tool schemas")
    return tuple(value)


def functions(value: Any, field: str) -> Mapping[str, Callable[..., Any]]:
    """``value`` if it is an object of functions by name."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) and callable(one) for name, one in value.items()):
        raise InvalidInput(field, "are not functions by name", "pass an object such as {'sql': shorten}")
    return value


def instance(type_: type) -> Check:
    """A check for values of a type of this package."""

    def check(value: Any, field: str) -> Any:
        if not isinstance(value, type_):
            raise InvalidInput(field, f"is a {type(value).__name__}", f"pass a {type_.__name__}")
        return value

    return check


def one_of(words: type[StrEnum]) -> Check:
    """A check for a word of an enumeration."""

    def check(value: Any, field: str) -> StrEnum:
        try:
            return words(value)
        except ValueError:
            raise InvalidInput(field, f"is {value!r:.40}", "use one of " + ", ".join(words)) from None

    return check


def many_of(words: type[StrEnum]) -> Check:
    """A check for a list of words of an enumeration."""
    single = one_of(words)

    def check(value: Any, field: str) -> tuple[StrEnum, ...]:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | Set):
            raise InvalidInput(field, f"is a {type(value).__name__}", f"pass a list like ['{next(iter(words))}']")
        return tuple(single(one, field) for one in value)

    return check


def names(value: Any, field: str) -> tuple[str, ...]:
    """``value`` if it is a list of strings, of which one at least."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | Set):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a list of ids")
    if not value:
        raise InvalidInput(field, "is empty", "name at least one id, or leave it out")
    return tuple(words(one, field) for one in value)


def last_turn(value: Any, field: str) -> Turn | int:
    """``value`` if it is a turn, or the number of one."""
    return value if isinstance(value, Turn) else int(whole(1)(value, field))


CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(("query", "message", "system", "id", "name", "waiting_for"), string),
    **dict.fromkeys(("statement", "key", "value", "qualifier", "title", "after"), words),
    "idempotency_key": named,
    **dict.fromkeys(("infer", "dry_run", "verify", "history", "rerank", "archived", "pinned", "negation"), flag),
    **dict.fromkeys(("limit", "budget"), whole(1)),
    "version": whole(0),
    "last": whole(-_MOST),  # the last few, or none: a caller counts down to nothing
    **dict.fromkeys(("at", "as_of", "known_at", "since", "until", "valid_from", "valid_until"), moment),
    "metadata": mapping,
    "path": place,
    "formatters": functions,
    "threshold": share,
    "upto": last_turn,
    "kind": one_of(Kind),
    "shape": one_of(Shape),
    "preset": one_of(Preset),
    "window": whole(1),
    "tools": objects,
    "kinds": many_of(Kind),
    "statuses": many_of(Status),
    "include": one_of(Include),
}
