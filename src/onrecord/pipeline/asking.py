"""Asking: what is looked for, and in which rows, when somebody puts a question or says something in a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from onrecord.model.moment import as_utc, check_order
from onrecord.model.query import Corpus, Include, Query, View
from onrecord.model.record import CURRENT, ONCE_TRUE, Kind
from onrecord.model.scope import Origin, Reach
from onrecord.model.turn import Role
from onrecord.pipeline.candidates import vectors, wordings
from onrecord.policy.dialogue.messages import query_text
from onrecord.policy.recall.followup import follow_up
from onrecord.policy.recall.question import Question, understand
from onrecord.ports import Engine, Vector

#: Turns said last among which one of a person is looked for, to tell which zone they are in.
_SPOKEN = 5


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


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is put to each corpus, with its vectors; ``embedder`` is empty where there are none."""

    question: Question
    texts: Mapping[Corpus, str]
    near: Mapping[Corpus, Vector]
    embedder: str

    def of(self, corpus: Corpus) -> Asked:
        """The same put to one corpus."""
        return replace(self, texts={corpus: self.texts[corpus]})


def understood(engine: Engine, query: Query) -> Asked:
    """The question of a query, with what is compared with each corpus. Times in it are read on the clock of who asks."""
    question = understand(query.text, now=query.now, vocabulary=engine.vocabulary)
    if question.windows and (there := _there(engine, query)) is not query.now:
        question = understand(query.text, now=there, vocabulary=engine.vocabulary)
    texts = wordings(engine, query, question)
    near = vectors(engine, texts)
    return Asked(question, texts, near, engine.embedder.name if near else "")


def _there(engine: Engine, query: Query) -> datetime:
    """The moment of the question on the clock of who asks: the caller's, where it shows a zone, or that on which the person spoke
    last. "Yesterday" ends at their midnight."""
    if query.now.utcoffset():
        return query.now
    recent = engine.store.recent(View(reach=query.view.reach), Corpus.TURNS, limit=_SPOKEN)
    turns = engine.store.turns(query.view.reach, recent)
    zone = next((turn.at.tzinfo for turn in turns if turn.role is Role.USER), None)
    return query.now.astimezone(zone) if zone is not None and zone is not UTC else query.now


def _utc(value: datetime | None, field: str) -> datetime | None:
    return None if value is None else as_utc(value, field)
