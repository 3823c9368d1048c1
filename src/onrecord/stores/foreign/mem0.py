"""mem0: what ``get_all`` gives, as JSON, or the SQLite file of its history.

The history tells what became of each memory, and nothing of whose it is; its last state is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from onrecord.model.foreign import Foreign, Unread
from onrecord.stores.foreign.reading import is_sqlite, json_of, rows_of, said_at

#: Fields of a memory that are no fields of the caller.
_OWN = {"id", "memory", "hash", "created_at", "updated_at", "user_id", "agent_id", "run_id", "score", "metadata"}
_HISTORY = "SELECT * FROM history ORDER BY rowid"


def read(path: Path) -> Iterator[Foreign | Unread]:
    """The memories of a file. Raises ``InvalidInput`` for a file that is neither."""
    return _history(path) if is_sqlite(path) else _memories(json_of(path))


def _memories(found: Any) -> Iterator[Foreign | Unread]:
    rows = found.get("results", found.get("memories", [found])) if isinstance(found, dict) else found
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], 1):
        text = row.get("memory") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip():
            yield Unread(number, str(row.get("id", "")) if isinstance(row, dict) else "", "holds no text under memory")
            continue
        own = {name: value for name, value in row.items() if name not in _OWN and value is not None}
        given = row.get("metadata")
        yield Foreign(
            number=number,
            id=str(row.get("id", number)),
            text=text,
            at=said_at(row.get("updated_at")) or said_at(row.get("created_at")),
            user=row.get("user_id"),
            agent=row.get("agent_id"),
            metadata={**own, **(given if isinstance(given, dict) else {})},
        )


def _history(path: Path) -> Iterator[Foreign | Unread]:
    last: dict[str, tuple[int, Mapping[str, Any]]] = {}
    for number, row in enumerate(rows_of(path, _HISTORY, "mem0's history"), 1):
        id, earlier = str(row["memory_id"]), last.pop(str(row["memory_id"]), None)
        if earlier is not None:
            yield Unread(earlier[0], id, "an earlier state of the memory")
        last[id] = number, row
    for id, (number, row) in last.items():
        text = row["new_memory"]
        if row["is_deleted"] or row["event"] == "DELETE" or not text:
            yield Unread(number, id, "deleted there")
        else:
            who = {name: row[name] for name in ("actor_id", "role") if row[name]}
            yield Foreign(number=number, id=id, text=text, at=said_at(row["updated_at"] or row["created_at"]), metadata=who)
