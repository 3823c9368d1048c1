"""Documents that a memory can look things up in, and the passages that they are cut into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from onrecord.model.scope import checked_name, checked_subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document. ``subject`` is its owner (``model.scope.SHARED``: all subjects of the tenant), whose ``collection`` holds one
    document of a ``name`` (a path, a title, an address).

    ``digest`` is the SHA-256 of its text in hexadecimal, ``size`` the characters of that, ``passages`` how many it was cut into.
    ``version`` grows with every replacement; ``added_at`` is when the first came, ``updated_at`` when this one did.
    """

    id: str
    tenant: str
    subject: str
    collection: str
    name: str
    digest: str
    size: int
    passages: int
    metadata: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1
    added_at: datetime
    updated_at: datetime

    def __post_init__(self) -> None:
        checked_name(self.tenant, "tenant")
        checked_subject(self.subject)
        checked_name(self.collection, "collection")
        checked_name(self.name, "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a document, in the order of ``position`` from 1. ``heading`` is the path of headings above it
    (``Install > Linux``), ``digest`` tells whether heading or text changed; neither of an id ever does."""

    id: str
    tenant: str
    subject: str
    document_id: str
    position: int
    heading: str
    text: str
    digest: str
    written_at: datetime

    @property
    def told(self) -> str:
        """What is searched and embedded: the heading, and the text."""
        return told_below(self.heading, self.text)


def told_below(heading: str, text: str) -> str:
    """A text below the path of its headings."""
    return f"{heading}\n{text}" if heading else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """What adding a document did: how many of its passages are new (``added``), were there before (``kept``), or were taken away
    (``dropped``). ``queued`` are those that wait for a vector, because the embedder failed; they are found by words meanwhile."""

    document: Document
    added: int
    kept: int = 0
    dropped: int = 0
    queued: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A hit: the passage, and the document it stands in.

    ``score`` orders the hits of one question, ``relevance`` (0..1) is absolute and what the threshold looks at; ``parts`` holds
    every number that went into the score. ``trust`` is that of a document: data to answer from, never what somebody prefers.
    """

    passage: Passage
    document: Document
    score: float
    relevance: float
    trust: float
    parts: Mapping[str, float] = field(default_factory=dict)
