"""Blocks: a document read along its structure: headings, paragraphs, lists, tables, blocks of code. Pure.

Markdown and plain text are read line by line; a file of code, told by its name, at the lines that begin a definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_INDENTED = re.compile(r"(?: {2,}|\t)\S")
_TABLE = re.compile(r"[ \t]*\|")
_CODE_NAME = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|java|kt|scala|go|rs|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|bash|sql|lua|r|jl|ex|exs|hs|pl|m)$",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"(?:@|export |public |private |protected |static |async |pub |abstract |final )*"
    r"(?:def|class|function|fn|func|struct|enum|trait|impl|interface|module|namespace|type|create)\b",
    re.IGNORECASE,
)
_CLOSES = frozenset(")]}")
#: Characters of the line that names a definition.
_NAME_LIMIT = 80


class Shape(StrEnum):
    """What a block is: how it may be cut."""

    PROSE = "prose"
    ITEMS = "items"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A block below the path of its headings. ``text`` has no blank line at its ends."""

    heading: str
    shape: Shape
    text: str


def blocks(text: str, name: str) -> list[Block]:
    """The blocks of a text in order: all of its lines but headings and blank ones. ``name`` tells whether it is code."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return list(_definitions(lines) if _CODE_NAME.search(name) else _Reader(lines).blocks())


def _definitions(lines: Sequence[str]) -> Iterator[Block]:
    """The top-level pieces of code: each begins at a line without indent behind a blank one, or at a definition."""
    held: list[str] = []
    for before, line in zip(("", *lines), lines, strict=False):
        outer = line[:1].strip() != "" and line[0] not in _CLOSES
        if held and outer and (not before.strip() or (_DEFINES.match(line) and not before.lstrip().startswith(("@", "#", "//")))):
            yield from _code(held)
            held = []
        held.append(line)
    yield from _code(held)


def _code(lines: Sequence[str]) -> Iterator[Block]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        defining = next((line.strip() for line in lines if _DEFINES.match(line)), "")
        yield Block(defining[:_NAME_LIMIT].rstrip(" {:("), Shape.CODE, text)


class _Reader:
    """Reads lines of Markdown or plain text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines, self._place = lines, 0
        self._path: list[tuple[int, str]] = []
        self._empty = False

    def blocks(self) -> Iterator[Block]:
        """The blocks in order."""
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if not line.strip():
                self._place += 1
            elif heading := _ATX.match(line):
                yield from self._enter(len(heading[1]), heading[2])
                self._place += 1
            elif _FENCE.match(line):
                yield self._block(Shape.CODE, self._fenced())
            elif _ITEM.match(line) or _TABLE.match(line):
                yield self._block(Shape.ITEMS, self._items())
            elif self._underlined():
                yield from self._enter(1 if "=" in self._lines[self._place + 1] else 2, line.strip())
                self._place += 2
            else:
                yield self._block(Shape.PROSE, self._paragraph())
        yield from self._bare(0)

    def _block(self, shape: Shape, lines: Sequence[str]) -> Block:
        self._empty = False
        return Block(" > ".join(name for _, name in self._path), shape, "\n".join(lines).strip("\n"))

    def _bare(self, level: int) -> Iterator[Block]:
        """The last heading as words of their own, if nothing stands below it and one of that level follows."""
        if self._empty and level <= self._path[-1][0]:
            *above, (_, name) = self._path
            yield Block(" > ".join(other for _, other in above), Shape.PROSE, name)

    def _enter(self, level: int, name: str) -> Iterator[Block]:
        yield from self._bare(level)
        self._empty = True
        self._path = [*(one for one in self._path if one[0] < level), (level, name.strip())]

    def _underlined(self) -> bool:
        following = self._lines[self._place + 1 : self._place + 2]
        return bool(following and _UNDERLINE.match(following[0]))

    def _taken(self, end: int) -> list[str]:
        begin, self._place = self._place, end
        return list(self._lines[begin:end])

    def _fenced(self) -> list[str]:
        fence = _FENCE.match(self._lines[self._place])
        mark = fence[1] if fence else ""
        end = self._place + 1
        while end < len(self._lines) and not self._lines[end].strip().startswith(mark):
            end += 1
        return self._taken(min(end + 1, len(self._lines)))

    def _items(self) -> list[str]:
        """A list or a table: up to a line that is neither an item nor the rest of one."""
        end = self._place
        while end < len(self._lines) and self._goes_on(end):
            end += 1
        return self._taken(max(end, self._place + 1))

    def _goes_on(self, place: int) -> bool:
        line = self._lines[place]
        if line.strip():
            belongs = _ITEM.match(line) or _TABLE.match(line) or _INDENTED.match(line)
            return bool(belongs or (place > self._place and self._lines[place - 1].strip() and not self._starts(line)))
        rest = next((later for later in self._lines[place + 1 : place + 3] if later.strip()), "")
        return bool(_ITEM.match(rest) or _INDENTED.match(rest))

    def _paragraph(self) -> list[str]:
        end = self._place + 1
        while end < len(self._lines) and self._lines[end].strip() and not self._starts(self._lines[end]):
            end += 1
        return self._taken(end)

    @staticmethod
    def _starts(line: str) -> bool:
        return bool(_ATX.match(line) or _FENCE.match(line) or _ITEM.match(line) or _TABLE.match(line))
