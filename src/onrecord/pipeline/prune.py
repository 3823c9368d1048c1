"""Prune: what is older than it is kept goes: records out of recall, traces, verdicts; words of turns where that is wished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from onrecord.errors import NotFound, StaleRead, VersionConflict
from onrecord.model.change import Change, Erase
from onrecord.model.record import CURRENT, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.pipeline.progress import Progress, quiet
from onrecord.policy.lifecycle.expiry import UPKEEP
from onrecord.policy.lifecycle.retention import outlived, shedding, unnamed
from onrecord.ports import Batch, Engine, Pruned

_PAGE = 500


@dataclass(slots=True)
class Gone:
    """How many records were erased, with the changes told of one tenant, and what else was taken away."""

    records: int = 0
    changes: list[Change] = field(default_factory=list)
    account: Pruned = field(default_factory=Pruned)
    vectors: int = 0
    turns: int = 0


def prune(engine: Engine, *, limit: int, told: str, dry_run: bool = False, progress: Progress = quiet) -> Gone:
    """Takes away up to ``limit`` of each; with ``dry_run`` it only says which records."""
    gone = Gone()
    for tenant, subject, rows in _out_of_recall(engine):
        if gone.records >= limit:
            break
        reach = Reach(tenant, (subject,))
        epochs, now = engine.store.epochs(reach), engine.clock()
        changes = outlived(_with_made(engine, reach, rows), now, engine.policy)[: limit - gone.records]
        if not changes or not (dry_run or _erased(engine, reach, changes, epochs)):
            continue
        gone.records += len(changes)
        progress("records no longer kept", gone.records, 0)
        gone.changes += changes if tenant == told else []
    if not dry_run:
        now, policy = engine.clock(), engine.policy
        gone.account = engine.store.prune(
            traces=now - policy.trace_retention, account=now - policy.account_retention, limit=limit
        )
        gone.vectors, gone.turns = _vectors(engine, limit), _words(engine, limit)
    return gone


def vectors_since(engine: Engine) -> datetime | None:
    """From when on turns have vectors, if that is limited."""
    span = engine.policy.turn_vector_retention or engine.policy.turn_retention
    return None if span is None else engine.clock() - span


def _out_of_recall(engine: Engine) -> Iterator[tuple[str, str, list[tuple[Record, datetime]]]]:
    """Tenant and subject with their records that have been out of recall for as long as they are kept, each with since when."""
    policy, now, after = engine.policy, engine.clock(), None
    before = {status: now - span for status, span in policy.record_retention.items() if status not in CURRENT}
    while page := engine.store.out_of_recall(before, limit=_PAGE, after=after):
        after = page[-1]
        for tenant, subject in dict.fromkeys((record.tenant, record.subject) for record, _ in page):
            yield tenant, subject, [row for row in page if (row[0].tenant, row[0].subject) == (tenant, subject)]


def _with_made(
    engine: Engine, reach: Reach, rows: Sequence[tuple[Record, datetime]]
) -> Iterator[tuple[Record, datetime, Sequence[Record]]]:
    """Those of the records to which nothing happened since they were listed, with what was made of them."""
    now = {record.id: record.version for record in engine.store.get(reach, [record.id for record, _ in rows])}
    for record, since in rows:
        if now.get(record.id) == record.version:
            yield record, since, engine.store.made_from(reach, [record.id])


def _erased(engine: Engine, reach: Reach, changes: Sequence[Erase], epochs: dict[str, int]) -> bool:
    try:
        engine.store.apply(Batch(reach=reach, now=engine.clock(), actor=UPKEEP, changes=changes, epochs=epochs))
    except StaleRead:  # somebody writes there now: the next run looks again
        return False
    return True


# -- turns


def _vectors(engine: Engine, limit: int) -> int:
    since = vectors_since(engine)
    return 0 if since is None else engine.store.drop_turn_vectors(since, limit=limit)


def _words(engine: Engine, limit: int) -> int:
    span: timedelta | None = engine.policy.turn_retention
    if span is None:
        return 0
    done, after, before = 0, None, engine.clock() - span
    while done < limit and (page := engine.store.aged(before, limit=_PAGE, after=after)):
        after = page[-1]
        owners = dict.fromkeys((turn.tenant, turn.subject) for turn in page)
        for tenant, subject in owners:
            mine = [turn for turn in page if (turn.tenant, turn.subject) == (tenant, subject)]
            done += _shed(engine, Reach(tenant, (subject,)), mine, limit - done)
    return done


def _shed(engine: Engine, reach: Reach, turns: Sequence[Turn], limit: int) -> int:
    made = {turn.id: engine.store.made_from(reach, [turn.id]) for turn in turns}
    every = [record for records in made.values() for record in records]
    wide = Reach(reach.tenant, tuple(dict.fromkeys((*reach.subjects, *(record.subject for record in every)))))
    epochs = engine.store.epochs(wide)
    sources = list(dict.fromkeys(id for record in every for id in record.sources))
    there = {turn.id for turn in engine.store.turns(wide, sources) if turn.state is not CaptureState.SHED}
    among = engine.store.get(wide, sources)
    there |= {record.id for record in among if record.current}
    gone = shedding(turns, made, there)[: max(limit, 0)]
    try:
        done = engine.store.shed(wide, gone, epochs=epochs)
    except StaleRead:  # somebody writes there now: the next run looks again
        return 0
    left = there - set(gone)
    # what was merged is named while its own turn is there, which is judged by what it went into
    left |= {record.id for record in among if left & set(record.sources)}
    current = {record.id: record for record in every if record.current}
    _unname(engine, wide, unnamed(current.values(), left, engine.policy))
    return done


def _unname(engine: Engine, reach: Reach, changes: Sequence[Change]) -> None:
    if changes:
        with suppress(NotFound, VersionConflict):  # somebody writes there now: the next run that sheds looks again
            engine.store.apply(Batch(reach=reach, now=engine.clock(), actor=UPKEEP, changes=changes))
