"""SQL as files: numbered migrations, and queries that each have a name and a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{4})_\w+\.sql")


class Migration(NamedTuple):
    """One step of a schema: its number, which is the schema's version after it, and the statements."""

    number: int
    name: str
    sql: str


@cache
def queries(dialect: str) -> Mapping[str, str]:
    """The queries of a dialect by name. A section of a file begins with ``-- name: ...``; its comment says what comes back."""
    found: dict[str, str] = {}
    for file in sorted(files(__package__).joinpath("sql", dialect, "queries").iterdir(), key=lambda path: path.name):
        parts = _NAME.split(file.read_text("utf-8"))[1:]
        for name, sql in zip(parts[::2], parts[1::2], strict=True):
            if name in found:
                raise ValueError(f"two queries are called {name}")
            found[name] = sql.strip()
    return found


@cache
def migrations(dialect: str) -> tuple[Migration, ...]:
    """The migrations of a dialect in order."""
    found = []
    for file in files(__package__).joinpath("sql", dialect).iterdir():
        if match := _NUMBERED.fullmatch(file.name):
            found.append(Migration(int(match[1]), file.name, file.read_text("utf-8")))
    return tuple(sorted(found))
