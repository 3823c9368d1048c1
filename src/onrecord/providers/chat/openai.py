"""Servers that speak OpenAI's ``/chat/completions``: OpenAI, Azure, vLLM, Ollama, llama.cpp, LM Studio, OpenRouter.

https://platform.openai.com/docs/api-reference/chat; the others follow it, each with the forms of answer that it knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from onrecord.ports import Usage
from onrecord.providers.chat.base import Form, Manner, RemoteChat, Spoken, count

OPENAI_CHAT_URL, OLLAMA_CHAT_URL = "https://api.openai.com/v1", "http://localhost:11434/v1"
#: Families that choose their own temperature and refuse to be told one.
_SELF_TEMPERED = ("o1", "o3", "o4", "gpt-5")
_TOOL = "answer"


class OpenAiChat(RemoteChat):
    """A model behind a server of OpenAI's protocol.

    Args:
        model: the name that the server knows it by.
        url: what stands before ``/chat/completions``.
        key: the key, sent as a bearer token (to Azure as ``api-key``) and nowhere else.
        headers: what a server wants beside it, such as OpenRouter's ``HTTP-Referer``.
        manner: patience and pace.

    Raises:
        InvalidInput: an argument is off.
    """

    forms = (Form.SCHEMA, Form.TOOL, Form.JSON, Form.WORDS)

    def __init__(
        self,
        model: str,
        url: str = OPENAI_CHAT_URL,
        *,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        manner: Manner | None = None,
    ) -> None:
        host = urlsplit(url).hostname or ""
        mine = {"api-key": key} if host.endswith(".azure.com") else {"Authorization": f"Bearer {key}"}
        super().__init__(f"openai:{model}", model, url, {**(mine if key else {}), **(headers or {})}, manner or Manner())
        # the newer name is known to OpenAI and Azure, the older one to everybody else
        self._limit = "max_completion_tokens" if host.endswith((".openai.com", ".azure.com")) else "max_tokens"

    def _request(self, system: str, user: str, schema: Mapping[str, Any], form: Form) -> tuple[str, Mapping[str, Any]]:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body: dict[str, Any] = {"model": self._model, "messages": messages, self._limit: self._manner.output}
        if not self._model.rsplit("/", 1)[-1].startswith(_SELF_TEMPERED):
            body["temperature"] = 0
        match form:
            case Form.SCHEMA:
                asked = {"name": _TOOL, "schema": dict(schema), "strict": True}
                body["response_format"] = {"type": "json_schema", "json_schema": asked}
            case Form.TOOL:
                body["tools"] = [{"type": "function", "function": {"name": _TOOL, "parameters": dict(schema)}}]
                body["tool_choice"] = {"type": "function", "function": {"name": _TOOL}}
            case Form.JSON:
                body["response_format"] = {"type": "json_object"}
        return "/chat/completions", body

    def _spoken(self, found: Any) -> Spoken:
        message = found["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        content = calls[0]["function"]["arguments"] if calls else message.get("content")
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        used = found.get("usage") or {}
        details = used.get("prompt_tokens_details") or {}
        given, written = count(used.get("prompt_tokens")), count(used.get("completion_tokens"))
        usage = Usage(1, given, count(details.get("cached_tokens")), written)
        return Spoken(content if isinstance(content, Mapping) else str(content or ""), usage)
