"""Secrets that one field of a statement gives away for the others.

"4417" alone is a number; beside "the code of the gym is 4417", or as the value of ``wifi_password``, it is a secret, and in no
field of that statement may it stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onrecord.policy.secrecy.redact import redact

_WORD = re.compile(r"\w[^\s\"'“”()<>,;]*(?<![.:!?])")
#: Shorter words tell nothing, and stand everywhere.
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Given:
    """The words of a statement that are a secret, and of which kind. Without words there is none."""

    words: frozenset[str]
    kind: str

    def concealed(self, value: Any) -> Any:
        """JSON-like ``value`` with a placeholder in the place of each of the words; the same object where none stands in it."""
        if not self.words:
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {key: self.concealed(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.concealed(item) for item in value]
        return self._text(str(value)) if str(value) in self.words and not isinstance(value, bool) else value

    def _text(self, text: str) -> str:
        placeholder = f"[secret:{self.kind}]"
        left = _WORD.sub(lambda match: placeholder if match[0] in self.words else match[0], text)
        return re.sub(rf"{re.escape(placeholder)}(?:\s+{re.escape(placeholder)})+", placeholder, left)


def given_away(statement: str, key: str | None = None, value: str | None = None) -> Given:
    """What ``statement`` tells as a secret, and ``value`` told under ``key``."""
    told = [statement, f"{key.replace('_', ' ')}: {value}"] if key and value else [statement]
    shown = [(text, redact(text)) for text in told]
    hidden = {word for text, done in shown if done.found for word in set(_WORD.findall(text)) - set(_WORD.findall(done.text))}
    kinds = [kind for _, done in shown for kind in done.found]
    return Given(frozenset(word for word in hidden if len(word) >= _LEAST), kinds[0] if kinds else "")
