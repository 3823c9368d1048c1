"""Every peer over the same part of the public sets, one after the other, in one run on one machine.

    python -m bench.peers.run DATA [--peers onrecord,mem0:best,...] [--sets locomo,longmemeval] [--talks N] [--every N] [--seed N]
                              [--out FILE] [--again NAME,...] [--cache DIR]

A peer without a setting is run in all it has. What FILE holds already of the same sample is not run again, unless it is named by
``--again``. The sets of ``sample.CACHED`` embed each text once for all peers (``--cache``); in the others every peer waits for
the embedder itself, so that times and memory are taken there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.peers.measure import measure
from bench.peers.registry import as_child, chosen, installed
from bench.peers.remote import PeerFailed
from bench.peers.revision import revision
from bench.peers.sample import CACHED, PLACES, Sample
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from onrecord.evals.dataset import Dataset
from onrecord.ports import TokenCounter
from onrecord.providers.tokens import BpeCounter

OUT = Path(__file__).parent / "results" / "quality.json"
_CACHE = "~/.cache/onrecord/evals"


class Results:
    """The file of results: what stands there stays, and every figure is written as soon as it is known.

    Raises ``ValueError`` if the file is of another sample.
    """

    def __init__(self, path: Path, sample: Sample) -> None:
        self._path, self._revision = path, revision()
        self.held: dict[str, Any] = {"sample": asdict(sample), "machine": machine(), "sets": {}, "peers": []}
        if path.exists():
            self.held = json.loads(path.read_text("utf-8"))
            if self.held["sample"] != asdict(sample):
                raise ValueError(f"--out: {path} is of another sample ({self.held['sample']}); name another file")

    def describe(self, name: str, dataset: Dataset, sample: Sample) -> None:
        """Notes what of a set is run."""
        self.held["sets"][name] = {
            "part": sample.said(name),
            "talks": len(dataset.talks),
            "turns": sum(len(talk.lines) for talk in dataset.talks.values()),
            "questions": len(dataset.questions),
            "embedded": "once for all" if name in CACHED else "by each",
        }

    def has(self, peer: str, setting: str, name: str) -> bool:
        """Whether there are figures (and not a failure) of this peer over this set."""
        entry = self._entry(peer, setting)
        return entry is not None and "failed" not in entry["sets"].get(name, {"failed": ""})

    def put(self, peer: str, setting: str, name: str, figures: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Writes the figures of one peer over one set."""
        entry = self._entry(peer, setting)
        if entry is None:
            entry = {"peer": peer, "setting": setting, "sets": {}}
            self.held["peers"].append(entry)
        entry.update(facts)
        entry["sets"][name] = {**figures, "at": datetime.now(UTC).isoformat(timespec="seconds"), "revision": self._revision}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self.held, indent=1) + "\n", "utf-8")

    def _entry(self, peer: str, setting: str) -> dict[str, Any] | None:
        return next((one for one in self.held["peers"] if (one["peer"], one["setting"]) == (peer, setting)), None)


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(memory),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


@contextmanager
def endpoint(cache: Path | None) -> Iterator[str]:
    """The address of an embedding server in a process of its own."""
    command = [sys.executable, "-m", "bench.peers.endpoint", *(["--cache", str(cache)] if cache else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()
            server.wait()


def stats_of(url: str) -> Mapping[str, float]:
    """The counters of an endpoint."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats", timeout=30) as answer:
        found: dict[str, float] = json.load(answer)
    return found


def run(
    wanted: Sequence[tuple[str, str]],
    sets: Mapping[str, Dataset],
    results: Results,
    *,
    sample: Sample,
    cache: Path,
    again: frozenset[str],
    counter: TokenCounter,
    console: Console,
) -> None:
    """Measures what is missing, and writes each figure as it comes. A peer that fails is noted, and the next one begins."""
    for name, dataset in sets.items():
        results.describe(name, dataset, sample)
        kept = cache if name in CACHED else None
        with endpoint(kept) as url:
            for peer, setting in wanted:
                if results.has(peer, setting, name) and peer not in again:
                    continue
                if not installed(peer, setting):
                    console.print(f"{peer} ({setting}) is not installed: python -m bench.peers.install {peer}")
                    continue
                with tempfile.TemporaryDirectory(prefix="onrecord-peer-") as place:
                    _one(peer, setting, name, dataset, Path(place), url, kept, counter, results, sample.seed, console)


def _one(
    peer: str,
    setting: str,
    name: str,
    dataset: Dataset,
    place: Path,
    url: str,
    cache: Path | None,
    counter: TokenCounter,
    results: Results,
    seed: int,
    console: Console,
) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        bar = bars.add_task(f"{peer} ({setting}), {name}")

        def tick(what: str, done: int, total: int) -> None:
            bars.update(bar, description=f"{peer} ({setting}), {name}: {what}", completed=done, total=total)

        child = as_child(peer, setting, endpoint=url, vectors=cache)
        try:
            facts, figures = measure(
                child, place / "data", dataset, tokens=counter, stats=lambda: stats_of(url), seed=seed, tick=tick
            )
        except PeerFailed as error:
            console.print(f"{peer} ({setting}), {name}: {error}")
            results.put(peer, setting, name, {"failed": str(error).splitlines()[0]}, {})
            return
    said = {"version": facts.version, "embedder": facts.embedder, "can": sorted(facts.can)}
    results.put(peer, setting, name, figures, said)
    recall = figures["classes"]["all"]["R@10"] if figures["classes"] else "no"
    console.print(f"{peer} ({setting}), {name}: R@10 {recall}, {figures['ingest']['turns_per_s']} turns/s, {figures['search']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--peers", default="", metavar="NAME[:SETTING],...")
    parser.add_argument("--sets", default=",".join(PLACES))
    parser.add_argument("--talks", type=int, default=Sample().talks)
    parser.add_argument("--every", type=int, default=Sample().every)
    parser.add_argument("--seed", type=int, default=Sample().seed)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--again", default="", metavar="NAME,...")
    parser.add_argument("--cache", type=Path, default=Path(_CACHE))
    given = parser.parse_args()
    sample, console = Sample(given.talks, given.every, given.seed), Console(stderr=True)
    try:
        wanted, results = chosen(list(filter(None, given.peers.split(",")))), Results(given.out, sample)
        sets = {name: sample.of(name, given.data) for name in given.sets.split(",")}
    except ValueError as error:
        parser.error(str(error))
    again = frozenset(filter(None, given.again.split(",")))
    run(wanted, sets, results, sample=sample, cache=given.cache.expanduser(), again=again, counter=BpeCounter(), console=console)


if __name__ == "__main__":
    main()
