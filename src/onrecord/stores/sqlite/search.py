"""Searching the rows of a view. Which rows those are is settled first, before any cut."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import apsw
import numpy as np

from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import Corpus, Posting, Postings, View
from onrecord.model.record import Record
from onrecord.policy.language.text import terms as terms_of
from onrecord.policy.visible import record_test, turn_test
from onrecord.ports import Vector
from onrecord.stores.codec import record_of
from onrecord.stores.sqlite import journal, subjects
from onrecord.stores.sqlite.cache import Cache, Keys
from onrecord.stores.sqlite.columns import Array, Columns, Mask, record_mask, turn_mask
from onrecord.stores.sqlite.matching import Matches, places
from onrecord.stores.sqlite.rows import record_of_parts
from onrecord.stores.sqlite.statements import among, every
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.sqlite.vectors import model_named
from onrecord.stores.vectors import dimension, ranked, unit


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one subject that a view shows, in order of key.

    ``then`` holds the records themselves where they are shown as they stood at another time; ``None`` means as they are."""

    subject: Subject
    keys: Keys
    uids: Array
    said: Keys
    lengths: Keys
    then: Sequence[Record] | None = None


class Search:
    """Searches in one read transaction. What a view shows is settled once."""

    def __init__(self, connection: apsw.Connection, cache: Cache) -> None:
        self._connection, self._cache = connection, cache
        self._seen: dict[tuple[int, Corpus], tuple[View, list[Part]]] = {}

    def records_of(self, keys: Sequence[int]) -> list[Record]:
        """Records by key, in the order asked."""
        rows = among(self._connection, "records_by_id", list(keys))
        return [record_of_parts(state, body) for state, body in rows]

    def select(self, view: View, limit: int | None, after: str | None) -> list[Record]:
        """See ``Store.select``."""
        found: list[tuple[str, int, Record | None]] = []
        for part in self._parts(view, Corpus.RECORDS):
            then: Sequence[Record | None] = part.then if part.then is not None else [None] * len(part.keys)
            found += zip(part.uids.tolist(), part.keys.tolist(), then, strict=True)
        found.sort(key=lambda row: row[0])
        kept = [row for row in found if after is None or row[0] > after][:limit]
        if any(then is not None for _, _, then in kept):
            return [then for _, _, then in kept if then is not None]
        return self.records_of([key for _, key, _ in kept])

    def lexical(self, view: View, corpus: Corpus, terms: Sequence[str]) -> Postings:
        """See ``Store.lexical``."""
        size, total, found = 0, 0, list[Postings]()
        for part in self._parts(view, corpus):
            size, total = size + len(part.keys), total + int(part.lengths.sum())
            found.append(self._postings(part, corpus, terms))
        return _together(size, total / size if size else 0.0, found)

    def _postings(self, part: Part, corpus: Corpus, terms: Sequence[str]) -> Postings:
        if part.then is not None:
            return Postings.of(0, 0.0, _counted(part.then, terms))
        rows, counts = Matches(self._connection, corpus, part.subject.sid, part.keys, terms).counted()
        return Postings(0, 0.0, part.uids[rows].tolist(), part.lengths[rows], counts)

    def nearest(
        self, view: View, corpus: Corpus, model: str, vector: Vector, limit: int, also: Collection[str]
    ) -> list[tuple[str, float]]:
        """See ``Store.nearest``."""
        known = model_named(self._connection, model)
        if known is None:
            return []
        dimension(model, {"": vector}, known.dim)
        query, uids, cosines = unit(vector), list[str](), list[Vector]()
        for part in self._parts(view, corpus):
            matrix = self._cache.matrix(self._connection, corpus, part.subject, known)
            here, found = places(part.keys, matrix.keys)
            cosines.append((matrix.rows @ query)[here])
            uids += part.uids[found].tolist()
        return ranked(uids, np.concatenate(cosines), limit, also) if cosines else []

    def recent(self, view: View, corpus: Corpus, limit: int) -> list[str]:
        """See ``Store.recent``."""
        found: list[tuple[int, str]] = []
        for part in self._parts(view, corpus):
            newest = np.arange(len(part.said))
            if 0 < limit < len(newest):
                newest = np.flatnonzero(part.said >= np.partition(part.said, -limit)[-limit])
            found += zip(part.said[newest].tolist(), part.uids[newest].tolist(), strict=True)
        return [uid for _, uid in heapq.nlargest(limit, found)]

    # -- the rows of a view
    def _parts(self, view: View, corpus: Corpus) -> list[Part]:
        """The rows that a view shows, by subject. The view is held with them, so that its id stays its own."""
        if (id(view), corpus) not in self._seen:
            self._seen[id(view), corpus] = view, list(self._parts_of(view, corpus))
        return self._seen[id(view), corpus][1]

    def _parts_of(self, view: View, corpus: Corpus) -> Iterator[Part]:
        record_test(view) if corpus is Corpus.RECORDS else turn_test(view)  # refuses a bad filter even where there are no rows
        for subject in subjects.within(self._connection, view.reach):
            if corpus is Corpus.RECORDS and view.known_at is not None:
                yield self._part_then(view, subject, view.known_at)
                continue
            rows = self._cache.columns(self._connection, corpus, subject)
            mask = record_mask(rows, view) if corpus is Corpus.RECORDS else turn_mask(rows, view)
            if view.filters is not None:
                self._filter(view, corpus, rows, mask)
            yield _part(subject, rows, mask)

    def _filter(self, view: View, corpus: Corpus, rows: Columns, mask: Mask) -> None:
        """Narrows ``mask`` to the rows that the caller's filters admit."""
        places = np.flatnonzero(mask)
        keys = rows["id"][places].tolist()
        if corpus is Corpus.RECORDS:
            shows_record = record_test(view)
            mask[places] = [shows_record(record) for record in self.records_of(keys)]
        else:
            shows_turn = turn_test(view)
            mask[places] = [shows_turn(turn) for turn in journal.by_ids(self._connection, view.reach.tenant, keys)]

    def _part_then(self, view: View, subject: Subject, moment: datetime) -> Part:
        """The records as they stood at ``moment``: what happened later is taken back."""
        us = to_us(as_utc(moment, "known_at"))
        changed = dict(every(self._connection, "records_then", subject.sid, us))
        now = self._cache.columns(self._connection, Corpus.RECORDS, subject)
        records: dict[int, Record] = {}
        for key, uid, record in zip(now["id"].tolist(), now["uid"].tolist(), self.records_of(now["id"].tolist()), strict=True):
            before = changed.get(uid, "")
            then = record_of(before) if before != "" else record
            if then is not None:
                records[key] = then
        shows = record_test(view)
        shown = {key: record for key, record in records.items() if record.written_at <= moment and shows(record)}
        return _part_of(subject, shown)


def _part(subject: Subject, rows: Columns, mask: Mask) -> Part:
    return Part(subject, rows["id"][mask], rows["uid"][mask], rows["said"][mask], rows["length"][mask])


def _part_of(subject: Subject, records: Mapping[int, Record]) -> Part:
    """A part made of records that are shown as they stood once."""
    uids = np.empty(len(records), dtype=object)
    uids[:] = [record.id for record in records.values()]
    return Part(
        subject,
        np.array(list(records), dtype=np.int64),
        uids,
        np.array([to_us(record.said_at) for record in records.values()], dtype=np.int64),
        np.array([len(terms_of(record.text)) for record in records.values()], dtype=np.int64),
        list(records.values()),
    )


def _counted(records: Iterable[Record], terms: Sequence[str]) -> Iterator[Posting]:
    """Postings of the records that hold any of the terms."""
    for record in records:
        held = terms_of(record.text)
        counts = tuple(held.count(term) for term in terms)
        if any(counts):
            yield Posting(record.id, len(held), counts)


def _together(size: int, mean_length: float, found: Sequence[Postings]) -> Postings:
    """The postings of several subjects as one."""
    found = [one for one in found if len(one.ids)]
    if not found:
        return Postings.of(size, mean_length)
    ids = [id for one in found for id in one.ids]
    return Postings(
        size, mean_length, ids, np.concatenate([one.lengths for one in found]), np.concatenate([one.counts for one in found])
    )
