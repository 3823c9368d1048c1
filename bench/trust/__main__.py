"""The trust suite over the peers of the comparison.

    python -m bench.trust [--peers onrecord mem0:best ...] [--out bench/peers/results/trust.json] [--missing]

Each peer and setting gets all scenarios in one memory, in a folder that goes afterwards. The JSON has the counts by check, every
verdict with what was seen, the versions, the machine, the date and the commit, in the order of the registry.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.peers import registry
from bench.peers.revision import revision
from bench.trust.checks import CHECKS, COLUMNS, ERROR, FAILED, HELD, NO, Verdict, judge, look_again, observe, tells_apart
from bench.trust.scenarios import Scenario, load


def main() -> None:
    """Runs the peers one after the other and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", nargs="+", default=[], metavar="NAME[:SETTING]", help="all by default, in all their settings")
    parser.add_argument("--out", type=Path, help="write the results there as JSON; peers that are there and not named stay")
    parser.add_argument("--missing", action="store_true", help="only those that are not in it yet")
    options = parser.parse_args()
    scenarios, results = load(), kept(options.out)
    try:
        wanted = registry.chosen(options.peers)
    except ValueError as error:
        parser.error(f"--peers: {error}")
    for name, setting in wanted:
        if options.missing and key(name, setting) in results:
            continue
        if not registry.installed(name, setting):
            print(f"{name}, {setting}: is not installed here; run python -m bench.peers.install {name}", file=sys.stderr)
            continue
        results[key(name, setting)] = run(name, setting, scenarios)
        if options.out is not None:
            write(options.out, results)
    print(table(ordered(results)))


def run(name: str, setting: str, scenarios: Sequence[Scenario]) -> dict[str, Any]:
    """What one peer in one setting comes to: facts, counts by check, and every verdict."""
    with tempfile.TemporaryDirectory(prefix="trust-") as place:
        peer, folder = registry.open_peer(name, setting), Path(place) / "peer"
        facts = peer.open(folder)
        try:
            seen = [observe(peer, folder, scenario) for scenario in scenarios]
        finally:
            peer.close()
        for scenario, one in zip(scenarios, seen, strict=True):
            look_again(folder, scenario, one)
    apart = tells_apart(seen)
    verdicts = [verdict for scenario, one in zip(scenarios, seen, strict=True) for verdict in judge(scenario, one, apart)]
    about = {"name": facts.name, "version": facts.version, "setting": facts.setting, "embedder": facts.embedder}
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    return {
        **about,
        **machine,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "revision": revision(),
        "tells_dialogue_apart": apart,
        "checks": {check: counts(verdicts, check) for check in CHECKS},
        "verdicts": [asdict(verdict) for verdict in verdicts],
    }


def counts(verdicts: Sequence[Verdict], check: str) -> dict[str, int]:
    """How many scenarios of a check held, failed, were no matter of this peer, broke it; and in how many the right thing came."""
    mine = [verdict for verdict in verdicts if verdict.check == check]
    found = Counter(verdict.verdict for verdict in mine)
    answered = [verdict.answered for verdict in mine if verdict.answered is not None]
    return {**{name: found[name] for name in (HELD, FAILED, NO, ERROR)}, "answered": sum(answered), "to_answer": len(answered)}


def key(name: str, setting: str) -> str:
    """What a peer in a setting is called in the file of results."""
    return f"{name}, {setting}"


def ordered(results: Mapping[str, Any]) -> dict[str, Any]:
    """The results in the order of the registry; those of peers that it has no longer are left out."""
    return {one: results[one] for one in (key(*pair) for pair in registry.chosen()) if one in results}


def table(results: Mapping[str, Any]) -> str:
    """A Markdown table: a line for each peer and setting, a column for each check, as ``cell`` writes it."""
    lines = [
        "| memory | setting | " + " | ".join(COLUMNS[check].heading for check in CHECKS) + " |",
        "|---|---|" + "---|" * len(CHECKS),
    ]
    for one in results.values():
        cells = [one["name"], one["setting"], *(cell(one["checks"][check]) for check in CHECKS)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(counted: Mapping[str, int]) -> str:
    """``5/8`` held; ``5/8 (7/8)`` where the right thing did not come back in all; ``no`` where it cannot be asked."""
    asked = counted[HELD] + counted[FAILED] + counted[ERROR]
    if not asked:
        return "no"
    answered = f" ({counted['answered']}/{counted['to_answer']})" if counted["answered"] < counted["to_answer"] else ""
    broken = f", {counted[ERROR]} broke it" if counted[ERROR] else ""
    return f"{counted[HELD]}/{asked}{answered}{broken}"


def kept(out: Path | None) -> dict[str, Any]:
    """What a file of results has; nothing where there is none."""
    return dict(json.loads(out.read_text("utf-8"))) if out is not None and out.exists() else {}


def write(out: Path, results: Mapping[str, Any]) -> None:
    """Writes results to a file, in order."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(ordered(results), indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
