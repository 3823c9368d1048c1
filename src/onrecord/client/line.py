"""``Line``: requests to a REST server, sent again where that is harmless, and its refusals raised as the library's own errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar
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

M = TypeVar("M", bound=BaseModel)
#: Seconds before each further try.
_WAITS = (0.2, 0.5, 1.5)


class Refused(OnRecordError):
    """The server refused the caller: no key, a key that does not reach so far, or too many requests."""


class Line:
    """A connection to one server. Safe to share between threads."""

    def __init__(
        self, url: str, key: str | None, timeout: float, transport: httpx2.BaseTransport | None, sleep: Callable[[float], None]
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(base_url=f"{url.rstrip('/')}/v1", headers=headers, timeout=timeout, transport=transport)
        self._sleep = sleep

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def one(self, kind: type[M], method: str, path: str, body: Mapping[str, Any] | None = None, **more: Any) -> M:
        """The answer as one model. ``more`` are the named arguments of ``send``."""
        return kind.model_validate_json(self.send(method, path, body, **more).content)

    def perhaps(self, kind: type[M], path: str, query: Mapping[str, Any]) -> M | None:
        """What is read as one model, or ``None`` where the server answers that there is none."""
        told = self.send("GET", path, query=query).content
        return None if told == b"null" else kind.model_validate_json(told)

    def many(self, kind: type[M], path: str, query: Mapping[str, Any]) -> list[M]:
        """What is read as a list of models."""
        return TypeAdapter(list[kind]).validate_json(self.send("GET", path, query=query).content)  # type: ignore[valid-type]

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        harmless: bool = False,
    ) -> httpx2.Response:
        """The answer. A ``harmless`` request does no more when it is sent twice; every GET is one. Raises ``OnRecordError``."""
        sent = None if body is None else _plain(body)
        harmless = harmless or method == "GET"
        for wait in (*_WAITS, None):
            try:
                answer = self._http.request(method, path, params=_asked(query or {}), headers=headers, json=sent)
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


def _asked(values: Mapping[str, Any]) -> dict[str, Any]:
    """As ``_plain``, where an object is written as JSON: a query has no other form for it."""
    return {name: json.dumps(value) if isinstance(value, Mapping) else value for name, value in _plain(values).items()}


def part(id: str) -> str:
    """``id`` as a part of a path."""
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
