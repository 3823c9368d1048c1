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
N = TypeVar("N", np.uint64, np.float32, np.uint16)

#: Rows that are worked on at once: so many of a plane fit into the second cache of a processor.
_BLOCK = 16_384
#: One in so many rows is looked at with all bits; its signs alone tell the others apart.
_SECOND_LOOK = 8
#: Bits of each number of a question, beside signs alone and beside all bits. With one bit beside the signs an eighth of the rows
#: held .92 of the 200 nearest of vectors that point anywhere; three of four times as many steps hold .99.
_FIRST_BITS, _QUERY_BITS = 3, 4
#: Sums of the levels of so many numbers fit into two bytes.
_SHORT = 4_000


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
        self._sum: type[np.uint16 | np.uint32] = np.uint16 if dim <= _SHORT else np.uint32
        self._planes: _Words = np.zeros((2 * self._words, 0), dtype=np.uint64)
        self._sums: NDArray[np.float32] = np.zeros((2, 0), dtype=np.float32)
        self._positive: NDArray[np.uint16] = np.zeros((1, 0), dtype=np.uint16)  # how many numbers of a row are

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return self._planes.nbytes + self._sums.nbytes + self._positive.nbytes

    def __len__(self) -> int:
        """The number of rows."""
        return self._size

    def wide(self, limit: int) -> int:
        """See ``Sketch.wide``. Less holds enough of vectors that are spread as those of sentences, and not of even ones."""
        return 20 * limit + 200

    def add(self, vectors: Vector) -> None:
        """See ``Sketch.add``."""
        have, total = self._size, self._size + len(vectors)
        if total > self._planes.shape[1]:
            room = total + total // 4 if have else total
            self._planes, self._sums = _widened(self._planes, room), _widened(self._sums, room)
            self._positive = _widened(self._positive, room)
        positive = vectors > 0
        sizes = np.abs(vectors)
        large = sizes > sizes.mean(axis=1, keepdims=True)
        levels = np.where(large, np.float32(3), np.float32(1))
        self._planes[: self._words, have:total] = self._packed(positive)
        self._planes[self._words :, have:total] = self._packed(large == positive)
        # Of the row with its own levels; and of the levels alone, counted from 0 to 3.
        self._sums[0, have:total] = 1 / np.maximum(np.einsum("ij,ij->i", levels, sizes), np.float32(1e-9))
        self._positive[0, have:total] = positive.sum(axis=1)
        self._sums[1, have:total] = 2 * self._positive[0, have:total] + (large == positive).sum(axis=1)
        self._size = total

    def likely(self, query: Vector, shown: NDArray[np.bool_], count: int) -> Places:
        """See ``Sketch.likely``."""
        there = np.flatnonzero(shown)
        if len(there) <= count:
            return there
        close = (
            there
            if len(there) < len(shown) // _SECOND_LOOK
            else self._close(query, shown, max(len(there) // _SECOND_LOOK, count))
        )
        best: Places = close[best_places(self._products(query, close), count)]
        return best

    def _close(self, query: Vector, shown: NDArray[np.bool_], count: int) -> Places:
        """Places of at least ``count`` of the rows that are shown, by their signs."""
        sums = self._by_signs(query, len(shown))
        sums[~shown] = 0
        above = np.cumsum(np.bincount(sums)[::-1])
        return np.flatnonzero(shown & (sums >= len(above) - 1 - int(np.searchsorted(above, count))))

    def _by_signs(self, query: Vector, size: int) -> NDArray[np.unsignedinteger[Any]]:
        """The product of the question, in few bits, and the signs of each row, above the least that it can be."""
        _, bits = self._levels(query, _FIRST_BITS)
        top, found, held = 2**_FIRST_BITS - 1, np.empty(size, dtype=self._sum), self._planes
        for begin in range(0, size, _BLOCK):
            part = found[begin : begin + _BLOCK]
            part[:] = 0
            for asked in reversed(bits):
                part <<= self._sum(1)
                for word in range(self._words):
                    part += np.bitwise_count(held[word, begin : begin + len(part)] & asked[word])
            # of the levels where the row is positive, which count from 0: twice their sum less the largest for each of them
            part <<= self._sum(1)
            part += self._sum(top * self._dim)
            part -= self._sum(top) * self._positive[0, begin : begin + len(part)]
        return found

    def _products(self, query: Vector, places: Places) -> NDArray[np.float32]:
        """The estimated cosine of each row, up to a factor of the question's."""
        levels, bits = self._levels(query, _QUERY_BITS)
        found, held, top = np.empty(len(places), dtype=np.float32), self._planes, 2**_QUERY_BITS - 1
        for begin in range(0, len(places), _BLOCK):
            rows = places[begin : begin + _BLOCK]
            sums = np.zeros((2, len(rows)), dtype=self._sum)  # of signs, which count twice, and of sizes
            for number in range(2 * self._words):
                plane, (which, word) = held[number, rows], divmod(number, self._words)
                for weight, asked in enumerate(bits):
                    sums[which] += np.bitwise_count(plane & asked[word]).astype(self._sum) << self._sum(weight)
            scale, own = self._sums[:, rows]
            constant = np.float32(self._dim * 1.5 * top - 3.0 * int(levels.sum()))
            total = 2 * sums[0].astype(np.int32) + sums[1]
            found[begin : begin + len(rows)] = (2 * total - np.float32(top) * own + constant) * scale
        return found

    def _levels(self, query: Vector, bits: int) -> tuple[NDArray[np.uint8], list[_Words]]:
        """The numbers of a question in so many bits each, from 0 on, and each of these bits of all numbers, the least first."""
        most = float(np.abs(query).max()) or 1.0
        levels = np.rint((query / most + 1) * ((2**bits - 1) / 2)).astype(np.uint8)
        return levels, [self._packed((levels >> bit & 1)[None, :] > 0)[:, 0] for bit in range(bits)]

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
