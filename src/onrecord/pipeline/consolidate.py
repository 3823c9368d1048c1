"""Consolidation: what says the same becomes one record. One transaction a subject, decided on its epoch, as in fading."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from onrecord.errors import EmbedderError, StaleRead
from onrecord.model.change import Add, Change, Merge, Resolve, Restore
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.pipeline.fading import current_rows, each_owner
from onrecord.pipeline.progress import Progress, quiet
from onrecord.pipeline.suggest import Suggester
from onrecord.policy.consolidation.merge import Proposal, Row
from onrecord.policy.consolidation.plan import Plan, consolidate
from onrecord.policy.lifecycle.expiry import was_merged, was_parted
from onrecord.ports import Batch, Engine, Vector

_log = logging.getLogger("onrecord")


@dataclass(slots=True)
class Consolidated:
    """How many records went into others, and into general ones; keys that were joined, and records that were ``settled`` by that,
    since another holds; pairs that were flagged; the changes told of one tenant."""

    merged: int = 0
    promoted: int = 0
    joined: int = 0
    flagged: int = 0
    settled: int = 0
    added: int = 0
    changes: list[Change] = field(default_factory=list)

    @property
    def gone(self) -> int:
        """Records that are out of recall."""
        return self.merged + self.promoted

    @property
    def did(self) -> bool:
        """Whether anything was changed."""
        return bool(self.gone or self.joined or self.flagged)


def consolidate_all(
    engine: Engine, *, run: str, limit: int, told: str, dry_run: bool = False, progress: Progress = quiet
) -> Consolidated:
    """Consolidates subject after subject until ``limit`` records went into others; with ``dry_run`` it only says how."""
    done = Consolidated()
    suggester = Suggester(engine, on=not dry_run)
    for tenant, subject in each_owner(engine, "owners, what says the same", progress):
        reach = Reach(tenant, (subject,))
        epochs = engine.store.epochs(reach)
        rows = list(current_rows(engine, reach))
        merges, contests = suggester.proposals(reach, rows), suggester.contests(reach, rows)
        plan = planned(engine, reach, rows, run, limit - done.gone, merges, contests)
        if not plan.changes or not (dry_run or _applied(engine, reach, plan, run, epochs)):
            continue
        done.merged, done.promoted = done.merged + plan.merged, done.promoted + plan.promoted
        done.joined, done.flagged = done.joined + len(plan.joined), done.flagged + plan.flagged
        done.settled += sum(len(change.drop) for change in plan.changes if isinstance(change, Resolve))
        done.added += sum(isinstance(change, Add) for change in plan.changes)
        done.changes += plan.changes if tenant == told else []
    return done


def planned(
    engine: Engine,
    reach: Reach,
    rows: Sequence[Row],
    run: str,
    limit: int,
    proposed: Sequence[Proposal] = (),
    contested: Sequence[tuple[Record, Record]] = (),
) -> Plan:
    """The plan for one subject, without what a person parted."""
    apart: set[str] = set()
    while True:
        plan = consolidate(
            rows,
            engine.clock(),
            engine.policy,
            engine.vocabulary,
            run=run,
            limit=limit,
            apart=apart,
            proposed=proposed,
            contested=[pair for pair in contested if apart.isdisjoint({pair[0].id, pair[1].id})],
        )
        fresh = {id for id in (plan.touched | set(plan.joined)) - apart if was_parted(engine.store.events(reach, id))}
        taken = _taken(engine, reach, plan)
        if not fresh and not taken:
            return plan
        apart |= fresh.union(*(record.sources for record in taken))


def _taken(engine: Engine, reach: Reach, plan: Plan) -> list[Record]:
    """General records that are to be added, of which there is one that was taken out of recall, or erased."""
    made = [change.record for change in plan.changes if isinstance(change, Add)]
    return [record for record in made if engine.store.events(reach, record.id)]


def _applied(engine: Engine, reach: Reach, plan: Plan, run: str, epochs: Mapping[str, int]) -> bool:
    batch = Batch(
        reach=reach,
        now=engine.clock(),
        actor=run,
        changes=plan.changes,
        model=engine.embedder.name,
        vectors=_embedded(engine, plan.changes),
        epochs=epochs,
    )
    try:
        engine.store.apply(batch)
    except StaleRead:  # somebody writes there now: the next run looks again
        return False
    return True


def _embedded(engine: Engine, changes: Iterable[Change]) -> dict[str, Vector]:
    """Vectors of the records that get other words, so that they are found from the moment on in which their sources are not."""
    records = {change.record.id: change.record for change in changes if isinstance(change, Add | Merge)}
    if not records:
        return {}
    try:
        matrix = engine.embedder.embed_documents([record.text for record in records.values()])
    except EmbedderError as error:
        _log.warning("embedding %d merged records failed: %s", len(records), type(error).__name__)
        return {}
    return {id: matrix[n] for n, id in enumerate(records)}


def merged_into(engine: Engine, records: Iterable[Record]) -> list[Record]:
    """What was merged into the records, and into those: it says the same, and goes where they are erased."""
    found: dict[str, Record] = {}
    fresh = list(records)
    while fresh:
        rows = [row for reach, ids in _sources_by_owner(fresh).items() for row in _merged_of(engine, reach, ids)]
        fresh = [row for row in rows if row.id not in found]
        found |= {row.id: row for row in fresh}
    return list(found.values())


def released(engine: Engine, record: Record, left: Record | None, gone: Iterable[str]) -> list[Change]:
    """What had gone into a record and is not in what is ``left`` of it comes back, unless it is among what is ``gone`` too."""
    kept = {*gone, *(left.sources if left else ())}
    reason = f"what it had gone into, {record.id}, is no longer what it was"
    rows = _sources_merged(engine, record, [id for id in record.sources if id not in kept])
    return [Restore(id=row.id, version=row.version, reason=reason) for row in rows]


def _sources_merged(engine: Engine, record: Record, ids: Sequence[str]) -> list[Record]:
    return _merged_of(engine, Reach(record.tenant, (record.subject,)), ids)


def _sources_by_owner(records: Iterable[Record]) -> dict[Reach, list[str]]:
    found: dict[Reach, list[str]] = {}
    for record in records:
        found.setdefault(Reach(record.tenant, (record.subject,)), []).extend(record.sources)
    return found


def _merged_of(engine: Engine, reach: Reach, ids: Sequence[str]) -> list[Record]:
    return [row for row in engine.store.get(reach, ids) if was_merged(row, engine.store.events(reach, row.id))]
