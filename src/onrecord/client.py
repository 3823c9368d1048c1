"""``Client``: the verbs of ``Memory`` over a REST server. Needs the extra ``onrecord[client]``.

A request that did not get through, or was one too many, is sent again a few times, waiting longer each time. Where it may have
got through (no answer, 503) only what is harmless twice is repeated: reads, and ``add``, which carries an idempotency key. What
the server refuses is raised as the library's own error.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, TypeAdapter

from onrecord.errors import (
    BudgetTooSmall,
    InvalidInput,
    ModelError,
    NotFound,
    OnRecordError,
    StoreBusy,
    StoreError,
    VersionConflict,
)
from onrecord.wire import answers

M = TypeVar("M", bound=BaseModel)
#: Seconds before each further try.
_WAITS = (0.2, 0.5, 1.5)
#: Paths whose requests do no more when they are sent twice.
_HARMLESS = ("/memories", "/search", "/context", "/maintain")


class Refused(OnRecordError):
    """The server refused the caller: no key, a key that does not reach so far, or too many requests."""


class Client:
    """A memory behind a REST server. Safe to share between threads.

    ``key`` is the secret of a key; ``timeout`` is in seconds for each try. ``transport`` replaces the network, for tests."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8764",
        key: str | None = None,
        *,
        timeout: float = 30.0,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(base_url=f"{url.rstrip('/')}/v1", headers=headers, timeout=timeout, transport=transport)
        self._sleep = sleep

    # -- writing

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        **place: Any,
    ) -> answers.Added:
        """What became of every message and statement. ``place`` are the other arguments of ``Memory.add``."""
        listed = [messages] if isinstance(messages, Mapping) else messages
        headers = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
        return self._one(answers.Added, "POST", "/memories", {"messages": listed, **place}, headers=headers)

    def remember(self, statement: str, **fields: Any) -> answers.Added:
        """What became of one statement written on purpose. ``fields`` are the other arguments of ``Memory.remember``."""
        return self._one(answers.Added, "POST", "/memories/remember", {"statement": statement, **fields})

    def update(self, id: str, statement: str | None = None, **fields: Any) -> answers.Memory:
        """The record after an edit of the named fields."""
        named = fields if statement is None else {"statement": statement, **fields}
        return self._one(answers.Memory, "PATCH", f"/memories/{_part(id)}", named)

    def retract(self, id: str, **owner: Any) -> answers.Memory:
        """The record after it was taken back, with what was made from it."""
        return self._one(answers.Memory, "POST", f"/memories/{_part(id)}/retract", owner)

    def delete(self, id: str, **owner: Any) -> None:
        """Erases a record and its words."""
        self._send("DELETE", f"/memories/{_part(id)}", query=owner)

    # -- reading

    def search(self, query: str, **asked: Any) -> answers.FoundMemories:
        """Hits, best first. ``asked`` are the other arguments of ``Memory.search``."""
        return self._one(answers.FoundMemories, "POST", "/search", {"query": query, **asked})

    def get(self, id: str, **owner: Any) -> answers.Memory:
        """One record, whatever its status."""
        return self._one(answers.Memory, "GET", f"/memories/{_part(id)}", query=owner)

    def get_all(self, *, limit: int | None = None, **asked: Any) -> list[answers.Memory]:
        """Current records, oldest first, at most ``limit``; ``None`` gives all, page by page."""
        found: list[answers.Memory] = []
        while limit is None or len(found) < limit:
            size = 100 if limit is None else min(100, limit - len(found))
            page = self._one(answers.Page, "GET", "/memories", query={**asked, "limit": size})
            found += page.memories
            if page.next is None:
                break
            asked["after"] = page.next
        return found

    def history(self, id: str, **owner: Any) -> list[answers.Happened]:
        """What happened to a record, oldest first."""
        return self._many(answers.Happened, f"/memories/{_part(id)}/history", owner)

    def why(self, id: str, **owner: Any) -> answers.Why:
        """The story of a record."""
        return self._one(answers.Why, "GET", f"/memories/{_part(id)}/why", query=owner)

    def refusals(self, **asked: Any) -> list[answers.Refused]:
        """What the gate refused, newest first."""
        return self._many(answers.Refused, "/refusals", asked)

    def context(self, message: str, **asked: Any) -> answers.Assembled:
        """Messages to send to a model. ``asked`` are the other arguments of ``Memory.context``."""
        return self._one(answers.Assembled, "POST", "/context", {"message": message, **asked})

    def sessions(self, **asked: Any) -> list[answers.Thread]:
        """The owner's threads, newest first."""
        return self._many(answers.Thread, "/sessions", asked)

    def turns(self, session_id: str, **asked: Any) -> list[answers.Said]:
        """What was said in a thread, oldest first."""
        return self._many(answers.Said, f"/sessions/{_part(session_id)}/turns", asked)

    def maintain(self) -> answers.Maintained:
        """What a maintenance run did. Needs an admin's key."""
        return self._one(answers.Maintained, "POST", "/maintain")

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes it."""
        self.close()

    def _one(
        self,
        kind: type[M],
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> M:
        return kind.model_validate(self._send(method, path, body, query, headers).json())

    def _many(self, kind: type[M], path: str, query: Mapping[str, Any]) -> list[M]:
        return TypeAdapter(list[kind]).validate_python(self._send("GET", path, query=query).json())  # type: ignore[valid-type]

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        sent = None if body is None else _plain(body)
        harmless = method == "GET" or path in _HARMLESS
        for wait in (*_WAITS, None):
            try:
                answer = self._http.request(method, path, params=_plain(query or {}), headers=headers, json=sent)
            except httpx2.TransportError as error:
                if wait is None or not (harmless or isinstance(error, httpx2.ConnectError)):
                    raise StoreError(f"the server at {self._http.base_url} was not reached: {error}") from error
            else:
                again = answer.status_code == 429 or (answer.status_code == 503 and harmless)
                if not again or wait is None:
                    return _checked(answer)
            self._sleep(wait)
        raise AssertionError("the last try returns or raises")


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that JSON has: times in ISO 8601; what was left out is not sent."""
    plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
    return {name: value for name, value in plain.items() if value is not None}


def _part(id: str) -> str:
    return quote(id, safe="")


def _checked(answer: httpx2.Response) -> httpx2.Response:
    if answer.is_success:
        return answer
    try:
        told: Mapping[str, Any] = answer.json()
    except ValueError:
        told = {}
    raise _error(answer.status_code, str(told.get("detail") or answer.reason_phrase), told)


def _error(status: int, detail: str, told: Mapping[str, Any]) -> OnRecordError:
    match status:
        case 401 | 403 | 429:
            return Refused(detail)
        case 404:
            error = NotFound("record", "")
            error.args = (detail,)
            return error
        case 409:
            conflict = VersionConflict("", 0, 0)
            conflict.args = (detail,)
            return conflict
        case 422 if told.get("field"):
            field = str(told["field"])
            return InvalidInput(field, detail.removeprefix(f"{field}: "), str(told.get("fix") or ""))
        case 422:
            return BudgetTooSmall(detail)
        case 413:
            return InvalidInput("messages", detail, "send less at once")
        case 502:
            return ModelError(detail)
        case 503:
            return StoreBusy(detail)
    return StoreError(f"the server answered {status}: {detail}")
