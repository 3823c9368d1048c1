"""Commands that look after the store: maintain, review, lineage, quarantine, retract, doctor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import Line, line, title
from onrecord.cli.options import DryRun, Owner, moment
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.model.change import Change
    from onrecord.model.record import Record
    from onrecord.model.undo import Undone
    from onrecord.pipeline.maintain import Report
    from onrecord.ports import Health


RowId = Annotated[str, Argument(metavar="ID", help="The id of a record or turn.")]
RowIds = Annotated[list[str], Argument(metavar="ID", help="The ids of records and turns.")]


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    command(app, "maintain")(maintain)
    command(app, "undo")(undo)
    command(app, "review")(review)
    command(app, "lineage")(lineage)
    command(app, "quarantine")(quarantine)
    command(app, "retract")(retract)
    command(app, "doctor")(doctor)


def maintain(
    desk: Desk,
    limit: Annotated[
        int, Option("--limit", "-n", metavar="N", help="At most so many of each: turns, rows to embed, records.")
    ] = 1_000,
    every: Annotated[
        float | None,
        Option(metavar="SECONDS", help="Work on: a run, so long a pause, the next run, until it is stopped."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Read what was queued, embed what lacks a vector, put away what is idle or faded, merge what says the same, and erase what
    was out of recall for longer than it is kept. Safe to repeat, e.g. from cron, and for several workers at once."""
    from onrecord.cli.worker import again_and_again
    from onrecord.pipeline.maintain import drain

    with desk.memory() as memory:

        def run() -> None:
            with render.meter(quiet=desk.json) as tick:
                report = drain(memory.engine, memory.tenant, limit=limit, dry_run=dry_run, progress=tick)
            desk.answer(report, report_page)

        if every is None:
            run()
        else:
            again_and_again(run, every)


def undo(
    desk: Desk,
    run: Annotated[str, Argument(metavar="RUN", help="The run that a report of maintain names.")],
    dry_run: DryRun = False,
) -> None:
    """Take back what a run of maintain merged: its sources are records of their own again, and stay so."""
    with desk.memory() as memory:
        desk.answer(memory.undo(run, dry_run=dry_run), undone_page)


def review(
    desk: Desk,
    owner: Owner,
    id: Annotated[str | None, Argument(metavar="ID", help="The id of a record; without one they are listed.")] = None,
    keep: Annotated[bool, Option("--keep", help="It holds on, for another lifespan of its kind.")] = False,
    until: Annotated[str | None, Option(metavar="TIME", help="It holds on until then.")] = None,
    drop: Annotated[bool, Option("--drop", help="It holds no longer.")] = False,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", help="At most so many.")] = 20,
) -> None:
    """Look at records past the default end of their kind, and say whether they still hold."""
    from onrecord.cli import pages

    answers = sum((keep, until is not None, drop))
    if answers != (id is not None):
        raise InvalidInput("ID", "and one of --keep, --until and --drop belong together", "name a record and what holds of it")
    named = desk.named(owner)
    with desk.memory() as memory:
        if id is None:
            desk.answer(memory.review(limit=limit, **named), lambda found: review_page(found, limit))
            return
        record = memory.expire(id, **named) if drop else memory.renew(id, until=moment(until, "--until"), **named)
    desk.answer(record, pages.record_page)


def lineage(desk: Desk, owner: Owner, id: RowId) -> None:
    """Tell where a record or turn comes from, and what was made from it."""
    from onrecord.cli import stories

    with desk.memory() as memory:
        desk.answer(memory.lineage(id, **desk.named(owner)), stories.lineage_page)


def quarantine(desk: Desk, owner: Owner, ids: RowIds, dry_run: DryRun = False) -> None:
    """Take turns or records that are not to be trusted out everywhere, with what was made of them and who repeated them."""
    from onrecord.cli import stories

    with desk.memory() as memory:
        desk.answer(memory.quarantine(ids, dry_run=dry_run, **desk.named(owner)), stories.recall_page)


def retract(desk: Desk, owner: Owner, ids: RowIds, dry_run: DryRun = False) -> None:
    """Take records back, with what was made from them; history keeps them."""
    from onrecord.cli import stories

    with desk.memory() as memory:
        desk.answer(memory.retract(ids, dry_run=dry_run, **desk.named(owner)), stories.recall_page)


def doctor(
    desk: Desk, repair: Annotated[bool, Option("--repair", help="Rebuild the derived indexes from the rows.")] = False
) -> None:
    """Compare the rows with every index made from them. Ends with 1 if they differ."""
    with desk.memory() as memory:
        health = memory.engine.store.repair() if repair else memory.engine.store.check()
    desk.answer(health, health_page)
    if health.faults:
        raise typer.Exit(1)


def report_page(report: Report) -> Iterator[Line]:
    """What a maintenance run did."""
    from onrecord.cli import pages

    numbers = {name: value for name, value in asdict(report).items() if isinstance(value, int) and not isinstance(value, bool)}
    yield from pages.counts_page(numbers)
    yield from _changed(report.changes)
    if report.run and not report.dry_run:
        yield line((f"What was merged is taken back by: onrecord undo {report.run}", "note"))


def review_page(found: Sequence[Record], limit: int) -> Iterator[Line]:
    """What waits for somebody to look at it."""
    from onrecord.cli import pages

    if found:
        yield from pages.records_page(found, limit)
    else:
        yield line(("Nothing waits for review.", "dim"))


def undone_page(done: Undone) -> Iterator[Line]:
    """What was put back, and what was not."""
    number = len(done.changes)
    if not (done.changes or done.left):
        yield title(f"Nothing of {done.run} is left to take back.")
        return
    yield title(f"{number} record{'' if number == 1 else 's'} {'would be' if done.dry_run else 'are'} as before {done.run}.")
    yield from _changed(done.changes)
    yield from (line("changed since, and left as it is", label=(id, "dim"), width=34, indent=2) for id in done.left)


def _changed(changes: Sequence[Change]) -> Iterator[Line]:
    for change in changes:
        record = getattr(change, "record", None)
        id = getattr(change, "id", "") or (record.id if record else "")
        yield line(change.reason, label=(id, "dim"), width=34, indent=2)


def health_page(health: Health) -> Iterator[Line]:
    """Counts, and what is wrong."""
    from onrecord.cli import pages

    yield from pages.counts_page(health.counts)
    for fault in health.faults:
        yield line(fault, label=("fault", "bad"), width=8, indent=2)
    yield line(("Run onrecord doctor --repair.", "warn")) if health.faults else title("Rows and indexes agree.")
