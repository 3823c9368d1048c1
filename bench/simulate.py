"""Two simulated years for several seeds: whether the store stays bounded, and facts are found as in week one.

    python -m bench.simulate [--seeds 20] [--first 1] [--sessions 1000] [--keep 90] [--keep-turns 90]
                             [--without decay,consolidation] [--jobs 2] [--results FILE]

For each seed: the active records and bytes at the end of each year, hit@5 of week one and of the last quarter (facts written on
purpose; told in passing in brackets), how many superseded rows were offered in any quarter, and how often a former value was
given as what is so for another reason. The targets: hit@5 falls by 2 points at most, nothing superseded is offered, and the
second year ends with at most a tenth more active records and bytes than the first.

Bytes can only stay what they are if what is kept goes within the first year: ``--keep`` is the longest, in days, that anything
out of recall is kept. ``--results`` is a file with a line for each seed: those that stand there for the same settings are not
played again, so that a run can be stopped and go on, or be shared out among machines.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from onrecord.build import open_embedder
from onrecord.evals.simulate import Measured, Simulated, simulate
from onrecord.providers.embed.hashing import HashingEmbedder


@dataclass(frozen=True, slots=True)
class Life:
    """One life to be played, and how."""

    seed: int
    years: float
    sessions: int
    keep_turns: int
    keep: int
    without: tuple[str, ...]
    embedder: str


def main() -> None:
    """Prints a line for each seed, and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--years", type=float, default=2.0)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--keep-turns", type=int, default=180, help="days; 0 for ever")
    parser.add_argument("--keep", type=int, default=0, help="days, for all that is out of recall; 0 as in the settings")
    parser.add_argument("--without", default="")
    parser.add_argument("--embedder", default="minilm", help="hashing knows words alone and costs nothing")
    parser.add_argument("--jobs", type=int, default=1, help="lives played at a time")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no other life after so long")
    options = parser.parse_args()
    without = tuple(part for part in options.without.split(",") if part)
    how = (options.years, options.sessions, options.keep_turns, options.keep, without, options.embedder)
    lives = [Life(seed, *how) for seed in range(options.first, options.first + options.seeds)]
    _sum_up(list(_played(lives, options.jobs, options.results, time.monotonic() + options.seconds)))


def _played(lives: list[Life], jobs: int, results: Path | None, until: float) -> Iterator[Simulated]:
    known = _known(results)
    left = [life for life in lives if life not in known]
    for life in lives:
        if life in known:
            print(_told(known[life]), "(played before)")
            yield known[life]
    with multiprocessing.get_context("spawn").Pool(max(jobs, 1)) as pool:
        for life, done, seconds in pool.imap_unordered(_play, ((life, until) for life in left)):
            if done is None:
                continue
            print(_told(done), f"{seconds:.0f} s of CPU", flush=True)
            if results is not None:
                with results.open("a") as file:
                    file.write(json.dumps({"life": asdict(life), "done": asdict(done)}) + "\n")
            yield done


def _play(asked: tuple[Life, float]) -> tuple[Life, Simulated | None, float]:
    life, until = asked
    if time.monotonic() > until:
        return life, None, 0.0
    began = time.process_time()
    embedder = HashingEmbedder() if life.embedder == "hashing" else open_embedder(life.embedder)
    with tempfile.TemporaryDirectory() as folder:
        done = simulate(
            Path(folder) / "simulated.db",
            embedder,
            seed=life.seed,
            years=life.years,
            sessions=life.sessions,
            keep_turns=life.keep_turns or None,
            keep=life.keep or None,
            without=life.without,
        )
    return life, done, time.process_time() - began


def _known(results: Path | None) -> dict[Life, Simulated]:
    if results is None or not results.exists():
        return {}
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    return {Life(**row["life"] | {"without": tuple(row["life"]["without"])}): _simulated(row["done"]) for row in rows}


def _simulated(row: dict[str, Any]) -> Simulated:
    return Simulated(
        seed=row["seed"],
        without=tuple(row["without"]),
        week_one=Measured(**row["week_one"]),
        quarters=tuple(Measured(**quarter) for quarter in row["quarters"]),
    )


def _sum_up(done: list[Simulated]) -> None:
    if not done:
        return
    halves = [(one.quarters[len(one.quarters) // 2 - 1], one.quarters[-1]) for one in done]
    falls = [100 * (one.week_one.hit5 - one.quarters[-1].hit5) for one in done]
    told = [100 * (one.week_one.hit5_told - one.quarters[-1].hit5_told) for one in done]
    gone = sum(quarter.superseded for one in done for quarter in one.quarters)
    former = sum(quarter.former for one in done for quarter in one.quarters)
    asked = sum(len(one.quarters) for one in done)
    fell = f"hit@5 falls by {mean(falls):.1f} points (told {mean(told):.1f})"
    grew = [100 * (mean(last) / mean(half) - 1) for half, last in (_columns(halves, "active"), _columns(halves, "bytes"))]
    print(f"{len(done)} seeds: {fell}; superseded rows offered: {gone}; former values given: {former} in {asked} quarters")
    print(f"from the end of the first half to the end: active records {grew[0]:+.0f} %, bytes {grew[1]:+.0f} %")


def _columns(halves: list[tuple[Measured, Measured]], name: str) -> tuple[list[int], list[int]]:
    return [getattr(half, name) for half, _ in halves], [getattr(last, name) for _, last in halves]


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
