"""Vectors of a large subject in a few bits each: which rows may be the nearest, to be compared in full by the caller.

A sketch is a cache and never a source: it holds neither keys nor vectors, it is made of what the database holds, and it may be
thrown away. ``sketch_for`` takes the faster one of ``stores.turbo`` where its package is installed (the extra ``bigscope``).
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from onrecord.ports import Vector
from onrecord.stores import turbo

Places: TypeAlias = NDArray[np.int64]
_Words: TypeAlias = NDArray[np.uint64]
N = TypeVar("N", np.uint64, np.float32)

#: Rows that are worked on at once: so many of a plane fit into the second cache of a processor.
_BLOCK = 16_384
#: One in so many rows is looked at with all bits; the signs alone tell the others apart. Of a million vectors that point
#: anywhere, an eighth holds .98 of the ten nearest, a thirty-second .91; of those spread as sentences all of them.
_SECOND_LOOK = 8
#: Bits of each number of a question.
_QUERY_BITS = 4


class Sketch(Protocol):
    """Rows in the order in which they were added. Several threads may ask while one adds."""

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        ...

    def __len__(self) -> int:
        """The number of rows."""
        ...

    def wide(self, limit: int) -> int:
        """How many likely rows hold the ``limit`` nearest: .98 of them, where vectors are spread as those of sentences are."""
        ...

    def add(self, vectors: Vector) -> None:
        """Takes rows of length 1 in behind those it has."""
        ...

    def likely(self, query: Vector, shown: NDArray[np.bool_], count: int) -> Places:
        """Places of about ``count`` rows that are likely to be the nearest of those that are shown, in any order; all that are
        shown if they are not more. ``shown`` may be shorter than the sketch: later rows are not shown."""
        ...


def sketch_for(dim: int) -> Sketch:
    """An empty sketch for vectors of a dimension."""
    return turbo.TurboSketch(dim) if turbo.suits(dim) else BitSketch(dim)


class BitSketch:
    """Two bits for each number of a vector, by numpy alone: its sign, and whether it is large.

    A plane holds one bit of every number of a row in 64-bit words, one array a word, so that a question is compared with all rows
    by a few operations on whole arrays. First by signs: the number of those that differ. Then, for the rows that differ
    least, by both bits and a question of 4 bits a number; that product, over the one of the row with its own bits, estimates the
    cosine without bias (as RaBitQ does; Gao and Long 2024).
    """

    def __init__(self, dim: int) -> None:
        self._dim, self._words, self._size = dim, -(-dim // 64), 0
        self._planes: _Words = np.zeros((2 * self._words, 0), dtype=np.uint64)
        self._sums: NDArray[np.float32] = np.zeros((2, 0), dtype=np.float32)

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return self._planes.nbytes + self._sums.nbytes

    def __len__(self) -> int:
        """The number of rows."""
        return self._size

    def wide(self, limit: int) -> int:
        """See ``Sketch.wide``. Of a million, 2,400 held .996 of the 200 nearest, and 300 all of the ten nearest."""
        return 10 * limit + 200

    def add(self, vectors: Vector) -> None:
        """See ``Sketch.add``."""
        have, total = self._size, self._size + len(vectors)
        if total > self._planes.shape[1]:
            room = total + total // 4 if have else total
            self._planes, self._sums = _widened(self._planes, room), _widened(self._sums, room)
        positive = vectors > 0
        sizes = np.abs(vectors)
        large = sizes > sizes.mean(axis=1, keepdims=True)
        levels = np.where(large, np.float32(3), np.float32(1))
        self._planes[: self._words, have:total] = self._packed(positive)
        self._planes[self._words :, have:total] = self._packed(large == positive)
        # Of the row with its own levels; and of the levels alone, counted from 0 to 3.
        self._sums[0, have:total] = 1 / np.maximum(np.einsum("ij,ij->i", levels, sizes), np.float32(1e-9))
        self._sums[1, have:total] = 2 * positive.sum(axis=1) + (large == positive).sum(axis=1)
        self._size = total

    def likely(self, query: Vector, shown: NDArray[np.bool_], count: int) -> Places:
        """See ``Sketch.likely``."""
        there = np.flatnonzero(shown)
        if len(there) <= count:
            return there
        differing = self._differing(query, len(shown))
        differing[~shown] = self._dim + 1
        second = max(len(there) // _SECOND_LOOK, count)
        bound = int(np.searchsorted(np.cumsum(np.bincount(differing, minlength=self._dim + 2)), second))
        close = np.flatnonzero(differing <= min(bound, self._dim))
        best: Places = close[best_places(self._products(query, close), count)]
        return best

    def _differing(self, query: Vector, size: int) -> NDArray[np.uint16]:
        """The number of signs that differ, of each row."""
        signs = self._packed(query[None, :] > 0)[:, 0]
        found, held = np.empty(size, dtype=np.uint16), self._planes
        for begin in range(0, size, _BLOCK):
            part = found[begin : begin + _BLOCK]
            part[:] = 0
            for word, sign in enumerate(signs):
                part += np.bitwise_count(held[word, begin : begin + len(part)] ^ sign)
        return found

    def _products(self, query: Vector, places: Places) -> NDArray[np.float32]:
        """The estimated cosine of each row, up to a factor of the question's."""
        most, top = float(np.abs(query).max()) or 1.0, 2**_QUERY_BITS - 1
        levels = np.rint((query / most + 1) * (top / 2)).astype(np.uint8)
        bits = [self._packed((levels >> bit & 1)[None, :] > 0)[:, 0] for bit in range(_QUERY_BITS)]
        found, held = np.empty(len(places), dtype=np.float32), self._planes
        for begin in range(0, len(places), _BLOCK):
            rows = places[begin : begin + _BLOCK]
            total = np.zeros(len(rows), dtype=np.int32)
            for number in range(2 * self._words):
                weight, word = (2, number) if number < self._words else (1, number - self._words)
                plane = held[number, rows]
                for bit, asked in enumerate(bits):
                    total += np.bitwise_count(plane & asked[word]).astype(np.int32) << (weight - 1 + bit)
            scale, own = self._sums[:, rows]
            constant = np.float32(self._dim * 1.5 * top - 3.0 * int(levels.sum()))
            found[begin : begin + len(rows)] = (2 * total - np.float32(top) * own + constant) * scale
        return found

    def _packed(self, flags: NDArray[np.bool_]) -> _Words:
        """Bits as words, one array for each word of a row."""
        packed = np.zeros((len(flags), 8 * self._words), dtype=np.uint8)
        packed[:, : -(-self._dim // 8)] = np.packbits(flags, axis=1)
        return np.ascontiguousarray(packed.view(np.uint64).T)


def best_places(scores: NDArray[np.floating[Any]], count: int) -> Places:
    """Places of at least the ``count`` largest scores, with all that equal the last, ascending.

    The largest of every block bound what can be among them, which spares a partition of everything."""
    if count <= 0 or len(scores) <= count:
        return np.arange(len(scores) if count > 0 else 0)
    some, width = scores, len(scores) // (8 * count)
    if width > 1:
        blocks = scores[: len(scores) // width * width].reshape(-1, width).max(axis=1)
        some = scores[scores >= np.partition(blocks, -count)[-count]]
    return np.flatnonzero(scores >= np.partition(some, -count)[-count])


def _widened(array: NDArray[N], room: int) -> NDArray[N]:
    wider = np.zeros((len(array), room), dtype=array.dtype)
    wider[:, : array.shape[1]] = array
    return wider
