"""Retention: how long what is out of recall is kept, and which turns lose their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from onrecord.model.change import Erase
from onrecord.model.record import Record
from onrecord.model.turn import Turn
from onrecord.policy.defaults import Policy


def outlived(rows: Iterable[tuple[Record, datetime, Sequence[Record]]], now: datetime, policy: Policy) -> list[Erase]:
    """What is to go: records out of recall, each with when it went and what was made of it, in the order given.

    Pinned ones stay, and so does what a record in force rests on. One that was merged is not rested on by what it went into,
    which rests on the same turns."""
    found = []
    for record, since, made in rows:
        span = policy.record_retention.get(record.status)
        if span is None or record.pinned or now - since < span or any(_rests(other, record) for other in made):
            continue
        reason = f"{record.status} since {since:%Y-%m-%d}, and not kept longer than {span.days} days"
        found.append(Erase(id=record.id, reason=reason))
    return found


def _rests(made: Record, record: Record) -> bool:
    return made.current and not set(record.sources) <= set(made.sources) - {record.id}


def shedding(turns: Sequence[Turn], made: Mapping[str, Sequence[Record]], there: Collection[str]) -> list[str]:
    """Ids of those of the turns that may lose their words, oldest first: no record in force rests on one alone.

    ``made`` has, by the turn's id, the records made from it; ``there`` are ids of the turns and records among their sources that
    have their words."""
    left, gone = set(there), list[str]()
    for turn in turns:
        if all(left & set(record.sources) - {turn.id} for record in made.get(turn.id, ()) if record.current):
            left.discard(turn.id)
            gone.append(turn.id)
    return gone
