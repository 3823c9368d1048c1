"""Erase: a subject, a thread or single rows, with everything that was made from them.

What rests on what is erased alone goes too, in whichever subject of the tenant. What rests on more is gone back to as it stood
before that went in, under the same id, and what was said later is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from onrecord.errors import EmbedderError, NotFound, StaleRead
from onrecord.model.change import Add, Change, Erase
from onrecord.model.erasure import Erased
from onrecord.model.record import Kind, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.pipeline.consolidate import merged_into, released
from onrecord.pipeline.distrust import given_back
from onrecord.pipeline.lineage import copies
from onrecord.pipeline.maintain import read_again
from onrecord.policy.lifecycle.lineage import rest
from onrecord.ports import Batch, Engine, Erasure, Vector

_REASON = "erased at the owner's wish"


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be erased of a reach: everything, one ``thread`` of its first subject, or the rows named (records, turns)."""

    reach: Reach
    thread: str | None = None
    ids: tuple[str, ...] = ()


@dataclass(slots=True)
class _Plan:
    """What goes: turns, records by id, what is left of others, and turns to read again."""

    turns: dict[str, Turn] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    left: dict[str, Record] = field(default_factory=dict)
    reread: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    #: Records that were made from what goes, and are not named themselves.
    met: dict[str, None] = field(default_factory=dict)

    @property
    def gone(self) -> set[str]:
        return {*self.turns, *self.records}

    @property
    def subjects(self) -> set[str]:
        rows: list[Turn | Record] = [*self.turns.values(), *self.records.values()]
        return {row.subject for row in rows}


def erase_target(engine: Engine, target: Target, *, verify: bool = False, dry_run: bool = False, actor: str = "caller") -> Erased:
    """The receipt. Raises ``NotFound`` for a thread or id that is not there, ``ErasureIncomplete`` if ``verify`` finds a rest."""
    reach = target.reach
    for _ in range(engine.policy.reconcile_attempts):
        with engine.store.deciding(reach):
            epochs = engine.store.epochs(reach)
            plan = _planned(engine, target)
            if not plan.subjects <= set(reach.subjects):
                reach = Reach(reach.tenant, (*reach.subjects, *sorted(plan.subjects - set(reach.subjects))))
                continue
            try:
                done = engine.store.erase(_erasure(engine, target, reach, plan, epochs, actor), verify=verify, rehearse=dry_run)
            except StaleRead:
                continue
        if not dry_run:
            read_again(engine, engine.store.turns(reach, list(dict.fromkeys(plan.reread))))
        return replace(done, kept=tuple(plan.kept), dry_run=dry_run)
    raise StaleRead("others kept writing while this was decided: try again")


def _planned(engine: Engine, target: Target) -> _Plan:
    plan = _Plan()
    reach = target.reach
    if target.thread is not None:
        _take_turns(engine, reach, plan, _thread(engine, reach, target.thread))
    elif target.ids:
        _take_rows(engine, reach, plan, target.ids)
    else:
        _spread(engine, reach, plan, engine.store.made_from(reach), whole=True)
    return plan


def _thread(engine: Engine, reach: Reach, thread: str) -> list[Turn]:
    turns = engine.store.thread(Reach(reach.tenant, reach.subjects[:1]), thread)
    if not turns:
        raise NotFound("thread", thread)
    return turns


def _take_turns(engine: Engine, reach: Reach, plan: _Plan, turns: Iterable[Turn]) -> None:
    """These turns, their copies in forks, and what was made from them."""
    plan.turns |= {turn.id: turn for turn in turns}
    plan.turns |= {turn.id: turn for turn in copies(engine, reach, list(plan.turns.values()))}
    _spread(engine, reach, plan, engine.store.made_from(reach, list(plan.turns)))


def _take_rows(engine: Engine, reach: Reach, plan: _Plan, ids: Sequence[str]) -> None:
    """These records and turns. A turn that a record was made from goes with it unless other records rest on it."""
    turns = {turn.id: turn for turn in engine.store.turns(reach, ids)}
    plan.records |= {record.id: record for record in engine.store.get(reach, ids)}
    plan.records |= {record.id: record for record in merged_into(engine, plan.records.values())}
    for id in ids:
        if id not in turns and id not in plan.records:
            raise NotFound("record", id)
    _spread(engine, reach, plan, engine.store.made_from(reach, list(plan.records)))
    dead = {id: record for id, record in plan.records.items() if id not in plan.left}
    sources = dict.fromkeys(id for record in dead.values() for id in record.sources)
    for turn in engine.store.turns(reach, list(sources)):
        made = engine.store.made_from(reach, [turn.id])
        # An episode retells its whole session: it keeps no turn, and is itself gone back or goes.
        others = [record for record in made if record.id not in dead and record.kind is not Kind.EPISODE]
        if others and turn.id not in turns:
            plan.kept.append(turn.id)
        else:
            turns[turn.id] = turn
    _take_turns(engine, reach, plan, turns.values())


def _spread(engine: Engine, reach: Reach, plan: _Plan, made: Sequence[Record], *, whole: bool = False) -> None:
    """Takes in what was made from what goes, and what was made from that."""
    tenant, every = reach.tenant, list(made)
    met = {record.id: record for record in every}
    while made:
        wider = Reach(tenant, tuple(dict.fromkeys((*reach.subjects, *(record.subject for record in made)))))
        found = engine.store.made_from(wider, [record.id for record in made])
        made = [record for record in found if record.id not in met and not (whole and record.subject in reach.subjects)]
        met |= {record.id: record for record in made}
    gone = plan.gone | set(met) | (_sources_in(engine, reach, met) if whole else set())
    for id, record in met.items():
        events = engine.store.events(Reach(tenant, (record.subject,)), id)
        rests = rest(record, events, gone - {id})
        plan.records[id] = record
        plan.met[id] = None
        if rests.record is not None:
            plan.left[id] = rests.record
        plan.reread += rests.reread


def _sources_in(engine: Engine, reach: Reach, met: Mapping[str, Record]) -> set[str]:
    """Which sources of records are rows of the reach."""
    ids = list(dict.fromkeys(id for record in met.values() for id in record.sources))
    rows: list[Turn | Record] = [*engine.store.turns(reach, ids), *engine.store.get(reach, ids)]
    return {row.id for row in rows}


def _erasure(engine: Engine, target: Target, reach: Reach, plan: _Plan, epochs: Mapping[str, int], actor: str) -> Erasure:
    dead = {id: record for id, record in plan.records.items() if id not in plan.left}
    changes: list[Change] = [change for record in dead.values() for change in given_back(engine, plan.records, record)]
    changes += [Erase(id=id, reason=_REASON) for id in plan.records]
    changes += [change for id in plan.met for change in released(engine, plan.records[id], plan.left.get(id), plan.gone)]
    changes += [Add(record=record, reason="what is left without what was erased") for record in plan.left.values()]
    whole = target.thread is None and not target.ids
    first = target.reach.subjects[0]
    runs = {(turn.subject, turn.origin.run) for turn in plan.turns.values() if turn.origin.run} if target.thread else set()
    batch = Batch(
        reach=reach,
        now=engine.clock(),
        actor=actor,
        changes=changes,
        model=engine.embedder.name,
        vectors=_embedded(engine, list(plan.left.values())),
        reread=[id for id in dict.fromkeys(plan.reread) if id not in plan.turns],
        epochs=epochs,
    )
    return Erasure(
        batch=batch,
        subjects=target.reach.subjects if whole else (),
        turns=list(plan.turns),
        threads=[(first, target.thread)] if target.thread else [],
        runs=sorted((subject, run) for subject, run in runs if run),
    )


def _embedded(engine: Engine, records: Sequence[Record]) -> dict[str, Vector]:
    if not records:
        return {}
    try:
        matrix = engine.embedder.embed_documents([record.text for record in records])
    except EmbedderError:
        return {}
    return {record.id: matrix[n] for n, record in enumerate(records)}
