"""Residue: what was distinctive about erased values, and where bytes still hold some of it.

A distinctive part is a window of eight bytes, or a word of five to seven, which a window would miss where an index holds it
alone. A window of fewer than five different bytes (blanks, zeros) may stand anywhere by chance and is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WIDTH = 8
_VARIETY = 5
_EDGE = 4
_WORD = re.compile(rb"(?<![0-9A-Za-z\x80-\xff])[0-9A-Za-z\x80-\xff]{5,7}(?![0-9A-Za-z\x80-\xff])")
#: A word is looked for by its first five bytes, which are the lower ones of a window.
_HEAD = np.uint64((1 << 40) - 1)
#: An odd number that spreads the bits of a window (Fibonacci hashing, Knuth, TAOCP 6.4).
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
#: Places of the table for each thing looked for: so few others pass that looking closer costs next to nothing.
_SPARSE = 64
Windows = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Parts:
    """Distinctive parts: windows in growing order, and words."""

    windows: Windows
    words: frozenset[bytes]

    def __len__(self) -> int:
        return len(self.windows) + len(self.words)

    def without(self, others: Parts) -> Parts:
        """These, save those among ``others``."""
        return Parts(np.setdiff1d(self.windows, others.windows, assume_unique=True), self.words - others.words)

    def shown(self) -> str:
        """One of them, for a message: never more than a few bytes of what was erased."""
        first = next(iter(sorted(self.words)), None) or self.windows[:1].tobytes()
        return repr(first[:_VARIETY])


NOTHING = Parts(np.empty(0, np.uint64), frozenset())


def parts_of(values: Iterable[bytes | str]) -> Parts:
    """The distinctive parts of values; texts count as UTF-8."""
    windows, words = [np.empty(0, np.uint64)], set()
    for value in values:
        raw = value.encode() if isinstance(value, str) else value
        windows.append(np.unique(_varied(raw)))
        if isinstance(value, str):
            words.update(_WORD.findall(raw))
    return Parts(np.unique(np.concatenate(windows)), frozenset(words))


def found_in(chunks: Iterable[bytes], parts: Parts) -> Parts:
    """Those of ``parts`` that stand in some of the chunks. What lies across two chunks is not seen: let them overlap."""
    if not len(parts):
        return NOTHING
    search = _Search(parts)
    windows, words = [np.empty(0, np.uint64)], set[bytes]()
    for chunk in chunks:
        for view in _windows(chunk):
            windows.append(search.windows_among(view))
            words |= search.words_among(view)
    return Parts(np.unique(np.concatenate(windows)), frozenset(words))


def joined(found: Iterable[Parts]) -> Parts:
    """All of them together."""
    every = list(found)
    windows = np.unique(np.concatenate([NOTHING.windows, *(parts.windows for parts in every)]))
    return Parts(windows, frozenset[bytes]().union(*(parts.words for parts in every)))


def off_the_edges(parts: Parts, values: Iterable[bytes]) -> Parts:
    """Those of ``parts`` that do not begin as one of the values ends, or end as one begins, with four of their bytes or more.

    In a file a value is followed by whatever comes next, one byte of which may by chance go on in the same way as what was
    erased. What is left of a text of any length is many windows, of which a few lie on an edge."""
    texts = {window.tobytes() for window in parts.windows} | parts.words
    begins = {text[:n] for text in texts for n in _edges(text)}
    ends = {text[-n:] for text in texts for n in _edges(text)}
    ending: set[bytes] = set()
    beginning: set[bytes] = set()
    for value in values:
        ending.update(value[-n:] for n in range(_EDGE, _WIDTH) if value[-n:] in begins)
        beginning.update(value[:n] for n in range(_EDGE, _WIDTH) if value[:n] in ends)
    on = {text for text in texts if any(text[:n] in ending or text[-n:] in beginning for n in _edges(text))}
    windows = [window for window in parts.windows if window.tobytes() not in on]
    return Parts(np.array(windows, dtype=np.uint64), parts.words - on)


def _edges(text: bytes) -> range:
    return range(_EDGE, len(text))


class _Search:
    """Windows and heads of words behind a table that lets almost nothing else pass."""

    def __init__(self, parts: Parts) -> None:
        self._windows = parts.windows
        self._words = parts.words
        self._heads = np.unique(np.array([_number(word[:_VARIETY]) for word in parts.words], dtype=np.uint64))
        self._bits = np.uint64(64 - max(12, int(_SPARSE * (len(self._windows) + len(self._heads)) + 1).bit_length()))
        self._window_table, self._head_table = self._table(self._windows), self._table(self._heads)

    def windows_among(self, view: Windows) -> Windows:
        near = view[self._window_table[(view * _SPREAD) >> self._bits]]
        return np.unique(near[_among(near, self._windows)])

    def words_among(self, view: Windows) -> set[bytes]:
        if not len(self._heads):
            return set()
        heads = view & _HEAD
        near = view[self._head_table[(heads * _SPREAD) >> self._bits]]
        held = {window.tobytes() for window in np.unique(near[_among(near & _HEAD, self._heads)])}
        return {text[:end] for text in held for end in range(_VARIETY, _WIDTH) if text[:end] in self._words}

    def _table(self, values: Windows) -> NDArray[np.bool_]:
        table = np.zeros(1 << int(64 - int(self._bits)), dtype=np.bool_)
        table[(values * _SPREAD) >> self._bits] = True
        return table


def _among(some: Windows, others: Windows) -> NDArray[np.bool_]:
    """Which of some are among others, which are in growing order."""
    if not len(others):
        return np.zeros(len(some), dtype=np.bool_)
    found: NDArray[np.bool_] = others[np.minimum(np.searchsorted(others, some), len(others) - 1)] == some
    return found


def _windows(data: bytes) -> Iterator[Windows]:
    """Every window of data, in eight lots by where they begin; at the end with zeros behind."""
    padded = data + bytes(_WIDTH)
    for offset in range(_WIDTH):
        count = max(len(data) - offset, 0) // _WIDTH
        if len(data) > offset:
            count = (len(data) - offset - 1) // _WIDTH + 1
        count = min(count, (len(padded) - offset) // _WIDTH)
        if count:
            yield np.frombuffer(padded, "<u8", count=count, offset=offset)


def _varied(raw: bytes) -> Windows:
    """The windows of a value that hold enough different bytes."""
    if len(raw) < _WIDTH:
        return np.empty(0, np.uint64)
    every = np.unique(np.concatenate(list(_inner(raw))))
    ordered = np.sort(every.view(np.uint8).reshape(-1, _WIDTH), axis=1)
    varied: Windows = every[(np.diff(ordered, axis=1) != 0).sum(axis=1) + 1 >= _VARIETY]
    return varied


def _inner(raw: bytes) -> Iterator[Windows]:
    for offset in range(min(_WIDTH, len(raw) - _WIDTH + 1)):
        yield np.frombuffer(raw, "<u8", count=(len(raw) - offset) // _WIDTH, offset=offset)


def _number(head: bytes) -> int:
    return int.from_bytes(head, "little")
