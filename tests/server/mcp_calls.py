"""Calls of an MCP server by the official client."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import httpx2
from mcp import Client, StdioServerParameters

import onrecord

SOURCE = str(Path(onrecord.__file__).resolve().parents[1])
Asking: TypeAlias = Callable[[Client], Awaitable[None]]


def ask(server: Any, asking: Asking) -> None:
    """Asks a server: one in this process, a program, or an address."""

    async def run() -> None:
        async with Client(server, read_timeout_seconds=120) as client:
            await asking(client)

    anyio.run(run)


async def called(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that it does not do."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


def program(db: Path, *options: str) -> StdioServerParameters:
    """The program for ana, or for whom the options name."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": SOURCE}
    whose = () if "--everyone" in options else ("--user", "ana")
    command = ["-m", "onrecord", "--db", str(db), "mcp", *whose, *options]
    return StdioServerParameters(command=sys.executable, args=command, env=env)


@contextmanager
def serving(db: Path, *options: str) -> Iterator[str]:
    """The address of the program over HTTP, as long as it is wanted."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    parameters = program(db, "--http", "--port", str(port), *options)
    server = subprocess.Popen([parameters.command, *parameters.args], env=parameters.env, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        with httpx2.Client(transport=httpx2.HTTPTransport(retries=9)) as http:
            while True:
                try:
                    http.get(url, timeout=60)
                    break
                except httpx2.TransportError:
                    assert server.poll() is None
        yield url
    finally:
        server.terminate()
        server.wait(timeout=60)
