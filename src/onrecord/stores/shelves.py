"""Documents in the in-memory store, and what of keeping them touches no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from onrecord.errors import InvalidInput, NotFound, StaleRead
from onrecord.model.document import Document, Passage
from onrecord.model.query import Corpus, View
from onrecord.model.scope import Reach
from onrecord.policy.visible import document_test
from onrecord.ports import NO_VECTORS, Vector
from onrecord.stores.codec import document_json, document_of, passage_json, passage_of
from onrecord.stores.guarded import Guarded
from onrecord.stores.vectors import dimension, pack


class Shelves(Guarded):
    """The methods of ``Library`` over ``documents`` and ``passages`` of the state."""

    def put_document(
        self, document: Document, passages: Sequence[Passage], *, model: str = "", vectors: Mapping[str, Vector] = NO_VECTORS
    ) -> None:
        """See ``Library.put_document``."""
        check_passages(document, passages)
        with self._writing() as state:
            _put(state, document, passages)
            _set_vectors(state, document, model, {id: v for id, v in vectors.items() if id in {p.id for p in passages}})

    def drop_document(self, reach: Reach, id: str) -> None:
        """See ``Library.drop_document``."""
        with self._writing() as state:
            document = _seen(state, reach, id)
            if document is None:
                raise NotFound("document", id)
            for passage in passages_in(state, document):
                drop_passage(state, passage)
            del state.documents[reach.tenant, id]

    def documents(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Document]:
        """See ``Library.documents``."""
        shows = document_test(view)
        with self._reading() as state:
            found = [document for document in state.documents.values() if shows(document)]
            behind = [document for document in found if after is None or document.id > after]
            return [document_of(document_json(one)) for one in sorted(behind, key=lambda document: document.id)[:limit]]

    def documents_by_id(self, reach: Reach, ids: Sequence[str]) -> list[Document]:
        """See ``Library.documents_by_id``."""
        with self._reading() as state:
            found = (_seen(state, reach, id) for id in ids)
            return [document_of(document_json(document)) for document in found if document is not None]

    def document_named(self, reach: Reach, collection: str, name: str) -> Document | None:
        """See ``Library.document_named``."""
        with self._reading() as state:
            found = document_called(state, reach.tenant, reach.subjects[0], collection, name)
            return found and document_of(document_json(found))

    def passages(self, reach: Reach, ids: Sequence[str]) -> list[Passage]:
        """See ``Library.passages``."""
        with self._reading() as state:
            found = (state.passages.get((reach.tenant, id)) for id in ids)
            return [passage for passage in found if passage is not None and passage.subject in reach.subjects]

    def passages_of(self, reach: Reach, document_id: str) -> list[Passage]:
        """See ``Library.passages_of``."""
        with self._reading() as state:
            document = _seen(state, reach, document_id)
            return passages_in(state, document) if document else []


def check_passages(document: Document, passages: Sequence[Passage]) -> None:
    """Refuses passages that are not the document's, all of them, in order."""
    whose = document.tenant, document.subject, document.id
    if any((one.tenant, one.subject, one.document_id) != whose for one in passages):
        raise InvalidInput("passages", f"are not all of document {document.id}", "give them its owner and id")
    if [one.position for one in passages] != list(range(1, document.passages + 1)):
        raise InvalidInput("passages", "are not numbered from 1 to as many as the document tells", "give all of them, in order")
    if len({one.id for one in passages}) != len(passages):
        raise InvalidInput("passages", "have an id twice", "let the system give the ids")


def check_version(document: Document, held: Document | None, named: Document | None) -> None:
    """Refuses what does not follow on ``held``, the row of that id, which is the one ``named`` alike."""
    if held is not None and (held.subject != document.subject or document.version == 1):
        raise InvalidInput("id", f"document {document.id} exists already", "let the system give the id")
    if (named.id if named else None) != (held.id if held else None) or (held.version if held else 0) != document.version - 1:
        raise StaleRead(f"document {document.name!r} is not at version {document.version - 1}: read it again and repeat")


def check_passage(passage: Passage, held: Passage) -> None:
    """Refuses another text under the id of a passage that is there."""
    if replace(held, position=passage.position, written_at=passage.written_at) != passage:
        raise InvalidInput("passages", f"{passage.id} exists already with other words", "let the system give the ids")


def drop_passage(state: Any, passage: Passage) -> int:
    """Takes a passage away; how many vectors it had."""
    del state.passages[passage.tenant, passage.id]
    keys = [(Corpus.PASSAGES, model, passage.tenant, passage.id) for model in state.dims]
    return sum(state.vectors.pop(key, None) is not None for key in keys)


def visible(state: Any, view: View) -> list[Passage]:
    """The passages that a view shows."""
    shows = document_test(view)
    shown = {key for key, document in state.documents.items() if shows(document)}
    return [passage for passage in state.passages.values() if (passage.tenant, passage.document_id) in shown]


def _put(state: Any, document: Document, passages: Sequence[Passage]) -> None:
    held = state.documents.get((document.tenant, document.id))
    check_version(document, held, document_called(state, document.tenant, document.subject, document.collection, document.name))
    if held is not None:
        document = replace(document, added_at=held.added_at)
    put_rows(state, document, passages)


def put_rows(state: Any, document: Document, passages: Sequence[Passage]) -> None:
    """Sets a document and its passages, those that it had and has no more taken away."""
    state.documents[document.tenant, document.id] = document_of(document_json(document))
    ids = {passage.id for passage in passages}
    for passage in passages:
        if other := state.passages.get((passage.tenant, passage.id)):
            check_passage(passage, other)
    for passage in passages_in(state, document):
        if passage.id not in ids:
            drop_passage(state, passage)
    for passage in passages:
        key = passage.tenant, passage.id
        if key in state.passages:
            passage = replace(state.passages[key], position=passage.position)
        state.passages[key] = passage_of(passage_json(passage))


def _set_vectors(state: Any, document: Document, model: str, vectors: Mapping[str, Vector]) -> None:
    if vectors:
        state.dims[model] = dimension(model, vectors, state.dims.get(model))
    for id, vector in vectors.items():
        state.vectors[Corpus.PASSAGES, model, document.tenant, id] = pack(vector)


def _seen(state: Any, reach: Reach, id: str) -> Document | None:
    document: Document | None = state.documents.get((reach.tenant, id))
    return document if document is not None and document.subject in reach.subjects else None


def document_called(state: Any, tenant: str, subject: str, collection: str, name: str) -> Document | None:
    """The document of that name, if there is one."""
    asked = tenant, subject, collection, name
    found = (one for one in state.documents.values() if (one.tenant, one.subject, one.collection, one.name) == asked)
    return next(found, None)


def passages_in(state: Any, document: Document) -> list[Passage]:
    """The passages of a document, in order."""
    mine = [p for p in state.passages.values() if (p.tenant, p.document_id) == (document.tenant, document.id)]
    return sorted(mine, key=lambda passage: passage.position)
