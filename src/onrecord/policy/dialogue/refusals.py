"""What a provider would refuse in a list of messages, fault by fault: the rules of the OpenAI chat and the Anthropic API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_OPENAI_ROLES = frozenset("system developer user assistant tool".split())
_ID = re.compile(r"[a-zA-Z0-9_-]{1,200}")


def openai_faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """One sentence for each fault, with the place of its message, in order; empty when the chat API would take them."""
    faults: list[str] = []
    waiting: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        faults += [f"messages[{place}]: {fault}" for fault in _openai_message(message, waiting, seen)]
    if waiting:
        faults.append(f"end: tool call {waiting[0]!r} has no result")
    return faults


def anthropic_faults(system: object, messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """One sentence for each fault, in order; empty when the Messages API would take them. ``system`` is text or text blocks."""
    faults = [] if isinstance(system, str | list) else ["system: is neither text nor blocks"]
    if messages and messages[0].get("role") != "user":
        faults.append("messages[0]: the first message is not the user's")
    waiting: list[str] = []
    seen: set[str] = set()
    before = None
    for place, message in enumerate(messages):
        found = [*_alternation(before, message.get("role")), *_anthropic_message(message, waiting, seen)]
        faults += [f"messages[{place}]: {fault}" for fault in found]
        before = message.get("role")
    if waiting:
        faults.append(f"end: tool_use {waiting[0]!r} has no tool_result")
    if messages and before == "assistant" and _last_text(messages[-1]) != _last_text(messages[-1]).rstrip():
        faults.append("end: the final assistant text ends with white space")
    return faults


def _openai_message(message: Mapping[str, Any], waiting: list[str], seen: set[str]) -> Iterator[str]:
    role = message.get("role")
    if role not in _OPENAI_ROLES:
        yield f"unknown role {role!r}"
    if role == "tool":
        yield from _openai_result(message, waiting)
        return
    if waiting:
        yield f"tool call {waiting[0]!r} has no result before the next message"
        waiting.clear()
    called = message.get("tool_calls") if role == "assistant" else None
    if called is not None and not called:
        yield "tool_calls is empty"
    for call in called or ():
        yield from _openai_call(call, waiting, seen)
    if not called and not _filled(message.get("content")):
        yield "content is empty"
    yield from _openai_parts(message.get("content"))


def _openai_result(message: Mapping[str, Any], waiting: list[str]) -> Iterator[str]:
    id = message.get("tool_call_id")
    if not id:
        yield "tool message without tool_call_id"
    elif id not in waiting:
        yield f"tool result {id!r} does not follow a call of that id"
    else:
        waiting.remove(id)
    if not isinstance(message.get("content"), str | list):
        yield "tool message without content"


def _openai_call(call: Mapping[str, Any], waiting: list[str], seen: set[str]) -> Iterator[str]:
    id, function = call.get("id"), call.get("function") or {}
    if not id or not isinstance(id, str):
        yield "tool call without id"
        return
    if id in seen:
        yield f"tool call id {id!r} is used twice"
    seen.add(id)
    waiting.append(id)
    if not function.get("name"):
        yield f"tool call {id!r} has no name"
    if not isinstance(function.get("arguments"), str):
        yield f"arguments of tool call {id!r} are not a string"


def _openai_parts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in ("text", "image_url", "input_audio", "file", "refusal"):
            yield f"content part of unknown type {kind!r}"
        elif not part.get(kind):
            yield f"content part of type {kind!r} is empty"


def _alternation(before: object, role: object) -> Iterator[str]:
    if role not in ("user", "assistant"):
        yield f"unknown role {role!r}"
    elif role == before:
        yield f"two {role} messages in a row"


def _anthropic_message(message: Mapping[str, Any], waiting: list[str], seen: set[str]) -> Iterator[str]:
    content = message.get("content")
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    if not blocks:
        yield "content is empty"
    expected, leading = list(waiting), True
    waiting.clear()
    for block in blocks:
        if not isinstance(block, Mapping):
            yield "a content block is no object"
            continue
        if block.get("type") == "tool_result":
            yield from _anthropic_result(block, message.get("role"), expected, leading)
        else:
            leading = False
            yield from _anthropic_block(block, message.get("role"), waiting, seen)
    for id in expected:
        yield f"tool_use {id!r} has no tool_result in the next message"


def _anthropic_result(block: Mapping[str, Any], role: object, expected: list[str], leading: bool) -> Iterator[str]:
    id = block.get("tool_use_id")
    if role != "user":
        yield "tool_result in a message that is not the user's"
    if not leading:
        yield "tool_result behind other content"
    if id not in expected:
        yield f"tool_result {id!r} has no tool_use in the message before"
    else:
        expected.remove(str(id))
    for part in block.get("content") if isinstance(block.get("content"), list) else ():  # type: ignore[union-attr]
        if part.get("type") == "text" and not part.get("text"):
            yield "text block in a tool_result is empty"


def _anthropic_block(block: Mapping[str, Any], role: object, waiting: list[str], seen: set[str]) -> Iterator[str]:
    kind = block.get("type")
    if kind == "text":
        if not str(block.get("text", "")).strip():
            yield "text block is empty"
    elif kind == "tool_use":
        yield from _anthropic_call(block, role, waiting, seen)
    elif kind in ("image", "document"):
        if not block.get("source"):
            yield f"{kind} without source"
    elif kind not in ("thinking", "redacted_thinking", "search_result"):
        yield f"content block of unknown type {kind!r}"


def _anthropic_call(block: Mapping[str, Any], role: object, waiting: list[str], seen: set[str]) -> Iterator[str]:
    id = block.get("id")
    if role != "assistant":
        yield "tool_use in a message that is not the assistant's"
    if not isinstance(id, str) or not _ID.fullmatch(id):
        yield f"tool_use id {id!r} is malformed"
        return
    if id in seen:
        yield f"tool_use id {id!r} is used twice"
    seen.add(id)
    waiting.append(id)
    if not block.get("name"):
        yield f"tool_use {id!r} has no name"
    if not isinstance(block.get("input"), Mapping):
        yield f"input of tool_use {id!r} is no object"


def _filled(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list) and bool(content)


def _last_text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    last = content[-1] if isinstance(content, list) and content else {}
    return str(last.get("text", "")) if isinstance(last, Mapping) and last.get("type") == "text" else ""
