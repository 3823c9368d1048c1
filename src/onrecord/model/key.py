"""A key to a server: whose memory its bearer may touch, and how far. The secret itself is never kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from onrecord.model.scope import checked_name, checked_subject


class Right(StrEnum):
    """How far a key reaches: ``write`` may read too, ``admin`` may also look after the store."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, other: Right) -> bool:
        """Whether who holds this one may do what ``other`` asks."""
        order = tuple(Right)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One key. ``digest`` is the SHA-256 of its secret, in hexadecimal; ``subject`` binds it to one owner, ``None`` to all of
    the tenant's. Raises ``InvalidInput`` for a malformed tenant, subject or name."""

    id: str
    tenant: str
    name: str
    right: Right
    digest: str
    created_at: datetime
    subject: str | None = None

    def __post_init__(self) -> None:
        checked_name(self.tenant, "tenant")
        checked_name(self.name, "name")
        if self.subject is not None:
            checked_subject(self.subject)
