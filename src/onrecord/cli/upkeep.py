"""Commands that look after the store: maintain, doctor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from onrecord.cli.command import Desk, command
from onrecord.cli.lines import Line, line, title

if TYPE_CHECKING:
    from onrecord.pipeline.maintain import Report
    from onrecord.ports import Health


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    command(app, "maintain")(maintain)
    command(app, "doctor")(doctor)


def maintain(
    desk: Desk,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", help="At most so many turns, and so many rows to embed.")] = 1_000,
) -> None:
    """Read what was queued, embed what lacks a vector, put idle threads away. Safe to repeat, e.g. from cron."""
    with desk.memory() as memory:
        report = memory.maintain(limit=limit)
    desk.answer(report, report_page)


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

    yield from pages.counts_page(asdict(report))


def health_page(health: Health) -> Iterator[Line]:
    """Counts, and what is wrong."""
    from onrecord.cli import pages

    yield from pages.counts_page(health.counts)
    for fault in health.faults:
        yield line(fault, label=("fault", "bad"), width=8, indent=2)
    yield line(("Run onrecord doctor --repair.", "warn")) if health.faults else title("Rows and indexes agree.")
