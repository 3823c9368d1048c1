"""``KnowledgeBase``: documents to look things up in, the verbs behind ``memory.knowledge``.

A document belongs to one owner (``user_id``, ``agent_id`` or ``subject``), or, where none is named, to all of the tenant. Who
looks for something sees what is shared beside what is the owner's; who changes something names whose it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onrecord.model.document import Document, Excerpt, Passage, Shelved
from onrecord.model.query import View
from onrecord.model.scope import SHARED, Reach, checked_name
from onrecord.pipeline.knowledge import Entry, document_of, look_up, shelve
from onrecord.policy.address import address, checked_subjects
from onrecord.policy.arguments import checked, words
from onrecord.ports import Engine


class KnowledgeBase:
    """The documents of a tenant, in the same store as its memory. ``Memory.knowledge`` is one."""

    def __init__(self, tenant: str, engine: Engine) -> None:
        self._tenant, self._engine = tenant, engine

    @checked(text=words, name=words, collection=words)
    def add(
        self,
        text: str,
        *,
        name: str,
        collection: str = "default",
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Shelved:
        """What became of a document: it is added, or replaces the one of that ``name`` (a path, a title, an address).

        It is cut along its structure: Markdown and plain text at headings, paragraphs, lists and blocks of code, files of code
        (by the ending of the name) at definitions. Passages that did not change keep their vectors. Secrets are replaced by
        placeholders. Raises ``InvalidInput`` for a text that says nothing or is too long."""
        owner = self._owner(user_id, agent_id, subject)
        entry = Entry(
            reach=owner,
            text=text,
            name=checked_name(name, "name"),
            collection=checked_name(collection, "collection"),
            metadata=metadata or {},
        )
        return shelve(self._engine, entry)

    @checked()
    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        subjects: Sequence[str] = (),
        collection: str | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int | None = None,
        threshold: float | None = None,
    ) -> list[Excerpt]:
        """The passages that answer ``query``, best first, none rather than weak ones: those of the owner and of ``subjects``, if
        any, and what all share. ``filters`` see a document's metadata, ``name`` and ``collection``; ``threshold`` (0..1) takes
        the place of the relevance that the embedder was calibrated to."""
        view = View(reach=self._seen(user_id, agent_id, subject, subjects), filters=_filters(collection, filters))
        most = self._engine.policy.search_limit if limit is None else limit
        return list(look_up(self._engine, view, query, limit=most, threshold=threshold).excerpts)

    @checked()
    def get(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Document:
        """One document, without its words. Raises ``NotFound``."""
        return document_of(self._engine, self._seen(user_id, agent_id, subject, ()), id)

    @checked()
    def passages(
        self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None
    ) -> list[Passage]:
        """The passages of a document, in order. Raises ``NotFound``."""
        document = self.get(id, user_id=user_id, agent_id=agent_id, subject=subject)
        return self._engine.store.passages_of(Reach(self._tenant, (document.subject,)), id)

    @checked()
    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        subjects: Sequence[str] = (),
        collection: str | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> list[Document]:
        """The documents that a search would look into, in order of id (oldest first); the next page begins ``after`` the last id.
        ``limit=None`` gives all."""
        view = View(reach=self._seen(user_id, agent_id, subject, subjects), filters=_filters(collection, filters))
        return self._engine.store.documents(view, limit=limit, after=after)

    @checked()
    def remove(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Document:
        """The document that was taken away, with its passages, of the owner or, if none is named, of those that all share. Raises
        ``NotFound``."""
        owner = self._owner(user_id, agent_id, subject)
        document = document_of(self._engine, owner, id)
        self._engine.store.drop_document(owner, id)
        return document

    def _owner(self, user_id: str | None, agent_id: str | None, subject: str | None) -> Reach:
        if user_id is None and agent_id is None and subject is None:
            return Reach(self._tenant, (SHARED,))
        return Reach(self._tenant, (address(self._tenant, subject=subject, user_id=user_id, agent_id=agent_id).subject,))

    def _seen(self, user_id: str | None, agent_id: str | None, subject: str | None, subjects: Sequence[str]) -> Reach:
        owner = self._owner(user_id, agent_id, subject)
        return Reach(self._tenant, tuple(dict.fromkeys((*owner.subjects, *checked_subjects(subjects), SHARED))))


def _filters(collection: str | None, filters: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if collection is None:
        return filters
    named = {"collection": checked_name(collection, "collection")}
    return named if filters is None else {"AND": [named, filters]}
