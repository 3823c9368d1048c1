"""The vectors of one subject at work: all of them in memory, or, of a large subject, a sketch of each.

Both are kept by ``Cache``, made of rows of the database and brought up to date by those that changed. A value is not changed once
it is handed out, except behind its last row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from onrecord.ports import Vector
from onrecord.stores.sketch import Sketch, best_places
from onrecord.stores.sqlite.columns import Keys, Mask
from onrecord.stores.vectors import DECIMALS

#: Vectors by key; those that are not there are left out.
Fetch: TypeAlias = Callable[[Keys], tuple[Keys, Vector]]
#: A subject with more vectors has an index. So many take 77 MB of memory, at 384 numbers each, and are compared in 3 ms.
INDEXED_FROM = 50_000
#: A row that was taken away, or whose vector came again further behind.
_GONE = -1
#: Share of rows gone from which on an index is made anew.
_TOO_MANY_GONE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Vectors of a subject's rows, each of length 1, and the keys of the rows. May have spare room behind the last row."""

    keys: Keys
    room: Vector
    worn: ClassVar[bool] = False

    @classmethod
    def empty(cls, dim: int) -> Matrix:
        """One without rows."""
        return cls(np.empty(0, dtype=np.int64), np.empty((0, dim), dtype=np.float32))

    @property
    def rows(self) -> Vector:
        """One vector for each key."""
        return self.room[: len(self.keys)]

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return self.room.nbytes + self.keys.nbytes

    def among(self, keys: Keys) -> Matrix:
        """The rows whose keys are among ``keys``."""
        stays = np.isin(self.keys, keys, assume_unique=True)
        return self if stays.all() else Matrix(self.keys[stays], self.rows[stays])

    def with_rows(self, keys: Keys, vectors: Vector) -> Matrix:
        """This with ``vectors`` set for ``keys``, of which none is named twice."""
        known = np.isin(keys, self.keys)
        room = self._changed(keys[known], vectors[known]) if known.any() else self.room
        return Matrix(self.keys, room)._appended(keys[~known], vectors[~known])

    def _changed(self, keys: Keys, vectors: Vector) -> Vector:
        order = np.argsort(self.keys)
        room = self.room.copy()  # a search may be reading the old one
        room[order[np.searchsorted(self.keys, keys, sorter=order)]] = vectors
        return room

    def _appended(self, keys: Keys, vectors: Vector) -> Matrix:
        """Rows behind the last are seen by nobody yet, so they may be written in place."""
        have, total, room = len(self.keys), len(self.keys) + len(keys), self.room
        if total > len(room):
            room = np.empty((total + total // 4, room.shape[1]), dtype=np.float32)
            room[:have] = self.rows
        room[have:total] = vectors
        return Matrix(np.concatenate([self.keys, keys]), room)


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The keys of a subject's rows with vectors, in the order of a sketch of them; a row that is gone has none.

    The sketch names those that may be nearest, among the rows shown and no others; their vectors are fetched and compared. What
    is missing of the nearest is what the sketch did not name, never what a filter took away.
    """

    keys: Keys
    sketch: Sketch

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return self.keys.nbytes + self.sketch.nbytes

    def nearest(self, query: Vector, shown: Mask, limit: int, fetch: Fetch) -> tuple[Keys, Vector]:
        """Keys and cosines of more than the ``limit`` nearest rows of those shown."""
        if limit <= 0:
            return self.keys[:0], query[:0]
        places = self.sketch.likely(query, shown, self.sketch.wide(limit))
        return self.cosines(query, self.keys[places], fetch)

    def cosines(self, query: Vector, keys: Keys, fetch: Fetch) -> tuple[Keys, Vector]:
        """Keys and cosines of the rows with these keys that are here."""
        there, vectors = fetch(np.sort(keys))
        return there, vectors @ query

    def among(self, keys: Keys) -> Index:
        """The rows whose keys are among ``keys``."""
        stays = np.isin(self.keys, keys)
        return self if stays.all() else Index(np.where(stays, self.keys, _GONE), self.sketch)

    def with_rows(self, keys: Keys, vectors: Vector) -> Index:
        """This with ``vectors`` set for ``keys``, of which none is named twice."""
        known = np.isin(self.keys, keys)
        old = np.where(known, _GONE, self.keys) if known.any() else self.keys
        self.sketch.add(vectors)
        return Index(np.concatenate([old, keys]), self.sketch)

    @property
    def worn(self) -> bool:
        """Whether so many rows are gone that it has to be made anew, or its sketch holds rows that it never heard of."""
        gone = int(np.count_nonzero(self.keys == _GONE))
        return gone > _TOO_MANY_GONE * len(self.keys) or len(self.sketch) != len(self.keys)


Vectors: TypeAlias = Matrix | Index


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The rows of a subject compared with one question: ids and cosines, by place; no number where there is no vector, or the row
    is not shown. Cosines are rounded, so that equal texts tie."""

    uids: NDArray[np.object_]
    cosines: NDArray[np.float64]

    @classmethod
    def of(cls, vectors: Matrix, query: Vector, keys: Keys, uids: NDArray[np.object_], mask: Mask) -> Compared:
        """Those with these ``keys``, which ascend."""
        product = (vectors.rows @ query).astype(np.float64).round(DECIMALS)
        if len(keys) != len(vectors.keys) or not np.array_equal(keys, vectors.keys):
            every = np.full(len(keys), np.nan)
            here = np.minimum(np.searchsorted(keys, vectors.keys), max(len(keys) - 1, 0))
            known = keys[here] == vectors.keys if len(keys) else np.zeros(len(here), dtype=np.bool_)
            every[here[known]] = product[known]
            product = every
        product[~mask] = np.nan
        return cls(uids, product)

    def best(self, limit: int) -> dict[str, float]:
        """Cosines of the ``limit`` nearest rows, with all that tie with the last, by id."""
        places = np.flatnonzero(~np.isnan(self.cosines))
        near = places[best_places(self.cosines[places], limit)]
        return dict(zip(self.uids[near].tolist(), self.cosines[near].tolist(), strict=True))

    def at(self, places: Mapping[str, int]) -> dict[str, float]:
        """Cosines of the rows at these places, by the same names; those without one are left out."""
        found = self.cosines[list(places.values())].tolist() if places else []
        return {name: cosine for name, cosine in zip(places, found, strict=True) if cosine == cosine}


def shown_rows(keys: Keys, known: Keys, mask: Mask) -> Mask:
    """For each of ``keys``, whether it is among the ``known``, which ascend, and the mask of those shows it."""
    if len(keys) == len(known) and np.array_equal(keys, known):
        return mask
    found = np.searchsorted(known, keys)
    found[found == len(known)] = 0
    shown: Mask = mask[found] & (known[found] == keys) if len(known) else np.zeros(len(keys), dtype=np.bool_)
    return shown
