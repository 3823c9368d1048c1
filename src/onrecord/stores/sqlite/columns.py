"""What views filter on, as one array per column for all rows of a subject: a view becomes a few array operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import View
from onrecord.model.record import Kind, Status
from onrecord.model.scope import Origin, Scope

Array: TypeAlias = NDArray[Any]
Keys: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

_STATUS = {status.value: n for n, status in enumerate(Status)}
_KIND = {kind.value: n for n, kind in enumerate(Kind)}
_SCOPE = {scope.value: n for n, scope in enumerate(Scope)}
#: The part of a key that counts the rows of a subject.
_SEQ = 0xFFFFFFFF
#: Rows that are read at once on the way into columns, and bytes of the text of an id.
_AT_ONCE, _ID_BYTES = 20_000, 80
#: Beyond any moment.
_EVER = 1 << 62
_RUN, _THREAD = _SCOPE[Scope.RUN], _SCOPE[Scope.THREAD]


class Codes(dict[Any, int]):
    """Numbers for the words of a column; ``None`` is 0. New words are added behind, so that older columns keep their meaning."""

    def __missing__(self, word: Any) -> int:
        return self.setdefault(word, len(self))


#: Makes an array of the values of a column.
Make: TypeAlias = Callable[[Sequence[Any], Codes], Array]


def _numbers(values: Sequence[Any], _: Codes) -> Array:
    return np.array(values, dtype=np.int64)


def _ids(values: Sequence[Any], _: Codes) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _coded(values: Sequence[Any], codes: Codes) -> Array:
    """Few words, many rows: a number for each, which takes half of the room and is compared at once."""
    return np.fromiter((codes[value] for value in values), dtype=np.int32, count=len(values))


def _listed(table: Mapping[str, int]) -> Make:
    return lambda values, _: np.array([table[value] for value in values], dtype=np.int8)


Layout: TypeAlias = Mapping[str, Make]

#: Columns of the query ``record_columns`` in order.
RECORDS: Layout = {
    "id": _numbers,
    "uid": _ids,
    "length": _numbers,
    "said": _numbers,
    "valid_from": _numbers,
    "valid_until": _numbers,
    "stated": _numbers,
    "status": _listed(_STATUS),
    "kind": _listed(_KIND),
    "scope": _listed(_SCOPE),
    "key": _coded,
    "scope_ref": _coded,
    "agent": _coded,
    "run": _coded,
    "thread": _coded,
}
#: Columns of the query ``turn_columns`` in order.
TURNS: Layout = {
    "id": _numbers,
    "uid": _ids,
    "length": _numbers,
    "said": _numbers,
    "written": _numbers,
    "agent": _coded,
    "run": _coded,
    "thread": _coded,
}


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The rows of one subject in order of key. ``memo`` keeps what was worked out of them, as long as they live."""

    arrays: Mapping[str, Array]
    codes: Codes
    memo: dict[Any, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def __len__(self) -> int:
        return len(self.arrays["id"])

    @property
    def nbytes(self) -> int:
        """Roughly what it takes of memory, with the text of the ids."""
        return sum(array.nbytes for array in self.arrays.values()) + _ID_BYTES * len(self)

    @property
    def seqs(self) -> Keys:
        """The numbers of the rows within their subject, from 1 on, ascending."""
        found: Keys = self["id"] & _SEQ
        return found

    def at(self, places: Keys) -> Columns:
        """The rows at these places, which ascend."""
        return Columns({name: array[places] for name, array in self.arrays.items()}, self.codes)

    def upto(self, id: int) -> Columns:
        """The rows up to a key."""
        if not len(self) or self["id"][-1] <= id:
            return self
        end = np.searchsorted(self["id"], id, side="right")
        return Columns({name: array[:end] for name, array in self.arrays.items()}, self.codes)

    def among(self, keys: Keys) -> Columns:
        """The rows whose keys are among ``keys``."""
        stays = np.isin(self["id"], keys, assume_unique=True)
        return self if stays.all() else self.at(np.flatnonzero(stays))

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
        return Columns(merged, self.codes)

    def places(self, keys: Keys) -> tuple[Mask, Keys]:
        """Which of ``keys`` are here, and at which places those are."""
        known = self["id"]
        if not len(known):
            return np.zeros(len(keys), dtype=np.bool_), np.empty(0, dtype=np.int64)
        found = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        here: Mask = known[found] == keys
        return here, found[here]


def columns(layout: Layout, rows: Iterable[Sequence[Any]], codes: Codes | None = None) -> Columns:
    """Columns of ``rows``, which come in the order of ``layout`` and of their keys. Their words get numbers of ``codes``."""
    codes = Codes({None: 0}) if codes is None else codes
    source = iter(rows)
    parts = [_some(layout, part, codes) for part in iter(lambda: list(islice(source, _AT_ONCE)), [])] or [
        _some(layout, [], codes)
    ]
    whole = parts[0] if len(parts) == 1 else {name: np.concatenate([part[name] for part in parts]) for name in layout}
    return Columns(whole, codes)


def _some(layout: Layout, rows: Sequence[Sequence[Any]], codes: Codes) -> Mapping[str, Array]:
    values: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(layout)
    return {name: make(part, codes) for (name, make), part in zip(layout.items(), values, strict=True)}


def record_mask(rows: Columns, view: View) -> Mask:
    """The rows a view shows, its filters aside. The meaning is that of ``policy.visible.record_test``."""
    if view.key is not None:  # few have one key
        mask, places = np.zeros(len(rows), dtype=np.bool_), np.flatnonzero(_is(rows, "key", view.key))
        mask[places] = record_mask(rows.at(places), replace(view, key=None))
        return mask
    mask = _chosen(Status, view.statuses)[rows["status"]]
    if view.kinds is not None:
        mask &= _chosen(Kind, view.kinds)[rows["kind"]]
    _origin(mask, rows, view.origin)
    if not view.every_scope:
        _scope(mask, rows, view.origin)
    _validity(mask, rows, view)
    _between(mask, rows, view)
    return mask


def steady(rows: Columns, view: View) -> range:
    """The moments, in microseconds, for which a view shows the same of ``rows``, if nothing of it but its ``valid_at`` differs.

    Questions are asked at ever other times; what they are shown moves only where a stated end passes."""
    if view.valid_at is None or view.as_of is not None:
        return range(-_EVER, _EVER)
    ends, moment = rows["valid_until"][rows["stated"] != 0], _us(view.valid_at)
    return range(int(ends[ends <= moment].max(initial=-_EVER)), int(ends[ends > moment].min(initial=_EVER)))


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
            mask &= _is(rows, name, wanted)


def _scope(mask: Mask, rows: Columns, origin: Origin) -> None:
    for code, name in ((_RUN, origin.run), (_THREAD, origin.thread)):
        narrow = rows["scope"] == code
        if narrow.any():
            mask &= ~narrow | _is(rows, "scope_ref", name)


def _is(rows: Columns, name: str, wanted: str | None) -> Mask:
    """The rows that have this word in a column, ``None`` for none."""
    code = rows.codes.get(wanted, -1)
    found: Mask = rows[name] == code
    return found


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
