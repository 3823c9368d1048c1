"""Commands for other programs: serve, mcp, policy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, cast

import typer
from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import line
from onrecord.cli.options import Owner
from onrecord.errors import InvalidInput
from onrecord.policy.write_policy import WRITE_POLICY


class Log(StrEnum):
    """Where logs go."""

    OFF = "off"
    JSON = "json"


LogTo = Annotated[Log, Option(help="json: one object a line on stderr, with request, tenant and run, never what was said.")]


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    command(app, "serve")(serve)
    command(app, "mcp")(mcp)
    command(app, "policy")(policy)


def serve(
    desk: Desk,
    host: Annotated[str, Option(metavar="ADDRESS", help="Where to listen. Others reach it only with keys.")] = "127.0.0.1",
    port: Annotated[int, Option(metavar="N", help="The port to listen on.", min=1, max=65_535)] = 8_764,
    log: LogTo = Log.OFF,
    rate: Annotated[float, Option(metavar="N", help="Requests a second from one caller; 0 for any number.", min=0)] = 50.0,
) -> None:
    """Serve the memory over REST, described at /openapi.json and /docs. With keys (onrecord keys) every caller needs one."""
    with _needs("serve"):
        from onrecord.server.limits import Limits
        from onrecord.server.rest import serve_rest
    _start_log(log)
    with desk.memory(create=True) as memory:
        serve_rest(memory, host, port, Limits(rate=rate))


def mcp(
    desk: Desk,
    owner: Owner,
    everyone: Annotated[bool, Option("--everyone", help="Serve all owners of the tenant; each call names whose memory.")] = False,
    http: Annotated[bool, Option("--http", help="Serve streamable HTTP instead of the standard streams.")] = False,
    host: Annotated[str, Option(metavar="ADDRESS", help="Where to listen. Others reach it only with keys.")] = "127.0.0.1",
    port: Annotated[int, Option(metavar="N", help="The port to listen on.", min=1, max=65_535)] = 8_765,
    log: LogTo = Log.OFF,
) -> None:
    """Serve one owner's memory, or everyone's, to MCP clients. Over the standard streams, stdout carries the protocol and nothing
    else; over HTTP, with keys (onrecord keys), every caller needs one and reaches what it does."""
    with _needs("mcp"):
        from onrecord.server.mcp import mcp_server, serve_stdio
        from onrecord.server.owners import Owner as Bound
    _start_log(log)
    bound = None if everyone else cast("Bound", desk.named(owner))
    with desk.memory(create=True) as memory:
        if http:
            from onrecord.server.mcp_http import serve_http

            serve_http(memory, bound, host, port)
        else:
            serve_stdio(mcp_server(memory, bound))


def _start_log(log: Log) -> None:
    if log is Log.JSON:
        from onrecord.server.logs import log_json

        log_json()


@contextmanager
def _needs(name: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise InvalidInput(name, f"needs the package {error.name}", "pip install 'onrecord[server]'") from None


def policy(desk: Desk) -> None:
    """Print the write policy to paste into an agent's prompt: what to hand to memory, and what never to."""
    if desk.json:
        render.show_json({"policy": WRITE_POLICY})
    else:
        render.show(line(text) for text in WRITE_POLICY.splitlines())
