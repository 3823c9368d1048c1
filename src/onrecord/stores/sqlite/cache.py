"""Columns, vectors and full text of the subjects in use, kept in memory and brought up to date by what changed since.

A subject's counters, read in the transaction of every search, tell whether an entry is fresh, so that writes of other processes
are seen at once. An entry may be newer than a search's snapshot, never older: a search sees only the rows of its snapshot, and
where these cannot be told apart in the entry it reads its own.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias, TypeVar

import apsw
import numpy as np

from onrecord.model.query import Corpus
from onrecord.ports import Vector
from onrecord.stores.sketch import sketch_for
from onrecord.stores.sqlite.columns import RECORDS, TURNS, Columns, Keys, columns
from onrecord.stores.sqlite.holding import Holding, holdings
from onrecord.stores.sqlite.matrix import INDEXED_FROM, Index, Matrix, Vectors
from onrecord.stores.sqlite.statements import among, every, scalar, stream
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.sqlite.vectors import Model
from onrecord.stores.vectors import unpack

V = TypeVar("V", bound=Columns | Vectors | Holding)
_Name: TypeAlias = tuple[int | str, ...]
#: Vectors read at once on the way into a sketch: 30 MB of 384 numbers each.
_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class _Entry:
    epoch: int
    purges: int
    value: Columns | Vectors | Holding


class Cache:
    """The entries used last, up to a number of bytes. Safe to share between threads.

    A subject's vectors are all kept up to ``indexed_from`` of them, and as an ``Index`` beyond."""

    def __init__(self, limit: int, indexed_from: int = INDEXED_FROM) -> None:
        self._limit, self._size, self._indexed_from = limit, 0, indexed_from
        self.unlock()
        self._entries: OrderedDict[_Name, _Entry] = OrderedDict()
        _caches.add(self)

    def unlock(self) -> None:
        """Begins with a free lock: in a forked child nobody is left to give back one that another thread held."""
        self._lock = threading.Lock()

    def forget_indexes(self) -> None:
        """Drops every index: a child cannot go on with the threads of its parent."""
        for name in [name for name, entry in self._entries.items() if isinstance(entry.value, Index)]:
            self._size -= self._entries.pop(name).value.nbytes

    @property
    def nbytes(self) -> int:
        """What the entries take of memory, roughly."""
        return self._size

    def columns(self, connection: apsw.Connection, corpus: Corpus, subject: Subject) -> Columns:
        """The columns of a subject's records or turns."""
        records = corpus is Corpus.RECORDS
        epoch, name = subject.epoch if records else subject.turn_epoch, ("columns", corpus, subject.sid)
        with self._lock:
            old = self._entry(name, subject)
            if old and old.epoch >= epoch and (not records or old.purges >= subject.purges):
                assert isinstance(old.value, Columns)
                if not records:
                    return old.value.upto(subject.last_turn)
                if (old.epoch, old.purges) == (epoch, subject.purges):
                    return old.value
                return _columns(connection, records, subject, None)
            return self._keep(name, epoch, subject, _columns(connection, records, subject, old))

    def fresh_columns(self, subject: Subject) -> Columns | None:
        """The columns of a subject's records as they are now, if they are held already."""
        with self._lock:
            entry = self._entries.get(("columns", Corpus.RECORDS, subject.sid))
            if entry is None or (entry.epoch, entry.purges) != (subject.epoch, subject.purges):
                return None
            assert isinstance(entry.value, Columns)
            return entry.value

    def vectors(self, connection: apsw.Connection, corpus: Corpus, subject: Subject, model: Model) -> Vectors:
        """The vectors of a subject's records or turns, perhaps with some of rows that came later."""
        name = ("vectors", corpus, subject.sid, model.mid)
        with self._lock:
            old = self._entry(name, subject)
            if old and old.purges > subject.purges:
                return self._vectors(connection, corpus, subject, model, None)
            if old and old.epoch >= subject.vector_epoch and old.purges == subject.purges:
                assert isinstance(old.value, Matrix | Index)
                return old.value
            return self._keep(name, subject.vector_epoch, subject, self._vectors(connection, corpus, subject, model, old))

    def holdings(self, connection: apsw.Connection, corpus: Corpus, subject: Subject, terms: Sequence[str]) -> list[Holding]:
        """For each of the terms the rows of a subject that hold it, perhaps with some that were taken away since."""
        records = corpus is Corpus.RECORDS
        epoch, last = (subject.epoch, subject.records) if records else (subject.turn_epoch, subject.turns)
        with self._lock:
            found: dict[str, Holding] = {}
            stale: dict[int, list[str]] = {}
            for term in dict.fromkeys(terms):
                old = self._entry(("term", corpus, subject.sid, term), subject)
                if old and (old.epoch == epoch or (old.epoch > epoch and not records)):
                    assert isinstance(old.value, Holding)
                    found[term] = old.value if old.epoch == epoch else old.value.upto(last)
                else:
                    stale.setdefault(old.epoch if old else -1, []).append(term)
            for since, some in stale.items():
                found |= self._renewed(connection, corpus, subject, some, since)
        return [found[term] for term in terms]

    def forget(self, sids: Collection[int]) -> None:
        """Drops what is held of these subjects."""
        with self._lock:
            for name in [name for name in self._entries if name[2] in sids]:
                self._size -= self._entries.pop(name).value.nbytes

    def _renewed(
        self, connection: apsw.Connection, corpus: Corpus, subject: Subject, terms: Sequence[str], since: int
    ) -> dict[str, Holding]:
        """The terms read anew from the first row on that changed since; kept, unless what is kept is newer than this snapshot."""
        records = corpus is Corpus.RECORDS
        epoch, last = (subject.epoch, subject.records) if records else (subject.turn_epoch, subject.turns)
        newer = since > epoch
        first = 1 if since < 0 or newer else _first_changed(connection, records, subject, since)
        fresh = holdings(connection, corpus, subject.sid, terms, first, last)
        for term in terms if not newer else ():
            name = ("term", corpus, subject.sid, term)
            old = self._entries.get(name)
            if old is not None and first > 1:
                assert isinstance(old.value, Holding)
                fresh[term] = old.value.renewed(first, fresh[term])
            self._keep(name, epoch, subject, fresh[term])
        return fresh

    def _vectors(
        self, connection: apsw.Connection, corpus: Corpus, subject: Subject, model: Model, old: _Entry | None
    ) -> Vectors:
        one, key = _one(corpus), (subject.sid, model.mid)
        have = old.value if old else None
        assert have is None or isinstance(have, Matrix | Index)
        if old and have is not None and old.purges != subject.purges:
            have = have.among(_keys(every(connection, f"{one}_vectors_present", *key)))
        count = len(have.keys) if have is not None else scalar(connection, f"count_{one}_vectors", *key)
        large = count > self._indexed_from
        if have is None or have.worn or isinstance(have, Index) is not large:
            have, old = (Index(_keys([]), sketch_for(model.dim)) if large else Matrix.empty(model.dim)), None
        if old is None:
            rows = stream(connection, f"{one}_vectors", *key)
        else:
            rows = stream(connection, f"{one}_vectors_since", *key, old.epoch)
        while some := list(islice(rows, _AT_ONCE)):
            have = have.with_rows(*_unpacked(some, model.dim))
        return have

    def _entry(self, name: _Name, subject: Subject) -> _Entry | None:
        """The entry, unless everything was made anew since: then it begins anew, too."""
        entry = self._entries.get(name)
        if entry is None or entry.purges >> 32 != subject.purges >> 32:
            return None
        self._entries.move_to_end(name)
        return entry

    def _keep(self, name: _Name, epoch: int, subject: Subject, value: V) -> V:
        old = self._entries.pop(name, None)
        self._size += value.nbytes - (old.value.nbytes if old else 0)
        self._entries[name] = _Entry(epoch, subject.purges, value)
        while self._size > self._limit and len(self._entries) > 1:
            _, dropped = self._entries.popitem(last=False)
            self._size -= dropped.value.nbytes
        return value


def vectors_of(connection: apsw.Connection, corpus: Corpus, subject: Subject, model: Model, keys: Keys) -> tuple[Keys, Vector]:
    """Keys and vectors of those of the rows that have one."""
    rows = among(connection, f"{_one(corpus)}_vectors_of", keys.tolist(), subject.sid, model.mid) if len(keys) else []
    return _unpacked(rows, model.dim)


def _columns(connection: apsw.Connection, records: bool, subject: Subject, old: _Entry | None) -> Columns:
    have = old.value if old else None
    assert have is None or isinstance(have, Columns)
    if old and have is not None and old.purges != subject.purges:
        have = have.among(np.sort(_keys(every(connection, "record_keys" if records else "turn_keys", subject.sid))))
    since = old.epoch if old else -1
    if not records:
        since = int(have["id"][-1]) if have is not None and len(have) else 0
    rows = stream(connection, "record_columns" if records else "turn_columns", subject.sid, since)
    fresh = columns(RECORDS if records else TURNS, rows, have.codes if have is not None else None)
    return have.with_rows(fresh) if have is not None else fresh


def _first_changed(connection: apsw.Connection, records: bool, subject: Subject, since: int) -> int:
    """The number of the first row that changed after an epoch; beyond the last if none did."""
    if not records:
        return subject.turns - (subject.turn_epoch - since) + 1
    key = scalar(connection, "first_changed", subject.sid, since)
    return subject.records + 1 if key is None else int(key) - (subject.sid << 32)


def _unpacked(rows: Sequence[tuple[int, bytes]], dim: int) -> tuple[Keys, Vector]:
    keys = np.array([id for id, _ in rows], dtype=np.int64)
    return keys, unpack([blob for _, blob in rows], dim)


def _keys(rows: Sequence[tuple[int]]) -> Keys:
    return np.fromiter((key for (key,) in rows), dtype=np.int64, count=len(rows))


def _one(corpus: Corpus) -> str:
    return "record" if corpus is Corpus.RECORDS else "turn"


_caches: weakref.WeakSet[Cache] = weakref.WeakSet()


def _after_fork() -> None:
    for cache in list(_caches):
        cache.unlock()
        cache.forget_indexes()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)
