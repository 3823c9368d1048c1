"""``onrecord eval poison``, ``isolation``, ``erasure``: whether the memory can be trusted, from a seed and with counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk
from onrecord.cli.eval.bench import Bench, Outcome, Output, Seed, deliver, open_bench
from onrecord.cli.lines import Line, line

if TYPE_CHECKING:
    from onrecord.evals.rows import RowFile
    from onrecord.memory import Memory

Rounds = Annotated[int, Option(metavar="N", min=1, help="How many rounds; each is made of the seed and its number.")]
Evaluation = Callable[["Bench", "RowFile", Callable[[int, int], None]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Run:
    """How an evaluation is called, how many rounds it has, and what they come of."""

    name: str
    rounds: int
    seed: int


def poison(desk: Desk, output: Output, rounds: Rounds = 200, seed: Seed = 1) -> None:
    """Plant false facts by tools and documents: what is elevated, what surfaces as fact, and what one command leaves."""
    from onrecord.evals.poison import evaluate_poison

    def run(bench: Bench, rows: RowFile, tick: Callable[[int, int], None]) -> Mapping[str, Any]:
        return evaluate_poison(lambda clock: bench.memory(clock), rounds=rounds, seed=seed, rows=rows, progress=tick)

    _rounds(desk, output, Run("poison", rounds, seed), run)


def isolation(desk: Desk, output: Output, rounds: Rounds = 20, seed: Seed = 1) -> None:
    """Many owners with look-alike names and contents: every call of each, and what it shows of another."""
    from onrecord.evals.isolation import evaluate_isolation

    def run(bench: Bench, rows: RowFile, tick: Callable[[int, int], None]) -> Mapping[str, Any]:
        def tenants(names: Sequence[str]) -> list[Memory]:
            first = bench.memory(tenant=names[0])
            return [first, *(bench.beside(first, name) for name in names[1:])]

        return evaluate_isolation(tenants, rounds=rounds, seed=seed, rows=rows, progress=tick)

    _rounds(desk, output, Run("isolation", rounds, seed), run)


def erasure(desk: Desk, output: Output, rounds: Rounds = 100, seed: Seed = 1) -> None:
    """Plant and erase: after each erasure every byte of the files is searched for what was planted."""
    from onrecord.evals.erasure import evaluate_erasure

    def run(bench: Bench, rows: RowFile, tick: Callable[[int, int], None]) -> Mapping[str, Any]:
        with bench.memory() as memory:
            return evaluate_erasure(memory, bench.folder, rounds=rounds, seed=seed, rows=rows, progress=tick)

    _rounds(desk, output, Run("erasure", rounds, seed), run)


def _rounds(desk: Desk, output: Output, run: Run, evaluate: Evaluation) -> None:
    """Runs it, and answers with the rates and what went wrong."""
    from onrecord.cli.scores import counted_markdown, counted_page

    with (
        open_bench(desk, output) as bench,
        bench.row_file(run.name, seed=run.seed) as rows,
        render.meter(quiet=desk.json) as tick,
    ):
        found = dict(evaluate(bench, rows, lambda done, total: tick(f"{run.name}, rounds", done, total)))
    found.pop("questions")  # those are the rows
    page: list[Line] = [*counted_page(run.name, found), *(line((fault, "bad")) for fault in found.get("faults", ()))]
    told = f"{run.name} --rounds {run.rounds} --seed {run.seed}"
    deliver(desk, output, told, Outcome(found, {run.name: counted_markdown(run.name, found)}, page))
