"""Capture: turns → candidates → verdicts → changes, one transaction a turn, decided anew if the subject changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from onrecord.errors import EmbedderError, StaleRead
from onrecord.model.change import Add, Change, Flag, Merge, Reinforce, Resolve, Retract, Supersede
from onrecord.model.receipt import Item, Result
from onrecord.model.record import STATEMENT_LIMIT, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.model.verdict import Act, Candidate, Reason, Verdict
from onrecord.pipeline.aim import aimed, memories
from onrecord.pipeline.draft import Draft, Rehearsal
from onrecord.pipeline.examine import examine, turns_before
from onrecord.pipeline.light import said_lightly
from onrecord.policy.correction.light import answered
from onrecord.policy.correction.outcome import Decision
from onrecord.policy.correction.reconcile import candidate_record, reconcile
from onrecord.policy.gate.judge import Judged, Ruling
from onrecord.policy.reading.point import Told
from onrecord.ports import Batch, Engine, Vector

#: What makes news of a statement that the gate would refuse alone: it replaces or repeats what is on record.
_NEWS = (Supersede, Reinforce, Merge)


@dataclass(frozen=True, slots=True)
class Captured:
    """What came of turns: verdicts as items, in order, and the changes that were (or in a dry run would be) applied.

    ``waiting`` are ids of turns that stay pending: they speak of what an earlier turn may have said that is not read yet."""

    items: tuple[Item, ...] = ()
    changes: tuple[Change, ...] = ()
    waiting: tuple[str, ...] = ()

    def __add__(self, other: Captured) -> Captured:
        return Captured(self.items + other.items, self.changes + other.changes, self.waiting + other.waiting)


def capture_turns(
    engine: Engine,
    turns: Sequence[Turn],
    *,
    rehearsal: Rehearsal | None = None,
    told: Mapping[str, Sequence[Told]] | None = None,
) -> Captured:
    """Reads turns in order and writes what deserves to last. ``told`` is what a model told of those that it was asked about, by
    their ids. Raises ``StoreError``; turns not done by then stay pending."""
    done = Captured()
    for turn in turns:
        before = turns_before(engine, turn, turns) if turn.note is None else []
        judged, whole = examine(engine, turn, before, (told or {}).get(turn.id))
        done += settle(engine, turn, judged, whole, rehearsal=rehearsal)
    return done


def settle(
    engine: Engine,
    turn: Turn | None,
    judged: Sequence[Judged],
    whole: Ruling | None = None,
    *,
    rehearsal: Rehearsal | None = None,
) -> Captured:
    """Reconciles the accepted candidates with what is on record and applies the changes, or in a rehearsal notes them there.

    A turn that somebody else captured meanwhile gives nothing more, and one that is out of turn waits. Raises ``StaleRead`` after
    many tries.
    """
    forgets = any(j.candidate.act is Act.FORGET for j in judged)
    owned = memories(engine, turn) if turn and forgets else [turn.subject] if turn else []
    subjects = dict.fromkeys([*(j.candidate.subject for j in judged), *owned])
    tenant = turn.tenant if turn else judged[0].candidate.tenant
    reach = Reach(tenant, tuple(subjects))
    texts = [j.candidate for j in judged if j.ruling.accepted or j.ruling.likely]
    vectors = _embed(engine, texts)
    if rehearsal is not None:
        return _settle_once(engine, reach, turn, judged, whole, vectors, rehearsal)
    with engine.store.deciding(reach):
        for attempt in range(engine.policy.reconcile_attempts):
            try:
                return _settle_once(engine, reach, turn, judged, whole, vectors, None)
            except StaleRead:
                if attempt + 1 == engine.policy.reconcile_attempts:
                    raise
    raise AssertionError("unreachable: the loop returns or raises")


def _settle_once(
    engine: Engine,
    reach: Reach,
    turn: Turn | None,
    judged: Sequence[Judged],
    whole: Ruling | None,
    vectors: Mapping[str, Vector],
    rehearsal: Rehearsal | None,
) -> Captured:
    now = engine.clock()
    epochs = engine.store.epochs(reach)
    if turn and _captured_meanwhile(engine, turn):
        return Captured()
    draft = Draft(engine, reach, vectors, rehearsal)
    verdicts = [turn_verdict(engine, turn, whole, now)] if turn and whole else []
    rows: list[tuple[Verdict, Change | None]] = [(v, None) for v in verdicts]
    again: list[Verdict] = []
    for item in (aimed(engine, draft, one, turn) for one in judged):
        decision = _reconciled(engine, draft, item, turn, now)
        if turn and decision and _needs_what_is_not_there(item, decision) and _out_of_turn(engine, reach, turn):
            return Captured(waiting=(turn.id,))
        rows.append(_decide(engine, draft, item, decision, turn, now))
        if decision and decision.answers:
            again.append(_brought_back(engine, decision, now))
    batch = Batch(
        reach=reach,
        now=now,
        actor="capture",
        changes=draft.changes,
        verdicts=[*again, *(verdict for verdict, _ in rows)],
        model=engine.embedder.name,
        vectors=draft.vectors_of_changes(),
        captured=[turn.id] if turn else [],
        epochs=epochs,
    )
    if rehearsal is None:
        engine.store.apply(batch)
    return Captured(tuple(_item(draft, turn, verdict, change) for verdict, change in rows), tuple(draft.changes))


def _captured_meanwhile(engine: Engine, turn: Turn) -> bool:
    if not turn.seq:  # not journaled: a rehearsal
        return False
    return any(now.state is CaptureState.DONE for now in engine.store.turns(Reach(turn.tenant, (turn.subject,)), [turn.id]))


def _out_of_turn(engine: Engine, reach: Reach, turn: Turn) -> bool:
    """Whether an earlier turn of the same memory is not read yet: its capture failed, or another process has it in its hands.

    A parked one is not waited for, and what was written on purpose waits for nothing."""
    if not turn.seq or turn.note is not None:
        return False
    return any(oldest.id != turn.id for oldest in engine.store.pending(limit=1, reach=reach))


def _reconciled(engine: Engine, draft: Draft, judged: Judged, turn: Turn | None, now: datetime) -> Decision | None:
    """What a candidate does to what is on record, or to what was said before and found too light alone; ``None`` for one that is
    refused whatever is there, or was written before."""
    candidate, ruling = judged.candidate, judged.ruling
    if not (ruling.accepted or ruling.likely) or draft.known(candidate):
        return None
    record = candidate_record(candidate, engine.policy, now)
    near = draft.neighbours(candidate)
    decision = reconcile(candidate, record, near, engine.policy, alone=ruling.accepted)
    if turn is None or candidate.act is Act.FORGET or not all(isinstance(change, Add) for change in decision.changes):
        return decision
    light = draft.beside(candidate, said_lightly(engine, turn, candidate, draft.vector(candidate)))
    return answered(candidate, record, near, light, engine.policy, alone=ruling.accepted) or decision


def _needs_what_is_not_there(judged: Judged, decision: Decision) -> bool:
    """Whether a candidate speaks of something on record, and nothing of the kind is there: what would be news, a correction of
    nothing, a request to forget nothing."""
    if judged.candidate.act is Act.FORGET:
        return not decision.changes
    if not judged.ruling.accepted:
        return not _is_news(decision)
    return judged.candidate.correction and all(isinstance(change, Add) for change in decision.changes)


def _decide(
    engine: Engine, draft: Draft, judged: Judged, decision: Decision | None, turn: Turn | None, now: datetime
) -> tuple[Verdict, Change | None]:
    candidate, ruling = judged.candidate, judged.ruling
    if decision is None:
        return _verdict(engine, candidate, ruling, turn, now, ()), None
    if not ruling.accepted:
        if not _is_news(decision):
            return _verdict(engine, candidate, ruling, turn, now, ()), None
        ruling = Ruling(True, Reason.KEPT, f"is news of what is on record; alone it is {ruling.detail}")
    if not decision.changes:
        refusal = Ruling(False, Reason.NO_TARGET if candidate.act is Act.FORGET else Reason.KEPT, decision.note)
        return _verdict(engine, candidate, refusal, turn, now, ()), None
    verdict = _verdict(engine, candidate, ruling, turn, now, _touched(decision.changes))
    changes = [replace(change, verdict_id=verdict.id) for change in decision.changes]
    draft.add(changes)
    return verdict, next((change for change in changes if not isinstance(change, Add)), changes[0])


def _is_news(decision: Decision) -> bool:
    """Whether it replaces or repeats what is on record, gives another value of it, or answers what was said before."""
    return decision.answers or decision.revalues or any(isinstance(change, _NEWS) for change in decision.changes)


def _touched(changes: Sequence[Change]) -> tuple[str, ...]:
    ids: list[str] = []
    for change in changes:
        match change:
            case Add(record=record) | Merge(record=record):
                ids.append(record.id)
            case Supersede(record=record, old=old):
                ids += [record.id, old]
            case Flag(record=maybe, ids=others):
                ids += [*([maybe.id] if maybe else []), *others]
            case Reinforce(id=id) | Retract(id=id):
                ids.append(id)
            case Resolve(keep=keep, drop=drop):
                ids += [keep, *drop]
    return tuple(dict.fromkeys(ids))


def _verdict(
    engine: Engine, candidate: Candidate, ruling: Ruling, turn: Turn | None, now: datetime, ids: tuple[str, ...]
) -> Verdict:
    return Verdict(
        id=engine.ids("vdt"),
        tenant=candidate.tenant,
        subject=candidate.subject,
        turn_id=turn.id if turn else None,
        accepted=ruling.accepted,
        reason=ruling.reason,
        detail=ruling.detail,
        statement=candidate.statement,
        kind=candidate.kind,
        rule=candidate.rule,
        at=now,
        record_ids=ids,
    )


def _brought_back(engine: Engine, decision: Decision, now: datetime) -> Verdict:
    """The verdict on what was too light alone, on its own turn: that turn answers for as long as the record holds."""
    record = next(change.record for change in decision.changes if isinstance(change, Add))
    return Verdict(
        id=engine.ids("vdt"),
        tenant=record.tenant,
        subject=record.subject,
        turn_id=record.source.ref,
        accepted=True,
        reason=Reason.KEPT,
        detail="too light alone, and what was said later answers it",
        statement=record.statement,
        kind=record.kind,
        rule="answered",
        at=now,
        record_ids=(record.id,),
    )


def turn_verdict(engine: Engine, turn: Turn, ruling: Ruling, now: datetime) -> Verdict:
    """The verdict on a turn as a whole."""
    return Verdict(
        id=engine.ids("vdt"),
        tenant=turn.tenant,
        subject=turn.subject,
        turn_id=turn.id,
        accepted=False,
        reason=ruling.reason,
        detail=ruling.detail,
        statement=turn.text[:240],
        kind=None,
        rule="turn",
        at=now,
    )


_RESULTS: Mapping[type[Change], Result] = {
    Add: Result.ADDED,
    Reinforce: Result.RESTATED,
    Merge: Result.MERGED,
    Supersede: Result.SUPERSEDED,
    Flag: Result.CONFLICTED,
    Retract: Result.RETRACTED,
    Resolve: Result.MERGED,
}


def _item(draft: Draft, turn: Turn | None, verdict: Verdict, change: Change | None) -> Item:
    record: Record | None = draft.load(verdict.record_ids[0]) if verdict.record_ids else None
    return Item(
        result=_RESULTS[type(change)] if change else Result.REFUSED,
        reason=verdict.reason,
        detail=_detail(turn, verdict, change, record),
        statement=verdict.statement,
        record=record,
        turn_id=verdict.turn_id,
    )


def _detail(turn: Turn | None, verdict: Verdict, change: Change | None, record: Record | None) -> str:
    """What is said of an item; also whose memory it went to, where that is not the turn's, and that a statement was cut."""
    told = [change.reason if change else verdict.detail]
    if turn and record and verdict.subject != turn.subject:
        told.append(f"It is kept in the memory of {verdict.subject}, who said it of themselves.")
    if change and record and len(verdict.statement.strip()) > STATEMENT_LIMIT:
        told.append(f"The statement was cut to {STATEMENT_LIMIT} characters; quote and turn hold all of it.")
    return " ".join(told)


def _embed(engine: Engine, candidates: Sequence[Candidate]) -> dict[str, Vector]:
    if not candidates:
        return {}
    texts = [candidate_record(c, engine.policy, c.said_at).text for c in candidates]
    try:
        matrix = engine.embedder.embed_documents(texts)
    except EmbedderError:
        return {}
    return {candidate.id: matrix[i] for i, candidate in enumerate(candidates)}
