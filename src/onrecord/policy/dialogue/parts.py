"""What a stored turn consists of: text, tool calls, results and media, read from either provider's shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from onrecord.model.message import Call, Media, Opaque, Part, Result, Words
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.written import pictures, written
from onrecord.policy.secrecy.redact import redact

#: Tokens of one image, sound or file, whatever its shape: what the widest provider asks for a full-sized image. Its base64
#: is never counted as text.
MEDIA_TOKENS = 1_600
#: What a chat format adds to each message and each tool part, as the widest of the known providers do.
MESSAGE_OVERHEAD = 6
#: The version of this way of counting. Counts are kept under it: raise it when a turn would count differently.
COUNTING = 2
_MEDIA_TYPES = frozenset("image image_url input_image input_audio audio file input_file document video video_url".split())
_TEXT_TYPES = frozenset(("text", "input_text", "output_text"))


def parts(turn: Turn) -> tuple[Part, ...]:
    """The parts of a turn in order. A turn without a payload is its text alone; empty text is no part."""
    message = turn.payload
    if not message:
        return (Words(turn.text),) if turn.text else ()
    if turn.role is Role.TOOL and message.get("tool_call_id"):
        return (Result(str(message["tool_call_id"]), message.get("content", ""), bool(message.get("is_error")), message),)
    return _message_parts(message)


def calls(turn: Turn) -> tuple[Call, ...]:
    """The tool calls of a turn, in order."""
    return tuple(part for part in parts(turn) if isinstance(part, Call))


def results(turn: Turn) -> tuple[Result, ...]:
    """The tool results of a turn, in order."""
    return tuple(part for part in parts(turn) if isinstance(part, Result))


def spoken(turn: Turn) -> bool:
    """Whether a person says something in this turn: the user's, and more than tool results."""
    return turn.role is Role.USER and any(not isinstance(part, Result) and not blank(part) for part in parts(turn))


def sent_by_user(turn: Turn) -> bool:
    """Whether a turn came in a message of the user's, also one that holds nothing but data."""
    return turn.payload.get("role") in ("user", "human")


def speaker(role: Role, content: Any) -> Role:
    """Who speaks in a message that came in ``role``: a user's message without words of its own is what its data says."""
    found = tuple(_content(content))
    if role is not Role.USER or _own(found) or not _data(found):
        return role
    return Role.TOOL if any(isinstance(part, Result) for part in found) else Role.DOCUMENT


def voices(turn: Turn) -> tuple[Turn, ...]:
    """The turn by who speaks: a user's own words, each text part a paragraph, and apart from them what its data says.

    Results of tools, documents and reasoning in a user's message are nobody's word."""
    if turn.role is not Role.USER or not isinstance(turn.payload.get("content"), list):
        return (turn,)
    found = parts(turn)
    own, data = redact(_own(found)).text, redact(_data(found)).text
    if not data:
        return (replace(turn, text=own),)
    other = replace(turn, role=speaker(Role.USER, [p.original for p in found if not isinstance(p, Words)]), text=data)
    return (replace(turn, text=own), other) if own else (other,)


def _own(found: Iterable[Part]) -> str:
    return "\n\n".join(part.text for part in found if isinstance(part, Words) and not blank(part))


def _data(found: Iterable[Part]) -> str:
    return "\n\n".join(filter(str.strip, (_data_text(part) for part in found)))


def _data_text(part: Part) -> str:
    if isinstance(part, Result):
        return result_text(part)
    return written(part.original) if isinstance(part, Media | Opaque) else ""


def blank(part: Part) -> bool:
    """Whether a part is text without a visible character."""
    return isinstance(part, Words) and not part.text.strip()


def arguments(call: Call) -> dict[str, Any]:
    """The arguments of a call as an object; what is no object stands in one, under ``arguments``."""
    try:
        value = json.loads(call.arguments or "{}")
    except ValueError:
        return {"arguments": call.arguments}
    return value if isinstance(value, dict) else {"arguments": value}


def result_text(result: Result) -> str:
    """The readable part of a result: its string, or the text of its parts, one a line."""
    if isinstance(result.content, str):
        return result.content
    return "\n".join(part.text for part in _content(result.content) if isinstance(part, Words))


def turn_tokens(turn: Turn, count: Callable[[str], int]) -> int:
    """Tokens of a turn as messages: text, arguments, results, names, a fixed estimate for media, and the overhead.

    In one provider's shape every result is a message of its own, so each counts as one."""
    return _tokens(parts(turn), count)


def message_tokens(message: Mapping[str, Any], count: Callable[[str], int]) -> int:
    """Tokens of a message in either provider's shape, counted as those of a turn."""
    if message.get("tool_call_id"):
        return _tokens((Result(str(message["tool_call_id"]), message.get("content", "")),), count)
    return _tokens(_message_parts(message), count)


def part_tokens(part: Part, count: Callable[[str], int]) -> int:
    """Tokens of one part, overhead included for calls and results."""
    match part:
        case Words(text=text):
            return count(text)
        case Call():
            given = max(count(part.arguments), count(json.dumps(arguments(part), ensure_ascii=False)))
            return MESSAGE_OVERHEAD + count(part.id) + count(part.name) + given
        case Result():
            return MESSAGE_OVERHEAD + count(part.call_id) + sum(part_tokens(inner, count) for inner in _content(part.content))
        case Media(original=original):
            text = written(original)  # a document of text takes what its words take, and its pictures
            return count(text) + MESSAGE_OVERHEAD + MEDIA_TOKENS * pictures(original) if text else MEDIA_TOKENS
        case Opaque():
            return count(json.dumps(part.original, ensure_ascii=False))


def _tokens(found: Sequence[Part], count: Callable[[str], int]) -> int:
    answers = sum(isinstance(part, Result) for part in found)
    messages = answers + (len(found) > answers or not found)
    return MESSAGE_OVERHEAD * messages + sum(part_tokens(part, count) for part in found)


def _message_parts(message: Mapping[str, Any]) -> tuple[Part, ...]:
    called = message.get("tool_calls") or ()
    return (*_content(message.get("content")), *map(_openai_call, called))


def _content(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Words(content)
    elif isinstance(content, Sequence):
        yield from _read(content)


def _read(content: Iterable[Any]) -> Iterator[Part]:
    for part in content:
        if isinstance(part, str):
            yield Words(part)
        elif isinstance(part, Mapping):
            yield _part(part)


def _part(part: Mapping[str, Any]) -> Part:
    kind = part.get("type")
    if kind in _TEXT_TYPES:
        return Words(str(part.get("text", "")), part)
    if kind == "tool_use":
        return Call(
            str(part.get("id", "")), str(part.get("name", "")), json.dumps(part.get("input", {}), ensure_ascii=False), part
        )
    if kind == "tool_result":
        return Result(str(part.get("tool_use_id", "")), part.get("content", ""), bool(part.get("is_error")), part)
    return Media(part) if kind in _MEDIA_TYPES else Opaque(part)


def _openai_call(call: Mapping[str, Any]) -> Call:
    function = call.get("function") or {}
    arguments = function.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Call(str(call.get("id") or ""), str(function.get("name") or ""), text, call)
