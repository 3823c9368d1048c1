"""Rows as the in-memory store hands them out: what is changed in them by the caller is not changed in what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy, deepcopy
from dataclasses import replace
from typing import TypeVar

from onrecord.model.change import Event
from onrecord.model.record import Record
from onrecord.model.turn import Turn

RowT = TypeVar("RowT", Record, Turn)
#: The parts of rows that can be changed in place.
_MUTABLE = ("metadata", "payload", "note")


def detached(row: RowT) -> RowT:
    """A copy of a row with its own mutable parts."""
    own = copy(row)
    for name in _MUTABLE:
        if hasattr(row, name):
            object.__setattr__(own, name, deepcopy(getattr(row, name)))
    return own


def all_detached(rows: Iterable[RowT]) -> list[RowT]:
    """Copies of rows, in order."""
    return [detached(row) for row in rows]


def detached_event(event: Event) -> Event:
    """A copy of an event with its own records."""
    before, after = event.before, event.after
    return replace(event, before=before and detached(before), after=after and detached(after))
