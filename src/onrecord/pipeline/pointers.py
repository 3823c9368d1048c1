"""Pointers: what they point at is read when a context is made, shown, and let go; only a hash tells later whether it changed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from onrecord.errors import ResolverError
from onrecord.model.query import View
from onrecord.model.record import Kind, Record
from onrecord.model.scope import Reach
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine, Pointer

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
    """Every current pointer of the reach, read in order of id, the newest ``policy.pointer_limit`` of them.

    One that fails, or comes too late for all of them together, says so; nothing is raised."""
    if not engine.resolvers:
        return ()
    view = View(reach=reach, kinds=frozenset({Kind.POINTER}), valid_at=engine.clock())
    pointers = [masked(record) for record in engine.store.select(view)][-engine.policy.pointer_limit :]
    until = engine.clock() + engine.policy.live_time
    return tuple(_read(engine, reach, record, until - engine.clock()) for record in pointers)


def seen(live: Mapping[str, str]) -> dict[str, str]:
    """Hashes of what pointers gave, by record id."""
    return {id: _hash(id, text) for id, text in live.items()}


def _read(engine: Engine, reach: Reach, record: Record, left: timedelta) -> Live:
    now = engine.clock()
    resolver = engine.resolvers.get(record.key or "")
    if resolver is None:
        return Live(record, now, failure=f"no resolver is registered for {record.key}")
    timeout = min(engine.policy.pointer_timeout, left).total_seconds()
    if timeout <= 0:
        return Live(record, now, failure="no time was left for it")
    try:
        credentials = engine.credentials(record.tenant, record.subject, record.key or "") if engine.credentials else {}
        named = Pointer(record.key or "", record.value or "", record.tenant, record.subject, credentials, timeout)
        text = resolver.resolve(named)
    except ResolverError as error:
        return Live(record, now, failure=str(error)[:_FAILURE])
    except Exception as error:  # noqa: BLE001 - it is the caller's code: whatever it raises, the context is made without it
        _log.warning("the resolver of %s failed on record %s: %s", record.key, record.id, type(error).__name__)
        return Live(record, now, failure=f"its resolver failed ({type(error).__name__})")
    if not isinstance(text, str):
        return Live(record, now, failure=f"its resolver gave a {type(text).__name__}, not text")
    text = text[: engine.policy.pointer_text]
    return Live(record, now, text, last=_last(engine, reach, record, text))


def _last(engine: Engine, reach: Reach, record: Record, text: str) -> datetime | None:
    """When it was read before, if it said something else then."""
    for trace in engine.store.traces(reach, record_id=record.id, limit=_LOOKED_BACK):
        if record.id in trace.seen:
            return None if trace.seen[record.id] == _hash(record.id, text) else trace.at
    return None


def _hash(id: str, text: str) -> str:
    # Of another record the same text has another hash; and so short a one fits countless texts, so that it gives none away.
    return hashlib.sha256(f"{id}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
