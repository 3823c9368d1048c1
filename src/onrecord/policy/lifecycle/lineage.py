"""Lineage: what is left of a record when something that it was made from is gone, or is no longer believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from onrecord.model.change import Event
from onrecord.model.record import CURRENT, Record


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a record: ``record`` as it stood before the first thing that is gone went into it (``None`` if it rested on
    that from the beginning), and the sources that came later and stay, which have to be read again."""

    record: Record | None
    reread: tuple[str, ...]


def rest(record: Record, events: Iterable[Event], gone: Set[str]) -> Rest:
    """What is left of ``record`` without ``gone``, ids of turns and records. ``events`` are its own, oldest first.

    A state is gone back to only if it was offered as true then; its version goes on from the newest, so that nobody who holds
    the old one can write over it."""
    kept: Record | None = None
    for state in (event.after for event in events):
        if state is None or gone & set(state.sources):
            break
        kept = state
    if kept is None or kept.status not in CURRENT:
        return Rest(None, _stays(record.sources, gone, ()))
    left = replace(kept, version=record.version, conflicts_with=(), status=record.status, superseded_by=record.superseded_by)
    return Rest(left, _stays(record.sources, gone, left.sources))


def _stays(sources: Sequence[str], gone: Set[str], known: Sequence[str]) -> tuple[str, ...]:
    return tuple(id for id in sources if id not in gone and id not in known)
