"""Routes that read across records: search, context, refusals, misses, review."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from onrecord.server.answering import Answering
from onrecord.server.callers import ONE, Reader
from onrecord.server.links import links
from onrecord.wire import answers, requests, threads, upkeep

routes = Answering("", "reading")


@routes.post("/search", summary="Find what is on record", responses=links(("why", "lineage"), id="$response.body#/hits/0/id"))
def search(caller: Reader, asked: requests.Search) -> answers.FoundMemories:
    """Hits, best first; none when nothing is relevant enough."""
    return answers.FoundMemories.of(caller.memory.search(**caller.owned(asked.arguments())))


@routes.post("/context", summary="Messages to send to a model")
def context(caller: Reader, asked: requests.ContextAsked) -> threads.Assembled:
    """Standing rules and relevant records as data, the recent dialogue, and the message, within a token budget."""
    return threads.Assembled.of(caller.memory.context(**caller.owned(asked.arguments())))


@routes.get("/refusals", summary="What the gate refused")
def refusals(caller: Reader, whose: Annotated[requests.Whose, Query()]) -> list[upkeep.Refused]:
    """With the reason of each, newest first."""
    given = {**whose.arguments(), "limit": whose.limit}
    return [upkeep.Refused.of(verdict) for verdict in caller.memory.refusals(**caller.owned(given))]


@routes.get("/misses", summary="What a search should have found")
def misses(caller: Reader, asked: Annotated[requests.Misses, Query()]) -> list[upkeep.Missed]:
    """Those of the latest turns first: what a person said again, or corrected, and the search before had not returned."""
    given = {**asked.arguments(), "limit": asked.limit}
    return [upkeep.Missed.of(miss) for miss in caller.memory.misses(**caller.owned(given))]


@routes.get("/review", summary="What is past the default end of its kind", responses=ONE)
def review(caller: Reader, whose: Annotated[requests.Whose, Query()]) -> list[answers.Memory]:
    """The longest first: offered as stale until somebody renews it or lets it expire."""
    given = {**whose.arguments(), "limit": whose.limit}
    return [answers.Memory.of(record) for record in caller.memory.review(**caller.owned(given))]
