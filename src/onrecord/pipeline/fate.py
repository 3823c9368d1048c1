"""Fate: what became of what a turn said, what its words are worth as an answer, and how far they are to be believed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from onrecord.model.query import View
from onrecord.model.record import ExpiryBasis, Record, Status
from onrecord.model.scope import Reach
from onrecord.model.trace import Drop, Fate
from onrecord.model.turn import CaptureState, Turn
from onrecord.model.verdict import Reason, Verdict
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.lifecycle.expiry import UPKEEP
from onrecord.policy.recall import standing as stand
from onrecord.policy.trust import trust_of
from onrecord.ports import Engine

_GONE = (Status.RETRACTED, Status.QUARANTINED, stand.ERASED)


@dataclass(frozen=True, slots=True)
class Judged:
    """The fate of a turn, the trust in its source (0..1), and why it is not to be offered whatever is asked, if so."""

    fate: Fate
    trust: float
    drop: Drop | None


def judge(engine: Engine, view: View, turns: Sequence[Turn]) -> dict[str, Judged]:
    """What became of each turn, by id.

    A turn is retired when it gave records and none of them is true any more; its words are offered only to a view that shows
    records of such a status. One that gave a record which was erased is offered only to a view of history: its words hold
    what was deleted. A turn with an injection in it is never offered.
    """
    verdicts = engine.store.verdicts_on(view.reach, [turn.id for turn in turns]) if turns else {}
    ids = sorted({id for found in verdicts.values() for verdict in found for id in verdict.record_ids})
    states = _states(engine, view, ids)
    return {turn.id: _judged(turn, verdicts.get(turn.id, ()), states, view, engine.policy) for turn in turns}


def taken_back(engine: Engine, reach: Reach, turn_ids: Sequence[str]) -> set[str]:
    """Which of these turns gave a record that was retracted, quarantined or erased since."""
    verdicts = engine.store.verdicts_on(reach, turn_ids)
    made = {id: {record for verdict in found for record in verdict.record_ids} for id, found in verdicts.items()}
    states = _states(engine, View(reach=reach), sorted(set().union(*made.values())))
    gone = {id for id, state in states.items() if state in _GONE}
    return {id for id, records in made.items() if records & gone}


def _states(engine: Engine, view: View, ids: Sequence[str]) -> dict[str, str]:
    """The status of each record, with words of its own for one that only events tell of, and for one in force whose stated
    end has passed. One that was merged is what the record is that it went into. Records out of reach are left out."""
    if not ids:
        return {}
    records = engine.store.get(view.reach, ids)
    states = {record.id: _state(record, view) for record in records}
    events = {id: engine.store.events(view.reach, id) for id in ids if id not in states}
    states |= dict.fromkeys((id for id, told in events.items() if told), stand.ERASED)
    put_away = {record.id for record in records if record.status is Status.ARCHIVED}
    put_away |= {id for id, told in events.items() if told and told[-1].actor == UPKEEP}
    return states | _carried(engine, view, put_away)


def _carried(engine: Engine, view: View, ids: Set[str]) -> dict[str, str]:
    """Of records that are put away the status of what was made of them, of that in force where there are several."""
    made = engine.store.made_from(view.reach, sorted(ids)) if ids else []
    made = sorted(
        (record for record in made if record.id not in ids), key=lambda record: (record.current, record.said_at, record.id)
    )
    return {id: _state(record, view) for record in made for id in record.sources if id in ids}


def _state(record: Record, view: View) -> str:
    at = view.as_of or view.valid_at
    over = record.current and record.expiry_basis is ExpiryBasis.STATED and at is not None and at >= record.valid_until
    return stand.ENDED if over else str(record.status)


def _judged(turn: Turn, verdicts: Sequence[Verdict], states: Mapping[str, str], view: View, policy: Policy) -> Judged:
    fate = fate_of(turn, verdicts, states, policy)
    trust = min(trust_of(voice, policy) for voice in voices(turn))
    if turn.state is CaptureState.QUARANTINED or any(verdict.reason is Reason.INJECTION for verdict in verdicts):
        return Judged(fate, 0.0, Drop.NOT_TRUSTED)
    if turn.state is CaptureState.SHED:
        return Judged(fate, trust, Drop.RETIRED)
    here = [states[id] for id in fate.record_ids]
    return Judged(fate, trust, Drop.RETIRED if (fate.retired and not _shown(view, here)) or _deleted(view, here) else None)


def _shown(view: View, states: Iterable[str]) -> bool:
    return any(state in view.statuses for state in states)


def _deleted(view: View, states: Collection[str]) -> bool:
    return stand.ERASED in states and (Status.SUPERSEDED not in view.statuses or view.as_of is not None)


def fate_of(turn: Turn, verdicts: Iterable[Verdict], states: Mapping[str, str], policy: Policy) -> Fate:
    """The fate that verdicts about one turn tell of, with the states of the records they name; unknown ones are passed over."""
    told = tuple(verdicts)
    ids = tuple(dict.fromkeys(id for verdict in told for id in verdict.record_ids if id in states))
    here = [states[id] for id in ids]
    stands = stand.standing(turn, told, here, policy)
    retired = bool(ids) and all(state in stand.GONE for state in here)
    return Fate(ids, retired, stand.note(stands, told, here), stands, stands in stand.SO)
