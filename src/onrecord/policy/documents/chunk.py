"""Chunk: a document becomes passages of one section each, cut where its structure allows it. Pure.

Short blocks of a section go together up to a size. What is longer is cut between sentences (the next passage begins with the last
one before), items, or lines; a block of code only if it is much longer. So a change in one section leaves the passages of the
others as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from onrecord.model.blank import blank
from onrecord.policy.defaults import Policy
from onrecord.policy.documents.blocks import Block, Shape, blocks

_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n")
_ITEMS = re.compile(r"\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)]|\|)[ \t]*\S)")
_BETWEEN = {Shape.PROSE: " ", Shape.ITEMS: "\n", Shape.CODE: "\n"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage to be: the path of its headings, and its text."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """What stays together. One that goes ``on`` comes from the same block as the piece before."""

    text: str
    shape: Shape
    on: bool = False


def chunked(text: str, name: str, policy: Policy) -> list[Chunk]:
    """The passages of a text in order; none of a text without a visible character. ``name`` tells whether it is code.

    Each has at most ``policy.passage_size`` characters, or is one block of code of at most ``policy.code_size``."""
    found = []
    for heading, section in groupby(blocks(text, name), key=lambda block: block.heading):
        pieces = [piece for block in section for piece in _pieces(block, policy)]
        found += [Chunk(heading, whole) for whole in _packed(pieces, policy) if not blank(whole)]
    return found


def _pieces(block: Block, policy: Policy) -> Iterator[_Piece]:
    size = policy.code_size if block.shape is Shape.CODE else policy.passage_size
    if len(block.text) <= size:
        yield _Piece(block.text, block.shape)
        return
    for n, part in enumerate(_parts(block, policy.passage_size)):
        yield _Piece(part, block.shape, on=n > 0)


def _parts(block: Block, size: int) -> Iterator[str]:
    """The sentences, items or lines of a block; what is longer than ``size`` is cut at blanks, and at last anywhere."""
    match block.shape:
        case Shape.PROSE:
            parts = _SENTENCE.split(block.text)
        case Shape.ITEMS:
            parts = _ITEMS.split(block.text)
        case _:
            parts = block.text.split("\n")
    for part in parts:
        yield from _short(part, size)


def _short(part: str, size: int) -> Iterator[str]:
    while len(part) > size:
        cut = max(part.rfind(" ", size // 2, size), part.rfind("\n", size // 2, size))
        cut = cut if cut > 0 else size
        yield part[:cut].rstrip()
        part = part[cut:].lstrip()
    if part.strip():
        yield part


def _packed(pieces: Sequence[_Piece], policy: Policy) -> Iterator[str]:
    held, last = "", ""
    for piece in pieces:
        between = _BETWEEN[piece.shape] if piece.on else "\n\n"
        if held and len(held) + len(between) + len(piece.text) > policy.passage_size:
            yield held
            again = piece.on and piece.shape is Shape.PROSE and len(last) <= policy.passage_overlap
            fits = again and len(last) + 1 + len(piece.text) <= policy.passage_size
            held = f"{last} {piece.text}" if fits else piece.text
        else:
            held = f"{held}{between}{piece.text}" if held else piece.text
        last = piece.text
    if held:
        yield held
