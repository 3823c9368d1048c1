"""Many clients at once against ``onrecord serve``: how long they wait, what fails, the memory it takes, how late its loop comes.

    python -m bench.load --clients 64 --seconds 120

Each client is a user of its own, who adds a turn, searches three times, asks for a context and lists records, over and over.
The event loop is watched from within the server (its metrics ``onrecord_loop_...``): how late it came, for whatever reason, and
how long its own work at a stretch took. A loop that does nothing, in a process of its own beside it, tells how late the machine
itself lets a loop come. Leaves with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import re
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from bench.processes import rest_server, statement

_LOOK = 0.01


@dataclass(slots=True)
class Seen:
    """What the clients saw: seconds of each answer by what was asked, and what failed."""

    took: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--warm", type=float, default=5.0, help="seconds before anything is measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, rest_server(Path(folder) / "memory.db", "--rate", "0") as url:
        asyncio.run(_drive(url, given.clients, given.warm, Seen()))
        seen, before = Seen(), resident(url)
        idle = multiprocessing.get_context("spawn").Pool(1)
        beside = idle.apply_async(idle_lag, (given.seconds,))
        asyncio.run(_drive(url, given.clients, given.seconds, seen))
        report(seen, given.seconds, before, url, beside.get(timeout=60))
        idle.close()


async def _drive(url: str, clients: int, seconds: float, seen: Seen) -> None:
    limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(base_url=f"{url}/v1", timeout=60, limits=limits) as http, asyncio.TaskGroup() as group:
        end = time.perf_counter() + seconds
        for number in range(clients):
            group.create_task(_client(http, number, end, seen))


async def _client(http: httpx2.AsyncClient, number: int, end: float, seen: Seen) -> None:
    user, count = f"user-{number}", 0
    while time.perf_counter() < end:
        said = statement(user, count)
        count += 1
        words = said.split()
        await _ask(http, seen, "add", "POST", "/memories", {"messages": said, "infer": False, "user_id": user, "session_id": "s"})
        for word in (words[0], words[2], words[-1]):
            await _ask(http, seen, "search", "POST", "/search", {"query": f"Who keeps the {word}?", "user_id": user})
        asked = {"message": f"What does {words[0]} keep?", "user_id": user, "session_id": "s"}
        await _ask(http, seen, "context", "POST", "/context", asked)
        await _ask(http, seen, "list", "GET", f"/memories?user_id={user}&limit=100", None)


async def _ask(http: httpx2.AsyncClient, seen: Seen, what: str, verb: str, path: str, body: object) -> None:
    began = time.perf_counter()
    try:
        answer = await http.request(verb, path, json=body)
        if answer.status_code != 200:
            seen.errors.append(f"{what}: {answer.status_code} {answer.text[:200]}")
    except httpx2.TransportError as error:
        seen.errors.append(f"{what}: {error!r}")
    seen.took.setdefault(what, []).append(time.perf_counter() - began)


def idle_lag(seconds: float) -> float:
    """The longest lag, in seconds, of an event loop that only looks at itself."""

    async def look() -> float:
        most, end = 0.0, time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            await asyncio.sleep(_LOOK)
            most = max(most, time.perf_counter() - began - _LOOK)
        return most

    return asyncio.run(look())


def resident(url: str) -> float:
    """MB that the server of ``url`` takes: the process that listens at its port."""
    port = int(url.rpartition(":")[2])
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            if str(port).encode() in command and b"serve" in command:
                found = re.search(r"VmRSS:\s+(\d+) kB", (entry / "status").read_text())
                return int(found[1]) / 1024 if found else 0.0
        except OSError:
            continue
    return 0.0


def report(seen: Seen, seconds: float, before: float, url: str, beside: float) -> None:
    """Prints what was seen."""
    metrics = httpx2.get(f"{url}/metrics", timeout=60).text
    every = sorted(one for took in seen.took.values() for one in took)
    print(f"{len(every)} requests, {len(every) / seconds:.0f} a second, errors {len(seen.errors)}")
    for what, took in {"all": every, **seen.took}.items():
        took = sorted(took)
        print(f"{what}: p50 {took[len(took) // 2] * 1e3:.0f} ms, p99 {took[int(len(took) * 0.99)] * 1e3:.0f} ms, n {len(took)}")
    print(f"memory {before:.0f} MB before, {resident(url):.0f} MB after")
    print(f"longest block of the loop {_metric(metrics, 'onrecord_loop_lag_longest_seconds') * 1e3:.0f} ms, ", end="")
    print(f"of an idle loop beside it {beside * 1e3:.0f} ms; ", end="")
    print(f"the loop's own work at a stretch {_metric(metrics, 'onrecord_loop_busy_longest_seconds') * 1e3:.0f} ms at the most")
    counts = re.findall(r'onrecord_loop_lag_seconds_bucket\{le="([^"]+)"\} (\S+)', metrics)
    print("looks at the loop that came late by at most: " + ", ".join(f"{edge} s {float(count):.0f}" for edge, count in counts))
    for error in seen.errors[:5]:
        print(error)
    if seen.errors:
        raise SystemExit(1)


def _metric(text: str, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


if __name__ == "__main__":
    main()
