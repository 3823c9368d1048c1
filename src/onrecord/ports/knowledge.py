"""Documents to look things up in: what a context asks for, and what a store keeps of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from onrecord.model.document import Document, Excerpt, Passage
from onrecord.model.query import View
from onrecord.model.scope import Reach
from onrecord.ports.language import Vector

NO_VECTORS: Mapping[str, Vector] = MappingProxyType({})


class Knowledge(Protocol):
    """A base of documents of somebody else, looked at in place of the built-in one when a context is made."""

    def search(self, reach: Reach, text: str, *, limit: int) -> Sequence[Excerpt]:
        """At most ``limit`` passages that answer ``text`` and that the subjects of the reach may see, best first; none rather
        than weak ones. Whatever it raises, the context is made without it and says so."""
        ...


class Library(Protocol):
    """The part of a store that keeps documents. A document and its passages belong to one subject, and are seen as ``Store``
    says.

    Passages are searched, embedded and counted as rows of ``Corpus.PASSAGES``."""

    def put_document(
        self, document: Document, passages: Sequence[Passage], *, model: str = "", vectors: Mapping[str, Vector] = NO_VECTORS
    ) -> None:
        """Keeps a document with its passages, all of them, in order, and sets vectors by their ids.

        Of a version above 1 it replaces the one before: passages of ids that are there keep words and vectors, and move to their
        new position; others go. Raises ``StaleRead`` unless version - 1 is there (for 1: nothing of that owner, collection and
        name), ``InvalidInput`` for an id that another row has."""
        ...

    def drop_document(self, reach: Reach, id: str) -> None:
        """Takes a document away, with its passages and their vectors. Raises ``NotFound``."""
        ...

    def documents(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Document]:
        """Documents of a view in order of id, beginning behind ``after``."""
        ...

    def documents_by_id(self, reach: Reach, ids: Sequence[str]) -> list[Document]:
        """Documents by id, in the order asked; what is not there is left out."""
        ...

    def document_named(self, reach: Reach, collection: str, name: str) -> Document | None:
        """The document of the first subject of the reach, or ``None``."""
        ...

    def passages(self, reach: Reach, ids: Sequence[str]) -> list[Passage]:
        """Passages by id, in the order asked; what is not there is left out."""
        ...

    def passages_of(self, reach: Reach, document_id: str) -> list[Passage]:
        """The passages of a document in order. Empty if it is not there."""
        ...
