"""What all servers of language models share: one ladder of tries, the strictest form of answer that a server takes, the account.

How an answer is asked for differs: by schema, as the arguments of a tool, as any JSON, or in plain words. A server that refuses a
form is asked in the next one, and what it took is remembered for as long as the object lives. Whatever the form, the text of an
answer goes through the same reader.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from onrecord.errors import EmbedderUnavailable, InvalidInput, ModelError, ModelUnavailable
from onrecord.policy.replies.reply import Refused, answer
from onrecord.ports import Answer, Usage
from onrecord.providers.chat.pace import Pace
from onrecord.providers.endpoint import NoAnswer, Patience, Server

#: Tokens that an answer may have: some forty facts. A small model that goes round in circles is cut off there.
OUTPUT = 2_048
#: Somebody waits for a summary: two further tries. What is read in the background has the queue for its ladder, so it is asked
#: once, and has the time that a model on a small machine needs.
WAITED_FOR = Patience(timeout=60.0, waits=(1.0, 4.0), longest=20.0)
IN_BACKGROUND = Patience(timeout=300.0, waits=(), longest=0.0)
_FORM_REFUSED = frozenset({400, 422, 501})
_ADVICE: Mapping[int, str] = {
    401: "check the key",
    402: "check the account",
    403: "check the key and what it may do",
    404: "check the URL and the model's name",
    413: "it was given more than it takes",
}
#: What says that nobody was asked: the caller, the account or the address is wrong, whatever the request.
_NOBODY = frozenset({401, 402, 403, 404})


class Form(StrEnum):
    """How an answer is asked for, the strictest first."""

    SCHEMA = "schema"
    TOOL = "tool"
    JSON = "json"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a server answered: words, or fields already, and what it took."""

    content: str | Mapping[str, Any]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Manner:
    """How a server is asked: with which patience, and how often in a minute at most; ``clock`` and ``pause`` tell and wait."""

    patience: Patience = WAITED_FOR
    per_minute: int | None = None
    output: int = OUTPUT
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep


class RemoteChat(ABC):
    """A model behind a server. Safe to share between threads."""

    forms: tuple[Form, ...]

    def __init__(self, name: str, model: str, url: str, headers: Mapping[str, str], manner: Manner) -> None:
        if not model.strip():
            raise InvalidInput("chat", f"{name} names no model", f"write it like {name}MODEL")
        self._name, self._model, self._manner = name, model, manner
        self._server = Server(f"the model {name}", url, field="chat", headers=headers, pause=manner.pause)
        self._pace = Pace(manner.per_minute, clock=manner.clock, pause=manner.pause)
        self._form = 0  # the first that the server may take; set by what it took, so a race costs one refusal more

    @property
    def name(self) -> str:
        """The protocol and the model."""
        return self._name

    @property
    def form(self) -> Form:
        """How it is asked at present."""
        return self.forms[self._form]

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``ports.ChatModel``."""
        for place in range(self._form, len(self.forms)):
            path, body = self._request(_sound(system), _sound(user), schema, self.forms[place])
            status, found = self._asked(path, body)
            if status in _FORM_REFUSED and place + 1 < len(self.forms):
                continue
            self._check(status)
            self._form = place
            return self._read(found, list(schema.get("properties", {"answer": {}})))
        raise AssertionError("unreachable: the last form returns or raises")

    def _asked(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        self._pace()
        try:
            response = self._server.post(path, body, self._manner.patience)
        except NoAnswer as error:
            raise (ModelUnavailable if error.busy else ModelError)(str(error)) from None
        except EmbedderUnavailable as error:  # the package that speaks HTTP is not installed
            raise ModelUnavailable(str(error)) from None
        if response.status_code != 200:
            return response.status_code, None
        try:
            return 200, response.json()
        except ValueError:
            raise ModelError(f"{self._server.name}: the answer is not JSON; check the URL") from None

    def _check(self, status: int) -> None:
        if status != 200:
            kind = ModelUnavailable if status in _NOBODY else ModelError
            raise kind(f"{self._server.name}: answered {status}; {_ADVICE.get(status, 'see the log of the server')}")

    def _read(self, found: Any, names: list[str]) -> Answer:
        try:
            spoken = self._spoken(found)
        except (TypeError, KeyError, IndexError, AttributeError, ValueError):
            raise ModelError(f"{self._server.name}: the answer is not of its protocol; check the URL") from None
        if isinstance(spoken.content, Mapping):
            return Answer(spoken.content, spoken.usage)
        made = answer(spoken.content, names)
        if isinstance(made, Refused):
            raise ModelError(f"{self._name}: the answer cannot be used: {made.reason}")
        return Answer(made, spoken.usage)

    @abstractmethod
    def _request(self, system: str, user: str, schema: Mapping[str, Any], form: Form) -> tuple[str, Mapping[str, Any]]:
        """Path and body that ask in a form."""

    @abstractmethod
    def _spoken(self, found: Any) -> Spoken:
        """What an answer of status 200 says. Raises one of Python's lookup errors for one that is not of the protocol."""


def count(value: object) -> int:
    """A number of tokens that a server gives; 0 where it gives none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _sound(text: str) -> str:
    """Half a surrogate pair has no UTF-8 form."""
    return text.encode("utf-8", "replace").decode("utf-8")
