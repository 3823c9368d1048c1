"""What views filter on, as one array per column for all rows of a subject: a view becomes a few array operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import View
from onrecord.model.record import Kind, Status
from onrecord.model.scope import Origin, Scope

Array: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]

_STATUS = {status.value: n for n, status in enumerate(Status)}
_KIND = {kind.value: n for n, kind in enumerate(Kind)}
_SCOPE = {scope.value: n for n, scope in enumerate(Scope)}
_RUN, _THREAD = _SCOPE[Scope.RUN], _SCOPE[Scope.THREAD]


def _numbers(values: Sequence[Any]) -> Array:
    return np.array(values, dtype=np.int64)


def _words(values: Sequence[Any]) -> Array:
    shared: dict[Any, Any] = {}
    found = np.empty(len(values), dtype=object)
    found[:] = [shared.setdefault(value, value) for value in values]
    return found


def _codes(table: Mapping[str, int]) -> Callable[[Sequence[Any]], Array]:
    return lambda values: np.array([table[value] for value in values], dtype=np.int8)


Layout: TypeAlias = Mapping[str, Callable[[Sequence[Any]], Array]]

#: Columns of the query ``record_columns`` in order.
RECORDS: Layout = {
    "id": _numbers,
    "uid": _words,
    "length": _numbers,
    "said": _numbers,
    "valid_from": _numbers,
    "valid_until": _numbers,
    "stated": _numbers,
    "status": _codes(_STATUS),
    "kind": _codes(_KIND),
    "scope": _codes(_SCOPE),
    "key": _words,
    "scope_ref": _words,
    "agent": _words,
    "run": _words,
    "thread": _words,
}
#: Columns of the query ``turn_columns`` in order.
TURNS: Layout = {
    "id": _numbers,
    "uid": _words,
    "length": _numbers,
    "said": _numbers,
    "written": _numbers,
    "agent": _words,
    "run": _words,
    "thread": _words,
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows of one subject in order of key."""

    arrays: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def __len__(self) -> int:
        return len(self.arrays["id"])

    @property
    def nbytes(self) -> int:
        """Roughly what it takes of memory."""
        return sum(array.nbytes for array in self.arrays.values()) + 100 * len(self)

    def upto(self, id: int) -> Columns:
        """The rows up to a key."""
        if not len(self) or self["id"][-1] <= id:
            return self
        end = np.searchsorted(self["id"], id, side="right")
        return Columns({name: array[:end] for name, array in self.arrays.items()})

    def with_rows(self, fresh: Columns) -> Columns:
        """These rows with those of ``fresh`` put in, in the place of older ones of the same key."""
        if not len(fresh) or not len(self):
            return self if not len(fresh) else fresh
        known = fresh["id"] <= self["id"][-1]
        places = np.searchsorted(self["id"], fresh["id"][known])
        merged = {}
        for name, array in self.arrays.items():
            merged[name] = np.concatenate([array, fresh[name][~known]])
            merged[name][places] = fresh[name][known]
        return Columns(merged)


def columns(layout: Layout, rows: Sequence[Sequence[Any]]) -> Columns:
    """Columns of ``rows``, which come in the order of ``layout`` and of their keys."""
    values: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(layout)
    return Columns({name: make(part) for (name, make), part in zip(layout.items(), values, strict=True)})


def record_mask(rows: Columns, view: View) -> Mask:
    """The rows a view shows, its filters aside. The meaning is that of ``policy.visible.record_test``."""
    mask: Mask = _chosen(Status, view.statuses)[rows["status"]]
    if view.kinds is not None:
        mask &= _chosen(Kind, view.kinds)[rows["kind"]]
    if view.key is not None:
        mask &= rows["key"] == view.key
    _origin(mask, rows, view.origin)
    if not view.every_scope:
        _scope(mask, rows, view.origin)
    _validity(mask, rows, view)
    _between(mask, rows, view)
    return mask


def turn_mask(rows: Columns, view: View) -> Mask:
    """The rows a view shows, its filters aside. The meaning is that of ``policy.visible.turn_test``."""
    mask: Mask = np.ones(len(rows), dtype=np.bool_)
    _origin(mask, rows, view.origin)
    _between(mask, rows, view)
    if view.as_of is not None:
        mask &= rows["said"] <= _us(view.as_of)
    if view.known_at is not None:
        mask &= rows["written"] <= _us(view.known_at)
    return mask


def _chosen(every: type[StrEnum], wanted: Iterable[str]) -> Mask:
    chosen = set(wanted)
    return np.array([member in chosen for member in every], dtype=np.bool_)


def _origin(mask: Mask, rows: Columns, origin: Origin) -> None:
    for name in ("agent", "run", "thread"):
        wanted = getattr(origin, name)
        if wanted is not None:
            mask &= rows[name] == wanted


def _scope(mask: Mask, rows: Columns, origin: Origin) -> None:
    for code, name in ((_RUN, origin.run), (_THREAD, origin.thread)):
        narrow = rows["scope"] == code
        if narrow.any():
            mask &= ~narrow | (rows["scope_ref"] == name)


def _validity(mask: Mask, rows: Columns, view: View) -> None:
    if view.as_of is not None:
        moment = _us(view.as_of)
        mask &= (rows["valid_from"] <= moment) & (moment < rows["valid_until"])
    elif view.valid_at is not None:
        mask &= (rows["stated"] == 0) | (rows["valid_until"] > _us(view.valid_at))


def _between(mask: Mask, rows: Columns, view: View) -> None:
    if view.since is not None:
        mask &= rows["said"] >= _us(view.since)
    if view.until is not None:
        mask &= rows["said"] < _us(view.until)


def _us(moment: datetime) -> int:
    return to_us(as_utc(moment, "view"))
