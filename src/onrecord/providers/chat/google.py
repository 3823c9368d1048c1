"""Google's ``generateContent`` (ai.google.dev/api/generate-content), with a JSON schema for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from onrecord.ports import Usage
from onrecord.providers.chat.base import Form, Manner, RemoteChat, Spoken, count

GOOGLE_URL = "https://generativelanguage.googleapis.com"


class GoogleChat(RemoteChat):
    """A model of Google's. Arguments as for ``OpenAiChat``; ``url`` is what stands before ``/v1beta/models``."""

    forms = (Form.SCHEMA, Form.JSON, Form.WORDS)

    def __init__(self, model: str, url: str = GOOGLE_URL, *, key: str = "", manner: Manner | None = None) -> None:
        super().__init__(f"google:{model}", model, url, {"x-goog-api-key": key} if key else {}, manner or Manner())

    def _request(self, system: str, user: str, schema: Mapping[str, Any], form: Form) -> tuple[str, Mapping[str, Any]]:
        config: dict[str, Any] = {"temperature": 0, "maxOutputTokens": self._manner.output}
        if form is not Form.WORDS:
            config["responseMimeType"] = "application/json"
        if form is Form.SCHEMA:
            config["responseJsonSchema"] = dict(schema)
        body = {
            "systemInstruction": {"parts": [{"text": system}]},
            "contents": [{"role": "user", "parts": [{"text": user}]}],
            "generationConfig": config,
        }
        return f"/v1beta/models/{quote(self._model, safe='')}:generateContent", body

    def _spoken(self, found: Any) -> Spoken:
        used = found.get("usageMetadata") or {}
        written = count(used.get("candidatesTokenCount")) + count(used.get("thoughtsTokenCount"))
        usage = Usage(1, count(used.get("promptTokenCount")), count(used.get("cachedContentTokenCount")), written)
        if not found.get("candidates"):  # the prompt itself was blocked: an answer, and an empty one
            return Spoken("", usage)
        parts = found["candidates"][0].get("content", {}).get("parts", [])
        return Spoken("".join(part.get("text", "") for part in parts if not part.get("thought")), usage)
