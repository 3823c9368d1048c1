"""Retention: how long what is out of recall is kept, and which turns lose their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from onrecord.model.change import Erase, Recompute
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


def unnamed(records: Iterable[Record], there: Collection[str], policy: Policy) -> list[Recompute]:
    """The records that name too many sources of which nothing is left, without the oldest of those.

    ``there`` are ids of sources that have their words. They stay, and so do the first one and the latest ``source_limit`` of all;
    nothing is done before as many would go as stay, since each time is an event."""
    changes = list[Recompute]()
    for record in records:
        latest = set(record.sources[-policy.source_limit :])
        left = tuple(id for id in record.sources if id in latest or id in there or id == record.source.ref)
        if len(record.sources) - len(left) >= policy.source_limit:
            reason = f"{len(record.sources) - len(left)} of its sources have no words any more and are no longer named"
            changes.append(Recompute(record=replace(record, derived_from=left), version=record.version, reason=reason))
    return changes
