"""The memory as an MCP server, over stdio or streamable HTTP (modelcontextprotocol.io).

Over stdio the standard output carries protocol and nothing else. Over HTTP every request needs a key once one was made; without
keys it serves this machine alone, and refuses foreign ``Host`` and ``Origin`` headers. Several servers may work on one file.
"""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from starlette.requests import Request

from onrecord.memory import Memory
from onrecord.policy.write_policy import WRITE_POLICY
from onrecord.server.binding import bind
from onrecord.server.owners import MESSAGE, Message, Owner, Owners
from onrecord.server.resources import add_resources
from onrecord.server.tools import VERBS
from onrecord.wire.version import package_version


def mcp_server(memory: Memory, owner: Owner | None, *, local: bool = True) -> MCPServer[Any]:
    """The server over ``memory`` for one owner, or (``None``) for all of the tenant; it is not running yet."""
    owners = Owners(memory, owner, local)
    server: MCPServer[Any] = MCPServer(
        "onrecord",
        version=package_version(),
        instructions=WRITE_POLICY,
        log_level="WARNING",
        tools=[bind(verb, owners) for verb in VERBS],
        middleware=[_note_message],
    )
    add_resources(server, owners)

    @server.prompt(title="When to write to memory, and when not")
    def write_policy() -> str:
        """What to hand to memory and what never to; for the system prompt of an agent."""
        return WRITE_POLICY

    return server


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serves one client over the standard streams until it leaves."""
    server.run("stdio")


async def _note_message(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Keeps how a message came for as long as it is answered."""
    request = ctx.request
    token = MESSAGE.set(message(request) if isinstance(request, Request) else Message())
    try:
        return await call_next(ctx)
    finally:
        MESSAGE.reset(token)


def message(request: Request) -> Message:
    """How a request came."""
    return Message(http=True, authorization=request.headers.get("authorization"))
