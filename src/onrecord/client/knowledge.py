"""``RemoteKnowledge``: the documents of a memory on a REST server."""

from __future__ import annotations

from typing import Any

from onrecord.client.line import Line, part
from onrecord.wire import documents


class RemoteKnowledge:
    """The verbs of ``KnowledgeBase``; ``Client.knowledge`` is one. Arguments are those of its methods."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def add(self, text: str, *, name: str, **more: Any) -> documents.Shelved:
        """What became of a document: it is added, or replaces the one of that ``name``."""
        return self._line.one(documents.Shelved, "POST", "/knowledge", {"text": text, "name": name, **more}, harmless=True)

    def search(self, query: str, **asked: Any) -> list[documents.Excerpt]:
        """The passages that answer ``query``, best first."""
        body = {"query": query, **asked}
        return self._line.one(documents.Excerpts, "POST", "/knowledge/search", body, harmless=True).excerpts

    def get(self, id: str, **owner: Any) -> documents.Document:
        """One document, without its words."""
        return self._line.one(documents.Document, "GET", f"/knowledge/{part(id)}", query=owner)

    def passages(self, id: str, **owner: Any) -> list[documents.Passage]:
        """The passages of a document, in order."""
        return self._line.many(documents.Passage, f"/knowledge/{part(id)}/passages", owner)

    def get_all(self, *, limit: int | None = None, after: str | None = None, **asked: Any) -> list[documents.Document]:
        """The documents that a search would look into, oldest first, at most ``limit``; ``None`` gives all, page by page."""
        found: list[documents.Document] = []
        while limit is None or len(found) < limit:
            size = 100 if limit is None else min(100, limit - len(found))
            page = self._line.one(documents.Documents, "GET", "/knowledge", query={**asked, "limit": size, "after": after})
            found += page.documents
            after = page.next
            if after is None:
                break
        return found

    def remove(self, id: str, **owner: Any) -> None:
        """Takes a document away, with its passages."""
        self._line.send("DELETE", f"/knowledge/{part(id)}", query=owner)
