"""The vectors of one subject at work: all of them in memory, or, of a large subject, a sketch of each.

Both are kept by ``Cache``, made of rows of the database and brought up to date by those that changed. A value is not changed once
it is handed out, except behind its last row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from onrecord.ports import Vector
from onrecord.stores.sketch import Sketch, best_places
from onrecord.stores.sqlite.columns import Keys, Mask
from onrecord.stores.vectors import DECIMALS

#: Vectors by key; those that are not there are left out.
Fetch: TypeAlias = Callable[[Keys], tuple[Keys, Vector]]
#: A subject with more vectors has an index. So many take 77 MB of memory, at 384 numbers each, and are compared in 3 ms.
INDEXED_FROM = 50_000
#: Cosines that differ by less may be equal once they are rounded.
_TIE = 2 * 10.0**-DECIMALS
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

    def nearest(self, query: Vector, shown: Mask, limit: int, _: Fetch) -> tuple[Keys, Vector]:
        """Keys and cosines of at least the ``limit`` nearest rows of those shown, with all that tie with the last."""
        cosines = self.rows @ query
        if shown.all():
            best = best_places(cosines, limit, _TIE)
        else:
            places = np.flatnonzero(shown)
            best = places[best_places(cosines[places], limit, _TIE)]
        return self.keys[best], cosines[best]

    def cosines(self, query: Vector, keys: Keys, _: Fetch) -> tuple[Keys, Vector]:
        """Keys and cosines of the rows with these keys that are here."""
        if not len(keys):
            return keys, query[:0]
        places = self._places(keys)
        return self.keys[places], self.rows[places] @ query

    def _places(self, keys: Keys) -> Keys:
        """Where the rows with these keys are, of those that are here."""
        known = self.keys
        if not len(known) or np.any(known[1:] < known[:-1]):
            return np.flatnonzero(np.isin(known, keys))
        found = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        here: Keys = found[known[found] == keys]
        return here

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


def shown_rows(keys: Keys, known: Keys, mask: Mask) -> Mask:
    """For each of ``keys``, whether it is among the ``known``, which ascend, and the mask of those shows it."""
    if len(keys) == len(known) and np.array_equal(keys, known):
        return mask
    found = np.searchsorted(known, keys)
    found[found == len(known)] = 0
    shown: Mask = mask[found] & (known[found] == keys) if len(known) else np.zeros(len(keys), dtype=np.bool_)
    return shown
