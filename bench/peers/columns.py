"""What is shown of the results, and where it stands in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

TITLES = {"locomo": "LoCoMo", "longmemeval": "LongMemEval-S"}
#: Columns of quality over all questions, of those of each set that have them.
FIGURES = {"locomo": ("R@5", "R@10", "any@5", "all@5", "MRR"), "longmemeval": ("R@5", "R@10", "any@5", "all@5", "session_all@5")}


class Cost(NamedTuple):
    """A column of the costs: its title, where it stands, and whether more is better."""

    title: str
    path: tuple[str, ...]
    more: bool = False


COSTS = (
    Cost("turns/s", ("ingest", "turns_per_s"), more=True),
    Cost("search p50 ms", ("search", "p50")),
    Cost("p99 ms", ("search", "p99")),
    Cost("processor ms a turn", ("ingest", "cpu_ms")),
    Cost("+ embedding", ("ingest", "embed_ms")),
    Cost("processor ms a search", ("search", "cpu_ms")),
    Cost("+ embedding", ("search", "embed_ms")),
    Cost("peak MB", ("peak_mb",)),
    Cost("disk MB", ("disk_mb",)),
    Cost("tokens of the hits", ("tokens",)),
    Cost("hits", ("hits",), more=True),
    Cost("lines found by their own words", ("verbatim@10",), more=True),
)
#: Which of the costs are compared where it is told what is lost.
COMPARED = ("turns/s", "search p50 ms", "p99 ms", "peak MB", "disk MB", "tokens of the hits", "lines found by their own words")


def counted(quality: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The classes of a set, as the first peer that searches has them."""
    for one in quality["peers"]:
        if found := one["sets"].get(name, {}).get("classes"):
            return dict(found)
    return {}


def timed_set(quality: Mapping[str, Any]) -> str:
    """The set whose times count: the first in which everybody embeds afresh."""
    fresh = [str(name) for name, found in quality["sets"].items() if found["embedded"] == "by each"]
    return (fresh or list(quality["sets"]))[0]


def at(part: Any, path: Sequence[str]) -> Any:
    """What stands at a path of names; ``None`` where it ends before."""
    for step in path:
        part = part.get(step) if isinstance(part, Mapping) else None
    return part
