"""The parts of a context put into one provider's shape, in the order of their position.

System text and tools, standing records and the summary, the dialogue, then what is made anew every turn, and the current step
last. Blocks of data never stand in a role that instructs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onrecord.model.context import Shape
from onrecord.model.message import Call, Media, Result
from onrecord.model.turn import Role, Turn
from onrecord.policy.context.rows import turn_row
from onrecord.policy.context.tools import tool_tokens
from onrecord.policy.dialogue.frame import Row, Tag, block, disarmed, render
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD, message_tokens, parts, result_text
from onrecord.policy.dialogue.shapes import OPENING, blocks_of, to_anthropic, to_openai
from onrecord.policy.dialogue.written import written

_CACHE = {"cache_control": {"type": "ephemeral"}}
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is sent, before it has a shape. ``tools`` are in their shape already; ``stable`` blocks stand before the dialogue of
    ``turns``, ``varying`` ones behind it. ``message`` is empty where the dialogue ends in what is to be answered."""

    system: str = ""
    tools: tuple[Message, ...] = ()
    stable: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    varying: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Shaped:
    """The same in a provider's shape. ``breakpoints`` count the messages up to the end of each stretch that will be repeated."""

    system: tuple[Message, ...]
    tools: tuple[Message, ...]
    messages: tuple[Message, ...]
    breakpoints: tuple[int, ...]

    def tokens(self, count: Callable[[str], int]) -> int:
        """What it takes, overhead included."""
        system = sum(MESSAGE_OVERHEAD + count(str(part["text"])) for part in self.system)
        return system + tool_tokens(self.tools, count) + sum(message_tokens(message, count) for message in self.messages)


def shaped(prompt: Prompt, shape: Shape) -> Shaped:
    """The prompt in that shape, as its provider accepts it."""
    match shape:
        case Shape.ANTHROPIC:
            return _anthropic(prompt)
        case Shape.ALTERNATING:
            made = _openai(prompt)
            return Shaped((), made.tools, tuple(_alternating(made.messages)), ())
        case Shape.SINGLE:
            return _single(prompt)
    return _openai(prompt)


def dialogue_messages(turns: Sequence[Turn], shape: Shape) -> list[Message]:
    """The messages of the dialogue alone, with what looks like a frame of ours disarmed; Anthropic's with system text first."""
    if shape is Shape.ANTHROPIC:
        system, messages = to_anthropic(turns)
        return [*_system(system), *map(_disarmed, messages)]
    if shape is Shape.SINGLE:
        return [_user(_events(turns))] if turns else []
    return list(map(_disarmed, to_openai(turns)))


def _openai(prompt: Prompt) -> Shaped:
    said = dialogue_messages(prompt.turns, Shape.OPENAI)
    leading = next((n for n, message in enumerate(said) if message["role"] != "system"), len(said))
    head = [*_system(prompt.system), *said[:leading], *map(_user, prompt.stable)]
    whole = [*head, *said[leading:], *map(_user, prompt.varying), *_current(prompt)]
    ends = dict.fromkeys(end for end in (len(head), len(head) + len(said) - leading) if end)
    return Shaped((), prompt.tools, tuple(whole), tuple(ends))


def _anthropic(prompt: Prompt) -> Shaped:
    told, messages = to_anthropic(prompt.turns)
    system = tuple({"type": "text", "text": text} for text in (prompt.system, told) if text)
    if prompt.stable and messages and messages[0] == _user(OPENING):
        messages = messages[1:]
    said = _joined([*map(_user, prompt.stable), *map(_disarmed, messages)])
    ends = tuple(dict.fromkeys(end for end in (1 if prompt.stable else 0, len(said)) if end))
    marked = _marked(said, len(prompt.stable))
    tail = [*map(_user, prompt.varying), *_current(prompt)]
    tools = prompt.tools if system or not prompt.tools else (*prompt.tools[:-1], {**prompt.tools[-1], **_CACHE})
    return Shaped((*system[:-1], *({**part, **_CACHE} for part in system[-1:])), tools, tuple(_joined([*marked, *tail])), ends)


def _marked(messages: Sequence[Message], stable: int) -> list[Message]:
    """The messages with breakpoints behind the stable blocks and at the end of the dialogue."""
    made = [dict(message) for message in messages]
    if made and stable:
        blocks = blocks_of(made[0]["content"])
        made[0]["content"] = [*blocks[: stable - 1], {**blocks[stable - 1], **_CACHE}, *blocks[stable:]]
    if made:
        blocks = blocks_of(made[-1]["content"])
        if blocks[-1].get("type") in ("text", "tool_result", "tool_use", "image"):
            made[-1]["content"] = [*blocks[:-1], {**blocks[-1], **_CACHE}]
    return list(made)


def _joined(messages: Iterable[Message]) -> list[Message]:
    """Neighbours of one role as one message of several blocks."""
    joined: list[dict[str, Any]] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"]:
            joined[-1]["content"] = [*blocks_of(joined[-1]["content"]), *blocks_of(message["content"])]
        else:
            joined.append(dict(message))
    return list(joined)


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """One leading system message, the user's first behind it, and no two of a role in a row but results of one turn's calls."""
    system = [str(message["content"]) for message in messages if message["role"] == "system"]
    rest: list[dict[str, Any]] = []
    for message in (dict(message) for message in messages if message["role"] != "system"):
        if not rest and message["role"] != "user":
            rest.append(_user(OPENING))
        if rest and message["role"] == rest[-1]["role"] and message["role"] != "tool" and not rest[-1].get("tool_calls"):
            rest[-1] = {**message, "content": _together(rest[-1]["content"], message["content"])}
        else:
            rest.append(message)
    return [*_system("\n\n".join(system)), *rest]


def _together(first: Any, second: Any) -> Any:
    if isinstance(first, str | None) and isinstance(second, str | None):
        return "\n\n".join(filter(None, (first, second)))
    return [*blocks_of(first or []), *blocks_of(second or [])]


def _single(prompt: Prompt) -> Shaped:
    leading = [turn for turn in prompt.turns if turn.role is Role.SYSTEM]
    system = "\n\n".join(filter(None, (prompt.system, *(turn.text for turn in leading))))
    events = _events([turn for turn in prompt.turns if turn.role is not Role.SYSTEM])
    text = "\n\n".join(filter(None, (*prompt.stable, events, *prompt.varying, disarmed(prompt.message))))
    messages = (*_system(system), *([_user(text)] if text else []))
    return Shaped((), prompt.tools, messages, (1,) if system else ())


def _events(turns: Sequence[Turn]) -> str:
    """The dialogue as one block of events: words, calls and results in their order."""
    rows = [row for turn in turns for row in _event(turn)]
    return (
        block(Tag.EVENTS, [render(Row(f"d{n}", row.type, row.text, row.notes)) for n, row in enumerate(rows, 1)]) if rows else ""
    )


def _event(turn: Turn) -> Iterable[Row]:
    said = turn_row(turn, "d1")
    results = [part for part in parts(turn) if isinstance(part, Result)]
    if turn.text.strip() and not results:
        yield said
    for part in parts(turn):
        match part:
            case Call():
                yield Row("d1", "tool_call", f"{part.name}({part.arguments})", said.notes[:1])
            case Result():
                yield Row("d1", "tool_error" if part.failed else "tool_result", result_text(part), said.notes[:1])
            case Media(original=original) if not written(original):
                yield Row("d1", "not_shown", str(original.get("type", "part")), said.notes[:1])


# --- messages


def _system(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": text}] if text else []


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _current(prompt: Prompt) -> list[dict[str, Any]]:
    return [_user(disarmed(prompt.message))] if prompt.message else []


def _disarmed(message: Message) -> Message:
    if message.get("role") == "system":
        return message
    content = _quiet(message.get("content"))
    return message if content == message.get("content") else {**message, "content": content}


def _quiet(content: Any) -> Any:
    if isinstance(content, str):
        return disarmed(content)
    if isinstance(content, Mapping):
        return {key: _quiet(value) if key in ("text", "content") else value for key, value in content.items()}
    return [_quiet(part) for part in content] if isinstance(content, list | tuple) else content
