"""``onrecord eval``: a public benchmark, run against a whole memory as it is shipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from onrecord.cli import render
from onrecord.cli.command import Desk, command
from onrecord.cli.jsonable import as_json_line
from onrecord.cli.lines import Line, blank
from onrecord.cli.render import under
from onrecord.cli.sections import write_section
from onrecord.errors import InvalidInput, OnRecordError

if TYPE_CHECKING:
    from onrecord.evals.dataset import Dataset
    from onrecord.memory import Memory
    from onrecord.ports import Clock, TokenCounter
    from onrecord.settings import Settings

_CACHE = "~/.cache/onrecord/evals"


class Suite(StrEnum):
    """The sets that can be run."""

    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"
    BEAM = "beam"
    KEEPSAKES = "keepsakes"
    COMPACTION = "compaction"
    PAIRS = "pairs"
    INJECTION = "injection"
    MSC = "msc"
    FOLLOWUPS = "followups"
    CONTEXT = "context"


class Mode(StrEnum):
    """What is searched."""

    EPISODES = "episodes"
    RECORDS = "records"
    BOTH = "both"


def add_commands(app: typer.Typer) -> None:
    """Registers it."""
    command(app, "eval")(eval_)


def eval_(
    desk: Desk,
    suite: Annotated[
        Suite,
        Argument(
            metavar="SET",
            help="locomo, longmemeval, beam, keepsakes; compaction or context on several; pairs or injection of components; msc; "
            "followups.",
        ),
    ],
    path: Annotated[
        Path,
        Argument(
            metavar="PATH",
            help="Where it is: a file for locomo and msc, a folder for the others; for several the folder of all.",
        ),
    ],
    include: Annotated[
        list[Mode] | None, Option(metavar="WHAT", help="Search episodes, records or both; repeatable.  [default: all three]")
    ] = None,
    limit: Annotated[
        list[int] | None, Option("--limit", "-n", metavar="K", help="The k of recall@k; repeatable.  [default: 5, 10]")
    ] = None,
    baselines: Annotated[bool, Option("--baselines/--no-baselines", help="Plain BM25 and plain vectors beside it.")] = True,
    every: Annotated[int, Option(metavar="N", min=1, help="Of context, only every N-th question.")] = 1,
    talks: Annotated[int | None, Option(metavar="N", min=1, help="Of context, only the first N talks of each set.")] = None,
    sets: Annotated[
        list[str] | None, Option("--set", metavar="NAME", help="Of context, only this set; repeatable.  [default: all there are]")
    ] = None,
    rows: Annotated[Path | None, Option(metavar="FILE", help="One JSON object a question into this file.")] = None,
    cache: Annotated[Path, Option(metavar="DIR", help="Where embeddings are kept from run to run.")] = Path(_CACHE),
    write: Annotated[
        Path | None, Option(metavar="FILE", help="Put the tables into this Markdown file, in the set's own part.")
    ] = None,
) -> None:
    """Measure on a public benchmark, as its paper defines it."""
    modes = include or list(Mode)
    import tempfile  # not while commands are listed

    with tempfile.TemporaryDirectory(prefix="onrecord-eval-") as place:
        bench = Bench(Path(place), cache.expanduser(), desk.settings)
        if suite is Suite.CONTEXT:
            outcome = _context(bench, path, every, talks, sets or (), quiet=desk.json)
        else:
            outcome = _outcome(bench, suite, path, modes, limit or [5, 10], baselines, quiet=desk.json)
    if rows is not None:
        _write_rows(rows, outcome.rows)
    if write is not None:
        _write_parts(write, suite, outcome)
    desk.answer(outcome.found, lambda _: outcome.page)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found: as data, for each question, and in the two forms people read."""

    found: Any
    rows: Sequence[Mapping[str, Any]]
    markdown: str
    page: Sequence[Line]


def _outcome(
    bench: Bench, suite: Suite, path: Path, modes: Sequence[Mode], limits: Sequence[int], baselines: bool, *, quiet: bool
) -> Outcome:
    match suite:
        case Suite.KEEPSAKES:
            return _keepsakes(bench, path, modes, baselines, quiet=quiet)
        case Suite.COMPACTION:
            return _compaction(path, quiet=quiet)
        case Suite.PAIRS | Suite.INJECTION | Suite.MSC | Suite.FOLLOWUPS:
            return _counted(bench, suite, path, quiet=quiet)
        case _:
            return _retrieval(bench, suite, path, modes, limits, baselines, quiet=quiet)


class Bench:
    """Makes empty memories in a folder, with the embedder of the settings, a cache before it, and their reranker."""

    def __init__(self, folder: Path, cache: Path, settings: Settings) -> None:
        from onrecord.build import open_embedder, open_reranker
        from onrecord.evals.cache import CachedEmbedder

        self._folder, self._policy, self._made, key = folder, settings.policy, 0, settings.embedder_key
        self._reranker = open_reranker(settings.reranker, key=key) if settings.reranker else None
        try:
            self._embedder = CachedEmbedder(open_embedder(settings.embedder, key=key), cache)
        except OSError as error:
            raise InvalidInput("--cache", f"{cache}: {error.strerror}", "name a folder that can be written") from None

    def memory(self, clock: Clock | None = None, tokens: TokenCounter | None = None, *, tenant: str = "default") -> Memory:
        """An empty memory in a file of its own."""
        from onrecord.build import open_store
        from onrecord.memory import Memory

        self._made += 1
        return Memory(
            store=open_store(self._folder / f"{self._made}.db", synchronous="NORMAL"),  # a power cut ends the evaluation anyway
            tenant=tenant,
            embedder=self._embedder,
            clock=clock,
            tokens=tokens,
            policy=self._policy,
            reranker=self._reranker,
        )


def _retrieval(
    bench: Bench, suite: Suite, path: Path, modes: Sequence[Mode], limits: Sequence[int], baselines: bool, *, quiet: bool
) -> Outcome:
    from onrecord.cli.scores import retrieval_page
    from onrecord.evals.report import markdown, rows, summary
    from onrecord.evals.run import evaluate
    from onrecord.model.query import Include

    dataset = _dataset(suite, path)
    found, asked = [], []
    for mode in modes:
        with bench.memory() as memory, render.meter(quiet=quiet) as tick:
            report = evaluate(
                dataset,
                memory.engine,
                include=Include(mode),
                limits=limits,
                baselines=baselines,
                progress=under(tick, f"{suite} {mode}"),
            )
        found.append(summary(report))
        asked += [{"include": str(mode), **row} for row in rows(report)]
    page = [row for one in found for row in (*retrieval_page(one), blank())]
    return Outcome(found, asked, "\n".join(map(markdown, found)), page)


def _keepsakes(bench: Bench, path: Path, modes: Sequence[Mode], baselines: bool, *, quiet: bool) -> Outcome:
    from onrecord.cli.scores import keepsakes_markdown, keepsakes_page, keepsakes_rows
    from onrecord.evals.keepsakes import evaluate_keepsakes

    if not path.is_dir():
        raise InvalidInput("PATH", f"{path} is no folder", "name the folder that holds the conversations")
    with render.meter(quiet=quiet) as tick:
        found = evaluate_keepsakes(
            path,
            bench.memory,
            include=[str(mode) for mode in modes],
            with_baselines=baselines,
            progress=lambda done, total: tick("keepsakes, play", done, total),
        )
    return Outcome(found, list(keepsakes_rows(found)), keepsakes_markdown(found), list(keepsakes_page(found)))


def _compaction(path: Path, *, quiet: bool) -> Outcome:
    from onrecord.cli.compaction import compaction_markdown, compaction_page, run_compaction

    with _readable(path), render.meter(quiet=quiet) as tick:
        found = run_compaction(path, under(tick, "compaction"))
    rows = [{"set": name, "size": size, **methods} for name, report in found.items() for size, methods in report.items()]
    return Outcome(found, rows, compaction_markdown(found), list(compaction_page(found)))


def _write_parts(path: Path, suite: Suite, outcome: Outcome) -> None:
    """Puts the tables into a file: of context each set into a part of its own, so that a run of one leaves those of others."""
    from onrecord.cli.contexts import contexts_markdown

    written = f"Written by `onrecord eval {suite} PATH`."
    if suite is not Suite.CONTEXT:
        write_section(path, suite, f"{outcome.markdown}\n{written}")
        return
    for name, one in outcome.found.items():
        write_section(path, f"{suite}-{name}", f"{contexts_markdown({name: one})}\n{written}")


def _context(bench: Bench, path: Path, every: int, talks: int | None, sets: Sequence[str], *, quiet: bool) -> Outcome:
    from onrecord.cli.contexts import contexts_markdown, contexts_page, run_contexts

    with _readable(path), render.meter(quiet=quiet) as tick:
        found, rows = run_contexts(path, bench.memory, every, talks, sets, tick)
    return Outcome(found, rows, contexts_markdown(found), list(contexts_page(found)))


def _counted(bench: Bench, suite: Suite, path: Path, *, quiet: bool) -> Outcome:
    """The sets that are scored by counting what came of each text or pair."""
    from onrecord.cli.scores import counted_markdown, counted_page
    from onrecord.evals.followups import evaluate_followups
    from onrecord.evals.injection import evaluate_injection
    from onrecord.evals.keepsakes import rule_capture
    from onrecord.evals.msc import evaluate_msc
    from onrecord.evals.pairs import evaluate_pairs

    with _readable(path), render.meter(quiet=quiet) as tick:

        def progress(done: int, total: int) -> None:
            tick(f"{suite}, read", done, total)

        match suite:
            case Suite.PAIRS:
                found = evaluate_pairs(path)
            case Suite.MSC:
                found = evaluate_msc(path, rule_capture(), progress=progress)
            case Suite.FOLLOWUPS:
                found = evaluate_followups(path, bench.memory, progress=progress)
            case _:
                beside = path.parent / "keepsakes"  # its harmless tool results show the false alarms
                found = evaluate_injection(
                    path, bench.memory, conversations=beside if beside.is_dir() else None, progress=progress
                )
    return Outcome(found, found.get("questions", []), counted_markdown(suite, found), list(counted_page(suite, found)))


def _dataset(suite: Suite, path: Path) -> Dataset:
    from onrecord.evals import beam, locomo, longmemeval

    with _readable(path):
        match suite:
            case Suite.LOCOMO:
                dataset = locomo.load(path)
            case Suite.LONGMEMEVAL:
                dataset = longmemeval.load(path)
            case _:
                dataset = beam.load(path)
    if not dataset.questions:
        raise InvalidInput("PATH", f"{path} holds no question of {suite}", "see docs/benchmarks.md for where the set comes from")
    return dataset


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, ValueError, KeyError) as error:
        if isinstance(error, OnRecordError):
            raise
        why = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__} {error}"
        problem = f"{path} can't be read: {why}"
        raise InvalidInput("PATH", problem, "name the file of locomo, or the folder of another set") from None


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    try:
        path.write_text("".join(f"{as_json_line(row)}\n" for row in rows), "utf-8")
    except OSError as error:
        raise InvalidInput("--rows", f"{path}: {error.strerror}", "name a file that can be written") from None
