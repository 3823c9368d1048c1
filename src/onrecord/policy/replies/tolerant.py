"""JSON as models write it: one reader that forgives its form and never makes up its content.

Forgiven are single or typographic quotes, names without quotes, Python's literals, comments, commas too many or too few, line
breaks and unknown escapes in strings, and quotes inside a string that end nothing. A text that breaks off loses what was not
finished: half a string is no string, and an entry of a list that is not whole is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Deeper nesting is no answer to any question that is asked here, and would exhaust the stack.
DEPTH = 32
_SPACE = re.compile(r"(?:[\s\ufeff\u200b]+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[^\W\d][\w$-]*")
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None, "infinity": None}
_CLOSING = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "`": "`"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_SPECIAL = re.compile(r"[\\\"'”’`]")
#: What may follow a string that has ended.
_FOLLOWS = re.compile(r"[\s\ufeff\u200b]*(?:[,:}\]]|```|//|/\*|$)")


class Unreadable(ValueError):
    """The text at that place is no JSON that could be forgiven."""


class _Cut(Exception):
    """The text ended before the value did."""


@dataclass(frozen=True, slots=True)
class Twice:
    """The values of a name that an object gives more than once, in order."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A value, where it ends in the text, and whether the text broke off inside it."""

    value: Any
    end: int
    cut: bool = False


def pairs(found: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; a name that comes again keeps all of its values, as ``Twice``."""
    made: dict[str, Any] = {}
    for name, value in found:
        if name in made:
            before = made[name].values if isinstance(made[name], Twice) else (made[name],)
            value = Twice((*before, value))
        made[name] = value
    return made


_STRICT = json.JSONDecoder(object_pairs_hook=pairs)


def whole(text: str) -> Found | None:
    """The value that ``text`` is from beginning to end, by the letter of JSON; ``None`` if it is none."""
    try:
        return Found(_STRICT.decode(text), len(text))
    except (ValueError, RecursionError):
        return None


def read(text: str, start: int) -> Found:
    """The object or list that begins at ``start``. Raises ``Unreadable``."""
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _Reader(text, start).outermost()
    return Found(value, end)


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self._text, self._at, self._cut = text, start, False

    def outermost(self) -> Found:
        try:
            value = self._value(0)
        except _Cut:
            raise Unreadable("it breaks off") from None
        return Found(value, self._at, self._cut)

    def _value(self, depth: int) -> Any:
        if depth > DEPTH:
            raise Unreadable(f"it is nested more than {DEPTH} deep")
        sign = self._next()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in _CLOSING:
            return self._string()
        return self._number() if sign.isdigit() or sign in "+-." else self._literal()

    def _next(self) -> str:
        """The next sign that counts. A fence ends the text, as its end does."""
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        if self._at >= len(self._text) or self._text.startswith("```", self._at):
            raise _Cut
        return self._text[self._at]

    def _object(self, depth: int) -> Mapping[str, Any]:
        self._at += 1
        found: list[tuple[str, Any]] = []
        try:
            while (sign := self._next()) != "}":
                if sign == ",":
                    self._at += 1
                    continue
                name = self._name()
                if self._next() not in ":=":
                    raise Unreadable("a name has no value")
                self._at += 1
                found.append((name, self._value(depth + 1)))
                if self._cut:
                    return pairs(found)
            self._at += 1
        except _Cut:
            self._cut = True
        return pairs(found)

    def _list(self, depth: int) -> list[Any]:
        self._at += 1
        found: list[Any] = []
        try:
            while (sign := self._next()) != "]":
                if sign == ",":
                    self._at += 1
                    continue
                value = self._value(depth + 1)
                if self._cut:
                    return found  # an entry that is not whole
                found.append(value)
            self._at += 1
        except _Cut:
            self._cut = True
        return found

    def _name(self) -> str:
        if self._next() in _CLOSING:
            return self._string()
        word = _WORD.match(self._text, self._at)
        if word is None:
            raise Unreadable("a name is missing")
        self._at = word.end()
        return word[0]

    def _string(self) -> str:
        closing, parts = _CLOSING[self._text[self._at]], list[str]()
        self._at += 1
        while True:
            special = _SPECIAL.search(self._text, self._at)
            if special is None:
                raise _Cut
            parts.append(self._text[self._at : special.start()])
            self._at = special.end()
            if special[0] == "\\":
                parts.append(self._escape())
            elif special[0] == closing and self._closes():
                return "".join(parts)
            else:
                parts.append(special[0])

    def _closes(self) -> bool:
        return _FOLLOWS.match(self._text, self._at) is not None

    def _escape(self) -> str:
        if self._at >= len(self._text):
            raise _Cut
        sign = self._text[self._at]
        digits = self._text[self._at + 1 : self._at + 5]
        if sign == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self._at += 5
            return chr(int(digits, 16))
        if sign in _ESCAPES:
            self._at += 1
            return _ESCAPES[sign]
        return "\\"  # of a pattern or a path: it stands for itself

    def _number(self) -> float | int:
        found = _NUMBER.match(self._text, self._at)
        if found is None:
            raise Unreadable("a number is none")
        self._at = found.end()
        if self._at >= len(self._text):
            raise _Cut  # more digits may have been to come
        try:
            return int(found[0]) if re.fullmatch(r"[-+]?\d{1,18}", found[0]) else float(found[0])
        except (ValueError, OverflowError):
            raise Unreadable("a number is none") from None

    def _literal(self) -> bool | None:
        word = _WORD.match(self._text, self._at)
        if word is None or word[0].casefold() not in _LITERALS:
            raise Unreadable("a value is none")
        self._at = word.end()
        return _LITERALS[word[0].casefold()]
