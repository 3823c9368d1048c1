"""Formatting: how the results of tools are shown to the model. The turns in the store are never touched.

A caller gives a function of the text for each tool, by name. One that fails costs its own work and not the result, which is then
shown as it came; what failed is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from onrecord.model.message import Result, Words
from onrecord.model.turn import Turn
from onrecord.policy.dialogue.parts import calls, parts, result_text, results

#: Makes of the text of a result what is shown of it.
Formatter: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Formatted:
    """Turns as they are shown (changed ones are copies), and one sentence for each result that its formatter failed on."""

    turns: tuple[Turn, ...]
    warnings: tuple[str, ...] = ()


def formatted(turns: Sequence[Turn], formatters: Mapping[str, Formatter]) -> Formatted:
    """The turns with the results of the tools named in ``formatters`` as these show them."""
    if not formatters:
        return Formatted(tuple(turns))
    names = tools_of(turns)
    warnings: list[str] = []
    shown = [_shown(turn, names, formatters, warnings) for turn in turns]
    return Formatted(tuple(shown), tuple(warnings))


def tools_of(turns: Sequence[Turn]) -> dict[str, str]:
    """The name of the tool by the id of its call."""
    return {call.id: call.name for turn in turns for call in calls(turn)}


def rewritten(turn: Turn, formatter: Callable[[str], Formatter | None]) -> Turn:
    """The turn with each text of its results as ``formatter(call id)`` makes it; the same object if nothing changes."""
    payload = dict(turn.payload)
    if payload.get("tool_call_id"):
        payload["content"] = _content(payload.get("content"), formatter(str(payload["tool_call_id"])))
    elif isinstance(payload.get("content"), list):
        payload["content"] = [_block(block, formatter) for block in payload["content"]]
    if payload == turn.payload:
        return turn
    made = replace(turn, payload=payload)
    said = (result_text(part) if isinstance(part, Result) else part.text for part in parts(made) if isinstance(part, _READABLE))
    return replace(made, text="\n".join(filter(None, said)))


_READABLE = (Result, Words)


def _shown(turn: Turn, names: Mapping[str, str], formatters: Mapping[str, Formatter], warnings: list[str]) -> Turn:
    if not any(names.get(result.call_id) in formatters for result in results(turn)):
        return turn

    def find(call_id: str) -> Formatter | None:
        tool = names.get(call_id, "")
        return _guarded(formatters[tool], tool, turn.id, warnings) if tool in formatters else None

    return rewritten(turn, find)


def _guarded(own: Formatter, tool: str, turn_id: str, warnings: list[str]) -> Formatter:
    def guarded(text: str) -> str:
        try:
            made = own(text)
        except Exception as error:  # noqa: BLE001 - it is the caller's code: whatever it raises, the result is shown
            made, problem = None, f"failed ({type(error).__name__})"
        else:
            problem = f"gave a {type(made).__name__}"
        if isinstance(made, str):
            return made
        warnings.append(f"the formatter of {tool} {problem} on turn {turn_id}; its result is shown as it came")
        return text

    return guarded


def _block(block: Any, formatter: Callable[[str], Formatter | None]) -> Any:
    if not isinstance(block, Mapping) or block.get("type") != "tool_result" or "content" not in block:
        return block
    return {**block, "content": _content(block["content"], formatter(str(block.get("tool_use_id"))))}


def _content(content: Any, formatter: Formatter | None) -> Any:
    if formatter is None:
        return content
    if isinstance(content, str):
        return formatter(content)
    if not isinstance(content, list):
        return content
    return [_part(part, formatter) for part in content]


def _part(part: Any, formatter: Formatter) -> Any:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return {**part, "text": formatter(part["text"])}
    return part
