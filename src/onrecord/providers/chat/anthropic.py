"""Anthropic's ``/v1/messages`` (docs.anthropic.com/en/api/messages): the answer is the input of a tool that must be called.

System text and tool are marked to be cached: they are the same in every call, and come before what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onrecord.ports import Usage
from onrecord.providers.chat.base import Form, Manner, RemoteChat, Spoken, count

ANTHROPIC_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_TOOL = "answer"
_CACHED = {"cache_control": {"type": "ephemeral"}}


class AnthropicChat(RemoteChat):
    """A model of Anthropic's. Arguments as for ``OpenAiChat``; ``url`` is what stands before ``/v1/messages``."""

    forms = (Form.TOOL, Form.WORDS)

    def __init__(self, model: str, url: str = ANTHROPIC_URL, *, key: str = "", manner: Manner | None = None) -> None:
        headers = {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}
        super().__init__(f"anthropic:{model}", model, url, headers, manner or Manner())

    def _request(self, system: str, user: str, schema: Mapping[str, Any], form: Form) -> tuple[str, Mapping[str, Any]]:
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": self._manner.output,
            "temperature": 0,
            "system": [{"type": "text", "text": system, **_CACHED}],
            "messages": [{"role": "user", "content": user}],
        }
        if form is Form.TOOL:
            body["tools"] = [{"name": _TOOL, "description": "The answer.", "input_schema": dict(schema), **_CACHED}]
            body["tool_choice"] = {"type": "tool", "name": _TOOL}
        return "/v1/messages", body

    def _spoken(self, found: Any) -> Spoken:
        used = found.get("usage") or {}
        read, made = count(used.get("cache_read_input_tokens")), count(used.get("cache_creation_input_tokens"))
        usage = Usage(1, count(used.get("input_tokens")) + read + made, read, count(used.get("output_tokens")))
        called = [block["input"] for block in found["content"] if block.get("type") == "tool_use"]
        if called and isinstance(called[0], Mapping):
            return Spoken(called[0], usage)
        return Spoken("".join(block.get("text", "") for block in found["content"] if block.get("type") == "text"), usage)
