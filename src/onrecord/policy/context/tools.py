"""Tool schemas: into the shape of the provider, and how many tokens they take."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.model.context import Shape
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD

#: Tokens that a provider adds to a request once it has tools: its own instructions for calling them (Anthropic's documentation
#: names 313 to 346 for its larger models, 675 for an older one).
TOOLS_OVERHEAD = 346


def shaped_tools(tools: Sequence[Mapping[str, Any]], shape: Shape) -> tuple[Mapping[str, Any], ...]:
    """The schemas in the shape asked, from either. A provider's own tools (with another ``type``) go through as they are.

    Raises ``InvalidInput`` for one without a name."""
    return tuple(_shaped(tool, shape, f"tools[{place}]") for place, tool in enumerate(tools))


def tool_tokens(tools: Sequence[Mapping[str, Any]], count: Callable[[str], int]) -> int:
    """Tokens of the schemas; 0 for none."""
    if not tools:
        return 0
    return TOOLS_OVERHEAD + sum(MESSAGE_OVERHEAD + count(json.dumps(tool, ensure_ascii=False)) for tool in tools)


def _shaped(tool: Mapping[str, Any], shape: Shape, field: str) -> Mapping[str, Any]:
    function = tool.get("function") if tool.get("type") == "function" else None
    own = function if isinstance(function, Mapping) else tool
    if not isinstance(own.get("name"), str) or not own["name"]:
        if tool.get("type") not in (None, "function", "custom"):
            return dict(tool)
        raise InvalidInput(f"{field}.name", "is missing", "pass schemas in the OpenAI or Anthropic shape")
    if tool.get("type") not in (None, "function", "custom"):
        return dict(tool)
    schema = own.get("parameters") or own.get("input_schema") or {"type": "object", "properties": {}}
    if shape is Shape.ANTHROPIC:
        return dict(tool) if function is None and "input_schema" in tool else _named(own, "input_schema", schema)
    return dict(tool) if function is not None else {"type": "function", "function": _named(own, "parameters", schema)}


def _named(tool: Mapping[str, Any], key: str, schema: object) -> dict[str, Any]:
    told = {"description": tool["description"]} if tool.get("description") else {}
    return {"name": tool["name"], **told, key: schema}
