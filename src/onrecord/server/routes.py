"""The routes of the REST server: the verbs of ``Memory``, one each. They run in worker threads, so nothing blocks the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response

from onrecord.memory import Memory
from onrecord.model.key import Right
from onrecord.server.access import Access, access, of_tenant
from onrecord.server.problems import responses
from onrecord.wire import answers, requests

_COMMON = responses(401, 403, 413, 422, 429, 503)
_ONE = {**_COMMON, **responses(404)}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the memory behind their wall, and what they may do there."""

    memory: Memory
    access: Access

    def owned(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments with the owner that this caller may name."""
        return self.access.owner(dict(given))


def allowed(right: Right) -> Callable[..., Caller]:
    """A dependency: the caller, if they may do what ``right`` says."""

    def caller(request: Request, authorization: Annotated[str | None, Header(include_in_schema=False)] = None) -> Caller:
        state = request.app.state
        known = access(state.memory, authorization, local=state.local)
        known.require(right)
        return Caller(of_tenant(state.memory, known.tenant), known)

    return caller


Reader: TypeAlias = Annotated[Caller, Depends(allowed(Right.READ))]
Writer: TypeAlias = Annotated[Caller, Depends(allowed(Right.WRITE))]
Admin: TypeAlias = Annotated[Caller, Depends(allowed(Right.ADMIN))]
Id: TypeAlias = Annotated[str, Path(min_length=1, max_length=200, description="The id of a record.")]
Whose: TypeAlias = Annotated[requests.Owner, Query()]
Once: TypeAlias = Annotated[str | None, Header(max_length=200, description="The same key writes the same messages once.")]

api = APIRouter(prefix="/v1", responses=_COMMON)


@api.post("/memories", tags=["memories"], summary="Take messages in")
def add_memories(caller: Writer, asked: requests.AddMemories, idempotency_key: Once = None) -> answers.Added:
    """Journals the messages, reads them, and answers for every statement what became of it and why."""
    given = caller.owned(asked.arguments())
    given["messages"] = _identified(asked.messages, idempotency_key)
    return answers.Added.of(caller.memory.add(**given))


@api.post("/memories/remember", tags=["memories"], summary="Keep one statement on purpose")
def remember(caller: Writer, asked: requests.Remember) -> answers.Added:
    """Skips the gate's doubts, not redaction or reconciliation."""
    return answers.Added.of(caller.memory.remember(**caller.owned(asked.arguments())))


@api.get("/memories", tags=["memories"], summary="List records")
def list_memories(caller: Reader, asked: Annotated[requests.Listing, Query()]) -> answers.Page:
    """Current records (or those of the named status), oldest first, in pages."""
    given = asked.arguments()
    limit, statuses = asked.limit, given.pop("status", None)
    given.pop("limit", None)
    records = caller.memory.get_all(**caller.owned(given), statuses=statuses, limit=limit + 1)
    return answers.Page.of(records, limit)


@api.get("/memories/{id}", tags=["memories"], summary="One record", responses=_ONE)
def get_memory(caller: Reader, id: Id, whose: Whose) -> answers.Memory:
    """Whatever its status."""
    return answers.Memory.of(caller.memory.get(id, **caller.owned(whose.arguments())))


@api.patch("/memories/{id}", tags=["memories"], summary="Change a record", responses={**_ONE, **responses(409)})
def update_memory(caller: Writer, id: Id, change: requests.Change) -> answers.Memory:
    """Fields that are not named stay; the old state is in its history."""
    return answers.Memory.of(caller.memory.update(id, **caller.owned(change.arguments())))


@api.post("/memories/{id}/retract", tags=["memories"], summary="Take a record back", responses={**_ONE, **responses(409)})
def retract_memory(caller: Writer, id: Id, whose: requests.Owner) -> answers.Memory:
    """With what was made from it. It is never recalled again, and its history stays."""
    given = caller.owned(whose.arguments())
    caller.memory.retract([id], **given)
    return answers.Memory.of(caller.memory.get(id, **given))


@api.delete("/memories/{id}", tags=["memories"], summary="Erase a record", status_code=204, responses=_ONE)
def delete_memory(caller: Writer, id: Id, whose: Whose) -> Response:
    """Removes its words from rows, indexes, events, verdicts and traces."""
    caller.memory.delete(id, **caller.owned(whose.arguments()))
    return Response(status_code=204)


@api.get("/memories/{id}/history", tags=["memories"], summary="What happened to a record", responses=_ONE)
def history(caller: Reader, id: Id, whose: Whose) -> list[answers.Happened]:
    """Oldest first."""
    return [answers.Happened.of(event) for event in caller.memory.history(id, **caller.owned(whose.arguments()))]


@api.get("/memories/{id}/why", tags=["memories"], summary="Why a record is there", responses=_ONE)
def why(caller: Reader, id: Id, whose: Whose) -> answers.Why:
    """The words it rests on, the verdicts on them, what happened since, and how often it was used."""
    return answers.Why.of(caller.memory.why(id, **caller.owned(whose.arguments())))


@api.post("/search", tags=["reading"], summary="Find what is on record")
def search(caller: Reader, asked: requests.Search) -> answers.FoundMemories:
    """Hits, best first; none when nothing is relevant enough."""
    return answers.FoundMemories.of(caller.memory.search(**caller.owned(asked.arguments())))


@api.post("/context", tags=["reading"], summary="Messages to send to a model")
def context(caller: Reader, asked: requests.ContextAsked) -> answers.Assembled:
    """Standing rules and relevant records as data, the recent dialogue, and the message, within a token budget."""
    return answers.Assembled.of(caller.memory.context(**caller.owned(asked.arguments())))


@api.get("/refusals", tags=["reading"], summary="What the gate refused")
def refusals(caller: Reader, whose: Annotated[requests.Whose, Query()]) -> list[answers.Refused]:
    """With the reason of each, newest first."""
    given = whose.arguments()
    limit = given.pop("limit", whose.limit)
    return [answers.Refused.of(verdict) for verdict in caller.memory.refusals(**caller.owned(given), limit=limit)]


@api.get("/sessions", tags=["sessions"], summary="The owner's threads")
def sessions(caller: Reader, whose: Annotated[requests.Whose, Query()]) -> list[answers.Thread]:
    """By their last turn, newest first."""
    given = whose.arguments()
    limit = given.pop("limit", whose.limit)
    return [answers.Thread.of(info) for info in caller.memory.sessions(**caller.owned(given), limit=limit)]


@api.get("/sessions/{session_id}/turns", tags=["sessions"], summary="What was said in a thread")
def turns(
    caller: Reader, session_id: Annotated[str, Path(min_length=1, max_length=200)], whose: Annotated[requests.Whose, Query()]
) -> list[answers.Said]:
    """The last turns, oldest first; none for a thread that is not there."""
    given = whose.arguments()
    given.pop("limit", None)
    said = caller.memory.session(session_id, **caller.owned(given)).turns(last=whose.limit)
    return [answers.Said.of(turn) for turn in said]


@api.post("/maintain", tags=["upkeep"], summary="Do what was queued")
def maintain(caller: Admin) -> answers.Maintained:
    """Reads queued turns, embeds what lacks a vector, puts idle threads away. Over all tenants; safe to repeat."""
    return answers.Maintained.of(caller.memory.maintain())


def _identified(messages: str | Sequence[requests.Message], key: str | None) -> str | list[dict[str, Any]]:
    """The messages, each with an id made from the key where it has none."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages, "id": key}] if key else messages
    plain = [message.model_dump(exclude_unset=True) for message in messages]
    return [{"id": f"{key}/{number}", **message} for number, message in enumerate(plain)] if key else plain
