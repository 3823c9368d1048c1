"""Fate: what became of what a turn said, and how far its words are to be believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from onrecord.model.query import View
from onrecord.model.record import SourceType, Status
from onrecord.model.trace import Drop, Fate
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Reason, Verdict
from onrecord.ports import Engine

_ERASED = "erased"
_GONE = frozenset({str(Status.SUPERSEDED), str(Status.RETRACTED), str(Status.QUARANTINED), _ERASED})
#: Whose word a turn is. System text is the operator's.
_SOURCES: Mapping[Role, SourceType] = {
    Role.USER: SourceType.USER_MESSAGE,
    Role.SYSTEM: SourceType.HUMAN_EDIT,
    Role.ASSISTANT: SourceType.MODEL_INFERENCE,
    Role.TOOL: SourceType.TOOL_RESULT,
    Role.DOCUMENT: SourceType.DOCUMENT,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """The fate of a turn, the trust in its source (0..1), and why it is not to be offered, if so."""

    fate: Fate
    trust: float
    drop: Drop | None


def judge(engine: Engine, view: View, turns: Sequence[Turn]) -> dict[str, Judged]:
    """What became of each turn, by id.

    A turn is retired when it gave records and none of them holds any more; its words are offered only where the view asks for
    history. A turn with an injection in it is never offered.
    """
    verdicts = {turn.id: engine.store.verdicts(view.reach, turn_id=turn.id) for turn in turns}
    ids = sorted({id for found in verdicts.values() for verdict in found for id in verdict.record_ids})
    states = _states(engine, view, ids)
    history = Status.SUPERSEDED in view.statuses
    return {turn.id: _judged(engine, turn, verdicts[turn.id], states, history) for turn in turns}


def _states(engine: Engine, view: View, ids: Sequence[str]) -> dict[str, str]:
    """The status of each record, ``erased`` for those that only events tell of. Records out of reach are left out."""
    if not ids:
        return {}
    states = {record.id: str(record.status) for record in engine.store.get(view.reach, ids)}
    erased = [id for id in ids if id not in states and engine.store.events(view.reach, id)]
    return states | dict.fromkeys(erased, _ERASED)


def _judged(engine: Engine, turn: Turn, verdicts: Sequence[Verdict], states: Mapping[str, str], history: bool) -> Judged:
    fate = fate_of(verdicts, states)
    trust = engine.policy.trust.get(_SOURCES[turn.role], 0.0)
    if any(verdict.reason is Reason.INJECTION for verdict in verdicts):
        return Judged(fate, 0.0, Drop.NOT_TRUSTED)
    return Judged(fate, trust, Drop.RETIRED if fate.retired and not history else None)


def fate_of(verdicts: Iterable[Verdict], states: Mapping[str, str]) -> Fate:
    """The fate that verdicts about one turn tell of, with the states of the records they name; unknown ones are passed over."""
    ids = tuple(dict.fromkeys(id for verdict in verdicts for id in verdict.record_ids if id in states))
    retired = bool(ids) and all(states[id] in _GONE for id in ids)
    changed = sorted({states[id] for id in ids} - {str(Status.ACTIVE)})
    return Fate(ids, retired, f"what it said is {' and '.join(changed)} now" if changed else "")
