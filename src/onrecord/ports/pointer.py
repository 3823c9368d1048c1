"""Values that live elsewhere, read when a context is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Pointer:
    """What is to be read: the ``key`` and ``value`` of a pointer (``active_order_id``, ``4417``), for whom, and within how many
    seconds. ``credentials`` are the subject's, as the caller's function gave them."""

    key: str
    value: str
    tenant: str
    subject: str
    credentials: Mapping[str, str]
    timeout: float


class Resolver(Protocol):
    """Reads what a pointer points at from its system of record."""

    def resolve(self, pointer: Pointer) -> str:
        """What it says now, as text. Raises ``ResolverError``. It is called on a thread of its own, side by side with others;
        when the pointer's time is over nobody waits for it any more."""
        ...


class Credentials(Protocol):
    """Gives what a resolver may use on behalf of one subject."""

    def __call__(self, tenant: str, subject: str, key: str) -> Mapping[str, str]:
        """Headers, arguments or the like, by name; never stored."""
        ...
