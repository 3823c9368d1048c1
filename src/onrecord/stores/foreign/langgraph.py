"""LangGraph: the table ``store`` of its SQLite store, values as JSON under a namespace and a key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from onrecord.model.foreign import Foreign, Unread
from onrecord.stores.foreign.reading import rows_of, said_at

_ROWS = "SELECT * FROM store ORDER BY created_at, prefix, key"
#: Where a value usually holds its words; langmem nests them once.
_WORDS = ("content", "text", "memory", "data")


def read(path: Path) -> Iterator[Foreign | Unread]:
    """The values of a file. Raises ``InvalidInput`` for a file that is none of LangGraph's."""
    for number, row in enumerate(rows_of(path, _ROWS, "a store of LangGraph"), 1):
        try:
            value = json.loads(row["value"])
        except ValueError:
            yield Unread(number, row["key"], "is no JSON")
            continue
        text = _text(row["key"], value)
        if text:
            where = {"namespace": row["prefix"], "key": row["key"]}
            if row.get("expires_at"):
                where["expires_at"] = row["expires_at"]
            at = said_at(row["updated_at"]) or said_at(row["created_at"])
            yield Foreign(number=number, id=f"{row['prefix']}/{row['key']}", text=text, at=at, metadata=where)
        else:
            yield Unread(number, row["key"], "holds nothing that reads as words")


def _text(key: str, value: Any) -> str:
    """The words of a value: those it holds under a usual name, else its plain fields behind their names."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, dict):
        return ""
    for name in _WORDS:
        if found := _text(key, value[name]) if isinstance(value.get(name), str | dict) else "":
            return found
    plain = [f"{name}: {inner}" for name, inner in value.items() if isinstance(inner, str | int | float) and str(inner).strip()]
    return f"{key}: {', '.join(plain)}" if plain else ""
