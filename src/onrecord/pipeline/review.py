"""Review: what is past the default end of its kind, and what a person says of it."""

from __future__ import annotations

from datetime import datetime

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.change import Change, Expire
from onrecord.model.query import View
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.policy.lifecycle.expiry import renewal, to_review
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Batch, Engine


def waiting(engine: Engine, reach: Reach, limit: int) -> list[Record]:
    """The records of the reach that wait to be looked at, those that lapsed first at the head."""
    rows = engine.store.select(View(reach=reach, every_scope=True))
    return [masked(record) for record in to_review(rows, engine.clock())[:limit]]


def renew(engine: Engine, reach: Reach, id: str, until: datetime | None) -> Record:
    """The record, which holds on. Raises ``NotFound``, ``InvalidInput`` for an end that has passed or a record not in force."""
    if until is not None and until <= engine.clock():
        raise InvalidInput("until", f"{until:%Y-%m-%d} has passed", "name a later time, or expire the record")
    record = _current(engine, reach, id)
    return _done(engine, reach, renewal(record, until, engine.clock(), engine.policy, engine.vocabulary))


def expire(engine: Engine, reach: Reach, id: str) -> Record:
    """The record, which holds no longer. Raises ``NotFound``, ``InvalidInput`` for a record that is not in force."""
    record = _current(engine, reach, id)
    return _done(engine, reach, Expire(id=id, version=record.version, reason="a person says that it holds no longer"))


def _current(engine: Engine, reach: Reach, id: str) -> Record:
    for record in engine.store.get(reach, [id]):
        if not record.current:
            raise InvalidInput("id", f"record {id} is {record.status}", "only a record in force can be reviewed")
        return record
    raise NotFound("record", id)


def _done(engine: Engine, reach: Reach, change: Change) -> Record:
    event = engine.store.apply(Batch(reach=reach, now=engine.clock(), actor="caller", changes=[change]))[0]
    assert event.after is not None
    return masked(event.after)
