"""Lineage: from a record or turn back to what it was made from, and forward to everything it reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from onrecord.errors import NotFound
from onrecord.model.lineage import Lineage
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine

T = TypeVar("T", Record, Turn)
#: Contexts that are looked through for one row, and threads for one subject: more than anybody has.
_EVERY = 2**31 - 1


def lineage(engine: Engine, reach: Reach, id: str) -> Lineage:
    """The lineage of a record or turn. What was made from it is shown in whichever subject of the tenant it is. Raises
    ``NotFound``."""
    store = engine.store
    record = next(iter(store.get(reach, [id])), None)
    if record is None and not store.turns(reach, [id]):
        raise NotFound("record or turn", id)
    turns, sources, missing = _back(engine, reach, [id])
    made = forward(engine, reach, [id])
    mine = Reach(reach.tenant, tuple(dict.fromkeys((*reach.subjects, *(row.subject for row in made)))))
    rows = [id, *turns, *(row.id for row in made)]
    contexts = _contexts(engine, mine, rows)
    runs = [trace.origin.run for trace in contexts] + [turn.origin.run for turn in turns.values()]
    return Lineage(
        id=id,
        record=masked(record) if record else None,
        turns=_in_time(turns.values()),
        sources=_in_time(row for row in sources.values() if row.id != id),
        made=_in_time(made),
        summaries=summarized(engine, mine, list(turns.values())),
        contexts=contexts,
        runs=sorted({run for run in runs if run}),
        missing=missing,
    )


def forward(engine: Engine, reach: Reach, ids: Sequence[str]) -> list[Record]:
    """The records of any subject of the tenant that were made from these rows, and from those, each once."""
    found: dict[str, Record] = {}
    while ids:
        wider = Reach(reach.tenant, tuple(dict.fromkeys((*reach.subjects, *(row.subject for row in found.values())))))
        fresh = [record for record in engine.store.made_from(wider, ids) if record.id not in found]
        found |= {record.id: record for record in fresh}
        ids = [record.id for record in fresh]
    return list(found.values())


def summarized(engine: Engine, reach: Reach, turns: Sequence[Turn]) -> list[ThreadInfo]:
    """The threads whose summary covers one of the turns."""
    named = {(turn.subject, turn.origin.thread): turn.id for turn in turns if turn.origin.thread}
    ids, found = {turn.id for turn in turns}, []
    for info in every_thread(engine, reach) if named else []:
        summary = engine.store.summary(Reach(reach.tenant, (info.subject,)), info.id)
        if summary and ids & set(summary.covers):
            found.append(info)
    return found


def every_thread(engine: Engine, reach: Reach) -> list[ThreadInfo]:
    """All threads of a reach, archived or not."""
    return [info for old in (False, True) for info in engine.store.threads(reach, archived=old, limit=_EVERY)]


def _back(engine: Engine, reach: Reach, ids: Sequence[str]) -> tuple[dict[str, Turn], dict[str, Record], list[str]]:
    turns: dict[str, Turn] = {}
    records: dict[str, Record] = {}
    missing: list[str] = []
    while ids:
        turns |= {turn.id: turn for turn in engine.store.turns(reach, ids)}
        fresh = [record for record in engine.store.get(reach, ids) if record.id not in records]
        records |= {record.id: record for record in fresh}
        missing += [id for id in ids if id not in turns and id not in records]
        ids = list(dict.fromkeys(id for record in fresh for id in record.sources if id != record.id))
    return turns, records, list(dict.fromkeys(missing))


def _contexts(engine: Engine, reach: Reach, ids: Iterable[str]) -> list[Trace]:
    found: dict[str, Trace] = {}
    for id in ids:
        traces = engine.store.traces(reach, record_id=id, limit=_EVERY)
        found |= {trace.id: trace for trace in traces if id in trace.injected}
    return sorted(found.values(), key=lambda trace: (trace.at, trace.id))


def _in_time(rows: Iterable[T]) -> list[T]:
    return [masked(row) for row in sorted(rows, key=lambda row: (row.written_at, row.id))]


def copies(engine: Engine, reach: Reach, turns: Sequence[Turn]) -> Iterator[Turn]:
    """The copies of turns in the forks of their threads, and in forks of those."""
    threads = {(turn.subject, turn.origin.thread) for turn in turns if turn.origin.thread}
    forks = [info for old in (False, True) for info in engine.store.threads(reach, archived=old, limit=_EVERY)] if threads else []
    for fork in forks:
        if (fork.subject, fork.forked_from) not in threads:
            continue
        taken = {turn.seq for turn in turns if (turn.subject, turn.origin.thread) == (fork.subject, fork.forked_from)}
        same = engine.store.thread(Reach(reach.tenant, (fork.subject,)), fork.id)
        copied = [turn for turn in same if turn.seq <= fork.forked_upto and turn.seq in taken]
        yield from copied
        yield from copies(engine, reach, copied)
