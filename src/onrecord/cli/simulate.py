"""``onrecord simulate``: a made life goes through a memory in a file of its own, to see what time does to it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.lines import Line, line, title
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.evals.simulate import Measured, Simulated
    from onrecord.ports import Embedder

#: Not a choice of embedders elsewhere: it knows words and no meaning, and costs nothing.
_HASHING = "hashing"


class Part(StrEnum):
    """What can be left out."""

    DECAY = "decay"
    CONSOLIDATION = "consolidation"
    RETENTION = "retention"


def add_commands(app: typer.Typer) -> None:
    """Registers it."""
    command(app, "simulate")(simulate)


def simulate(
    desk: Desk,
    years: Annotated[float, Option(metavar="N", help="How long the life is.")] = 2.0,
    sessions: Annotated[int, Option(metavar="N", help="How many sessions it has.")] = 1_000,
    seed: Annotated[int, Option(metavar="N", help="Another seed is another life.")] = 1,
    without: Annotated[str, Option(metavar="PARTS", help="Leave out decay, consolidation, retention; with commas.")] = "",
    keep_turns: Annotated[int, Option(metavar="DAYS", help="How long turns are kept; 0 for ever.")] = 180,
    keep: Annotated[
        int, Option(metavar="DAYS", help="How long anything out of recall is kept at most; 0 as in the settings.")
    ] = 0,
    embedder: Annotated[str, Option(metavar="NAME", help="hashing (fast), minilm, nomic, or as in the settings.")] = _HASHING,
) -> None:
    """Play years of made use through a memory of its own, maintained weekly, and measure it each quarter."""
    from onrecord.evals.simulate import simulate as run

    parts = [part.strip() for part in without.split(",") if part.strip()]
    unknown = sorted(set(parts) - set(Part))
    if unknown:
        raise InvalidInput("--without", f"{unknown[0]!r} is no part", "leave out " + ", ".join(Part))
    if years < 0.05 or sessions < 8:
        name = "--sessions" if sessions < 8 else "--years"
        raise InvalidInput(name, "is too small", "give at least 8 sessions, and 0.05 years")
    with tempfile.TemporaryDirectory() as folder, render.meter(quiet=desk.json) as meter:
        done = run(
            Path(folder) / "simulated.db",
            _embedder(embedder),
            seed=seed,
            years=years,
            sessions=sessions,
            keep_turns=keep_turns or None,
            keep=keep or None,
            without=parts,
            progress=lambda at, total: meter("sessions", at, total),
        )
    desk.answer(done, simulated_page)


def _embedder(choice: str) -> Embedder:
    from onrecord.build import open_embedder
    from onrecord.providers.embed.hashing import HashingEmbedder

    return HashingEmbedder() if choice == _HASHING else open_embedder(choice)


def simulated_page(done: Simulated) -> Iterator[Line]:
    """A row for week one and for each quarter."""
    left_out = f" without {', '.join(done.without)}" if done.without else ""
    yield title(f"Seed {done.seed}{left_out}: facts found among the first five hits, and former values given as what is so.")
    yield line(_row("", "active", "records", "turns", "KiB", "hit@5", "(told)", "retired", "former", "(told)"))
    yield line(_cells("week 1", done.week_one))
    for number, quarter in enumerate(done.quarters, 1):
        yield line(_cells(f"Q{number}", quarter))


def _cells(name: str, at: Measured) -> str:
    counts = (f"{at.active}", f"{at.records}", f"{at.turns}", f"{at.bytes // 1024}")
    return _row(name, *counts, f"{at.hit5:.2f}", f"{at.hit5_told:.2f}", f"{at.superseded}", f"{at.former}", f"{at.former_told}")


def _row(name: str, *cells: str) -> str:
    return f"{name:<8}" + "".join(f"{cell:>10}" for cell in cells)
