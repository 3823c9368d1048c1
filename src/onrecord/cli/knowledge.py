"""Commands for documents: knowledge add, knowledge list, knowledge search, knowledge remove."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import line
from onrecord.cli.options import Also, Filters, Metadata, Owner, expression, pairs
from onrecord.errors import InvalidInput

Collection = Annotated[str | None, Option(metavar="NAME", help="Only documents of this collection.")]


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    text = "Documents to look things up in; without an owner, those that all of the tenant share."
    group = typer.Typer(name="knowledge", help=text, rich_markup_mode=None)
    for name, function in (("add", add), ("list", listing), ("search", search), ("remove", remove)):
        command(group, name)(function)
    app.add_typer(group)


def add(
    desk: Desk,
    owner: Owner,
    files: Annotated[list[Path], Argument(metavar="FILE...", help="Text, Markdown or code in UTF-8; of a folder every file.")],
    collection: Annotated[str, Option(metavar="NAME", help="The collection they go to.")] = "default",
    name: Annotated[str | None, Option(metavar="NAME", help="What a single file is called.  [default: its path]")] = None,
    metadata: Metadata = None,
) -> None:
    """Add documents, or replace those of the same name; what did not change in them stays as it is."""
    from onrecord.cli.documents import shelved_page

    found = sorted(_files(files))
    if name is not None and len(found) != 1:
        raise InvalidInput("--name", f"is given for {len(found)} files", "leave it out: each is called by its path")
    fields = pairs(metadata, "--metadata")
    done = []
    with desk.memory(create=True) as memory, render.meter(quiet=desk.json) as tick:
        for number, path in enumerate(found, 1):
            text = _read(path)
            named = name or str(path)
            try:
                done.append(memory.knowledge.add(text, name=named, collection=collection, metadata=fields, **owner.named()))
            except InvalidInput as error:
                if error.field != "text":
                    raise
                raise InvalidInput("FILE", f"{path} {error.problem}", f"{error.fix}, or leave it out") from None
            tick("add", number, len(found))
    desk.answer(done, shelved_page)


def listing(
    desk: Desk,
    owner: Owner,
    also: Also = None,
    collection: Collection = None,
    filters: Filters = None,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", help="Documents at most.")] = 100,
    after: Annotated[str | None, Option(metavar="ID", help="Go on behind this one.")] = None,
) -> None:
    """List the documents that a search looks into."""
    from onrecord.cli.documents import documents_page

    narrowed = {"collection": collection, "filters": expression(filters, "--filters"), "limit": limit, "after": after}
    with desk.memory() as memory:
        found = memory.knowledge.get_all(subjects=also or (), **narrowed, **_reader(desk, owner))
    desk.answer(found, lambda documents: documents_page(documents, limit))


def search(
    desk: Desk,
    owner: Owner,
    query: Annotated[list[str], Argument(metavar="QUERY", help="What to look for.")],
    also: Also = None,
    collection: Collection = None,
    filters: Filters = None,
    limit: Annotated[int | None, Option("--limit", "-n", metavar="N", help="Passages at most.  [default: 5]")] = None,
    threshold: Annotated[
        float | None, Option(metavar="0..1", help="The least relevance of a passage.  [default: the embedder's]")
    ] = None,
    explain: Annotated[bool, Option("--explain", help="Show every part of each score.")] = False,
) -> None:
    """Find the passages that answer a question, best first."""
    from onrecord.cli.documents import excerpts_page

    narrowed = {"collection": collection, "filters": expression(filters, "--filters"), "limit": limit, "threshold": threshold}
    with desk.memory() as memory:
        found = memory.knowledge.search(" ".join(query), subjects=also or (), **narrowed, **_reader(desk, owner))
    desk.answer(found, lambda excerpts: excerpts_page(excerpts, explain=explain))


def remove(desk: Desk, owner: Owner, ids: Annotated[list[str], Argument(metavar="ID...", help="The ids of documents.")]) -> None:
    """Take documents away, with everything that is kept of them."""
    with desk.memory() as memory:
        gone = [memory.knowledge.remove(id, **owner.named()) for id in ids]
    desk.answer(gone, lambda documents: [line(f"Removed {one.name} ({one.id}).") for one in documents])


def _reader(desk: Desk, owner: Owner) -> dict[str, Any]:
    """The owner named, or the user of the settings; nobody, and what all share, if there is none."""
    named = owner.named()
    return named if any(named.values()) or not desk.settings.user else {**named, "user_id": desk.settings.user}


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            for folder, folders, names in os.walk(path):
                folders[:] = [name for name in folders if not name.startswith(".")]
                yield from (Path(folder) / name for name in names if not name.startswith("."))
        else:
            yield path


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InvalidInput("FILE", f"{path}: {error.strerror}", "name a file that can be read") from None
    except UnicodeDecodeError:
        raise InvalidInput("FILE", f"{path} is no text in UTF-8", "convert it first, or leave it out") from None
