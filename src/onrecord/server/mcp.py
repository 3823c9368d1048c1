"""The memory as an MCP server, over stdio or streamable HTTP (modelcontextprotocol.io).

Over stdio the standard output carries protocol and nothing else. Over HTTP every request needs a key once one was made; without
keys it serves this machine alone, and refuses foreign ``Host`` and ``Origin`` headers. Several servers may work on one file.
"""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from onrecord.memory import Memory
from onrecord.policy.write_policy import WRITE_POLICY
from onrecord.server.access import Unauthorized
from onrecord.server.binding import bind
from onrecord.server.host import is_loopback, refuse_open
from onrecord.server.owners import MESSAGE, Message, Owner, Owners
from onrecord.server.problems import problem
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


def mcp_app(memory: Memory, owner: Owner | None, *, host: str = "127.0.0.1") -> ASGIApp:
    """The server at ``/mcp`` over HTTP, behind its keys."""
    local = is_loopback(host)
    server = mcp_server(memory, owner, local=local)
    return Keyed(server.streamable_http_app(host=host), Owners(memory, owner, local))


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serves one client over the standard streams until it leaves."""
    server.run("stdio")


def serve_http(memory: Memory, owner: Owner | None, host: str, port: int) -> None:
    """Serves clients at ``http://host:port/mcp`` until interrupted.

    Raises ``InvalidInput`` for a host that others can reach while no key is kept."""
    if not memory.engine.store.keys():
        refuse_open(host, "make a key first: onrecord keys add NAME --right write")
    uvicorn.run(mcp_app(memory, owner, host=host), host=host, port=port, log_config=None, access_log=False, server_header=False)


class Keyed:
    """An app that answers 401 to whoever has no key, once keys are needed."""

    def __init__(self, app: ASGIApp, owners: Owners) -> None:
        self._app, self._owners = app, owners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers in place of the app where the caller is not known."""
        if scope["type"] == "http":
            token = MESSAGE.set(_message(Request(scope)))
            try:
                await anyio.to_thread.run_sync(self._owners.caller)  # it reads the store
            except Unauthorized as error:
                return await problem(401, str(error))(scope, receive, send)
            finally:
                MESSAGE.reset(token)
        return await self._app(scope, receive, send)


async def _note_message(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Keeps how a message came for as long as it is answered."""
    request = ctx.request
    token = MESSAGE.set(_message(request) if isinstance(request, Request) else Message())
    try:
        return await call_next(ctx)
    finally:
        MESSAGE.reset(token)


def _message(request: Request) -> Message:
    return Message(http=True, authorization=request.headers.get("authorization"))
