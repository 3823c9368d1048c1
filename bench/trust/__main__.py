"""The trust suite over the peers of the comparison.

    python -m bench.trust [--peers onrecord bm25 vectors] [--out bench/peers/results/trust.json]

Each peer and setting gets all scenarios in one memory, in a folder that goes afterwards. The JSON has the counts by check, every
verdict with what was seen, the versions, the machine and the date.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.peers import registry
from bench.trust.checks import CHECKS, ERROR, FAILED, HELD, NO, Verdict, judge, observe, tells_apart
from bench.trust.scenarios import Scenario, load


def main() -> None:
    """Runs the peers one after the other and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", nargs="+", default=list(registry.names()), help="their names; all by default")
    parser.add_argument("--out", type=Path, help="write the results there as JSON; peers that are there and not named stay")
    options = parser.parse_args()
    scenarios, results = load(), _kept(options.out)
    for name in options.peers:
        for setting in registry.settings(name):
            if not registry.installed(name, setting):
                print(f"{name}, {setting}: is not installed here; run python -m bench.peers.install {name}", file=sys.stderr)
                continue
            results[f"{name}, {setting}"] = run(name, setting, scenarios)
            if options.out is not None:
                _write(options.out, results)
    print(table(results))


def run(name: str, setting: str, scenarios: Sequence[Scenario]) -> dict[str, Any]:
    """What one peer in one setting comes to: facts, counts by check, and every verdict."""
    with tempfile.TemporaryDirectory(prefix="trust-") as place:
        peer, folder = registry.open_peer(name, setting), Path(place) / "peer"
        facts = peer.open(folder)
        try:
            seen = [observe(peer, folder, scenario) for scenario in scenarios]
        finally:
            peer.close()
    apart = tells_apart(seen)
    verdicts = [verdict for scenario, one in zip(scenarios, seen, strict=True) for verdict in judge(scenario, one, apart)]
    about = {"name": facts.name, "version": facts.version, "setting": facts.setting, "embedder": facts.embedder}
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    return {
        **about,
        **machine,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
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


def table(results: dict[str, Any]) -> str:
    """A Markdown table: for each check and peer how many scenarios held of those that could be asked, and how many answered."""
    lines = ["| check | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    for check in CHECKS:
        lines.append(f"| {check} | " + " | ".join(cell(one["checks"][check]) for one in results.values()) + " |")
    return "\n".join(lines)


def cell(counted: dict[str, int]) -> str:
    """``held 5 of 8 (7 answered)``, or ``no``."""
    asked = counted[HELD] + counted[FAILED] + counted[ERROR]
    if not asked:
        return "no"
    answered = f" ({counted['answered']} of {counted['to_answer']} answered)" if counted["to_answer"] else ""
    broken = f", {counted[ERROR]} broke it" if counted[ERROR] else ""
    return f"held {counted[HELD]} of {asked}{answered}{broken}"


def _kept(out: Path | None) -> dict[str, Any]:
    return dict(json.loads(out.read_text("utf-8"))) if out is not None and out.exists() else {}


def _write(out: Path, results: dict[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
