"""Whether two runs of the same sample agree: quality within half a point, costs in the same proportion within a fifth.

    python -m bench.peers.agree FILE OTHER [--wall]

Costs are compared in proportion to all others: of each cost the other run's figures are divided by the factor that the memory in
the middle changed by, so that a slower day of the machine does not count, nor one memory whose figure strayed. Those of processor
time (a memory's own processes and what the embedding server took for it, by turn and by search) decide, with quality, whether
this leaves with 1. Those of wall-clock are told and decide nothing without ``--wall``: the memories run one after the other, so
that whatever else the machine does meanwhile falls on one of them and not on the next. What takes less than ``LEAST`` in either
run is passed over, since a fifth of it is chance.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench.peers.columns import at, timed_set

#: A memory and its setting; where a figure stands.
Key = tuple[str, str]
Place = tuple[str, ...]
QUALITY, PROCESSOR, WALL = "quality", "processor", "wall-clock"
#: Points of recall (hundredths) and the share of a proportion that two runs may differ by.
POINTS, SHARE = 0.5, 0.2
#: Milliseconds of processor time by turn or search below which a proportion says nothing.
LEAST = 0.5
_FIGURES = ("R@5", "R@10")


class Cost(NamedTuple):
    """What a proportion is of: its kind and name, the figures that are added up, and from what sum on it says something."""

    kind: str
    title: str
    places: tuple[Place, ...]
    least: float = 0.0


_COSTS = (
    Cost(WALL, "turns/s", (("ingest", "turns_per_s"),)),
    Cost(WALL, "search p50", (("search", "p50"),)),
    Cost(PROCESSOR, "ms a turn", (("ingest", "cpu_ms"), ("ingest", "embed_ms")), LEAST),
    Cost(PROCESSOR, "ms a search", (("search", "cpu_ms"), ("search", "embed_ms")), LEAST),
)


class Pair(NamedTuple):
    """A cost of one memory in either run; the second at the speed of the first run."""

    cost: Cost
    key: Key
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure in which two runs differ by more. ``kind`` is quality, processor or wall-clock; ``what`` names it and both."""

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Difference]:
    """Every figure in which the runs differ by more, of all kinds. Raises ``ValueError`` if they are of different samples."""
    if one["sample"] != other["sample"]:
        raise ValueError(f"the runs are of different samples: {one['sample']} and {other['sample']}")
    mine, theirs = _by_peer(one), _by_peer(other)
    for key in mine.keys() & theirs.keys():
        yield from _quality(key, mine[key]["sets"], theirs[key]["sets"])
    for pair in proportions(one, other):
        if abs(pair.first / pair.second - 1) > SHARE:
            said = f"{pair.first:.2f} and, at the speed of the first run, {pair.second:.2f}"
            yield Difference(pair.cost.kind, f"{_named(pair.key)}, {pair.cost.title}: {said}")


def proportions(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Pair]:
    """Each cost that a memory has in both runs, by kind and in the order of the first run."""
    mine, theirs, name = _by_peer(one), _by_peer(other), timed_set(one)
    for cost in _COSTS:
        costs = {key: (_sum(mine[key], name, cost), _sum(theirs.get(key, {}), name, cost)) for key in mine}
        both = {key: (first, second) for key, (first, second) in costs.items() if first and second}
        speed = median(second / first for first, second in both.values()) if both else 1.0
        yield from (Pair(cost, key, first, second / speed) for key, (first, second) in both.items())


def _quality(key: Key, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[Difference]:
    for name in mine.keys() & theirs.keys():
        classes, others = mine[name].get("classes") or {}, theirs[name].get("classes") or {}
        for each in classes.keys() & others.keys():
            for figure in _FIGURES:
                apart = 100 * abs(classes[each][figure] - others[each][figure])
                if apart > POINTS:
                    yield Difference(QUALITY, f"{_named(key)}, {name}, {each}, {figure}: {apart:.2f} points apart")


def _sum(entry: Mapping[str, Any], name: str, cost: Cost) -> float | None:
    values = [at(entry, ("sets", name, *place)) for place in cost.places]
    total = None if None in values else float(sum(values))
    return total if total is not None and total >= cost.least else None


def _named(key: Key) -> str:
    return f"{key[0]} ({key[1]})"


def _line(pair: Pair) -> str:
    return f"{pair.cost.kind:<10} {_named(pair.key):<30} {pair.cost.title:<12} {pair.first:8.2f} {pair.second:8.2f}"


def _by_peer(run: Mapping[str, Any]) -> dict[Key, Any]:
    return {(one["peer"], one["setting"]): one for one in run["peers"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--wall", action="store_true", help="differences of wall-clock count too")
    given = parser.parse_args()
    runs = [json.loads(path.read_text("utf-8")) for path in (given.file, given.other)]
    try:
        found = sorted(differences(*runs), key=str)
    except ValueError as error:
        parser.error(str(error))
    deciding = [one for one in found if given.wall or one.kind != WALL]
    print("Costs of the first run, and of the other at the speed of the first:\n")
    print("\n".join(map(_line, proportions(*runs))), end="\n\n")
    print("\n".join(f"{one}{'' if one in deciding else ' (told only)'}" for one in found), end="\n\n" if found else "")
    print(f"{len(deciding)} differences decide" if deciding else "the runs agree")
    sys.exit(bool(deciding))


if __name__ == "__main__":
    main()
