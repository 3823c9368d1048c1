"""Reads a pointer by calling a tool of an MCP server."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

from onrecord.errors import OnRecordError, ResolverError
from onrecord.ports import Pointer


class McpResolver:
    """Calls ``tool`` with the pointer's value as ``argument``, and the subject's credentials beside it.

    Args:
        server: what ``mcp.Client`` takes: a URL, parameters of a process, a transport, or a server in this process.
        size: characters of an answer; a longer one is refused.

    Raises:
        OnRecordError: the package ``mcp`` is not installed.
    """

    def __init__(self, server: Any, tool: str, *, argument: str = "value", size: int = 65_536) -> None:
        try:
            self._client: Any = import_module("mcp").Client
        except ImportError as error:
            raise OnRecordError("McpResolver needs the package mcp: pip install 'onrecord[mcp]'") from error
        self._server, self._tool, self._argument, self._size = server, tool, argument, size

    def resolve(self, pointer: Pointer) -> str:
        """The text of the result, its parts one a line. Raises ``ResolverError``, also inside a running event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise ResolverError("an MCP tool can't be called from inside an event loop: make the context in a thread")
        try:
            return asyncio.run(asyncio.wait_for(self._call(pointer), pointer.timeout))
        except TimeoutError as error:
            raise ResolverError("no answer in time") from error

    async def _call(self, pointer: Pointer) -> str:
        async with self._client(self._server) as client:
            result = await client.call_tool(self._tool, {**pointer.credentials, self._argument: pointer.value})
        text = "\n".join(part.text for part in result.content if getattr(part, "type", "") == "text")
        if getattr(result, "is_error", False):
            raise ResolverError(f"the tool says: {text[:120]}")
        if len(text) > self._size:
            raise ResolverError(f"the answer is longer than {self._size} characters")
        return text
