"""The reference of all commands, as Markdown made from the commands themselves: ``python -m onrecord.cli.reference [FILE]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from typer.main import get_command

from onrecord.cli import render
from onrecord.cli.command import fill_in
from onrecord.cli.main import app
from onrecord.cli.options import Everywhere, Place
from onrecord.cli.sections import write_section

_EVERYWHERE = frozenset(f.name for f in fields(Everywhere))
_WHOSE = frozenset(f.name for f in fields(Place))
_HIDDEN = ("help",)


def reference() -> str:
    """The chapters of all commands, and one of the options they share."""
    chapters = ["\n".join(_shared())]
    chapters += ["\n".join(_chapter(path, node)) for path, node in commands()]
    return "\n\n".join(chapters)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with the words that call it, in the order of the help."""
    fill_in(app)
    yield from _walk("onrecord", get_command(app))


def option_names(node: Any) -> list[str]:
    """The names of a command's options."""
    return [name for param in node.params for name in param.opts if name.startswith("-")]


def _walk(path: str, node: Any) -> Iterator[tuple[str, Any]]:
    children = getattr(node, "commands", None)
    if children is None:
        yield path, node
        return
    for name, child in children.items():
        yield from _walk(f"{path} {name}", child)


def _shared() -> Iterator[str]:
    nodes = dict(commands())
    yield "### What every command takes\n"
    yield "Before or after the name of the command.\n"
    yield from _table(param for param in nodes["onrecord add"].params if param.name in _EVERYWHERE)
    yield "\n### Whose memory\n"
    yield "Every command that reads or writes memory takes the first three, and the others where they make sense.\n"
    yield from _table(param for param in nodes["onrecord add"].params if param.name in _WHOSE)


def _chapter(path: str, node: Any) -> Iterator[str]:
    arguments = [param for param in node.params if not param.opts[0].startswith("-")]
    yield f"### {path}\n"
    yield f"`{' '.join([path, *map(_usage, arguments)])}`\n"
    yield f"{' '.join(node.help.split())}\n"
    owns = [p.name for p in node.params if p.name in _WHOSE and _is_shared(p)]
    own = [p for p in node.params if p.name not in (*_EVERYWHERE, *_HIDDEN) and p.name not in owns]
    yield from _table(own)
    if owns:
        yield f"\nWhose memory: {', '.join(f'`--{name}`' for name in owns)}."


def _is_shared(param: Any) -> bool:
    return bool(param.opts[0].startswith("--"))


def _usage(param: Any) -> str:
    word = _metavar(param) + ("..." if param.nargs == -1 else "")
    return word if param.required else f"[{word}]"


def _table(params: Any) -> Iterator[str]:
    rows = [f"| {_names(param)} | {param.help}{_default(param)} |" for param in params]
    if rows:
        yield from ("| | |", "|---|---|", *(row.replace("  [", " [") for row in rows))


def _names(param: Any) -> str:
    if not _is_option(param):
        return f"`{_metavar(param)}`"
    value = "" if param.is_flag else f" {_metavar(param)}"
    return ", ".join(f"`{name}{value if name.startswith('--') else ''}`" for name in param.opts)


def _is_option(param: Any) -> bool:
    return bool(param.opts[0].startswith("-"))


def _metavar(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _default(param: Any) -> str:
    plain = isinstance(param.default, int | float | str) and not isinstance(param.default, bool)
    return f" [default: {param.default}]" if plain and param.default != "" and "[default" not in param.help else ""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_section(Path(sys.argv[1]), "commands", reference())
    else:
        render.show_text(reference())
