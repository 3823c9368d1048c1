"""Two simulated years for several seeds: whether the store stays bounded, and facts are found as in week one.

    python -m bench.simulate [--seeds 20] [--first 1] [--sessions 1000] [--without decay,consolidation] [--embedder hashing]

For each seed: the active records and bytes at the end of each year, hit@5 of week one and of the last quarter (facts written on
purpose; told in passing in brackets), how many superseded rows were offered in any quarter, and how often a former value was
given as what is so for another reason. The targets: hit@5 falls by 2 points at most, nothing superseded is offered, and the
second year ends with at most a tenth more active records and bytes than the first.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import mean

from onrecord.build import open_embedder
from onrecord.evals.simulate import Simulated, simulate
from onrecord.providers.embed.hashing import HashingEmbedder


def main() -> None:
    """Prints a line for each seed, and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--years", type=float, default=2.0)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--keep-turns", type=int, default=180, help="days; 0 for ever")
    parser.add_argument("--without", default="")
    parser.add_argument("--embedder", default="hashing")
    options = parser.parse_args()
    done = []
    for seed in range(options.first, options.first + options.seeds):
        began = time.monotonic()
        embedder = HashingEmbedder() if options.embedder == "hashing" else open_embedder(options.embedder)
        with tempfile.TemporaryDirectory() as folder:
            done.append(
                simulate(
                    Path(folder) / "simulated.db",
                    embedder,
                    seed=seed,
                    years=options.years,
                    sessions=options.sessions,
                    keep_turns=options.keep_turns or None,
                    without=[part for part in options.without.split(",") if part],
                )
            )
        print(_told(done[-1]), f"{time.monotonic() - began:.0f} s", flush=True)
    falls = [100 * (one.week_one.hit5 - one.quarters[-1].hit5) for one in done]
    told = [100 * (one.week_one.hit5_told - one.quarters[-1].hit5_told) for one in done]
    gone = sum(quarter.superseded for one in done for quarter in one.quarters)
    former = sum(quarter.former for one in done for quarter in one.quarters)
    fell = f"hit@5 falls by {mean(falls):.1f} points (told {mean(told):.1f})"
    print(f"{len(done)} seeds: {fell}; superseded rows offered: {gone}; former values given: {former}")


def _told(one: Simulated) -> str:
    half, last = one.quarters[len(one.quarters) // 2 - 1], one.quarters[-1]
    former = sum(quarter.former for quarter in one.quarters), sum(quarter.former_told for quarter in one.quarters)
    return (
        f"seed {one.seed}: active {half.active} -> {last.active}, KiB {half.bytes >> 10} -> {last.bytes >> 10}, "
        f"hit@5 {one.week_one.hit5:.2f} -> {last.hit5:.2f} ({one.week_one.hit5_told:.2f} -> {last.hit5_told:.2f}), "
        f"superseded {sum(quarter.superseded for quarter in one.quarters)}, former {former[0]} ({former[1]})"
    )


if __name__ == "__main__":
    main()
