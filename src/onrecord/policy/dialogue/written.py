"""Written: the text that a part of a message carries as data, a document or a search result, wherever its provider puts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_NAMED = ("title", "context")


def written(part: Mapping[str, Any]) -> str:
    """The text of a part, with a document's title and context before it, one a line; empty for pictures and references."""
    return "\n".join(_texts(part))


def pictures(part: Mapping[str, Any]) -> int:
    """How many pictures stand among the text of a document."""
    return sum(isinstance(block, Mapping) and block.get("type") != "text" for block in _content(part))


def _texts(part: Mapping[str, Any]) -> Iterator[str]:
    body = [text for text in _body(part) if text.strip()]
    if body:
        yield from (part[name] for name in _NAMED if isinstance(part.get(name), str) and part[name].strip())
    yield from body


def _body(part: Mapping[str, Any]) -> Iterator[str]:
    source, text = part.get("source"), part.get("text")
    if isinstance(text, str):
        yield text
    if isinstance(source, Mapping) and source.get("type") == "text" and isinstance(source.get("data"), str):
        yield source["data"]
    for block in _content(part):
        if isinstance(block, str):
            yield block
        elif block.get("type") == "text" and isinstance(block.get("text"), str):
            yield block["text"]


def _content(part: Mapping[str, Any]) -> list[Any]:
    """The blocks that a document consists of, or a search result."""
    source = part.get("source")
    held = source.get("content") if isinstance(source, Mapping) and source.get("type") == "content" else None
    if held is None and part.get("type") == "search_result":
        held = part.get("content")
    if isinstance(held, str):
        return [held]
    return [block for block in held if isinstance(block, str | Mapping)] if isinstance(held, Sequence) else []
