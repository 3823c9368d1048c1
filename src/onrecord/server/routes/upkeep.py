"""Routes that look after what is kept: retract, quarantine, erase, maintain."""

from __future__ import annotations

from fastapi import APIRouter

from onrecord.errors import InvalidInput
from onrecord.server.access import Forbidden
from onrecord.server.callers import CHANGED, COMMON, Admin, Writer
from onrecord.wire import requests, upkeep

routes = APIRouter(prefix="/v1", responses=COMMON, tags=["upkeep"])


@routes.post("/retract", summary="Take records back", responses=CHANGED)
def retract(caller: Writer, asked: requests.Rows) -> upkeep.Recalled:
    """With what was made from them. They are never recalled again; dialogue and history stay."""
    return upkeep.Recalled.of(caller.memory.retract(**caller.owned(asked.arguments())))


@routes.post("/quarantine", summary="Take out what is not to be trusted", responses=CHANGED)
def quarantine(caller: Writer, asked: requests.Rows) -> upkeep.Recalled:
    """Turns or records, everything that was made from them, and what was said after them in nearly the same words."""
    return upkeep.Recalled.of(caller.memory.quarantine(**caller.owned(asked.arguments())))


@routes.post("/erase", summary="Erase rows, a thread or everything of an owner", responses=CHANGED)
def erase(caller: Admin, asked: requests.Erase) -> upkeep.Erased:
    """With the dialogue, and what was made from it; the answer is the receipt. There is no way back."""
    if asked.ids and asked.session_id is not None:
        raise InvalidInput("ids", "are given with a session_id", "erase the thread, or rows of it")
    given = asked.arguments()
    if given.get("ids", ()) is None:
        given.pop("ids")
    return upkeep.Erased.of(caller.memory.erase(**caller.owned(given)))


@routes.post("/maintain", summary="Do what was queued")
def maintain(caller: Admin, asked: requests.Maintain | None = None) -> upkeep.Maintained:
    """Reads queued turns, embeds what lacks a vector, puts away what is idle or faded. Over all tenants; safe to repeat."""
    if caller.access.subject is not None:
        raise Forbidden(f"this key is for {caller.access.subject} alone: maintenance is of the whole store")
    return upkeep.Maintained.of(caller.memory.maintain(**(asked or requests.Maintain()).arguments()))
