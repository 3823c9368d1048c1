"""Commands by which memory moves: export, import, backup, restore, reembed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import Line, line, title
from onrecord.cli.options import Owner
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.model.transfer import Exported, Imported
    from onrecord.pipeline.reembed import Reembedded
    from onrecord.ports import Health

File = Annotated[Path, Argument(metavar="FILE", help="The file.")]
AllTenants = Annotated[bool, Option("--all-tenants", help="Rows of every tenant, not only of this one.")]
Force = Annotated[bool, Option("--force", help="Replace what is there.")]


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    command(app, "export")(export)
    command(app, "import")(import_)
    command(app, "backup")(backup)
    command(app, "restore")(restore)
    command(app, "reembed")(reembed)


def export(
    desk: Desk,
    owner: Owner,
    file: File,
    vectors: Annotated[bool, Option("--vectors", help="With the vectors; else they are made anew on import.")] = False,
    all_tenants: AllTenants = False,
) -> None:
    """Write everything of one owner, or of all of the tenant, to FILE as JSON lines."""
    from onrecord.moving import extent_of
    from onrecord.pipeline.transfer import export as export_rows
    from onrecord.policy.address import address

    named = owner.user or owner.agent or owner.subject
    with desk.memory() as memory, render.meter(quiet=desk.json) as tick:
        reach = address(memory.tenant, **owner.named()).reach if named else None
        done = export_rows(memory.engine, file, extent_of(memory.tenant, reach, all_tenants, vectors), tick)
    desk.answer(done, exported_page)


def import_(
    desk: Desk,
    owner: Owner,
    file: File,
    source: Annotated[str, Option("--from", metavar="SYSTEM", help="onrecord, mem0, langgraph or mcp-memory.")] = "onrecord",
    all_tenants: AllTenants = False,
    strict: Annotated[bool, Option("--strict", help="End at the first line that cannot be taken in.")] = False,
) -> None:
    """Take in what export wrote, or what another memory system left. Safe to repeat. Ends with 1 if something was left out."""
    from onrecord.pipeline.transfer import import_from

    with desk.memory(create=True) as memory, render.meter(quiet=desk.json) as tick:
        if source == "onrecord" and not (owner.user or owner.agent or owner.subject):
            done = import_from(memory.engine, file, tenant=None if all_tenants else memory.tenant, strict=strict, progress=tick)
        else:
            done = memory.import_from(file, source=source, all_tenants=all_tenants, strict=strict, **owner.named())
    desk.answer(done, imported_page)
    if done.conflicts or done.refused:
        raise typer.Exit(1)


def backup(desk: Desk, file: File, force: Force = False) -> None:
    """Copy the whole database to FILE while it is in use, and check the copy."""
    with desk.memory() as memory:
        found = memory.backup(file, force=force)
    desk.answer(found, lambda health: checked_page(health, f"{file} is whole."))


def restore(desk: Desk, file: File, force: Force = False) -> None:
    """Put the backup FILE in the place of the database, in one step, once it was checked. Nobody may have it open."""
    from onrecord.build import restore as restore_file

    path = desk.settings.db
    try:
        found = restore_file(file, path, force=force)
    except InvalidInput as error:
        if error.field == "source":
            raise InvalidInput("FILE", error.problem, error.fix) from None
        raise InvalidInput("--db", error.problem, "name another one, or --force it to be replaced") from None
    desk.answer(found, lambda health: checked_page(health, f"{path} is the backup."))


def reembed(desk: Desk) -> None:
    """Give every row a vector of the embedder in the settings, after another one was in use. Safe to kill and repeat."""
    from onrecord.pipeline.reembed import reembed as reembed_rows

    with desk.memory() as memory, render.meter(quiet=desk.json) as tick:
        done = reembed_rows(memory.engine, tick)
    desk.answer(done, reembedded_page)
    if done.left:
        raise typer.Exit(1)


def exported_page(done: Exported) -> Iterator[Line]:
    """What stands in an export."""
    from onrecord.cli import pages

    yield from pages.counts_page(done.rows)
    yield title(f"{done.path}: {sum(done.rows.values()):,} rows, {done.size:,} bytes.")


def imported_page(done: Imported) -> Iterator[Line]:
    """What became of the rows of a file, and what was left out."""
    from onrecord.cli import pages

    for what, counts in (("added", done.added), ("updated", done.updated), ("the same", done.same)):
        yield from pages.counts_page({f"{kind} {what}": count for kind, count in counts.items()})
    for trouble in done.troubles:
        words = f"{trouble.what}: {trouble.why}" if trouble.what else trouble.why
        yield line(words, label=(f"{trouble.line} {trouble.fate.value}", "warn"), width=18, indent=2)
    if more := done.conflicts + done.refused - len(done.troubles):
        yield line((f"and {more:,} more", "dim"))
    yield title(f"{done.lines:,} rows read, {done.conflicts + done.refused:,} left out.")


def reembedded_page(done: Reembedded) -> Iterator[Line]:
    """What a run of reembed did."""
    from onrecord.cli import pages

    yield from pages.counts_page(
        {"subjects": done.subjects, "embedded": done.embedded, "dropped": done.dropped, "left": done.left}
    )
    yield title(f"Searches use {done.model}." if not done.left else f"{done.left:,} subjects are not done: run it again.")


def checked_page(health: Health, words: str) -> Iterator[Line]:
    """What stands in a database that was checked."""
    from onrecord.cli import pages

    yield from pages.counts_page(health.counts)
    yield title(words)
