"""Asking: what is looked for, and in which rows, when somebody puts a question or says something in a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from onrecord.model.moment import as_utc, check_order
from onrecord.model.query import Include, Query, View
from onrecord.model.record import CURRENT, ONCE_TRUE, Kind
from onrecord.model.scope import Origin, Reach
from onrecord.policy.dialogue.messages import query_text
from onrecord.policy.recall.followup import follow_up
from onrecord.ports import Engine


def query_of(
    engine: Engine,
    reach: Reach,
    origin: Origin,
    text: str,
    *,
    limit: int | None,
    threshold: float | None,
    include: Include | str,
    kinds: Sequence[Kind | str] | None,
    key: str | None,
    filters: Mapping[str, Any] | None,
    as_of: datetime | None,
    known_at: datetime | None,
    since: datetime | None,
    until: datetime | None,
    history: bool,
    rerank: bool,
) -> Query:
    """The query that the arguments of a search mean. A turn has neither kind nor key: where one is named, records are asked."""
    now = engine.clock()
    start, end = _utc(since, "since"), _utc(until, "until")
    if start and end:
        check_order(start, end, ("since", "until"))
    view = View(
        reach=reach,
        origin=origin,
        kinds=None if kinds is None else frozenset(map(Kind, kinds)),
        statuses=ONCE_TRUE if history or as_of else CURRENT,
        key=key,
        valid_at=now,
        as_of=_utc(as_of, "as_of"),
        known_at=_utc(known_at, "known_at"),
        since=start,
        until=end,
        filters=filters,
    )
    included = Include(include)
    if included is Include.BOTH and (kinds is not None or key is not None):
        included = Include.RECORDS
    cap = engine.policy.search_limit if limit is None else limit
    return Query(text=query_text(text), view=view, include=included, limit=cap, threshold=threshold, now=now, rerank=rerank)


def in_thread(engine: Engine, reach: Reach, thread: str | None, query: Query, given: str | None = None) -> Query:
    """The query of a message (``query.text``) said next in ``thread``: built from it and the turns before it.

    What is ``given`` is looked for as it is. Without a thread, or where the message stands alone, the query stays as it is. The
    thread is that of the first subject of the reach.
    """
    if given is not None:
        return replace(query, text=query_text(given), message=query.text, thread=thread)
    if thread is None:
        return query
    query = replace(query, thread=thread)
    turns = engine.store.thread(Reach(reach.tenant, reach.subjects[:1]), thread, last=engine.policy.thread_turns)
    built = follow_up(query.text, turns)
    return replace(query, text=query_text(built.text), message=query.text, built_from=built.turns) if built.turns else query


def _utc(value: datetime | None, field: str) -> datetime | None:
    return None if value is None else as_utc(value, field)
