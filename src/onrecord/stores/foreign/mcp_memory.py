"""The memory server of the Model Context Protocol: a graph as JSON lines, of entities with observations, and relations.

An observation becomes a sentence about its entity, and a relation one about both of its ends. Neither has a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from onrecord.model.foreign import Foreign, Unread
from onrecord.stores.foreign.reading import json_lines


def read(path: Path) -> Iterator[Foreign | Unread]:
    """The observations and relations of a file, by the line they stand in. Raises ``InvalidInput`` for a file without any."""
    for number, row in json_lines(path, "the graph of the memory server"):
        if isinstance(row, str):
            yield Unread(number, "", row)
        elif row.get("type") == "entity" and isinstance(row.get("name"), str):
            yield from _entity(number, row)
        elif row.get("type") == "relation" and all(isinstance(row.get(name), str) for name in ("from", "to", "relationType")):
            words = f"{_name(row['from'])} {_name(row['relationType'])} {_name(row['to'])}."
            id = f"{row['from']}|{row['relationType']}|{row['to']}"
            yield Foreign(number=number, id=id, text=words, metadata={"entity": row["from"], "other": row["to"]})
        else:
            yield Unread(number, str(row.get("type", "")), "is neither entity nor relation")


def _entity(number: int, row: dict[str, Any]) -> Iterator[Foreign | Unread]:
    observed = row.get("observations")
    if not isinstance(observed, list) or not observed:
        yield Unread(number, row["name"], "an entity without observations")
        return
    about = {"entity": row["name"], "entity_type": row.get("entityType", "")}
    for nth, words in enumerate(observed):
        if isinstance(words, str) and words.strip():
            text = words if _name(row["name"]).casefold() in words.casefold() else f"{_name(row['name'])}: {words}"
            yield Foreign(number=number, id=f"{row['name']}#{words}", text=text, metadata=about)
        else:
            yield Unread(number, f"{row['name']} {nth}", "an observation without words")


def _name(word: str) -> str:
    return word.replace("_", " ")
