"""Owners: whose memory a call of the MCP server means, by the server's own owner, the caller's key, and what the call names."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypedDict

from onrecord.errors import InvalidInput
from onrecord.memory import Memory
from onrecord.model.key import Right
from onrecord.server.access import Access, access, of_tenant


class Owner(TypedDict, total=False):
    """Whose memory, as the library's arguments."""

    user_id: str | None
    agent_id: str | None
    subject: str | None


@dataclass(frozen=True, slots=True)
class Message:
    """How a message came: over HTTP or not, and with which ``Authorization`` header."""

    http: bool = False
    authorization: str | None = None


#: The message that is being answered. Threads that answer it have a copy.
MESSAGE: ContextVar[Message] = ContextVar("message", default=Message())  # noqa: B039 - it is frozen


@dataclass(frozen=True, slots=True)
class Whose:
    """A memory, the owner in it as arguments of the library, and the only subject that may be seen (``None`` for any)."""

    memory: Memory
    owner: dict[str, Any]
    subject: str | None


@dataclass(frozen=True, slots=True)
class Owners:
    """``fixed`` is the owner of a server for one; with ``None`` each call names its own. ``local`` is a server that only this
    machine reaches: it asks nobody for a key as long as none was made."""

    memory: Memory
    fixed: Owner | None = None
    local: bool = True

    def caller(self) -> Access:
        """What who sent the message may do. Over the standard streams everything: who starts the server can read the file.

        Raises ``Unauthorized``."""
        message = MESSAGE.get()
        if not message.http:
            return Access(self.memory.tenant, Right.ADMIN, name="local")
        return access(self.memory, message.authorization, local=self.local)

    def whose(self, right: Right, named: Mapping[str, Any]) -> Whose:
        """The memory that a call means. Raises ``Unauthorized``, ``Forbidden``, ``InvalidInput`` where nobody is named."""
        known = self.caller()
        known.require(right)
        given = {name: value for name, value in (self.fixed or named).items() if value is not None}
        if not given and known.subject is None:
            raise InvalidInput("user_id", "is missing", "name whose memory this is: user_id, or subject as account:acme")
        return Whose(of_tenant(self.memory, known.tenant), known.owner(given), known.subject)
