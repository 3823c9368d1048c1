"""How foreign files are read: SQLite without writing a byte, JSON, JSON lines, and times as others write them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from onrecord.errors import InvalidInput

_MAGIC = b"SQLite format 3\0"


def is_sqlite(path: Path) -> bool:
    """Whether a file is a SQLite database. Raises ``InvalidInput`` if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from error


def rows_of(path: Path, query: str, what: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a query on somebody else's database. Raises ``InvalidInput`` if it has not those tables."""
    if not is_sqlite(path):
        raise _unreadable(path, f"is not {what}")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(f"file:{quote(str(path))}?mode=ro", flags=flags)) as connection:
            cursor = connection.execute(query)
            for row in cursor:
                yield dict(zip((name for name, _ in cursor.get_description()), row, strict=True))
    except apsw.Error as error:
        raise _unreadable(path, f"is not {what}: {error}") from error


def json_of(path: Path) -> Any:
    """What a JSON file holds. Raises ``InvalidInput``."""
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, f"is no JSON: {error}") from error


def json_lines(path: Path, what: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The objects of a file by their line; of a line that holds none, why. Raises ``InvalidInput`` if the first holds none."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    row = _object(line)
                    if number == 1 and isinstance(row, str):
                        raise _unreadable(path, f"is not {what}: line 1 {row}")
                    yield number, row
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from error


def _object(line: bytes) -> dict[str, Any] | str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "is no JSON"
    return row if isinstance(row, dict) else "is no object"


def said_at(text: object) -> datetime | None:
    """A time as others write it; one without a zone is in UTC, as SQLite's are. ``None`` for what is none."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _unreadable(path: Path, why: str) -> InvalidInput:
    return InvalidInput("path", f"{path} {why}", "name a file of the system that --from says")
