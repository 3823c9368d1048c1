"""Assemble: a thread and a message become what is sent to the model, within a token budget, with a report."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onrecord.errors import BudgetTooSmall, StoreError
from onrecord.model.context import Context, ContextReport, SectionReport
from onrecord.model.query import Include, Query, View
from onrecord.model.record import Kind
from onrecord.model.scope import Origin, Reach
from onrecord.model.trace import Hit
from onrecord.pipeline.asking import in_thread
from onrecord.pipeline.dialogue import dialogue
from onrecord.pipeline.retrieve import search
from onrecord.policy.dialogue.frame import record_block, record_row
from onrecord.policy.dialogue.messages import query_text
from onrecord.ports import Engine, TokenCounter

#: What a chat format adds to each message, and to the reply, as the widest of the known providers do.
_MESSAGE_OVERHEAD = 6
#: What happened in a session is found by search, and is never put before the model as what is true.
_TOLD = frozenset(Kind) - {Kind.EPISODE}
_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True)
class Ask:
    """What a context is wanted for. ``thread`` is ``None`` where there is no dialogue to show; ``query`` what to look for in
    place of what the message and the thread ask."""

    reach: Reach
    thread: str | None
    message: str
    system: str
    budget: int
    limit: int
    query: str | None = None


def assemble(engine: Engine, ask: Ask) -> Context:
    """The messages in order of position: system, records, dialogue, the message. Raises ``BudgetTooSmall``."""
    counter = engine.tokens
    fixed = _tokens(counter, ask.message) + (_tokens(counter, ask.system) if ask.system else 0)
    if fixed > ask.budget:
        raise BudgetTooSmall(f"budget: {ask.budget} tokens do not hold the system text and the message alone ({fixed})")
    room = ask.budget - fixed
    hits, trace_id = _recall(engine, ask)
    rows = _records(engine, hits, min(room, int(ask.budget * engine.policy.record_share)))
    talk = dialogue(engine, ask.reach, ask.thread, room - rows.tokens, chunk=_chunk(engine, ask), system=not ask.system)
    messages = [*_system(ask.system), *rows.messages, *talk.messages, {"role": "user", "content": ask.message}]
    _mark_injected(engine, ask.reach, trace_id, rows.ids)
    sections = (
        SectionReport(
            "system", int(ask.budget * engine.policy.system_share), fixed - _tokens(counter, ask.message), bool(ask.system)
        ),
        SectionReport("records", int(ask.budget * engine.policy.record_share), rows.tokens, len(rows.ids), rows.left_out),
        *talk.sections,
        SectionReport("current", ask.budget, _tokens(counter, ask.message), 1),
    )
    total = fixed + rows.tokens + talk.tokens
    return Context(tuple(messages), ContextReport(ask.budget, total, sections, (*rows.warnings, *talk.warnings)), trace_id)


@dataclass(frozen=True, slots=True)
class _Section:
    messages: tuple[Mapping[str, Any], ...]
    ids: tuple[str, ...]
    tokens: int
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def _recall(engine: Engine, ask: Ask) -> tuple[list[Hit], str]:
    """Standing constraints first, whatever is asked; then what the message calls for."""
    now = engine.clock()
    view = View(reach=ask.reach, origin=Origin(), valid_at=now)
    told = replace(view, kinds=_TOLD)
    standing = engine.store.select(replace(view, kinds=frozenset({Kind.CONSTRAINT})), limit=ask.limit)
    asked = Query(text=query_text(ask.message), view=told, include=Include.RECORDS, limit=ask.limit, now=now)
    found = search(engine, in_thread(engine, ask.reach, ask.thread, asked, ask.query))
    always = [Hit(id=r.id, score=1.0, relevance=1.0, record=r, trust=r.trust, conflicts_with=r.conflicts_with) for r in standing]
    unique = {hit.id: hit for hit in (*always, *found.hits)}
    return list(unique.values())[: ask.limit], found.trace.id


def _records(engine: Engine, hits: Sequence[Hit], room: int) -> _Section:
    kept: list[Hit] = []
    left_out: list[str] = []
    for hit in hits:
        block = record_block([record_row(h) for h in (*kept, hit)])
        if _tokens(engine.tokens, block) <= room:
            kept.append(hit)
        else:
            left_out.append(hit.id)
    if not kept:
        warnings = (f"none of {len(left_out)} records fits the {room} tokens there are for records",) if left_out else ()
        return _Section((), (), 0, tuple(left_out), warnings)
    block = record_block([record_row(hit) for hit in kept])
    ids = tuple(hit.id for hit in kept)
    return _Section(({"role": "user", "content": block},), ids, _tokens(engine.tokens, block), tuple(left_out))


def _chunk(engine: Engine, ask: Ask) -> int:
    """How far the beginning of the dialogue jumps: the same for every message, whatever room the records leave."""
    return max(1, int(ask.budget * engine.policy.dialogue_share))


def _system(text: str) -> list[Mapping[str, Any]]:
    return [{"role": "system", "content": text}] if text else []


def _tokens(counter: TokenCounter, text: str) -> int:
    return counter.count(text) + _MESSAGE_OVERHEAD


def _mark_injected(engine: Engine, reach: Reach, trace_id: str, ids: tuple[str, ...]) -> None:
    """Notes the use of records. A context is given also where nothing can be written, and not counted then."""
    try:
        engine.store.mark_injected(reach, trace_id, ids)
        engine.store.touch(reach, ids, engine.clock())
    except StoreError as error:
        _log.warning("the use of records in the context of trace %s was not counted: %s", trace_id, error)
