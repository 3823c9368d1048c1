"""Routes about documents to look things up in: an owner's, and those that all of the tenant share."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response

from onrecord.server.answering import Answering
from onrecord.server.callers import ONE, Reader, Whose, Writer
from onrecord.server.links import links
from onrecord.server.routes.records import object_of
from onrecord.wire import documents, requests

routes = Answering("/knowledge", "knowledge")
Id = Annotated[str, Path(min_length=1, max_length=200, description="The id of a document.")]
_ABOUT = ("get_document", "passages", "remove_document")


@routes.post("", summary="Add or replace a document", responses=links(_ABOUT, id="$response.body#/document/id"))
def add_document(caller: Writer, asked: requests.AddDocument) -> documents.Shelved:
    """By its name in its collection; without an owner for all of the tenant."""
    return documents.Shelved.of(caller.memory.knowledge.add(**caller.owned(asked.arguments())))


@routes.get("", summary="List documents", responses=links(_ABOUT, id="$response.body#/documents/0/id"))
def list_documents(caller: Reader, asked: Annotated[requests.DocumentList, Query()]) -> documents.Documents:
    """Those that a search would look into, oldest first, in pages."""
    given = {**asked.arguments(), "limit": asked.limit + 1, "filters": object_of(asked.filters)}
    return documents.Documents.of(caller.memory.knowledge.get_all(**caller.owned(given)), asked.limit)


@routes.post("/search", summary="Find passages of documents")
def search_documents(caller: Reader, asked: requests.SearchDocuments) -> documents.Excerpts:
    """Best first; none when nothing is relevant enough."""
    return documents.Excerpts.of(caller.memory.knowledge.search(**caller.owned(asked.arguments())))


@routes.get("/{id}", summary="One document", responses=ONE)
def get_document(caller: Reader, id: Id, whose: Whose) -> documents.Document:
    """Without its words."""
    return documents.Document.of(caller.memory.knowledge.get(id, **caller.owned(whose.arguments())))


@routes.get("/{id}/passages", summary="The passages of a document", responses=ONE)
def passages(caller: Reader, id: Id, whose: Whose) -> list[documents.Passage]:
    """In order."""
    return [documents.Passage.of(one) for one in caller.memory.knowledge.passages(id, **caller.owned(whose.arguments()))]


@routes.delete("/{id}", summary="Take a document away", status_code=204, responses=ONE)
def remove_document(caller: Writer, id: Id, whose: Whose) -> Response:
    """With its passages."""
    caller.memory.knowledge.remove(id, **caller.owned(whose.arguments()))
    return Response(status_code=204)
