"""The methods of the in-memory store on events, verdicts and traces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

from onrecord.model.change import Event, EventType
from onrecord.model.query import Corpus
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.model.trace import Trace
from onrecord.model.verdict import Verdict
from onrecord.stores.batch import within
from onrecord.stores.codec import trace_json, trace_of
from onrecord.stores.detached import detached_event
from onrecord.stores.erasure import emptied_trace, named_by
from onrecord.stores.guarded import Guarded


class Accounts(Guarded):
    """What tells how records came about and what they were used for."""

    def subjects(self, *, limit: int | None = None, after: tuple[str, str] | None = None) -> list[tuple[str, str]]:
        """See ``Store.subjects``."""
        with self._reading() as state:
            found = sorted({(record.tenant, record.subject) for record in state.records.values()})
            return [pair for pair in found if after is None or pair > after][:limit]

    def put_trace(self, trace: Trace) -> None:
        """See ``Store.put_trace``."""
        Reach(trace.tenant, trace.subjects)
        with self._writing() as state:
            put(state, trace)

    def mark_injected(self, reach: Reach, trace_id: str, ids: Sequence[str]) -> None:
        """See ``Store.mark_injected``."""
        with self._writing() as state:
            found = state.traces.get((reach.tenant, trace_id))
            if found and _all_within(reach, found):
                put(state, replace(found, injected=tuple(ids)))

    def events(self, reach: Reach, record_id: str) -> list[Event]:
        """See ``Store.events``."""
        with self._reading() as state:
            mine = (e for e in state.events if e.record_id == record_id and within(reach, e.tenant, e.subject))
            return [detached_event(event) for event in mine]

    def done_by(self, tenant: str, actor: str) -> list[Event]:
        """See ``Store.done_by``."""
        with self._reading() as state:
            mine = (event for event in state.events if (event.tenant, event.actor) == (tenant, actor))
            return [detached_event(event) for event in mine]

    def verdicts(
        self,
        reach: Reach,
        *,
        turn_id: str | None = None,
        record_id: str | None = None,
        accepted: bool | None = None,
        limit: int = 100,
    ) -> list[Verdict]:
        """See ``Store.verdicts``."""
        with self._reading() as state:
            found = [
                verdict
                for verdict in state.verdicts.values()
                if within(reach, verdict.tenant, verdict.subject)
                and (turn_id is None or verdict.turn_id == turn_id)
                and (record_id is None or record_id in verdict.record_ids)
                and (accepted is None or verdict.accepted == accepted)
            ]
            return sorted(found, key=lambda verdict: (verdict.at, verdict.id), reverse=True)[:limit]

    def verdicts_on(self, reach: Reach, turn_ids: Collection[str]) -> dict[str, list[Verdict]]:
        """See ``Store.verdicts_on``."""
        found: dict[str, list[Verdict]] = {}
        with self._reading() as state:
            mine = (v for v in state.verdicts.values() if v.turn_id in turn_ids and within(reach, v.tenant, v.subject))
            for verdict in sorted(mine, key=lambda verdict: (verdict.at, verdict.id), reverse=True):
                found.setdefault(verdict.turn_id or "", []).append(verdict)
        return found

    def traces(self, reach: Reach, *, record_id: str | None = None, limit: int = 20) -> list[Trace]:
        """See ``Store.traces``."""
        with self._reading() as state:
            found = [
                trace
                for trace in state.traces.values()
                if _all_within(reach, trace) and (record_id is None or record_id in (*trace.returned, *trace.injected))
            ]
            return deepcopy(sorted(found, key=lambda trace: (trace.at, trace.id), reverse=True)[:limit])

    def trace(self, reach: Reach, trace_id: str) -> Trace | None:
        """See ``Store.trace``."""
        with self._reading() as state:
            found: Trace | None = state.traces.get((reach.tenant, trace_id))
            return deepcopy(found) if found and _all_within(reach, found) else None


def put(state: Any, trace: Trace) -> None:
    """See ``Store.put_trace``."""
    erased = {
        event.record_id
        for event in state.events
        if event.type is EventType.ERASED and event.tenant == trace.tenant and event.subject in trace.subjects
    }
    gone = {id for id in erased & named_by(trace) if (trace.tenant, id) not in state.records}
    turns = (scored.id for scored in trace.candidates if scored.corpus is Corpus.TURNS)
    gone |= {id for id in turns if (trace.tenant, id) not in state.turns}
    kept = emptied_trace(trace, gone) if gone else trace
    state.traces[trace.tenant, trace.id] = trace_of(trace_json(kept))


def _all_within(reach: Reach, trace: Trace) -> bool:
    return trace.tenant == reach.tenant and set(trace.subjects) <= set(reach.subjects)


def as_known(records: Mapping[tuple[str, str], Record], events: Sequence[Event], tenant: str, moment: datetime) -> list[Record]:
    """The records of a tenant as they stood then: the first event after that moment tells what was before it."""
    then: dict[str, Record | None] = {key[1]: record for key, record in records.items() if key[0] == tenant}
    for event in reversed(events):
        if event.tenant == tenant and event.at > moment and (tenant, event.record_id) in records:
            then[event.record_id] = event.before
    return [record for record in then.values() if record is not None and record.written_at <= moment]
