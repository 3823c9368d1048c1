"""Closing: a session that ends leaves one record of kind ``episode``, which is brought up to date when it ends again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from onrecord.errors import EmbedderError, NotFound, StaleRead
from onrecord.model.change import Add, Change, Merge
from onrecord.model.receipt import Item, Receipt, Result
from onrecord.model.record import Kind, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.model.verdict import Reason, Verdict
from onrecord.pipeline.fate import taken_back
from onrecord.policy.compaction.recap import FIELD, Recap, episode_id, episode_record, is_told_already, recap
from onrecord.ports import Batch, Engine, Vector

_RULE = "session"
#: Turns that nothing is told of.
_WORDLESS = frozenset({CaptureState.QUARANTINED, CaptureState.SHED})


def close(engine: Engine, owner: Reach, thread: str, title: str) -> Receipt:
    """What became of the episode of a thread: one item. Raises ``NotFound`` where nothing was said.

    What gave a record that was taken back, quarantined or erased since is not told. Nothing is written where nothing was said
    since, or where the episode itself was erased or taken out of recall."""
    every = engine.store.thread(owner, thread)
    if not every:
        raise NotFound("thread", thread)
    gone = taken_back(engine, owner, [turn.id for turn in every])
    turns = [turn for turn in every if turn.state not in _WORDLESS and turn.id not in gone]
    told = recap(turns, engine.policy.recap_size) if turns else None
    if told is None:
        return _receipt(Result.REFUSED, Reason.EMPTY, "nobody said anything in it that could be told", None)
    for attempt in range(engine.policy.reconcile_attempts):
        try:
            return _closed(engine, owner, turns, told, title)
        except StaleRead:
            if attempt + 1 == engine.policy.reconcile_attempts:
                raise
    raise AssertionError("unreachable: the loop returns or raises")


def retold(engine: Engine, record: Record, without: Set[str], gone: Set[str]) -> Record | None:
    """The episode ``record`` told anew: without those turns, and without what gave one of the records that are ``gone``; ``None``
    where nothing is left to tell."""
    owner, thread = Reach(record.tenant, (record.subject,)), record.metadata[FIELD]["session"]
    every = engine.store.thread(owner, thread)
    ids = [turn.id for turn in every]
    given = {id for id, found in engine.store.verdicts_on(owner, ids).items() if gone & _named(found)}
    left_out = {*without, *given, *taken_back(engine, owner, ids)}
    turns = [turn for turn in every if turn.state not in _WORDLESS and turn.id not in left_out]
    told = recap(turns, engine.policy.recap_size) if turns else None
    if told is None:
        return None
    info = engine.store.thread_info(owner, thread)
    made = episode_record(record.id, turns, told, info.title if info else "", engine.policy, engine.clock())
    kept = {name: getattr(record, name) for name in ("pinned", "written_at", "version", "status", "conflicts_with")}
    return replace(made, metadata={**record.metadata, **made.metadata}, **kept)


def _named(verdicts: Iterable[Verdict]) -> set[str]:
    return {id for verdict in verdicts for id in verdict.record_ids}


def _closed(engine: Engine, owner: Reach, turns: Sequence[Turn], told: Recap, title: str) -> Receipt:
    now, epochs = engine.clock(), engine.store.epochs(owner)
    id = episode_id(owner.tenant, owner.subjects[0], turns[-1].origin.thread or "")
    old = next(iter(engine.store.get(owner, [id])), None)
    if old is None and engine.store.events(owner, id):
        return _receipt(Result.REFUSED, Reason.FORGET_REQUEST, "its episode was erased on purpose", None)
    if old is not None and not old.current:
        return _receipt(Result.REFUSED, Reason.FORGET_REQUEST, f"its episode is {old.status}", old)
    if old is not None and is_told_already(old, turns):
        return _receipt(Result.RESTATED, Reason.KEPT, "its episode tells of all that was said", old)
    record = episode_record(id, turns, told, title, engine.policy, now)
    verdict = _verdict(engine, record)
    change = _change(old, record, verdict)
    engine.store.apply(_batch(engine, owner, change, verdict, record, epochs))
    result = Result.ADDED if old is None else Result.MERGED
    stored = next(iter(engine.store.get(owner, [id])), None)
    return replace(_receipt(result, Reason.KEPT, change.reason, stored), changes=(change,))


def _change(old: Record | None, record: Record, verdict: Verdict) -> Add | Merge:
    if old is None:
        return Add(reason="the session ended", verdict_id=verdict.id, record=record)
    kept = replace(
        record, pinned=old.pinned, written_at=old.written_at, metadata={**old.metadata, **record.metadata}, version=old.version
    )
    return Merge(reason="more was said in the session", verdict_id=verdict.id, record=kept, version=old.version)


def _batch(engine: Engine, owner: Reach, change: Change, verdict: Verdict, record: Record, epochs: dict[str, int]) -> Batch:
    return Batch(
        reach=owner,
        now=verdict.at,
        actor=_RULE,
        changes=[change],
        verdicts=[verdict],
        model=engine.embedder.name,
        vectors=_embedded(engine, record),
        epochs=epochs,
    )


def _embedded(engine: Engine, record: Record) -> dict[str, Vector]:
    try:
        return {record.id: engine.embedder.embed_documents([record.text])[0]}
    except EmbedderError:  # it is found by its words until maintenance embeds it
        return {}


def _verdict(engine: Engine, record: Record) -> Verdict:
    return Verdict(
        id=engine.ids("vdt"),
        tenant=record.tenant,
        subject=record.subject,
        turn_id=None,
        accepted=True,
        reason=Reason.KEPT,
        detail="what happened in a session, in its own words",
        statement=record.statement,
        kind=Kind.EPISODE,
        rule=_RULE,
        at=record.written_at,
        record_ids=(record.id,),
    )


def _receipt(result: Result, reason: Reason, detail: str, record: Record | None) -> Receipt:
    return Receipt((), (Item(result, reason, detail, record.statement if record else "", record),), ())
