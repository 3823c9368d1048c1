"""The sets that are scored by counting what came of each text, pair or conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk
from onrecord.cli.eval.bench import (
    AllSets,
    Baselines,
    Bench,
    Outcome,
    Output,
    SetFile,
    SetFolder,
    deliver,
    open_bench,
    readable,
)
from onrecord.cli.eval.sets import Mode
from onrecord.cli.render import under
from onrecord.errors import InvalidInput

Ticker: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Recalling:
    """Options of how probes are asked."""

    include: Annotated[
        list[Mode] | None, Option(metavar="WHAT", help="Search episodes, records or both; repeatable.  [default: all three]")
    ] = None
    baselines: Baselines = True


def keepsakes(desk: Desk, path: SetFolder, recalling: Recalling, output: Output) -> None:
    """What is written, refused, corrected and recalled of labelled conversations."""
    from onrecord.cli.scores import keepsakes_markdown, keepsakes_page, keepsakes_rows
    from onrecord.evals.keepsakes import evaluate_keepsakes

    if not path.is_dir():
        raise InvalidInput("PATH", f"{path} is no folder", "name the folder that holds the conversations")
    modes = [str(mode) for mode in recalling.include or list(Mode)]
    with open_bench(desk, output) as bench, render.meter(quiet=desk.json) as tick:
        found = evaluate_keepsakes(
            path,
            bench.memory,
            include=modes,
            with_baselines=recalling.baselines,
            progress=lambda done, total: tick("keepsakes, play", done, total),
        )
        _write_anew(bench, output, "keepsakes", keepsakes_rows(found))
    parts = {"keepsakes": keepsakes_markdown(found)}
    deliver(desk, output, "keepsakes PATH", Outcome(found, parts, list(keepsakes_page(found))))


def compaction(desk: Desk, path: AllSets, output: Output) -> None:
    """What of every label survives compaction, beside simple ways to shorten."""
    from onrecord.cli.compaction import compaction_markdown, compaction_page, run_compaction

    with readable(path, "name a folder of conversations, or one of several such folders"), render.meter(quiet=desk.json) as tick:
        found = run_compaction(path, under(tick, "compaction"))
    if output.rows is not None:
        rows = [
            {"id": f"{name}, {size}", "set": name, "size": size, **methods}
            for name, report in found.items()
            for size, methods in report.items()
        ]
        with open_bench(desk, output) as bench:
            _write_anew(bench, output, "compaction", rows)
    parts = {"compaction": compaction_markdown(found)}
    deliver(desk, output, "compaction PATH", Outcome(found, parts, list(compaction_page(found))))


def msc(desk: Desk, path: SetFile, output: Output) -> None:
    """Capture on Multi-Session Chat, against the facts that people wrote down."""
    from onrecord.evals.keepsakes import rule_capture
    from onrecord.evals.msc import evaluate_msc

    _counted(desk, output, "msc", path, lambda _, tick: evaluate_msc(path, rule_capture(), progress=tick))


def pairs(desk: Desk, path: SetFolder, output: Output) -> None:
    """Which of labelled sentence pairs end in one record."""
    from onrecord.evals.pairs import evaluate_pairs

    _counted(desk, output, "pairs", path, lambda _, __: evaluate_pairs(path))


def followups(desk: Desk, path: SetFolder, output: Output) -> None:
    """Questions that lean on the thread before them, asked in several ways."""
    from onrecord.evals.followups import evaluate_followups

    def run(bench: Bench, tick: Ticker) -> Mapping[str, Any]:
        with bench.row_file("followups") as rows:
            return evaluate_followups(path, bench.memory, progress=tick, rows=rows)

    _counted(desk, output, "followups", path, run, rows=False)


def injection(desk: Desk, path: SetFolder, output: Output) -> None:
    """What becomes of published injections in tool results and documents."""
    from onrecord.evals.injection import evaluate_injection

    beside = path.parent / "keepsakes"  # its harmless tool results show the false alarms
    conversations = beside if beside.is_dir() else None
    _counted(
        desk,
        output,
        "injection",
        path,
        lambda bench, tick: evaluate_injection(path, bench.memory, conversations=conversations, progress=tick),
    )


def _counted(
    desk: Desk,
    output: Output,
    name: str,
    path: Path,
    run: Callable[[Bench, Ticker], Mapping[str, Any]],
    *,
    rows: bool = True,
) -> None:
    from onrecord.cli.scores import counted_markdown, counted_page

    with (
        open_bench(desk, output) as bench,
        readable(path, "see docs/evaluation.md for what the set looks like"),
        render.meter(quiet=desk.json) as tick,
    ):
        found = run(bench, lambda done, total: tick(f"{name}, read", done, total))
        if rows:
            _write_anew(bench, output, name, found.get("questions", ()))
    parts = {name: counted_markdown(name, found)}
    found = {part: value for part, value in found.items() if part != "questions"}  # those are the rows
    deliver(desk, output, f"{name} PATH", Outcome(found, parts, list(counted_page(name, found))))


def _write_anew(bench: Bench, output: Output, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """The rows of a set that is counted as a whole, and run anew each time."""
    if output.rows is not None:
        output.rows.unlink(missing_ok=True)
        with bench.row_file(name) as file:
            for row in rows:
                file.add(row)
