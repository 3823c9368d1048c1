"""The resources of the MCP server: an owner's profile, threads, and what was said in one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from pydantic import BaseModel

from onrecord.errors import OnRecordError
from onrecord.model.key import Right
from onrecord.server.owners import Owners, Whose
from onrecord.wire import answers, threads

#: Kinds that make a profile: what holds whatever is asked.
_PROFILE = ("constraint", "preference", "procedure", "decision", "relationship", "stated_fact")


def add_resources(server: MCPServer[Any], owners: Owners) -> None:
    """Registers them: for a fixed owner at plain addresses, else with the subject in each address."""
    if owners.fixed is not None:
        _add_fixed(server, owners)
    else:
        _add_named(server, owners)


def _add_fixed(server: MCPServer[Any], owners: Owners) -> None:
    @server.resource("memory://profile", mime_type="application/json")
    def profile() -> str:
        """What is on record about the owner and holds whatever is asked: rules, preferences, decisions, who is who."""
        return _read(owners, {}, _profile)

    @server.resource("memory://sessions", mime_type="application/json")
    def sessions() -> str:
        """The owner's conversations, newest first."""
        return _read(owners, {}, _sessions)

    @server.resource("memory://sessions/{session_id}", mime_type="application/json")
    def session(session_id: str) -> str:
        """What was said in one conversation, oldest first."""
        return _read(owners, {}, lambda whose: _turns(whose, session_id))


def _add_named(server: MCPServer[Any], owners: Owners) -> None:
    @server.resource("memory://profile/{subject}", mime_type="application/json")
    def profile_of(subject: str) -> str:
        """What is on record about an owner (kind:name) and holds whatever is asked: rules, preferences, decisions."""
        return _read(owners, {"subject": subject}, _profile)

    @server.resource("memory://sessions/{subject}", mime_type="application/json")
    def sessions_of(subject: str) -> str:
        """The conversations of an owner (kind:name), newest first."""
        return _read(owners, {"subject": subject}, _sessions)

    @server.resource("memory://sessions/{subject}/{session_id}", mime_type="application/json")
    def session_of(subject: str, session_id: str) -> str:
        """What was said in one conversation of an owner (kind:name), oldest first."""
        return _read(owners, {"subject": subject}, lambda whose: _turns(whose, session_id))


def _read(owners: Owners, named: Mapping[str, str], read: Callable[[Whose], list[Any]]) -> str:
    try:
        found: list[BaseModel] = read(owners.whose(Right.READ, named))
    except OnRecordError as error:
        raise ResourceError(str(error)) from error
    return json.dumps([one.model_dump(mode="json") for one in found], ensure_ascii=False)


def _profile(whose: Whose) -> list[answers.Memory]:
    limit = whose.memory.engine.policy.profile_limit
    records = whose.memory.get_all(**whose.owner, filters={"kind": {"in": list(_PROFILE)}}, limit=limit)
    return [answers.Memory.of(record) for record in records]


def _sessions(whose: Whose) -> list[threads.Thread]:
    return [threads.Thread.of(info) for info in whose.memory.sessions(**whose.owner)]


def _turns(whose: Whose, session_id: str) -> list[answers.Said]:
    return [answers.Said.of(turn) for turn in whose.memory.session(session_id, **whose.owner).turns()]
