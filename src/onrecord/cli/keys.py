"""Commands for keys to a server: keys add, keys list, keys drop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from onrecord.cli.command import Desk, command
from onrecord.cli.lines import Line, line, title
from onrecord.model.key import ApiKey, Right

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Shown:
    """A key as it is shown: without its digest, and with its ``secret`` only when it was just made."""

    id: str
    name: str
    tenant: str
    right: Right
    subject: str | None
    created_at: datetime
    secret: str | None = None


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    group = typer.Typer(name="keys", help="Keys to the REST server.", rich_markup_mode=None)
    for name, function in (("add", add), ("list", listing), ("drop", drop)):
        command(group, name)(function)
    app.add_typer(group)


def add(
    desk: Desk,
    name: Annotated[str, Argument(metavar="NAME", help="What the key is called, e.g. the program that holds it.")],
    right: Annotated[Right, Option(help="read; write, which may read too; admin, which may maintain too.")] = Right.WRITE,
    subject: Annotated[
        str | None, Option(metavar="KIND:NAME", help="The only owner it reaches, e.g. user:ana.  [default: all of the tenant]")
    ] = None,
) -> None:
    """Make a key for the tenant. Its secret is shown once and never kept."""
    from onrecord.pipeline.keys import new_key

    with desk.memory(create=True) as memory:
        key, secret = new_key(memory.engine, memory.tenant, name, right, subject)
    desk.answer(_shown(key, secret), made_page)


def listing(desk: Desk) -> None:
    """Show all keys, of every tenant."""
    with desk.memory() as memory:
        keys = memory.engine.store.keys()
    desk.answer([_shown(key) for key in keys], keys_page)


def drop(desk: Desk, id: Annotated[str, Argument(metavar="ID", help="The id of the key.")]) -> None:
    """Take a key away: its bearer gets in no more."""
    with desk.memory() as memory:
        memory.engine.store.drop_key(id)
    desk.answer({"dropped": id}, lambda _: [line(f"Dropped {id}.")])


def made_page(key: Shown) -> Iterator[Line]:
    """The key, and its secret."""
    yield from keys_page([key])
    yield line(f"Secret, shown this once: {key.secret}")


def keys_page(keys: Sequence[Shown]) -> Iterator[Line]:
    """One line a key."""
    if not keys:
        yield title("No keys: the server serves this machine alone.")
    for key in keys:
        yield line(f"{key.id}  {key.name}  {key.right}  {key.tenant}  {key.subject or 'every owner'}")


def _shown(key: ApiKey, secret: str | None = None) -> Shown:
    return Shown(key.id, key.name, key.tenant, key.right, key.subject, key.created_at, secret)
