"""``onrecord eval locomo``, ``longmemeval``, ``beam``: retrieval; and ``context``, over all three."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from onrecord.cli import render
from onrecord.cli.command import Desk
from onrecord.cli.eval.bench import (
    AllSets,
    Baselines,
    Bench,
    Outcome,
    Output,
    Sample,
    Seed,
    SetFile,
    SetFolder,
    deliver,
    open_bench,
    readable,
)
from onrecord.cli.lines import blank
from onrecord.cli.render import under
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.evals.dataset import Dataset


class Mode(StrEnum):
    """What is searched."""

    EPISODES = "episodes"
    RECORDS = "records"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Asking:
    """Options of how questions are asked."""

    include: Annotated[
        list[Mode] | None, Option(metavar="WHAT", help="Search episodes, records or both; repeatable.  [default: all three]")
    ] = None
    limit: Annotated[
        list[int] | None, Option("--limit", "-n", metavar="K", help="The k of recall@k; repeatable.  [default: 5, 10]")
    ] = None
    baselines: Baselines = True
    sample: Sample = None
    seed: Seed = 1


def locomo(desk: Desk, path: SetFile, asking: Asking, output: Output) -> None:
    """Retrieval on LoCoMo: ten long talks of two people."""
    from onrecord.evals import locomo

    with readable(path, "name the file locomo10.json, or the same compressed by gzip"):
        dataset = locomo.load(path)
    retrieval(desk, "locomo", path, dataset, asking, output)


def longmemeval(desk: Desk, path: SetFolder, asking: Asking, output: Output) -> None:
    """Retrieval on LongMemEval-S: every question in a haystack of some fifty sessions."""
    from onrecord.evals import longmemeval

    with readable(path, "name the folder that holds questions.jsonl.gz and sessions.jsonl.xz"):
        dataset = longmemeval.load(path)
    retrieval(desk, "longmemeval", path, dataset, asking, output)


def beam(desk: Desk, path: SetFolder, asking: Asking, output: Output) -> None:
    """Retrieval on BEAM: ten chats with an assistant, questions of ten abilities."""
    from onrecord.evals import beam

    with readable(path, "name the folder that holds NN_chat.jsonl.gz and NN_questions.json"):
        dataset = beam.load(path)
    retrieval(desk, "beam", path, dataset, asking, output)


def context(
    desk: Desk,
    path: AllSets,
    output: Output,
    every: Annotated[int, Option(metavar="N", min=1, help="Only every N-th question.")] = 1,
    talks: Annotated[int | None, Option(metavar="N", min=1, help="Only the first N talks of each set.")] = None,
    sets: Annotated[
        list[str] | None, Option("--set", metavar="NAME", help="Only this set; repeatable.  [default: all there are]")
    ] = None,
) -> None:
    """What of the evidence stands in a context of so many tokens, and what a conversation takes."""
    from onrecord.cli.contexts import contexts_markdown, contexts_page, run_contexts

    fix = "name the folder of all sets"
    with (
        open_bench(desk, output) as bench,
        readable(path, fix),
        render.meter(quiet=desk.json) as tick,
        bench.row_file("context", every=every, talks=talks, sets=sorted(sets or ())) as rows,
    ):
        found = run_contexts(path, bench.memory, every, talks, sets or (), tick, rows)
    # each set in a part of its own, so that a run of one leaves those of others
    parts = {f"context-{name}": contexts_markdown({name: one}) for name, one in found.items()}
    deliver(desk, output, "context PATH", Outcome(found, parts, list(contexts_page(found))))


def retrieval(desk: Desk, name: str, path: Path, dataset: Dataset, asking: Asking, output: Output) -> None:
    """Runs a set in each way of searching."""
    if not dataset.questions:
        raise InvalidInput("PATH", f"{path} holds no question of {name}", "see docs/evaluation.md for where the set comes from")
    with open_bench(desk, output) as bench:
        outcome = _retrieved(bench, name, dataset, asking, quiet=desk.json)
    deliver(desk, output, f"{name} PATH", outcome)


def _retrieved(bench: Bench, name: str, dataset: Dataset, asking: Asking, *, quiet: bool) -> Outcome:
    from onrecord.cli.scores import retrieval_page
    from onrecord.evals.dataset import sampled
    from onrecord.evals.report import figures, head, markdown, plain
    from onrecord.evals.run import evaluate
    from onrecord.model.query import Include

    limits = asking.limit or [5, 10]
    part = sampled(dataset, asking.sample, asking.seed)
    found = []
    options = {"limits": limits, "baselines": asking.baselines, "sample": asking.sample, "apart": sorted(dataset.apart)}
    with bench.row_file(name, questions=dataset.digest, **options, seed=asking.seed) as rows:
        for mode in asking.include or list(Mode):
            with bench.memory() as memory, render.meter(quiet=quiet) as tick:
                report = evaluate(
                    part,
                    memory.engine,
                    include=Include(mode),
                    limits=limits,
                    baselines=asking.baselines,
                    done=rows.ids(include=str(mode)),
                    keep=lambda row, mode=mode: rows.add({"include": str(mode), **plain(row, limits)}),  # type: ignore[misc]
                    progress=under(tick, f"{name} {mode}"),
                )
            mine = [row for row in rows.rows if row["include"] == str(mode)]
            found.append(figures(head(report), mine, seed=asking.seed))
    page = [line for one in found for line in (*retrieval_page(one), blank())]
    return Outcome(found, {name: "\n".join(map(markdown, found))}, page)
