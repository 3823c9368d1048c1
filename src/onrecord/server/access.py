"""Access: who calls, whose memory they may touch, and how far."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from onrecord.errors import OnRecordError
from onrecord.memory import Memory
from onrecord.model.key import Right
from onrecord.pipeline.keys import key_of


class Unauthorized(OnRecordError):
    """No key, or one that is not known."""


class Forbidden(OnRecordError):
    """The key does not reach so far."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a caller may do. ``subject`` is the only owner they may name, ``None`` for every owner of the tenant."""

    tenant: str
    right: Right
    subject: str | None = None
    name: str = ""

    def require(self, right: Right) -> None:
        """Raises ``Forbidden`` unless it covers ``right``."""
        if not self.right.covers(right):
            raise Forbidden(f"this key may {self.right}, not {right}: use one that may")

    def owner(self, given: dict[str, Any]) -> dict[str, Any]:
        """The owner's part of a call's arguments, bound to the key's subject. Raises ``Forbidden`` for anybody else."""
        if self.subject is None:
            return given
        named = given.get("subject") or _named(given)
        others = [other for other in given.get("subjects") or () if other != self.subject]
        if named not in (None, self.subject) or others:
            raise Forbidden(f"this key is for {self.subject} alone: leave the owner out, or name that one")
        # Beside an owner an agent is where things are said; alone it would be the owner, which is named already.
        return {**given, "subject": self.subject, "user_id": None}


def access(memory: Memory, authorization: str | None, *, local: bool) -> Access:
    """What the bearer of an ``Authorization`` header may do; a ``local`` caller without one everything, until a key is made.

    Raises ``Unauthorized``."""
    if authorization is None and local and not memory.engine.store.keys():
        return Access(memory.tenant, Right.ADMIN, name="local")
    scheme, _, secret = (authorization or "").partition(" ")
    key = key_of(memory.engine, secret.strip()) if scheme.lower() == "bearer" and secret else None
    if key is None:
        raise Unauthorized("no key that is known here: send Authorization: Bearer onr_...")
    return Access(key.tenant, key.right, key.subject, key.name)


def of_tenant(memory: Memory, tenant: str) -> Memory:
    """The same store and parts behind the wall of another tenant; closing either closes both."""
    other = copy(memory)
    other.tenant = tenant
    return other


def _named(given: dict[str, Any]) -> str | None:
    for kind in ("user", "agent"):
        if name := given.get(f"{kind}_id"):
            return f"{kind}:{name}"
    return None
