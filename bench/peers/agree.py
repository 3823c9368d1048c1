"""Whether two runs of the same sample agree: quality within half a point, costs in the same proportion within a fifth.

    python -m bench.peers.agree FILE OTHER

Proportions are to onrecord's default of the same file, so that a slower day of the machine does not count. Leaves with 1 if they
do not agree.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.peers.columns import at, timed_set

#: Points of recall (hundredths) and the share of a proportion that two runs may differ by.
POINTS, SHARE = 0.5, 0.2
_BASE = ("onrecord", "default")
_FIGURES = ("R@5", "R@10")
_COSTS = (("ingest", "turns_per_s"), ("search", "p50"))


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """A line for each figure in which the runs differ by more. Raises ``ValueError`` if they are of different samples."""
    if one["sample"] != other["sample"]:
        raise ValueError(f"the runs are of different samples: {one['sample']} and {other['sample']}")
    mine, theirs = _by_peer(one), _by_peer(other)
    for key in mine.keys() & theirs.keys():
        yield from _quality(key, mine[key]["sets"], theirs[key]["sets"])
    yield from _proportions(mine, theirs, timed_set(one))


def _quality(key: tuple[str, str], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    for name in mine.keys() & theirs.keys():
        classes, others = mine[name].get("classes") or {}, theirs[name].get("classes") or {}
        for each in classes.keys() & others.keys():
            for figure in _FIGURES:
                apart = 100 * abs(classes[each][figure] - others[each][figure])
                if apart > POINTS:
                    yield f"{key[0]} ({key[1]}), {name}, {each}, {figure}: {apart:.2f} points apart"


def _proportions(mine: Mapping[Any, Any], theirs: Mapping[Any, Any], name: str) -> Iterator[str]:
    for key in mine.keys() & theirs.keys():
        for path in _COSTS:
            values = [_proportion(found, key, name, path) for found in (mine, theirs)]
            if None in values or 0 in values:
                continue
            apart = abs(values[0] / values[1] - 1)
            if apart > SHARE:
                yield f"{key[0]} ({key[1]}), {path[-1]}: {values[0]:.2f} and {values[1]:.2f} of onrecord's"


def _proportion(found: Mapping[Any, Any], key: tuple[str, str], name: str, path: tuple[str, ...]) -> Any:
    value, base = (at(found.get(each, {}), ("sets", name, *path)) for each in (key, _BASE))
    return value / base if value and base else None


def _by_peer(run: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    return {(one["peer"], one["setting"]): one for one in run["peers"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("other", type=Path)
    given = parser.parse_args()
    runs = [json.loads(path.read_text("utf-8")) for path in (given.file, given.other)]
    try:
        found = sorted(differences(*runs))
    except ValueError as error:
        parser.error(str(error))
    print("\n".join(found) or "the runs agree")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
