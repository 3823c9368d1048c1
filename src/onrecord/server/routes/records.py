"""Routes about records: add, remember, list, get, update, delete, and what tells of one: history, why, lineage, review."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import Query, Response

from onrecord.errors import InvalidInput
from onrecord.server.answering import Answering
from onrecord.server.callers import CHANGED, ONE, Id, Once, Reader, Whose, Writer, identified
from onrecord.server.links import links
from onrecord.wire import answers, requests, upkeep

routes = Answering("", "memories")
_STATEMENT = "$response.body#/outcomes/0/record/id"
_ABOUT = ("get_memory", "update_memory", "delete_memory", "history", "why", "lineage", "renew", "expire")


@routes.post("/memories", summary="Take messages in")
def add_memories(caller: Writer, asked: requests.AddMemories, idempotency_key: Once = None) -> answers.Added:
    """Journals the messages, reads them, and answers for every statement what became of it and why."""
    given = caller.owned(asked.arguments())
    given["messages"] = identified(asked.messages, idempotency_key)
    return answers.Added.of(caller.memory.add(**given))


@routes.post(
    "/memories/remember", summary="Keep one statement on purpose", responses=links(_ABOUT, id=_STATEMENT, ids=_STATEMENT)
)
def remember(caller: Writer, asked: requests.Remember, idempotency_key: Once = None) -> answers.Added:
    """Skips the gate's doubts, not redaction or reconciliation."""
    given = caller.owned(asked.arguments())
    return answers.Added.of(caller.memory.remember(**given, idempotency_key=idempotency_key or None))


@routes.get("/memories", summary="List records", responses=links(_ABOUT, id="$response.body#/memories/0/id"))
def list_memories(caller: Reader, asked: Annotated[requests.Listing, Query()]) -> answers.Page:
    """Current records (or those of the named status), oldest first, in pages."""
    given = asked.arguments()
    statuses, filters = given.pop("status", None), object_of(given.pop("filters", None))
    given.pop("limit", None)
    records = caller.memory.get_all(**caller.owned(given), statuses=statuses, filters=filters, limit=asked.limit + 1)
    return answers.Page.of(records, asked.limit)


@routes.delete("/memories", summary="Erase all records")
def delete_memories(caller: Writer, place: Annotated[requests.Place, Query()]) -> answers.DeletedAll:
    """All of the owner's, or those of the run or session named, with their words. The dialogue stays."""
    return answers.DeletedAll(deleted=caller.memory.delete_all(**caller.owned(place.arguments())))


@routes.get("/memories/{id}", summary="One record", responses=ONE)
def get_memory(caller: Reader, id: Id, whose: Whose) -> answers.Memory:
    """Whatever its status."""
    return answers.Memory.of(caller.memory.get(id, **caller.owned(whose.arguments())))


@routes.patch("/memories/{id}", summary="Change a record", responses=CHANGED)
def update_memory(caller: Writer, id: Id, change: requests.Change) -> answers.Memory:
    """Fields that are not named stay; the old state is in its history."""
    return answers.Memory.of(caller.memory.update(id, **caller.owned(change.arguments())))


@routes.delete("/memories/{id}", summary="Erase a record", status_code=204, responses=ONE)
def delete_memory(caller: Writer, id: Id, whose: Whose) -> Response:
    """Removes its words from rows, indexes, events, verdicts and traces."""
    caller.memory.delete(id, **caller.owned(whose.arguments()))
    return Response(status_code=204)


@routes.get("/memories/{id}/history", summary="What happened to a record", responses=ONE)
def history(caller: Reader, id: Id, whose: Whose) -> list[answers.Happened]:
    """Oldest first."""
    return [answers.Happened.of(event) for event in caller.memory.history(id, **caller.owned(whose.arguments()))]


@routes.get("/memories/{id}/why", summary="Why a record is there", responses=ONE)
def why(caller: Reader, id: Id, whose: Whose) -> answers.Why:
    """The words it rests on, the verdicts on them, what happened since, and how often it was used."""
    return answers.Why.of(caller.memory.why(id, **caller.owned(whose.arguments())))


@routes.get("/memories/{id}/lineage", summary="What a record or turn comes from and reached", responses=ONE)
def lineage(caller: Reader, id: Id, whose: Whose) -> upkeep.Traced:
    """Back to turns and records, forward to records, summaries, contexts and runs."""
    found = caller.memory.lineage(id, **caller.owned(whose.arguments()))
    return upkeep.Traced.of(found, caller.access.subject)


@routes.post("/memories/{id}/renew", summary="A record holds on", responses=CHANGED)
def renew(caller: Writer, id: Id, asked: requests.Renew) -> answers.Memory:
    """Until the time named, or for another lifespan of its kind."""
    return answers.Memory.of(caller.memory.renew(id, **caller.owned(asked.arguments())))


@routes.post("/memories/{id}/expire", summary="A record holds no longer", responses=CHANGED)
def expire(caller: Writer, id: Id, whose: requests.Owner) -> answers.Memory:
    """Out of recall, kept in history."""
    return answers.Memory.of(caller.memory.expire(id, **caller.owned(whose.arguments())))


def object_of(text: str | None) -> dict[str, Any] | None:
    """The filters that a query gives as JSON. Raises ``InvalidInput``."""
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInput("filters", "are no JSON object", 'write them like {"kind": "preference"}')
    return found
