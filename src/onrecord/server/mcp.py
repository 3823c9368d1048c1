"""The memory as an MCP server, over stdio or streamable HTTP (modelcontextprotocol.io).

Over stdio the standard output carries protocol and nothing else; over HTTP it listens on this machine only, and refuses foreign
``Host`` and ``Origin`` headers. Several servers may work on one file at once.
"""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import MCPServer

from onrecord.memory import Memory
from onrecord.policy.write_policy import WRITE_POLICY
from onrecord.server.host import refuse_open
from onrecord.server.tools import Owner, add_tools
from onrecord.wire import answers
from onrecord.wire.version import package_version

#: Kinds that make a profile: what holds whatever is asked.
_PROFILE = ("constraint", "preference", "procedure", "decision", "relationship", "stated_fact")


def mcp_server(memory: Memory, owner: Owner) -> MCPServer[Any]:
    """The server over ``memory`` for one owner; it is not running yet."""
    server: MCPServer[Any] = MCPServer("onrecord", version=package_version(), instructions=WRITE_POLICY, log_level="WARNING")
    add_tools(server, memory, owner)
    _add_resources(server, memory, owner)

    @server.prompt(title="When to write to memory, and when not")
    def write_policy() -> str:
        """What to hand to memory and what never to; for the system prompt of an agent."""
        return WRITE_POLICY

    return server


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serves one client over the standard streams until it leaves."""
    server.run("stdio")


def serve_http(server: MCPServer[Any], host: str, port: int) -> None:
    """Serves clients at ``http://host:port/mcp`` until interrupted. Raises ``InvalidInput`` for a host others can reach."""
    refuse_open(host, "use 127.0.0.1, and a proxy that checks who calls")
    server.run("streamable-http", host=host, port=port)


def _add_resources(server: MCPServer[Any], memory: Memory, owner: Owner) -> None:
    @server.resource("memory://profile", mime_type="application/json")
    def profile() -> str:
        """What is on record about the owner and holds whatever is asked: rules, preferences, decisions, who is who."""
        records = memory.get_all(**owner, filters={"kind": {"in": list(_PROFILE)}}, limit=memory.engine.policy.profile_limit)
        return _json([answers.Memory.of(record).model_dump(mode="json") for record in records])

    @server.resource("memory://sessions", mime_type="application/json")
    def sessions() -> str:
        """The owner's conversations, newest first."""
        return _json([answers.Thread.of(info).model_dump(mode="json") for info in memory.sessions(**owner)])

    @server.resource("memory://sessions/{session_id}", mime_type="application/json")
    def session(session_id: str) -> str:
        """What was said in one conversation, oldest first."""
        turns = memory.session(session_id, **owner).turns()
        return _json([answers.Said.of(turn).model_dump(mode="json") for turn in turns])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
