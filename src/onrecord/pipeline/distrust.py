"""Distrust: a source, or something made from it, is taken out everywhere, and what was made from it is decided anew.

``quarantine`` withholds turns too, follows who repeated them, and gives back what they had replaced; ``retract`` takes a record
and what was made from it back. Both leave history as it is: a person can look at it and restore what was right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from onrecord.errors import NotFound, StaleRead
from onrecord.model.change import Change, Event, EventType, Quarantine, Recompute, Retract
from onrecord.model.lineage import Recall
from onrecord.model.query import View
from onrecord.model.record import CURRENT, Record, SourceType, Status
from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.pipeline.closing import retold
from onrecord.pipeline.consolidate import released
from onrecord.pipeline.lineage import copies, every_thread, forward, lineage
from onrecord.pipeline.maintain import read_again
from onrecord.policy.compaction.recap import FIELD
from onrecord.policy.lifecycle.echo import echoes, sayings
from onrecord.policy.lifecycle.lineage import rest
from onrecord.ports import Batch, Engine

#: What a record rests on that nobody vouches for.
_OUTSIDE = frozenset({SourceType.TOOL_RESULT, SourceType.DOCUMENT})


@dataclass(slots=True)
class _Plan:
    turns: dict[str, Turn] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    reread: list[str] = field(default_factory=list)

    @property
    def gone(self) -> set[str]:
        return {*self.turns, *self.records}


def quarantine(engine: Engine, reach: Reach, ids: Sequence[str], *, dry_run: bool = False, actor: str = "caller") -> Recall:
    """What was taken out: the rows named (records, turns), the tools' and documents' turns those records rest on, everything made
    from them, and whoever said the same after them. Raises ``NotFound``."""
    return _taken_back(engine, reach, ids, withhold=True, dry_run=dry_run, actor=actor)


def retract(engine: Engine, reach: Reach, ids: Sequence[str], *, dry_run: bool = False, actor: str = "caller") -> Recall:
    """What was taken back: the records named, and what was made from them. The dialogue stays. Raises ``NotFound``."""
    return _taken_back(engine, reach, ids, withhold=False, dry_run=dry_run, actor=actor)


def _taken_back(engine: Engine, reach: Reach, ids: Sequence[str], *, withhold: bool, dry_run: bool, actor: str) -> Recall:
    lineages = tuple(lineage(engine, reach, id) for id in ids)
    wide = reach
    for _ in range(engine.policy.reconcile_attempts):
        with engine.store.deciding(wide):
            epochs = engine.store.epochs(wide)
            plan = _planned(engine, reach, ids, withhold)
            subjects = {row.subject for row in plan.records.values()} | {turn.subject for turn in plan.turns.values()}
            if not subjects <= set(wide.subjects):
                wide = Reach(reach.tenant, (*wide.subjects, *sorted(subjects - set(wide.subjects))))
                continue
            held, reread = (list(plan.turns) if withhold else []), list(dict.fromkeys(plan.reread))
            if not dry_run:
                try:
                    engine.store.apply(_batch(engine, wide, plan, held, reread, epochs, actor))
                except StaleRead:
                    continue
        if not dry_run:
            read_again(engine, engine.store.turns(wide, reread))
        return Recall(
            changes=plan.changes,
            withheld=held,
            reread=reread,
            visible=_visible(engine, wide, plan, ids, held),
            lineages=lineages,
            dry_run=dry_run,
        )
    raise StaleRead("others kept writing while this was decided: try again")


def _visible(engine: Engine, reach: Reach, plan: _Plan, ids: Sequence[str], held: Sequence[str]) -> list[str]:
    """The turns that said what was named and stay in their dialogue."""
    sources = dict.fromkeys(source for id in ids if id in plan.records for source in plan.records[id].sources)
    return [turn.id for turn in engine.store.turns(reach, list(sources)) if turn.id not in held]


def _batch(
    engine: Engine,
    reach: Reach,
    plan: _Plan,
    held: Sequence[str],
    reread: Sequence[str],
    epochs: Mapping[str, int],
    actor: str,
) -> Batch:
    return Batch(
        reach=reach,
        now=engine.clock(),
        actor=actor,
        changes=plan.changes,
        withheld=held,
        reread=reread,
        epochs=epochs,
    )


def _planned(engine: Engine, reach: Reach, ids: Sequence[str], withhold: bool) -> _Plan:
    plan = _Plan()
    plan.records |= {record.id: record for record in engine.store.get(reach, ids)}
    turns = engine.store.turns(reach, ids)
    if not withhold and turns:
        raise NotFound("record", turns[0].id)
    if withhold:
        plan.turns |= {turn.id: turn for turn in (*turns, *_outside(engine, reach, plan))}
    named = set(plan.records)
    size = -1
    while size != len(plan.gone):
        size = len(plan.gone)
        plan.records |= {record.id: record for record in forward(engine, reach, sorted(plan.gone))}
        if withhold:
            plan.turns |= {turn.id: turn for turn in _echoing(engine, reach, plan, named)}
            plan.turns |= {turn.id: turn for turn in copies(engine, reach, list(plan.turns.values()))}
    kind = Quarantine if withhold else Retract
    for id, record in plan.records.items():
        if id in named or FIELD not in record.metadata:
            _decide(engine, plan, record, kind, named=id in named)
    _retell(engine, reach, plan, kind, named)
    return plan


def _retell(engine: Engine, reach: Reach, plan: _Plan, kind: type[Quarantine] | type[Retract], named: Set[str]) -> None:
    """Episodes of the sessions in which it was said are told anew without it."""
    dead = {change.id for change in plan.changes if isinstance(change, Quarantine | Retract)}
    said = [source for id in dead for source in plan.records[id].sources]
    for episode in engine.store.made_from(reach, sorted({*plan.turns, *said})):
        if FIELD not in episode.metadata or episode.id in named or not episode.current:
            continue
        left = retold(engine, episode, set(plan.turns), dead)
        reason = "what was said in the session is no longer believed"
        if left is None:
            plan.changes.append(kind(id=episode.id, version=episode.version, reason=reason))
        else:
            plan.changes.append(Recompute(record=left, version=episode.version, reason=f"{reason}: it is told without that"))


def _outside(engine: Engine, reach: Reach, plan: _Plan) -> list[Turn]:
    """The turns of tools and documents that the records rest on."""
    told = [record for record in plan.records.values() if record.source.type in _OUTSIDE]
    return engine.store.turns(reach, [id for record in told for id in record.sources])


def _echoing(engine: Engine, reach: Reach, plan: _Plan, named: Set[str]) -> list[Turn]:
    made = [record for record in plan.records.values() if record.id in named or _all_of_it(engine, plan, record)]
    told = sayings(plan.turns.values(), made, engine.policy)
    found = []
    for info in every_thread(engine, reach) if told else []:
        for turn in engine.store.thread(Reach(reach.tenant, (info.subject,)), info.id):
            if turn.id not in plan.turns and echoes(turn, told, engine.policy):
                found.append(turn)
    return found


def _all_of_it(engine: Engine, plan: _Plan, record: Record) -> bool:
    """Whether nothing is left of a record; what was there before keeps its words, and who says them says nothing new."""
    events = engine.store.events(Reach(record.tenant, (record.subject,)), record.id)
    return FIELD not in record.metadata and rest(record, events, plan.gone - {record.id}).record is None


def _decide(engine: Engine, plan: _Plan, record: Record, kind: type[Quarantine] | type[Retract], *, named: bool) -> None:
    """What becomes of one record: it goes out of recall, or back to what it was before; what it had replaced comes back."""
    events = engine.store.events(Reach(record.tenant, (record.subject,)), record.id)
    left = rest(record, events, plan.gone - {record.id})
    if not named and left.record is not None:
        reason = "something it was made from is no longer believed: it is what it was before that"
        plan.changes.append(Recompute(record=left.record, version=record.version, reason=reason))
    elif record.status in CURRENT or record.status is Status.ARCHIVED:
        reason = "taken back" if named else "made from what is no longer believed"
        plan.changes.append(kind(id=record.id, version=record.version, reason=reason))
    if not named:
        plan.reread += [id for id in left.reread if id not in plan.turns]
    if named or left.record is None:
        plan.changes += given_back(engine, plan.records, record)
    if not named:
        plan.changes += released(engine, record, left.record, plan.gone)


def given_back(engine: Engine, gone: Mapping[str, Record], record: Record) -> list[Change]:
    """What a record had taken the place of is what it was before, unless that is among what is ``gone`` too."""
    reach = Reach(record.tenant, (record.subject,))
    over = engine.store.select(
        View(reach=reach, statuses=frozenset({Status.SUPERSEDED}), every_scope=True)
    )  # of any key, or none
    found: list[Change] = []
    for old in (old for old in over if old.superseded_by == record.id and old.id not in gone):
        before = _before(engine.store.events(reach, old.id))
        if before is not None:
            before = _settled(before, gone)
            reason = "what took its place is no longer believed"
            found.append(Recompute(record=before, version=old.version, reason=reason))
    return found


def _settled(record: Record, gone: Mapping[str, Record]) -> Record:
    """The record without its contradictions to what is not believed."""
    left = tuple(id for id in record.conflicts_with if id not in gone)
    return replace(record, conflicts_with=left, status=Status.CONFLICTED if left else Status.ACTIVE)


def _before(events: Sequence[Event]) -> Record | None:
    last = events[-1] if events else None
    return last.before if last is not None and last.type is EventType.SUPERSEDED else None
