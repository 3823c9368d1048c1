"""Messages as callers have them: a string, or messages in the OpenAI or Anthropic shape, become role, text and payload."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.model.turn import Role
from onrecord.policy.defaults import QUERY_LIMIT
from onrecord.policy.dialogue.parts import speaker
from onrecord.policy.dialogue.written import written
from onrecord.policy.secrecy.redact import redact

ROLES = {
    **{role.value: role for role in Role},
    "developer": Role.SYSTEM,
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "function": Role.TOOL,
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message as given. ``at`` and ``author`` are ``None`` where the caller did not say."""

    role: Role
    text: str
    payload: Mapping[str, Any]
    author: str | None = None
    at: datetime | None = None
    client_id: str | None = None
    metadata: Mapping[str, Any] | None = None


def parse_messages(messages: object) -> list[Message]:
    """The messages in order. Raises ``InvalidInput`` that names the message and field; no message is passed over."""
    if isinstance(messages, str):
        return [Message(Role.USER, checked_text(messages, "messages"), {})]
    if isinstance(messages, Mapping):
        return [_message(messages, "messages")]
    if not isinstance(messages, Sequence):
        raise InvalidInput("messages", f"is a {type(messages).__name__}", "pass a string or a list of messages")
    parsed = [_message(message, f"messages[{i}]") for i, message in enumerate(messages)]
    _check_ids(parsed)
    return parsed


def _check_ids(messages: Sequence[Message]) -> None:
    """Refuses one id for different messages: the second would pass for the first, and be lost. The same message twice is one."""
    seen: dict[str, int] = {}
    for place, message in enumerate(messages):
        if message.client_id is None:
            continue
        first = seen.setdefault(message.client_id, place)
        if message != messages[first]:
            raise InvalidInput(f"messages[{place}].id", f"is that of messages[{first}] too", "give each message an id of its own")


def checked_text(value: str, field: str) -> str:
    """``value`` if it can be stored as UTF-8, else ``InvalidInput``."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(field, f"holds half a character at {error.start}", "decode it with errors='replace'") from None
    return value


def query_text(value: str) -> str:
    """``value`` as it may be embedded and kept in a trace: without secrets and halves of characters, and of a long text its
    first and last words."""
    if len(value) > QUERY_LIMIT:
        value = f"{_to_blank(value[: QUERY_LIMIT // 2])}\n{_to_blank(value[-QUERY_LIMIT // 2 :][::-1])[::-1]}"
    return redact(value.encode(errors="replace").decode()).text


def _to_blank(text: str) -> str:
    """``text`` up to its last blank, if it has one: half a word finds nothing, and half a secret is not known as one."""
    return (text.rsplit(maxsplit=1) or [text])[0]


def _message(message: object, field: str) -> Message:
    if isinstance(message, str):
        return Message(Role.USER, checked_text(message, field), {})
    if not isinstance(message, Mapping):
        raise InvalidInput(field, f"is a {type(message).__name__}", "pass {'role': 'user', 'content': '...'}")
    role = ROLES.get(str(message.get("role", "")))
    if role is None:
        raise InvalidInput(f"{field}.role", f"is {message.get('role')!r}", "use system, user, assistant, tool or document")
    content = message.get("content")
    text = content_text(content, f"{field}.content")
    plain = (isinstance(content, str) or not content) and not set(message) - {"role", "content", "name", "at", "id", "metadata"}
    return Message(
        role=speaker(role, content),
        text=text,
        payload={} if plain else _jsonable({k: v for k, v in message.items() if k not in ("at", "metadata")}, field),
        author=_optional(message.get("name"), str, f"{field}.name"),
        at=_time(message.get("at"), f"{field}.at"),
        client_id=_optional(message.get("id"), str, f"{field}.id"),
        metadata=_jsonable(_optional(message.get("metadata"), Mapping, f"{field}.metadata") or {}, f"{field}.metadata"),
    )


def content_text(content: object, field: str) -> str:
    """The readable part of a message's content: a string, or the text of its parts, one a line."""
    if content is None:
        return ""
    if isinstance(content, str):
        return checked_text(content, field)
    if isinstance(content, Sequence):
        return "\n".join(filter(None, (_part_text(part, f"{field}[{i}]") for i, part in enumerate(content))))
    raise InvalidInput(field, f"is a {type(content).__name__}", "pass a string or a list of content parts")


def _part_text(part: object, field: str) -> str:
    if isinstance(part, str):
        return checked_text(part, field)
    if not isinstance(part, Mapping):
        raise InvalidInput(field, f"is a {type(part).__name__}", "pass content parts like {'type': 'text', 'text': '...'}")
    if part.get("type") == "tool_result":
        return content_text(part.get("content"), f"{field}.content")
    checked_text(part["text"] if isinstance(part.get("text"), str) else "", f"{field}.text")
    return checked_text(written(part), field)


def _optional(value: Any, type_: type, field: str) -> Any:
    if value is not None and not isinstance(value, type_):
        raise InvalidInput(field, f"is a {type(value).__name__}", f"pass a {type_.__name__}")
    return checked_text(value, field) if isinstance(value, str) else value


def _time(value: object, field: str) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, str):
        return _time(_read_time(value, field), field)
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a datetime or an ISO 8601 string")
    if value.tzinfo is None:
        raise InvalidInput(field, "has no time zone", "add one, e.g. +00:00")
    return value


def _read_time(value: str, field: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise InvalidInput(field, f"{value[:40]!r} is no time", "write ISO 8601, e.g. 2026-03-03T11:42:05+01:00") from None


def _jsonable(value: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    try:
        copy: dict[str, Any] = json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False))
        checked_text(json.dumps(copy, ensure_ascii=False), field)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"is not JSON: {error}", "use strings, numbers, booleans, lists and objects") from None
    return copy
