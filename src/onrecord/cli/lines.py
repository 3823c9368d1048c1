"""What a page is made of: lines with a label in a column of its own, and words that wrap beside it. Nothing here prints."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

#: A piece of text and how it looks: "" plain, or "strong", "dim", "good", "warn", "bad", "note".
Span: TypeAlias = tuple[str, str]

#: Turn or hide text on a screen, and are no part of any script.
_TURNING = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph. ``label`` stands in a column ``width`` wide behind ``indent`` blanks; the words wrap to its right."""

    words: tuple[Span, ...] = ()
    label: Span = ("", "")
    indent: int = 0
    width: int = 0


def line(*words: Span | str, label: Span | str = "", indent: int = 0, width: int = 0) -> Line:
    """A line; a bare string is a plain span."""
    return Line(tuple(map(_span, words)), _span(label), indent, width)


def blank() -> Line:
    """An empty line."""
    return Line()


def title(text: str, note: str = "") -> Line:
    """The heading of a part of a page."""
    return line((text, "strong"), (f"  {note}" if note else "", "dim"))


def joined(parts: Sequence[str], style: str = "dim") -> Span:
    """The parts that say something, side by side."""
    return (" · ".join(part for part in parts if part), style)


def one_line(text: str, limit: int = 0) -> str:
    """``text`` without line breaks; cut with an ellipsis behind ``limit`` characters if one is given."""
    flat = " ".join(text.split())
    return flat if not limit or len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def day(moment: datetime) -> str:
    """The date in UTC, ``2026-03-03``."""
    return moment.astimezone(UTC).date().isoformat()


def minute(moment: datetime) -> str:
    """Date and time in UTC, ``2026-03-03 11:42``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def harmless(text: str) -> str:
    """``text`` with everything that could steer a terminal, or turn its reader's eye, written as an escape like ``\\x1b``.

    Line breaks stay, tabs become blanks; letters of any script and emoji stay as they are.
    """
    return "".join(_visible(text))


def _visible(text: str) -> Iterator[str]:
    for char in text.replace("\r\n", "\n").replace("\t", "    "):
        if char != "\n" and _acts(char):
            yield char.encode("unicode_escape").decode("ascii")
        else:
            yield char


def _acts(char: str) -> bool:
    if char.isascii():
        return not char.isprintable()
    return char in _TURNING or "\U000e0000" <= char <= "\U000e007f" or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


def _span(part: Span | str) -> Span:
    return (part, "") if isinstance(part, str) else part
