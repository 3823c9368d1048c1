"""Reads a pointer from a SQLite database of somebody else: one SELECT, with parameters, read-only."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from onrecord.errors import ResolverError
from onrecord.ports import Pointer

_ALLOWED = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE))
_FORBIDDEN_FUNCTIONS = frozenset(("load_extension", "readfile", "writefile", "fts3_tokenizer"))
#: Steps of SQLite between two looks at the time.
_STEPS = 10_000


class SqlResolver:
    """Runs ``query`` with ``:value``, ``:key`` and ``:subject`` bound, never written into it.

    The connection is opened read-only, and only reading is authorised: no ATTACH, PRAGMA or writing, whatever the query says.

    Args:
        path: the database file.
        query: such as ``select status, total from orders where id = :value``; name the subject in it, so that nobody reads what
            is another's.
        rows: rows that are read at most.
        size: characters of an answer; a longer one is refused.
    """

    def __init__(self, path: str | Path, query: str, *, rows: int = 20, size: int = 65_536) -> None:
        self._uri = f"file:{quote(str(Path(path).absolute()))}?mode=ro"
        self._query, self._rows, self._size = query, rows, size

    def resolve(self, pointer: Pointer) -> str:
        """The rows as JSON objects, one a line; empty for none. Raises ``ResolverError``."""
        deadline = time.monotonic() + pointer.timeout
        try:
            connection = sqlite3.connect(self._uri, uri=True, timeout=pointer.timeout)
            try:
                return self._rows_of(connection, pointer, lambda: time.monotonic() > deadline)
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise ResolverError("no answer in time") from error
            raise ResolverError(f"the database refused: {str(error)[:120]}") from error
        except sqlite3.Error as error:
            raise ResolverError(f"the database refused: {str(error)[:120]}") from error

    def _rows_of(self, connection: sqlite3.Connection, pointer: Pointer, late: Callable[[], bool]) -> str:
        connection.row_factory = sqlite3.Row
        connection.set_authorizer(_authorised)
        connection.set_progress_handler(late, _STEPS)
        named = {"value": pointer.value, "key": pointer.key, "subject": pointer.subject}
        found = connection.execute(self._query, named).fetchmany(self._rows)
        text = "\n".join(json.dumps(dict(row), ensure_ascii=False, default=repr) for row in found)
        if len(text) > self._size:
            raise ResolverError(f"the answer is longer than {self._size} characters")
        return text


def _authorised(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    if action not in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
