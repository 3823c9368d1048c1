"""Columns and vectors of the subjects in use, kept in memory and brought up to date by what changed since.

A subject's counters, read in the transaction of every search, tell whether an entry is fresh, so that writes of other processes
are seen at once. An entry may be newer than a search's snapshot, never older: a search sees only the rows of its snapshot, and
where these cannot be told apart in the entry it reads its own.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from onrecord.model.query import Corpus
from onrecord.ports import Vector
from onrecord.stores.sqlite.columns import RECORDS, TURNS, Columns, columns
from onrecord.stores.sqlite.statements import every
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.sqlite.vectors import Model
from onrecord.stores.vectors import unpack

Keys: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Vectors of a subject's rows, each of length 1, and the keys of the rows. May have spare room behind the last row."""

    keys: Keys
    room: Vector

    @property
    def rows(self) -> Vector:
        """One vector for each key."""
        return self.room[: len(self.keys)]

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return self.room.nbytes + self.keys.nbytes

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


@dataclass(frozen=True, slots=True)
class _Entry:
    epoch: int
    purges: int
    value: Columns | Matrix


class Cache:
    """The entries used last, up to a number of bytes. Safe to share between threads."""

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0
        self.unlock()
        self._entries: OrderedDict[tuple[int | str, ...], _Entry] = OrderedDict()
        _caches.add(self)

    def unlock(self) -> None:
        """Begins with a free lock: in a forked child nobody is left to give back one that another thread held."""
        self._lock = threading.Lock()

    def columns(self, connection: apsw.Connection, corpus: Corpus, subject: Subject) -> Columns:
        """The columns of a subject's records or turns."""
        records = corpus is Corpus.RECORDS
        epoch = subject.epoch if records else subject.turn_epoch
        with self._lock:
            old = self._fresh_enough(("columns", corpus, subject.sid), subject)
            if old and old.epoch >= epoch:
                assert isinstance(old.value, Columns)
                if not records:
                    return old.value.upto(subject.last_turn)
                if (old.epoch, old.purges) == (epoch, subject.purges):
                    return old.value
                return _columns(connection, records, subject.sid, None)
            value = _columns(connection, records, subject.sid, old)
            self._keep(("columns", corpus, subject.sid), _Entry(epoch, subject.purges, value))
            return value

    def matrix(self, connection: apsw.Connection, corpus: Corpus, subject: Subject, model: Model) -> Matrix:
        """The vectors of a subject's records or turns, perhaps with some of rows that came later."""
        name = ("matrix", corpus, subject.sid, model.mid)
        with self._lock:
            old = self._fresh_enough(name, subject)
            if old and old.purges > subject.purges:
                return _matrix(connection, corpus, subject.sid, model, None)
            if old and old.epoch >= subject.vector_epoch:
                assert isinstance(old.value, Matrix)
                return old.value
            value = _matrix(connection, corpus, subject.sid, model, old)
            self._keep(name, _Entry(subject.vector_epoch, subject.purges, value))
            return value

    def forget(self, sids: Collection[int]) -> None:
        """Drops what is held of these subjects."""
        with self._lock:
            for name in [name for name in self._entries if name[2] in sids]:
                self._size -= self._entries.pop(name).value.nbytes

    def _fresh_enough(self, name: tuple[int | str, ...], subject: Subject) -> _Entry | None:
        """The entry, unless rows were taken away since: then it begins anew."""
        entry = self._entries.get(name)
        if entry is None or entry.purges < subject.purges:
            return None
        self._entries.move_to_end(name)
        return entry

    def _keep(self, name: tuple[int | str, ...], entry: _Entry) -> None:
        old = self._entries.pop(name, None)
        self._size += entry.value.nbytes - (old.value.nbytes if old else 0)
        self._entries[name] = entry
        while self._size > self._limit and len(self._entries) > 1:
            _, dropped = self._entries.popitem(last=False)
            self._size -= dropped.value.nbytes


def _columns(connection: apsw.Connection, records: bool, sid: int, old: _Entry | None) -> Columns:
    layout = RECORDS if records else TURNS
    have = old.value if old else None
    assert have is None or isinstance(have, Columns)
    since = old.epoch if old else -1
    if not records:
        since = int(have["id"][-1]) if have is not None and len(have) else 0
    rows = every(connection, "record_columns" if records else "turn_columns", sid, since)
    fresh = columns(layout, rows)
    return have.with_rows(fresh) if have is not None else fresh


def _matrix(connection: apsw.Connection, corpus: Corpus, sid: int, model: Model, old: _Entry | None) -> Matrix:
    one = "record" if corpus is Corpus.RECORDS else "turn"
    if old is None:
        rows = every(connection, f"{one}_vectors", sid, model.mid)
        have = Matrix(np.empty(0, dtype=np.int64), np.empty((0, model.dim), dtype=np.float32))
    else:
        rows = every(connection, f"{one}_vectors_since", sid, model.mid, old.epoch)
        assert isinstance(old.value, Matrix)
        have = old.value
    if not rows:
        return have
    keys = np.array([id for id, _ in rows], dtype=np.int64)
    return have.with_rows(keys, unpack([blob for _, blob in rows], model.dim))


_caches: weakref.WeakSet[Cache] = weakref.WeakSet()


def _after_fork() -> None:
    for cache in list(_caches):
        cache.unlock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)
