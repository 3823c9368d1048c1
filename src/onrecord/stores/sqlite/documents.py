"""Documents in the database, and the search in their passages.

A search reads the vectors and the full text of every passage that its view shows. That is quick for thousands of passages, which
is what this collection is made for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from onrecord.errors import NotFound
from onrecord.model.document import Document, Passage
from onrecord.model.moment import from_us, to_us
from onrecord.model.query import Best, Corpus, Posting, Postings, View
from onrecord.model.scope import Reach
from onrecord.policy.recall.rank import cut
from onrecord.policy.visible import document_test
from onrecord.ports import NO_VECTORS, Vector
from onrecord.stores.codec import document_json, document_of, passage_json, passage_of
from onrecord.stores.shelves import check_passage, check_passages, check_version
from onrecord.stores.sqlite import subjects
from onrecord.stores.sqlite.connection import Database
from onrecord.stores.sqlite.holding import question
from onrecord.stores.sqlite.rows import full_text, id_range
from onrecord.stores.sqlite.statements import among, every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.sqlite.vectors import model_named, put
from onrecord.stores.vectors import dimension, ranked, unit, unpack


class Shelves:
    """The methods of ``Library`` on a database."""

    _db: Database

    def put_document(
        self, document: Document, passages: Sequence[Passage], *, model: str = "", vectors: Mapping[str, Vector] = NO_VECTORS
    ) -> None:
        """See ``Library.put_document``."""
        check_passages(document, passages)
        with self._db.write() as connection:
            subject = subjects.named(connection, document.tenant, document.subject)
            _put(connection, subject, document, passages)
            mine = {passage.id: vectors[passage.id] for passage in passages if passage.id in vectors}
            put(connection, Corpus.PASSAGES, model, mine, [subject])
            subjects.save(connection, [subject])
        if document.version > 1:
            self._db.scrub()

    def drop_document(self, reach: Reach, id: str) -> None:
        """See ``Library.drop_document``."""
        with self._db.write() as connection:
            key, sid, _ = _seen(connection, reach, id)
            for passage, *_ in every(connection, "passages_of", sid, key):
                _drop(connection, sid, passage)
            run(connection, "drop_document", key)
        self._db.scrub()

    def documents(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Document]:
        """See ``Library.documents``."""
        shows, most = document_test(view), -1 if limit is None else max(limit, 0)
        asked = most if view.filters is None and view.since is None and view.until is None else -1
        with self._db.read() as connection:
            owners = subjects.within(connection, view.reach)
            rows = [body for one in owners for (body,) in every(connection, "documents_behind", one.sid, after or "", asked)]
        return sorted(filter(shows, map(document_of, rows)), key=lambda document: document.id)[:limit]

    def documents_by_id(self, reach: Reach, ids: Sequence[str]) -> list[Document]:
        """See ``Library.documents_by_id``."""
        with self._db.read() as connection:
            known = {one.sid: one.tid for one in subjects.within(connection, reach)}
            rows = among(connection, "documents_by_uid", ids, next(iter(known.values()), -1))
        return [document_of(body) for sid, body in rows if sid in known]

    def document_named(self, reach: Reach, collection: str, name: str) -> Document | None:
        """See ``Library.document_named``."""
        with self._db.read() as connection:
            owner = subjects.find(connection, reach.tenant, reach.subjects[0])
            row = first(connection, "document_named", owner.sid, collection, name) if owner else None
        return document_of(row[1]) if row else None

    def passages(self, reach: Reach, ids: Sequence[str]) -> list[Passage]:
        """See ``Library.passages``."""
        with self._db.read() as connection:
            known = {one.sid: one.tid for one in subjects.within(connection, reach)}
            rows = among(connection, "passages_by_uid", ids, next(iter(known.values()), -1))
        return [passage_of_row(*row) for _, sid, *row in rows if sid in known]

    def passages_of(self, reach: Reach, document_id: str) -> list[Passage]:
        """See ``Library.passages_of``."""
        with self._db.read() as connection:
            try:
                key, sid, _ = _seen(connection, reach, document_id)
            except NotFound:
                return []
            return [passage_of_row(*row) for _, _, *row in every(connection, "passages_of", sid, key)]


def lexical(connection: apsw.Connection, view: View, terms: Sequence[str], best: Best | None) -> Postings:
    """See ``Store.lexical``, of passages."""
    rows: list[Posting] = []
    size = length = 0
    asked = question(terms)
    for subject, documents in _shown(connection, view):
        count, words = first(connection, "passage_sizes", subject.sid, documents) or (0, 0)
        size, length = size + count, length + words
        if asked:
            rows += map(_posting(terms), every(connection, "passages_holding", asked, *id_range(subject.sid), documents))
    found = Postings.of(size, length / size if size else 0.0, rows)
    return found if best is None else cut(found, best)


def nearest(
    connection: apsw.Connection, view: View, model: str, vector: Vector, limit: int, also: Collection[str]
) -> list[tuple[str, float]]:
    """See ``Store.nearest``, of passages."""
    known = model_named(connection, model)
    if known is None:
        return []
    dimension(model, {"": vector}, known.dim)
    rows = [
        row
        for subject, documents in _shown(connection, view)
        for row in every(connection, "passage_vectors", subject.sid, known.mid, documents)
    ]
    return ranked([uid for uid, _ in rows], unpack([blob for _, blob in rows], known.dim) @ unit(vector), limit, also)


def recent(connection: apsw.Connection, view: View, limit: int) -> list[str]:
    """See ``Store.recent``, of passages."""
    rows = [
        row
        for subject, documents in _shown(connection, view)
        for row in every(connection, "recent_passages", subject.sid, documents, max(limit, 0))
    ]
    return [uid for _, uid in sorted(rows, reverse=True)[: max(limit, 0)]]


def _shown(connection: apsw.Connection, view: View) -> Iterator[tuple[Subject, str | None]]:
    """The subjects of a view, each with the keys of the documents that are shown; ``None`` where all are."""
    shows = document_test(view)
    for subject in subjects.within(connection, view.reach):
        if view.filters is None and view.since is None and view.until is None:
            yield subject, None
        else:
            rows = every(connection, "documents_of", subject.sid)
            yield subject, json.dumps([key for key, body in rows if shows(document_of(body))])


def _posting(terms: Sequence[str]) -> Any:
    def made(row: tuple[str, int, str, str]) -> Posting:
        uid, length, held, again = row
        once, more = set(held.split(" ")), again.split(" ")
        return Posting(uid, length, tuple((term in once) + more.count(term) for term in terms))

    return made


def _put(connection: apsw.Connection, subject: Subject, document: Document, passages: Sequence[Passage]) -> None:
    row = first(connection, "document", subject.tid, document.id)
    key, held = (row[0], document_of(row[2])) if row else (0, None)
    named = first(connection, "document_named", subject.sid, document.collection, document.name)
    check_version(document, held, document_of(named[1]) if named else None)
    if held is not None:
        document = replace(document, added_at=held.added_at)
        run(connection, "set_document", document.collection, document.name, document_json(document), key)
    else:
        values = subject.tid, subject.sid, document.id, document.collection, document.name, document_json(document)
        key = scalar(connection, "add_document", *values)
    put_passages(connection, subject, key, passages)


def put_passages(connection: apsw.Connection, subject: Subject, key: int, passages: Sequence[Passage]) -> None:
    """Sets the passages of a document; those that it had and has no more go."""
    kept = {one.id: (old, one) for old, one in _held(connection, subject.sid, key)}
    for old, one in kept.values():
        if one.id not in {passage.id for passage in passages}:
            _drop(connection, subject.sid, old)
    for passage in passages:
        if passage.id in kept:
            check_passage(passage, kept[passage.id][1])
            run(connection, "move_passage", passage.position, kept[passage.id][0])
        else:
            _add(connection, subject, key, passage)


def _add(connection: apsw.Connection, subject: Subject, document: int, passage: Passage) -> None:
    if other := among(connection, "passages_by_uid", [passage.id], subject.tid):
        check_passage(passage, passage_of_row(*other[0][2:]))
    plain = passage_of(passage_json(passage))
    low, high = id_range(subject.sid)
    id, index = (scalar(connection, "last_passage", low, high) or low) + 1, full_text(plain.told)
    at = to_us(plain.written_at)
    words = plain.id, plain.digest, plain.heading, plain.text
    run(connection, "add_passage", id, subject.tid, subject.sid, document, plain.position, index.length, at, *words)
    run(connection, "add_passage_terms", id, index.terms, index.again)


def _drop(connection: apsw.Connection, sid: int, id: int) -> None:
    run(connection, "drop_passage_vectors", sid, id)
    run(connection, "drop_passage_terms", id)
    run(connection, "drop_passage", id)


def _held(connection: apsw.Connection, sid: int, document: int) -> list[tuple[int, Passage]]:
    return [(key, passage_of_row(*row)) for key, _, *row in every(connection, "passages_of", sid, document)]


def _seen(connection: apsw.Connection, reach: Reach, id: str) -> tuple[int, int, str]:
    """Key, subject and content of a document. Raises ``NotFound``."""
    known = {one.sid: one.tid for one in subjects.within(connection, reach)}
    row = first(connection, "document", next(iter(known.values()), -1), id)
    if row is None or row[1] not in known:
        raise NotFound("document", id)
    key, sid, body = row
    return key, sid, body


def passage_of_row(uid: str, tenant: str, subject: str, document: str, *rest: Any) -> Passage:
    """The passage of a row of the query ``passages_of``, behind its keys."""
    position, heading, text, digest, written_at = rest
    return Passage(
        id=uid,
        tenant=tenant,
        subject=subject,
        document_id=document,
        position=position,
        heading=heading,
        text=text,
        digest=digest,
        written_at=from_us(written_at),
    )
