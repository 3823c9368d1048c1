"""What every evaluation is run with: empty memories, the options they share, and where the outcome goes."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from onrecord.cli.command import Desk
from onrecord.cli.lines import Line
from onrecord.cli.sections import write_section
from onrecord.errors import InvalidInput, OnRecordError

if TYPE_CHECKING:
    from onrecord.evals.rows import RowFile
    from onrecord.memory import Memory
    from onrecord.ports import Clock, Embedder, TokenCounter
    from onrecord.settings import Settings

SetFile = Annotated[Path, Argument(metavar="PATH", help="The file of the set.")]
SetFolder = Annotated[Path, Argument(metavar="PATH", help="The folder of the set.")]
AllSets = Annotated[Path, Argument(metavar="PATH", help="The folder that holds all sets.")]
Seed = Annotated[int, Option(metavar="N", help="What is drawn at random comes from it: the same seed, the same figures.")]
Baselines = Annotated[bool, Option("--baselines/--no-baselines", help="Plain BM25 and plain vectors beside it.")]
Sample = Annotated[int | None, Option(metavar="N", min=1, help="Only N of the questions, drawn by the seed.  [default: all]")]
Cache = Annotated[Path, Option(metavar="DIR", help="Where embeddings are kept from run to run.")]
CACHE = Path("~/.cache/onrecord/evals")


@dataclass(frozen=True, slots=True)
class Output:
    """Options of where an outcome goes, and what is kept from run to run."""

    rows: Annotated[
        Path | None,
        Option(metavar="FILE", help="A JSON line for each question goes there as it comes; an interrupted run goes on from it."),
    ] = None
    write: Annotated[
        Path | None, Option(metavar="FILE", help="Put the tables into this Markdown file, in the set's own part.")
    ] = None
    cache: Cache = CACHE


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found: as data, and in the two forms people read; ``parts`` are Markdown by the part of the file it goes to."""

    found: Any
    parts: Mapping[str, str]
    page: Sequence[Line]


class Bench:
    """Makes empty memories in a folder, with the embedder of the settings, a cache before it, and their reranker."""

    def __init__(self, folder: Path, output: Output, settings: Settings) -> None:
        from onrecord.build import open_embedder, open_reranker
        from onrecord.evals.cache import CachedEmbedder

        self.folder, self._output, self._settings, self._made = folder, output, settings, 0
        cache, key = output.cache.expanduser(), settings.embedder_key
        self._reranker = open_reranker(settings.reranker, key=key) if settings.reranker else None
        try:
            self._embedder = CachedEmbedder(open_embedder(settings.embedder, key=key), cache)
        except OSError as error:
            raise InvalidInput("--cache", f"{cache}: {error.strerror}", "name a folder that can be written") from None

    @property
    def embedder(self) -> Embedder:
        """The embedder, behind its cache."""
        return self._embedder

    def memory(self, clock: Clock | None = None, tokens: TokenCounter | None = None, *, tenant: str = "default") -> Memory:
        """An empty memory in a file of its own."""
        from onrecord.build import open_store
        from onrecord.memory import Memory

        self._made += 1
        return Memory(
            # a power cut ends the evaluation anyway
            store=open_store(self.folder / f"{self._made}.db", synchronous="NORMAL"),
            tenant=tenant,
            embedder=self._embedder,
            clock=clock,
            tokens=tokens,
            policy=self._settings.policy,
            reranker=self._reranker,
        )

    def beside(self, memory: Memory, tenant: str) -> Memory:
        """Another tenant on the same store."""
        from onrecord.memory import Memory

        return Memory(store=memory.engine.store, tenant=tenant, embedder=self._embedder, policy=self._settings.policy)

    def row_file(self, suite: str, **options: Any) -> RowFile:
        """The rows of a run of this set with these options, taken up from the file of the command line if they are there."""
        from onrecord.evals.rows import RowFile, code_digest

        policy = hashlib.sha256(repr(self._settings.policy).encode()).hexdigest()[:16]
        reranker = self._settings.reranker or ""
        run = {"eval": suite, **options, "embedder": self._embedder.name, "reranker": reranker, "policy": policy}
        return RowFile(self._output.rows, {**run, "code": code_digest()})


@contextmanager
def open_bench(desk: Desk, output: Output) -> Iterator[Bench]:
    """A bench whose memories go when it is left."""
    with tempfile.TemporaryDirectory(prefix="onrecord-eval-") as place:
        yield Bench(Path(place), output, desk.settings)


def deliver(desk: Desk, output: Output, suite: str, outcome: Outcome) -> None:
    """Writes the tables where they are wanted, and answers."""
    if output.write is not None:
        for name, markdown in outcome.parts.items():
            write_section(output.write, name, f"{markdown}\nWritten by `onrecord eval {suite}`.")
    desk.answer(outcome.found, lambda _: outcome.page)


@contextmanager
def readable(path: Path, fix: str) -> Iterator[None]:
    """Whatever goes wrong while a set is read becomes one sentence that names it."""
    try:
        yield
    except (OSError, EOFError, ValueError, KeyError) as error:
        if isinstance(error, OnRecordError):
            raise
        why = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__} {error}"
        raise InvalidInput("PATH", f"{path} can't be read: {why}", fix) from None
