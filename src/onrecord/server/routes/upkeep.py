"""Routes that look after what is kept: retract, quarantine, erase, maintain, undo."""

from __future__ import annotations

from onrecord.errors import InvalidInput
from onrecord.server.access import Forbidden
from onrecord.server.answering import Answering
from onrecord.server.callers import CHANGED, Admin, Caller, Writer
from onrecord.wire import requests, upkeep

routes = Answering("", "upkeep")


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
    """Reads queued turns, embeds what lacks a vector, puts away what is idle or faded, merges what says the same, erases what
    outlived its retention. Over all tenants; safe to repeat."""
    _of_the_whole(caller)
    return upkeep.Maintained.of(caller.memory.maintain(**(asked or requests.Maintain()).arguments()))


@routes.post("/undo", summary="Take back what a maintenance run merged", responses=CHANGED)
def undo(caller: Admin, asked: requests.Undo) -> upkeep.Undone:
    """It is not merged again; what changed since stays."""
    _of_the_whole(caller)
    return upkeep.Undone.of(caller.memory.undo(**asked.arguments()))


def _of_the_whole(caller: Caller) -> None:
    if caller.access.subject is not None:
        raise Forbidden(f"this key is for {caller.access.subject} alone: maintenance is of everybody")
