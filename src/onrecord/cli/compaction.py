"""``onrecord eval compaction``: which sets a folder holds, and their figures as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onrecord.cli.lines import Line, blank, line, title
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.evals.compaction import Thread

#: Figures in the order of the columns, those that a set has.
_FIGURES = (
    "binding",
    "constraint",
    "negated",
    "decision",
    "with a number",
    "with a code",
    "dated",
    "other keeps",
    "all keeps",
    "evidence words",
    "evidence numbers",
    "evidence names",
    "answer words",
)


def run_compaction(path: Path, progress: Callable[[str, int, int], None]) -> dict[str, Any]:
    """The report of every set in the folder, by name. Raises ``InvalidInput`` where there is none."""
    from onrecord.build import build
    from onrecord.evals.compaction import evaluate_compaction

    there = {name: load for name, (place, load) in _loaders().items() if (path / place).exists()} or _own(path)
    if not there:
        raise InvalidInput(
            "PATH", f"{path} holds none of the sets", "name the folder that holds keepsakes, locomo, ..., or one of conversations"
        )
    count, found = build(":memory:").tokens.count, {}
    for done, (name, load) in enumerate(there.items()):
        progress(name, done, len(there))
        found[name] = evaluate_compaction(load(path), count)
    return found


def compaction_markdown(found: Mapping[str, Any]) -> str:
    """One table a set."""
    return "\n".join("\n".join((f"#### {name}\n", *_table(report), "")) for name, report in found.items())


def compaction_page(found: Mapping[str, Any]) -> Iterator[Line]:
    """The tables for a terminal."""
    for name, report in found.items():
        yield title(name)
        yield from (line(row, indent=2) for row in _table(report))
        yield blank()


def _own(path: Path) -> dict[str, Callable[[Path], list[Thread]]]:
    """The conversations of one hand, under the name of their folder; nothing where the folder holds none."""
    from onrecord.evals.compaction import keepsakes_threads
    from onrecord.evals.keepsakes_gold import load

    held = any(next(folder.glob("*.json"), None) for folder in (path, path / "scenarios"))
    return {path.resolve().name: lambda path: keepsakes_threads(load(path))} if held else {}


def _writers(path: Path) -> list[Thread]:
    from onrecord.evals.compaction import keepsakes_threads
    from onrecord.evals.keepsakes_gold import load

    hands = sorted(folder for folder in path.iterdir() if len(folder.name) == 1 and folder.is_dir())
    return [thread for hand in hands for thread in keepsakes_threads(load(hand))]


def _loaders() -> dict[str, tuple[str, Callable[[Path], list[Thread]]]]:
    from onrecord.evals import beam, keepsakes_gold, locomo, longmemeval
    from onrecord.evals.compaction import keepsakes_threads, talk_threads

    return {
        "keepsakes": ("keepsakes", lambda path: keepsakes_threads(keepsakes_gold.load(path / "keepsakes"))),
        # Writers beside keepsakes, a letter each: bench/conversations has them.
        "other writers": ("a", _writers),
        "locomo": ("locomo", lambda path: talk_threads(locomo.load(path / "locomo/locomo10.json.gz"))),
        "longmemeval": (
            "longmemeval_dev",
            lambda path: talk_threads(longmemeval.load(path / "longmemeval_dev"), by_session=True),
        ),
        "beam": ("beam_100k", lambda path: talk_threads(beam.load(path / "beam_100k"))),
    }


def _table(report: Mapping[str, Any]) -> Iterator[str]:
    """Rows: size and method. Columns: the ratio achieved, threads over the budget, inversions, the shares that survive."""
    tallies = [(size, method, tally) for size, methods in report.items() for method, tally in methods.items()]
    held = {name: tally[name]["of"] for _, _, tally in tallies for name in tally if isinstance(tally[name], Mapping)}
    columns = sorted(held, key=lambda name: (_FIGURES.index(name) if name in _FIGURES else len(_FIGURES), name))
    heads = [f"{name} (of {held[name]})" for name in columns]
    yield "| " + " | ".join(("size", "method", "ratio", "over", "inverted", *heads)) + " |"
    yield "|" + "---|" * (5 + len(columns))
    for size, method, tally in tallies:
        shares = (f"{tally[name]['share']:.1%}" if name in tally else "" for name in columns)
        over = f"{tally['over_budget']} of {tally['threads']}" if method == "ledger" else ""
        yield "| " + " | ".join((size, method, f"{tally['ratio']}", over, str(len(tally["inverted"])), *shares)) + " |"
