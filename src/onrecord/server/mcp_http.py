"""The MCP server over streamable HTTP, behind its keys."""

from __future__ import annotations

import anyio.to_thread
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from onrecord.memory import Memory
from onrecord.server.access import Unauthorized
from onrecord.server.host import is_loopback, refuse_open, serve
from onrecord.server.mcp import mcp_server, message
from onrecord.server.owners import MESSAGE, Owner, Owners
from onrecord.server.problems import problem


def mcp_app(memory: Memory, owner: Owner | None, *, host: str = "127.0.0.1") -> ASGIApp:
    """The server at ``/mcp`` over HTTP, behind its keys."""
    local = is_loopback(host)
    server = mcp_server(memory, owner, local=local)
    return Keyed(server.streamable_http_app(host=host), Owners(memory, owner, local))


def serve_http(memory: Memory, owner: Owner | None, host: str, port: int) -> None:
    """Serves clients at ``http://host:port/mcp`` until interrupted.

    Raises ``InvalidInput`` for a host that others can reach while no key is kept."""
    if not memory.engine.store.keys():
        refuse_open(host, "make a key first: onrecord keys add NAME --right write")
    serve(mcp_app(memory, owner, host=host), host, port)


class Keyed:
    """An app that answers 401 to whoever has no key, once keys are needed."""

    def __init__(self, app: ASGIApp, owners: Owners) -> None:
        self._app, self._owners = app, owners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers in place of the app where the caller is not known."""
        if scope["type"] == "http":
            token = MESSAGE.set(message(Request(scope)))
            try:
                await anyio.to_thread.run_sync(self._owners.caller)  # it reads the store
            except Unauthorized as error:
                return await problem(401, str(error))(scope, receive, send)
            finally:
                MESSAGE.reset(token)
        return await self._app(scope, receive, send)
