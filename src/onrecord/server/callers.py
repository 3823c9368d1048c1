"""Callers of the REST server: a dependency for each right, and the parameters that many routes share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeAlias

import anyio.to_thread
from fastapi import Depends, Header, Path, Query, Request

from onrecord.memory import Memory
from onrecord.model.key import Right
from onrecord.server.access import Access, access, of_tenant
from onrecord.server.problems import responses
from onrecord.wire import requests

#: Problems that any route may answer, and those of routes about one thing, which may not be there.
COMMON = responses(401, 403, 413, 422, 429, 503)
ONE = {**COMMON, **responses(404)}
CHANGED = {**ONE, **responses(409)}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the memory behind their wall, and what they may do there."""

    memory: Memory
    access: Access

    def owned(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments with the owner that this caller may name."""
        return self.access.owner(dict(given))


def allowed(right: Right) -> Callable[..., Awaitable[Caller]]:
    """A dependency: the caller, if they may do what ``right`` says."""

    async def caller(request: Request, authorization: Annotated[str | None, Header(include_in_schema=False)] = None) -> Caller:
        state = request.app.state
        ask = partial(access, state.memory, authorization, local=state.local)
        known = await anyio.to_thread.run_sync(ask, limiter=state.doors)
        request.state.access = known  # for the log
        known.require(right)
        return Caller(of_tenant(state.memory, known.tenant), known)

    return caller


Reader: TypeAlias = Annotated[Caller, Depends(allowed(Right.READ))]
Writer: TypeAlias = Annotated[Caller, Depends(allowed(Right.WRITE))]
Admin: TypeAlias = Annotated[Caller, Depends(allowed(Right.ADMIN))]
Id: TypeAlias = Annotated[str, Path(min_length=1, max_length=200, description="The id of a record.")]
Thread: TypeAlias = Annotated[str, Path(min_length=1, max_length=200, description="The name of a thread.")]
Whose: TypeAlias = Annotated[requests.Owner, Query()]
Once: TypeAlias = Annotated[str | None, Header(max_length=200, description="What comes again under a key is written once.")]


def identified(messages: str | list[requests.Message], key: str | None) -> str | list[dict[str, Any]]:
    """The messages, each with an id made from the key where it has none."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages, "id": key}] if key else messages
    plain = [message.model_dump(exclude_unset=True) for message in messages]
    return [{"id": f"{key}/{number}", **message} for number, message in enumerate(plain)] if key else plain
