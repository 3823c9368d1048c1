"""Problems: what goes wrong as ``application/problem+json`` (RFC 9457), with the field and the fix. The one table of statuses."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from onrecord.errors import (
    BudgetTooSmall,
    EmbedderError,
    InvalidInput,
    ModelError,
    NotFound,
    OnRecordError,
    SchemaMismatch,
    StaleRead,
    StoreBusy,
    StoreError,
    VersionConflict,
)
from onrecord.server.access import Forbidden, Unauthorized

_log = logging.getLogger("onrecord.server")

#: The status of an error is that of the first class it belongs to.
STATUS: Sequence[tuple[type[Exception], int]] = (
    (Unauthorized, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (VersionConflict, 409),
    (InvalidInput, 422),
    (BudgetTooSmall, 422),
    (StoreBusy, 503),
    (StaleRead, 503),
    (SchemaMismatch, 500),
    (StoreError, 503),
    (EmbedderError, 503),
    (ModelError, 502),
    (OnRecordError, 500),
)
#: Seconds after which it is worth asking again.
_RETRY = {503: "1", 429: "1"}
MEDIA = "application/problem+json"


class Problem(BaseModel):
    """What went wrong. ``field`` and ``fix`` are there when an argument is off."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    field: str | None = None
    fix: str | None = None


class Fault(BaseModel):
    """One argument that is off."""

    field: str
    detail: str


class Problems(Problem):
    """What is off in a request, argument by argument."""

    errors: list[Fault] = Field(default_factory=list)


def status_of(error: Exception) -> int:
    """The status that stands for an error."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How problems of these statuses stand in the description of a route."""
    schema = {"schema": {"$ref": "#/components/schemas/Problems"}}
    return {status: {"description": _TITLES[status], "content": {MEDIA: schema}} for status in statuses}


def add_handlers(app: FastAPI) -> None:
    """Makes a problem of every error."""
    app.add_exception_handler(OnRecordError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def problem(status: int, detail: str, **more: Any) -> JSONResponse:
    """The answer that tells a problem."""
    body = Problems(title=_TITLES.get(status, "Problem"), status=status, detail=detail, **more)
    headers = {"Retry-After": _RETRY[status]} if status in _RETRY else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(body.model_dump(exclude_none=True), status, headers, media_type=MEDIA)


async def _known(request: Request, error: Exception) -> JSONResponse:
    status = status_of(error)
    if status >= 500:
        _log.error("a request failed", exc_info=error)
    if isinstance(error, InvalidInput):
        return problem(status, f"{error.field}: {error.problem}", field=error.field, fix=error.fix or None)
    return problem(status, str(error))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [Fault(field=".".join(map(str, one["loc"])) or "body", detail=one["msg"]) for one in error.errors()]
    first = faults[0]
    fix = f"see {request.scope.get('root_path', '')}/openapi.json"
    return problem(422, f"{first.field}: {first.detail}", field=first.field, fix=fix, errors=faults)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 400 and await request.body():  # what FastAPI answers to bytes that are no text
        return problem(422, "body: is not JSON", field="body", fix="send JSON in UTF-8")
    answer = problem(error.status_code, str(error.detail))
    for name, value in (error.headers or {}).items():
        answer.headers[name] = value
    if error.status_code == 405:  # the framework names those of one route alone
        answer.headers["Allow"] = ", ".join(request.app.state.methods(request.url.path))
    return answer


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    _log.error("an unexpected fault", exc_info=error)
    return problem(500, "a fault of the server; its log tells more")


_TITLES = {
    400: "Bad request",
    401: "Who are you?",
    403: "Not allowed",
    404: "Not there",
    405: "No such method here",
    409: "Changed meanwhile",
    413: "Too large",
    422: "Bad input",
    429: "Too many requests",
    500: "Internal fault",
    502: "The model failed",
    503: "Not available now",
}
