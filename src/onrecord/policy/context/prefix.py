"""How much of a prompt is the same as the beginning of the one before, and what the prompts of a thread come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from onrecord.model.context import Context, Spending
from onrecord.policy.context.tools import tool_tokens
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD, message_tokens

Count = Callable[[str], int]


def identical(before: Context, now: Context, count: Count) -> int:
    """Tokens at the beginning of a prompt that repeat those of the one before, byte by byte.

    The order is the providers': tools, system text, messages. Marks of breakpoints are not part of what a model reads. Of the
    first message that differs, the words up to there count.
    """
    tokens = 0
    earlier = list(_units(before))
    for place, (key, unit) in enumerate(_units(now)):
        if place < len(earlier) and earlier[place][0] == key:
            tokens += _unit_tokens(unit, count)
            continue
        if place < len(earlier):
            tokens += count(_common(earlier[place][1], unit))
        break
    return tokens


def spent(before: Spending | None, tokens: int, same: int, replay: int, replayed_before: int, price: float) -> Spending:
    """The spending with one context more. ``replay`` is what the whole transcript would have taken, ``replayed_before`` what it
    took the turn before: all of that is its identical beginning. ``price`` is a cached token's, as a part of a fresh one's."""
    old = before or Spending()
    cached = min(replay, replayed_before)
    return Spending(
        turns=old.turns + 1,
        sent=old.sent + tokens,
        identical=old.identical + same,
        billed=old.billed + round(tokens - same + price * same),
        replayed=old.replayed + replay,
        replay_billed=old.replay_billed + round(replay - cached + price * cached),
    )


def _units(context: Context) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parts of a prompt that are compared as wholes, with what tells them apart."""
    if context.tools:
        yield _key("tools", [_bare(tool) for tool in context.tools]), {"tools": context.tools}
    for part in context.system:
        yield _key("system", _bare(part)), {"role": "system", "content": part["text"]}
    for message in context.messages:
        content = message.get("content")
        if isinstance(content, list):
            for place, part in enumerate(content):
                yield _key(message["role"], _bare(part)), {"role": message["role"], "content": [part], "first": place == 0}
        else:
            yield _key(message["role"], _bare(message)), message


def _unit_tokens(unit: Mapping[str, Any], count: Count) -> int:
    if "tools" in unit:
        return tool_tokens(unit["tools"], count)
    tokens = message_tokens(unit, count)
    return tokens if unit.get("first", True) else tokens - MESSAGE_OVERHEAD


def _key(role: str, value: Any) -> str:
    return f"{role} {json.dumps(value, ensure_ascii=False, sort_keys=True)}"


def _bare(value: Any) -> Any:
    """A part without its mark; one text alone is the same whether it is a string or a block."""
    if not isinstance(value, Mapping):
        return value
    bare = {key: entry for key, entry in value.items() if key != "cache_control"}
    if set(bare) == {"type", "text"}:
        return bare["text"]
    return bare["content"] if set(bare) == {"role", "content"} else bare


def _common(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The words that two messages of one role begin with, up to the last line they share whole."""
    if before.get("role") != now.get("role"):
        return ""
    old, new = (_text(unit.get("content")) for unit in (before, now))
    shared = _prefix(old, new)
    return shared if shared in (old, new) else shared[: shared.rfind("\n") + 1]


def _prefix(one: str, other: str) -> str:
    low, high = 0, min(len(one), len(other))
    while low < high:  # the longest length at which they agree
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return one[:low]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return str(content[0].get("text", "")) if isinstance(content, list) and content else ""
