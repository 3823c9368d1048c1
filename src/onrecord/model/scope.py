"""Whose memory it is and who may see it: tenant, subject, scope, origin.

The isolation key is ``(tenant, subject)``. It is a part of every call, query and table, and never optional. A subject is
``kind:name`` (``user:ana``, ``account:acme``); the kinds are open, the form is not. Names are compared code point by code
point: look-alikes, other cases and other normal forms are other subjects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from onrecord.errors import InvalidInput

NAME_LIMIT = 200
#: The owner of documents that every subject of a tenant may look things up in.
SHARED = "tenant:shared"
_OWNERS, _WHOSE = ("tenant", "subject", "user_id", "agent_id"), "name who this memory belongs to"
_SUBJECT = re.compile(r"[a-z][a-z0-9_]{0,31}:.+", re.DOTALL)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Scope(StrEnum):
    """How widely a record is visible. ``run`` and ``thread`` need the read to name that run or thread."""

    RUN = "run"
    THREAD = "thread"
    AGENT = "agent"
    USER = "user"
    ACCOUNT = "account"
    TEAM = "team"
    PROJECT = "project"


def checked_name(value: object, field: str) -> str:
    """``value`` if it can be a name (1 to 200 characters, no control characters, no outer blanks), else ``InvalidInput``."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a string")
    if not value.strip():
        raise InvalidInput(field, "is empty", _WHOSE if field in _OWNERS else f"give it 1 to {NAME_LIMIT} characters")
    if len(value) > NAME_LIMIT:
        raise InvalidInput(field, f"is {len(value)} characters long", f"use at most {NAME_LIMIT}")
    if _CONTROL.search(value):
        raise InvalidInput(field, "holds control characters", "use printable characters")
    if value != value.strip():
        raise InvalidInput(field, "begins or ends with a blank", "strip it")
    return value


def checked_subject(value: object, field: str = "subject") -> str:
    """``value`` if it has the form ``kind:name``, else ``InvalidInput``."""
    name = checked_name(value, field)
    if not _SUBJECT.fullmatch(name):
        raise InvalidInput(field, f"{name[:40]!r} is not kind:name", "write it like user:ana or account:acme")
    return name


@dataclass(frozen=True, slots=True)
class Reach:
    """What one call may touch: a tenant and the subjects in it. Every store method takes one."""

    tenant: str
    subjects: tuple[str, ...]

    def __post_init__(self) -> None:
        checked_name(self.tenant, "tenant")
        if isinstance(self.subjects, str) or not self.subjects:
            raise InvalidInput("subjects", "are missing", "name at least one subject, e.g. user_id='ana'")
        for subject in self.subjects:
            checked_subject(subject)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was said. On a record it is a fact; in a query every given part narrows the answer."""

    agent: str | None = None
    run: str | None = None
    thread: str | None = None

    def __post_init__(self) -> None:
        for field in ("agent", "run", "thread"):
            value = getattr(self, field)
            if value is not None:
                checked_name(value, f"{field}_id" if field != "thread" else "session_id")

    def admits(self, other: Origin) -> bool:
        """Whether ``other`` agrees with every part that is given here."""
        return all(
            mine is None or mine == theirs
            for mine, theirs in ((self.agent, other.agent), (self.run, other.run), (self.thread, other.thread))
        )
