"""What another memory system kept, one row of it at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A row by its number in its file, from 1 on, and the id it had there. ``user`` and ``agent`` are the owners it names, if it
    does; ``at`` is when it was written there, where that is known."""

    number: int
    id: str
    text: str
    at: datetime | None = None
    user: str | None = None
    agent: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unread:
    """A row that holds nothing to take over, and why."""

    number: int
    what: str
    why: str
