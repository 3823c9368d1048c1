"""Searching the rows of a view. Which rows those are is settled first, before any cut."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from operator import itemgetter

import apsw

from onrecord.model.query import Best, Corpus, Postings, View
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.policy.visible import record_test, turn_test
from onrecord.ports import Vector
from onrecord.stores.sqlite import records, subjects
from onrecord.stores.sqlite.cache import Cache, vectors_of
from onrecord.stores.sqlite.lexical import lexical
from onrecord.stores.sqlite.matrix import Compared, Matrix
from onrecord.stores.sqlite.part import Part, part_of, part_then, records_of
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.sqlite.vectors import Model, model_named
from onrecord.stores.vectors import dimension, unit


class Search:
    """Searches in one read transaction. Subjects are looked up once, and what a view shows is settled once."""

    def __init__(self, connection: apsw.Connection, cache: Cache) -> None:
        self.connection, self._cache = connection, cache
        self._subjects: dict[Reach, list[Subject]] = {}
        self._compared: dict[tuple[int, int, bytes], tuple[Part, Compared]] = {}
        self._seen: dict[tuple[int, Corpus], tuple[View, list[tuple[Subject, Part]]]] = {}

    def subjects(self, reach: Reach) -> list[Subject]:
        """The known subjects of a reach."""
        if reach not in self._subjects:
            self._subjects[reach] = subjects.within(self.connection, reach)
        return self._subjects[reach]

    def get(self, reach: Reach, ids: Sequence[str]) -> list[Record]:
        """See ``Store.get``. What is read is kept beside the columns, where those are in use, until anything of the subject
        changes."""
        known = self.subjects(reach)
        columns = {subject.sid: self._cache.fresh_columns(subject) for subject in known}
        kept = {sid: found.memo.setdefault("fields", {}) for sid, found in columns.items() if found is not None}
        return records.get(self.connection, known, ids, kept)

    def select(self, view: View, limit: int | None, after: str | None) -> list[Record]:
        """See ``Store.select``."""
        found: list[tuple[str, int, Record | None]] = []
        for _, part in self._parts(view, Corpus.RECORDS):
            rows, places = part.rows, part.places
            then: Sequence[Record | None] = part.then if part.then is not None else [None] * len(places)
            found += zip(rows["uid"][places].tolist(), rows["id"][places].tolist(), then, strict=True)
        left = found if after is None else [row for row in found if row[0] > after]
        kept = sorted(left, key=itemgetter(0)) if limit is None else heapq.nsmallest(limit, left, key=itemgetter(0))
        if any(then is not None for _, _, then in kept):
            return [then for _, _, then in kept if then is not None]
        return records_of(self.connection, [key for _, key, _ in kept])

    def lexical(self, view: View, corpus: Corpus, terms: Sequence[str], best: Best | None) -> Postings:
        """See ``Store.lexical``."""
        return lexical(self.connection, self._cache, corpus, self._parts(view, corpus), terms, best)

    def nearest(
        self, view: View, corpus: Corpus, model: str, vector: Vector, limit: int, also: Collection[str]
    ) -> list[tuple[str, float]]:
        """See ``Store.nearest``."""
        known = model_named(self.connection, model)
        if known is None:
            return []
        dimension(model, {"": vector}, known.dim)
        best, named = dict[str, float](), dict[str, float]()
        for subject, part in self._parts(view, corpus):
            near, beside = self._nearest(subject, part, corpus, known, vector, limit, also)
            best, named = best | near, named | beside
        order = sorted(sorted(best), key=best.__getitem__, reverse=True)[: max(limit, 0)]  # equal ones stay in order of id
        rest = sorted(named.keys() - set(order))
        return [(id, best[id]) for id in order] + [(id, named[id]) for id in rest]

    def _nearest(
        self, subject: Subject, part: Part, corpus: Corpus, model: Model, vector: Vector, limit: int, also: Collection[str]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Cosines of at least the ``limit`` nearest rows of a part, and of those of its rows that are named."""
        vectors = self._cache.vectors(self.connection, corpus, subject, model)
        if isinstance(vectors, Matrix):
            compared = self._compare(part, model, vectors, vector)
            return compared.best(limit) if limit > 0 else {}, compared.at(part.places_of(also))
        query, fetch = unit(vector), partial(vectors_of, self.connection, corpus, subject, model)
        best = part.cosines(*vectors.nearest(query, part.shows(vectors.keys), limit, fetch))
        named = part.keys_of(self.connection, corpus, [uid for uid in also if uid not in best])
        return best, part.cosines(*vectors.cosines(query, named, fetch)) | {uid: best[uid] for uid in also if uid in best}

    def _compare(self, part: Part, model: Model, vectors: Matrix, vector: Vector) -> Compared:
        """All rows of a part beside a vector. A search asks twice, for the nearest and for those that words found, so the last
        comparisons are kept; with what they were made of, so that its id stays its own."""
        name = id(part.mask), model.mid, vector.tobytes()
        if name not in self._compared:
            made = Compared.of(vectors, unit(vector), part.rows["id"], part.rows["uid"], part.mask)
            self._compared[name] = part, made
        return self._compared[name][1]

    def recent(self, view: View, corpus: Corpus, limit: int) -> list[str]:
        """See ``Store.recent``."""
        found = [row for _, part in self._parts(view, corpus) for row in part.newest(limit)]
        return [uid for _, uid in heapq.nlargest(limit, found)]

    # -- the rows of a view
    def _parts(self, view: View, corpus: Corpus) -> list[tuple[Subject, Part]]:
        """The rows that a view shows, by subject. The view is held with them, so that its id stays its own."""
        if (id(view), corpus) not in self._seen:
            self._seen[id(view), corpus] = view, list(self._parts_of(view, corpus))
        return self._seen[id(view), corpus][1]

    def _parts_of(self, view: View, corpus: Corpus) -> Iterator[tuple[Subject, Part]]:
        record_test(view) if corpus is Corpus.RECORDS else turn_test(view)  # refuses a bad filter even where there are no rows
        for subject in self.subjects(view.reach):
            rows = self._cache.columns(self.connection, corpus, subject)
            if corpus is Corpus.RECORDS and view.known_at is not None:
                yield subject, part_then(self.connection, rows, view, subject, view.known_at)
            else:
                yield subject, part_of(self.connection, rows, view, subject, corpus)
