"""Pointers: what they point at is read when a context is made, shown, and let go; only a hash tells later whether it changed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from onrecord.errors import ResolverError
from onrecord.model.query import View
from onrecord.model.record import Kind, Record
from onrecord.model.scope import Reach
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine, Errand, Outcome, Pointer

#: Traces that are looked through for the last time a pointer was read.
_LOOKED_BACK = 5
#: Characters of a failure that are told.
_FAILURE = 200
_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True)
class Live:
    """What one pointer gave at ``at``: its text, or why there is none. ``last`` is when it was read before, if it said something
    else then."""

    record: Record
    at: datetime
    text: str = ""
    failure: str = ""
    last: datetime | None = None


def read_live(engine: Engine, reach: Reach) -> tuple[Live, ...]:
    """Every current pointer of the reach in order of id, the newest ``policy.pointer_limit`` of them, read side by side.

    One that fails or does not come back in time says so; nothing is raised, and nothing waits for longer than the times of the
    policy, whatever a resolver does."""
    if not engine.resolvers:
        return ()
    view = View(reach=reach, kinds=frozenset({Kind.POINTER}), valid_at=engine.clock())
    pointers = [masked(record) for record in engine.store.select(view)][-engine.policy.pointer_limit :]
    known = [record for record in pointers if (record.key or "") in engine.resolvers]
    timeout = min(engine.policy.pointer_timeout, engine.policy.live_time).total_seconds()
    errands = [Errand(record.key or "", _reading(engine, record, timeout), timeout) for record in known]
    outcomes = dict(zip((record.id for record in known), engine.runner.run(errands), strict=True))
    now = engine.clock()
    return tuple(_live(engine, reach, record, now, outcomes.get(record.id)) for record in pointers)


def seen(live: Mapping[str, str]) -> dict[str, str]:
    """Hashes of what pointers gave, by record id."""
    return {id: _hash(id, text) for id, text in live.items()}


def _reading(engine: Engine, record: Record, timeout: float) -> Callable[[], str]:
    """The call that reads a pointer, credentials first."""
    key, resolver = record.key or "", engine.resolvers[record.key or ""]

    def read() -> str:
        credentials = engine.credentials(record.tenant, record.subject, key) if engine.credentials else {}
        return resolver.resolve(Pointer(key, record.value or "", record.tenant, record.subject, credentials, timeout))

    return read


def _live(engine: Engine, reach: Reach, record: Record, now: datetime, outcome: Outcome[str] | None) -> Live:
    if outcome is None:
        return Live(record, now, failure=f"no resolver is registered for {record.key}")
    if not outcome.done:
        return Live(record, now, failure=_failure(record, outcome))
    text: object = outcome.value  # it is the caller's code: it may give anything
    if not isinstance(text, str):
        return Live(record, now, failure=f"its resolver gave a {type(text).__name__}, not text")
    text = text[: engine.policy.pointer_text]
    return Live(record, now, text, last=_last(engine, reach, record, text))


def _failure(record: Record, outcome: Outcome[str]) -> str:
    if outcome.refused:
        return "too many of its calls have not come back yet"
    if outcome.error is None:
        _log.warning("the resolver of %s did not come back in time with record %s", record.key, record.id)
        return "no answer in time"
    if isinstance(outcome.error, ResolverError):
        return str(outcome.error)[:_FAILURE]
    _log.warning("the resolver of %s failed on record %s: %s", record.key, record.id, type(outcome.error).__name__)
    return f"its resolver failed ({type(outcome.error).__name__})"


def _last(engine: Engine, reach: Reach, record: Record, text: str) -> datetime | None:
    """When it was read before, if it said something else then."""
    for trace in engine.store.traces(reach, record_id=record.id, limit=_LOOKED_BACK):
        if record.id in trace.seen:
            return None if trace.seen[record.id] == _hash(record.id, text) else trace.at
    return None


def _hash(id: str, text: str) -> str:
    # Of another record the same text has another hash; and so short a one fits countless texts, so that it gives none away.
    return hashlib.sha256(f"{id}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
