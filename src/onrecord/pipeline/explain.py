"""Why: the whole story of a record, from the words it rests on to the answers it was used in."""

from __future__ import annotations

from dataclasses import dataclass

from onrecord.errors import NotFound
from onrecord.model.change import Event
from onrecord.model.record import Record, Usage
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine


@dataclass(frozen=True, slots=True)
class Story:
    """One record's story. ``record`` is ``None`` when it was erased; turns and verdicts are oldest first, traces newest first."""

    id: str
    record: Record | None
    usage: Usage
    turns: tuple[Turn, ...]
    verdicts: tuple[Verdict, ...]
    events: tuple[Event, ...]
    traces: tuple[Trace, ...]


def explain(engine: Engine, reach: Reach, record_id: str) -> Story:
    """The story of a record. Raises ``NotFound`` when it was never there for this caller."""
    store = engine.store
    record = next(iter(store.get(reach, [record_id])), None)
    events = store.events(reach, record_id)
    if record is None and not events:
        raise NotFound("record", record_id)
    sources = (*record.derived_from, record.source.ref) if record else ()
    return Story(
        id=record_id,
        record=masked(record) if record else None,
        usage=store.usage(reach, [record_id]).get(record_id, Usage()),
        turns=tuple(masked(turn) for turn in store.turns(reach, list(dict.fromkeys(sources)))),
        verdicts=tuple(masked(verdict) for verdict in reversed(store.verdicts(reach, record_id=record_id))),
        events=tuple(masked(event) for event in events),
        traces=tuple(store.traces(reach, record_id=record_id)),
    )
