"""Commands for agents: mcp, policy."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import line
from onrecord.cli.options import Owner
from onrecord.errors import InvalidInput
from onrecord.policy.write_policy import WRITE_POLICY


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    command(app, "mcp")(mcp)
    command(app, "policy")(policy)


def mcp(
    desk: Desk,
    owner: Owner,
    http: Annotated[bool, Option("--http", help="Serve streamable HTTP instead of the standard streams.")] = False,
    host: Annotated[str, Option(metavar="ADDRESS", help="Where to listen; this machine only.")] = "127.0.0.1",
    port: Annotated[int, Option(metavar="N", help="The port to listen on.", min=1, max=65_535)] = 8_765,
) -> None:
    """Serve one owner's memory to MCP clients. Over the standard streams, stdout carries the protocol and nothing else."""
    try:
        from onrecord.server.mcp import mcp_server, serve_http, serve_stdio
        from onrecord.server.tools import Owner as Bound
    except ModuleNotFoundError as error:
        raise InvalidInput("mcp", f"needs the package {error.name}", "pip install 'onrecord[server]'") from None
    bound: Bound = {"user_id": None, "agent_id": None, "subject": None, **desk.named(owner)}  # type: ignore[typeddict-item]
    with desk.memory(create=True) as memory:
        server = mcp_server(memory, bound)
        if http:
            serve_http(server, host, port)
        else:
            serve_stdio(server)


def policy(desk: Desk) -> None:
    """Print the write policy to paste into an agent's prompt: what to hand to memory, and what never to."""
    if desk.json:
        render.show_json({"policy": WRITE_POLICY})
    else:
        render.show(line(text) for text in WRITE_POLICY.splitlines())
