"""Proof that nothing of an erasure is left: the files are written anew, and every byte of them is read.

What was erased is seen as it goes: SQLite tells of the old value of every row that is deleted or changed. The order (full text
merged, file rebuilt, log emptied, then read) is the one that left nothing in trials: a rebuild alone keeps a deleted word that
separates two pages of a full-text index.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw
import numpy as np

from onrecord.errors import ErasureIncomplete
from onrecord.model.erasure import Scan
from onrecord.stores.residue import Parts, found_in, joined, off_the_edges, parts_of
from onrecord.stores.sqlite.connection import Database
from onrecord.stores.sqlite.erase import Erasing, leftovers
from onrecord.stores.sqlite.statements import every, run

#: Inner tables of the full text whose old values hold words of others, too; its content table tells all that was erased.
_INNER = ("_data", "_idx", "_docsize", "_config")
_SIDE_FILES = ("", "-wal", "-shm", "-journal", ".lock")


class Proof:
    """Watches erasures of one database and proves them. What could not be proved is looked for again with the next one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: list[str | bytes] = []

    @contextmanager
    def watching(self, connection: apsw.Connection, wanted: bool) -> Iterator[None]:
        """Notes every value that is taken away inside it, if wanted."""
        connection.preupdate_hook(self._note if wanted else None)
        try:
            yield
        finally:
            connection.preupdate_hook(None)

    def prove(self, erasing: Erasing) -> Scan:
        """What was read and looked for. Raises ``ErasureIncomplete``, ``StoreBusy`` if readers do not let the log be emptied."""
        with self._database.read() as connection:
            if left := leftovers(connection, erasing):
                raise ErasureIncomplete(tuple(left))
        parts = parts_of(dict.fromkeys(self._seen))
        self._database.emptied()
        first = self._left(parts)
        for again in (_optimize, _rebuild):
            with self._database.write() as connection:
                again(connection)
            self._database.vacuum()
            left_in = self._left(parts)
            if not left_in:
                self._seen.clear()
                files = {os.path.basename(path): os.path.getsize(path) for path in self._files()}
                return Scan(files=files, parts=len(parts), first=max(map(len, first.values()), default=0))
        raise ErasureIncomplete(
            tuple(f"{len(part)} parts (such as {part.shown()}) in {os.path.basename(file)}" for file, part in left_in.items())
        )

    def _note(self, update: apsw.PreUpdate) -> None:
        if update.op == "INSERT" or update.table_name.endswith(_INNER):
            return
        old, new = update.old or (), update.new or ()
        kept = set(new) if update.op == "UPDATE" else set()
        self._seen += [value for value in old if isinstance(value, str | bytes) and value not in kept]

    def _left(self, parts: Parts) -> dict[str, Parts]:
        """For each file those of the parts that are in it and in no row."""
        held = {path: found_in(_chunks(path), parts) for path in self._files()}
        hits = {path: found for path, found in held.items() if len(found)}
        if not hits:
            return {}
        rows = self._in_rows(joined(hits.values()))
        rest = {path: found.without(rows) for path, found in hits.items()}
        if any(len(found) for found in rest.values()):
            with self._database.read() as connection:
                edges = off_the_edges(joined(rest.values()), _each_value(connection))
            rest = {
                path: Parts(np.intersect1d(found.windows, edges.windows), found.words & edges.words)
                for path, found in rest.items()
            }
        return {path: found for path, found in rest.items() if len(found)}

    def _in_rows(self, parts: Parts) -> Parts:
        """Those of the parts that some row holds."""
        with self._database.read() as connection:
            return found_in(_values(connection), parts)

    def _files(self) -> list[str]:
        if self._database.in_memory:
            return []
        paths = (self._database.path + suffix for suffix in _SIDE_FILES)
        return [path for path in paths if os.path.exists(path)]


def _optimize(connection: apsw.Connection) -> None:
    run(connection, "optimize_terms")


def _rebuild(connection: apsw.Connection) -> None:
    run(connection, "rebuild_terms")


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        tail = b""
        while chunk := file.read(1 << 20):
            yield tail + chunk
            tail = chunk[-8:]


def _rows(connection: apsw.Connection) -> Iterator[list[bytes]]:
    """The texts and blobs of every row of every table."""
    for table, columns in every(connection, "ordinary_tables"):
        names = ", ".join(f'"{column}"' for column in columns.split(","))
        for row in connection.execute(f'SELECT {names} FROM "{table}"'):
            yield [v.encode() if isinstance(v, str) else v for v in row if isinstance(v, str | bytes)]


def _each_value(connection: apsw.Connection) -> Iterator[bytes]:
    return (value for row in _rows(connection) for value in row)


def _values(connection: apsw.Connection) -> Iterator[bytes]:
    """Every text and blob in every table, many rows at a time with zeros between. Those of a row follow one another as in its
    cell of the file, where the end of one and the beginning of the next may read like something else."""
    held: list[bytes] = []
    size = 0
    for row in _rows(connection):
        held.append(b"".join(row))
        size += len(held[-1])
        if size > 1 << 20:
            yield bytes(8).join(held)
            held, size = [], 0
    yield bytes(8).join(held)
