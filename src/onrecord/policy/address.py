"""Whose memory a call means: where ``user_id``, ``agent_id``, ``run_id`` and ``session_id`` become subject, scope and origin.

===============  ==========================================================================================
given            meaning
===============  ==========================================================================================
``subject``      the owner, as ``kind:name``; wins over the ids
``user_id``      the owner is ``user:<user_id>``
``agent_id``     alone: the owner is ``agent:<agent_id>``. Beside an owner: where it was said, and it narrows reads
``run_id``       never an owner: the run it was said in; it narrows reads
``session_id``   never an owner: the thread it was said in; it narrows reads
``subjects``     reads only: further subjects that may be seen (a team's, a project's)
===============  ==========================================================================================

``context`` is the exception: it recalls all that the owner's records say, in whatever session and to whichever agent it was said.

So a row written with user, agent and run is found by every combination of them that names the user, and by none with a wrong
value. An agent's id alone reads that agent's own memory and never what users told it: one agent serves many users.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from onrecord.errors import InvalidInput
from onrecord.model.scope import Origin, Reach, Scope, checked_name, checked_subject

_SCOPES = {scope.value: scope for scope in Scope} | {"repo": Scope.PROJECT}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a call points: what it may touch, the owner of what it writes, and where things are said."""

    reach: Reach
    subject: str
    origin: Origin


def address(
    tenant: str,
    *,
    subject: str | None = None,
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    session_id: str | None = None,
    subjects: Sequence[str] = (),
) -> Address:
    """The address of a call. Raises ``InvalidInput`` when no owner is named or a name is malformed."""
    owner = _owner(subject, user_id, agent_id)
    seen = tuple(dict.fromkeys((owner, *checked_subjects(subjects))))
    return Address(Reach(tenant, seen), owner, Origin(agent=agent_id, run=run_id, thread=session_id))


def checked_subjects(subjects: Sequence[str]) -> tuple[str, ...]:
    """``subjects`` if they are a list of names of the form ``kind:name``, else ``InvalidInput``."""
    if isinstance(subjects, str):
        raise InvalidInput("subjects", "is a string", "pass a list like ['team:research']")
    if not isinstance(subjects, Sequence | Set):
        raise InvalidInput("subjects", f"is a {type(subjects).__name__}", "pass a list like ['team:research']")
    return tuple(checked_subject(other, "subjects") for other in subjects)


def scope_of(subject: str) -> Scope:
    """How widely a record of a subject is visible by default: its own kind, ``user`` for kinds of the caller's making."""
    return _SCOPES.get(subject.partition(":")[0], Scope.USER)


def subject_name(subject: str) -> str:
    """The name in a subject: ``Ana Ruiz`` of ``user:Ana Ruiz``."""
    return subject.partition(":")[2]


def _owner(subject: str | None, user_id: str | None, agent_id: str | None) -> str:
    if subject is not None:
        return checked_subject(subject)
    for kind, name, field in (("user", user_id, "user_id"), ("agent", agent_id, "agent_id")):
        if name is not None:
            return f"{kind}:{checked_name(name, field)}"
    raise InvalidInput("user_id", "is missing", "name whose memory this is: user_id='ana' or subject='account:acme'")
