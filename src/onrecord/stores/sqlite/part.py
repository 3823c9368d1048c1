"""What a view shows of one subject: a mask over its columns, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

import apsw
import numpy as np

from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import Corpus, Numbers, View
from onrecord.model.record import Record
from onrecord.policy.language.text import terms as terms_of
from onrecord.policy.visible import record_test, turn_test
from onrecord.ports import Vector
from onrecord.stores.codec import record_of
from onrecord.stores.sqlite import history, journal
from onrecord.stores.sqlite.columns import Codes, Columns, Keys, Mask, record_mask, steady, turn_mask
from onrecord.stores.sqlite.matrix import shown_rows
from onrecord.stores.sqlite.rows import record_of_parts
from onrecord.stores.sqlite.statements import among, every
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.vectors import DECIMALS

#: Views that are remembered of a subject: those of one search, and of a few people who ask it otherwise.
_VIEWS = 8
#: Rows said last that are put in order at once; more are seldom asked for.
_NEWEST = 4_096
#: Subjects with more rows are asked by their database for the keys of ids, instead of by a table of all of them.
_TABLE = 50_000
#: Rows that are read at once to be filtered.
_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False)
class Part:
    """The rows of one subject that a view shows; ``last`` is the number of the row given last there, whether or not it is left.

    ``then`` holds the records themselves where they are shown as they stood at another time; ``None`` means as they are."""

    sid: int
    tid: int
    last: int
    rows: Columns
    mask: Mask
    then: Sequence[Record] | None = None

    @cached_property
    def places(self) -> Keys:
        """Where the rows are among the columns."""
        return np.flatnonzero(self.mask)

    @cached_property
    def size(self) -> int:
        """How many rows there are."""
        return int(np.count_nonzero(self.mask))

    @cached_property
    def length(self) -> int:
        """The lengths of all rows together, in terms."""
        return int(self.rows["length"].sum(where=self.mask))

    @cached_property
    def by_number(self) -> tuple[Mask, Numbers]:
        """Whether a row is shown, and its length, by its number within the subject."""
        seqs, shown = self.rows.seqs, np.zeros(self.last + 1, dtype=np.bool_)
        lengths = np.zeros(len(shown), dtype=np.int64)
        shown[seqs], lengths[seqs] = self.mask, self.rows["length"]
        return shown, lengths

    def shows(self, keys: Keys) -> Mask:
        """For each of ``keys``, whether that row is here."""
        return shown_rows(keys, self.rows["id"], self.mask)

    def cosines(self, keys: Keys, cosines: Vector) -> dict[str, float]:
        """The cosines of those of ``keys`` that are here, by id, rounded so that equal texts tie."""
        here, places = self.rows.places(keys)
        shown = self.mask[places]
        uids = self.rows["uid"][places[shown]].tolist()
        return dict(zip(uids, cosines[here][shown].astype(np.float64).round(DECIMALS).tolist(), strict=True))

    def keys_of(self, connection: apsw.Connection, corpus: Corpus, uids: Sequence[str]) -> Keys:
        """The keys of those of the ids that are rows of the subject."""
        if not uids:
            return np.empty(0, dtype=np.int64)
        if len(self.rows) > _TABLE:
            found = among(connection, f"{corpus}_keyed", uids, self.tid, self.sid)
            return np.fromiter((key for (key,) in found), dtype=np.int64, count=len(found))
        keys: Keys = self.rows["id"][list(self.places_of(uids).values())]
        return keys

    def places_of(self, uids: Iterable[str]) -> dict[str, int]:
        """Where those of the ids stand that are rows of the subject, shown or not."""
        table = _memo(self.rows, "table", lambda: {uid: place for place, uid in enumerate(self.rows["uid"].tolist())})
        return {uid: table[uid] for uid in uids if uid in table}

    def newest(self, limit: int) -> Iterator[tuple[int, str]]:
        """When, in microseconds, and the id of the ``limit`` rows said last, newest first, ties by id downward."""
        order = _memo(self.rows, "newest", lambda: _newest(self.rows, np.ones(len(self.rows), dtype=np.bool_), _NEWEST))
        best = order[self.mask[order]][: max(limit, 0)]
        if len(best) < min(limit, self.size):
            best = _newest(self.rows, self.mask, limit)[:limit]
        return zip(self.rows["said"][best].tolist(), self.rows["uid"][best].tolist(), strict=True)


def part_of(connection: apsw.Connection, rows: Columns, view: View, subject: Subject, corpus: Corpus) -> Part:
    """What a view shows of a subject. The columns remember it, for the next question that may see the same."""
    parts: dict[Any, tuple[range, Part]] = rows.memo.setdefault("parts", {})
    name = _name(view)
    known = parts.get(name)
    moment = 0 if view.valid_at is None else to_us(as_utc(view.valid_at, "valid_at"))
    if known and moment in known[0]:
        return known[1]
    records = corpus is Corpus.RECORDS
    mask = record_mask(rows, view) if records else turn_mask(rows, view)
    if view.filters is not None:
        _filter(connection, view, corpus, rows, mask)
    part = Part(subject.sid, subject.tid, subject.records if records else subject.turns, rows, mask)
    if name is not None:
        while len(parts) >= _VIEWS:
            parts.pop(next(iter(parts)), None)
        parts[name] = (steady(rows, view) if records else range(-(1 << 62), 1 << 62)), part
    return part


def part_then(connection: apsw.Connection, now: Columns, view: View, subject: Subject, moment: datetime) -> Part:
    """The records as they stood at ``moment``: what happened later is taken back."""
    us = to_us(as_utc(moment, "known_at"))
    changed = {uid: (seq, before) for uid, seq, before in every(connection, "records_then", subject.sid, us)}
    keys, shows = now["id"].tolist(), record_test(view)
    records: dict[int, Record] = {}
    for key, uid, record in zip(keys, now["uid"].tolist(), records_of(connection, keys), strict=True):
        then = _before(connection, view.reach.tenant, subject, uid, *changed[uid]) if uid in changed else record
        if then is not None and then.written_at <= moment and shows(then):
            records[key] = then
    return _past(subject, records)


def _before(connection: apsw.Connection, tenant: str, subject: Subject, uid: str, seq: int, before: str | None) -> Record | None:
    """A record as it stood before an event."""
    if before != history.ON:
        return record_of(before)
    return history.one(connection, tenant, subject.name, subject.sid, uid, seq).before


def records_of(connection: apsw.Connection, keys: Sequence[int]) -> list[Record]:
    """Records by key, in the order asked."""
    rows = among(connection, "records_by_id", list(keys))
    return [record_of_parts(state, body) for state, body in rows]


def _past(subject: Subject, records: Mapping[int, Record]) -> Part:
    uids = np.empty(len(records), dtype=object)
    uids[:] = [record.id for record in records.values()]
    arrays = {
        "id": np.array(list(records), dtype=np.int64),
        "uid": uids,
        "said": np.array([to_us(record.said_at) for record in records.values()], dtype=np.int64),
        "length": np.array([len(terms_of(record.text)) for record in records.values()], dtype=np.int64),
    }
    rows, mask = Columns(arrays, Codes()), np.ones(len(records), dtype=np.bool_)
    return Part(subject.sid, subject.tid, subject.records, rows, mask, list(records.values()))


def _filter(connection: apsw.Connection, view: View, corpus: Corpus, rows: Columns, mask: Mask) -> None:
    """Narrows ``mask`` to the rows that the caller's filters admit."""
    left = iter(np.flatnonzero(mask).tolist())
    shows_record, shows_turn = record_test(view), turn_test(view)
    while places := list(islice(left, _AT_ONCE)):
        keys = rows["id"][places].tolist()
        if corpus is Corpus.RECORDS:
            mask[places] = [shows_record(record) for record in records_of(connection, keys)]
        else:
            mask[places] = [shows_turn(turn) for turn in journal.by_ids(connection, view.reach.tenant, keys)]


def _name(view: View) -> Any:
    """What tells views apart that show different rows of one subject at one time; ``None`` where that cannot be told."""
    try:
        name = replace(view, valid_at=None, filters=None), view.valid_at is None, _frozen(view.filters)
        hash(name)
    except TypeError:
        return None
    return name


def _frozen(value: Any) -> Any:
    """A filter as a value that can be compared, with the types in it: 1 is not True."""
    if isinstance(value, Mapping):
        return tuple((key, _frozen(inner)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(_frozen(inner) for inner in value)
    return type(value), value


def _newest(rows: Columns, mask: Mask, limit: int) -> Keys:
    """Places of the rows of a mask said last, newest first, ties by id downward: at least ``limit``."""
    places, said = np.flatnonzero(mask), rows["said"]
    if 0 < limit < len(places):
        some = said[places]
        places = places[some >= np.partition(some, -limit)[-limit]]
    uids = rows["uid"]
    return np.array(sorted(places.tolist(), key=lambda place: (said[place], uids[place]), reverse=True), dtype=np.int64)


def _memo(rows: Columns, name: str, make: Any) -> Any:
    if name not in rows.memo:
        rows.memo[name] = make()
    return rows.memo[name]
