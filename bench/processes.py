"""Several MCP servers and one REST server write to one file at once, and one of them is killed.

    python -m bench.processes --servers 8 --each 200

Prints the writes that were acknowledged, and those lost, doubled or refused; anything but zeros is a fault.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.abc
import httpx2
from mcp import Client as McpClient
from mcp import StdioServerParameters

from onrecord import Memory
from onrecord.client import Client
from onrecord.model.record import Status

USER = "crew"
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=8, help="MCP servers")
    parser.add_argument("--each", type=int, default=200, help="writes through each server")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        acknowledged, errors = anyio.run(_write_all, db, given.servers, given.each)
        report(db, acknowledged, errors)


async def _write_all(db: Path, servers: int, each: int) -> tuple[list[str], list[str]]:
    acknowledged: list[str] = []
    errors: list[str] = []
    with rest_server(db) as url:
        async with anyio.create_task_group() as group:
            group.start_soon(_through_rest, url, each, acknowledged, errors)
            for number in range(servers):
                group.start_soon(_through_mcp, db, number, each, number == 0, acknowledged, errors)
    return acknowledged, errors


async def _through_rest(url: str, each: int, acknowledged: list[str], errors: list[str]) -> None:
    with Client(url) as client:
        for number in range(each):
            said = statement("rest", number)
            try:
                await anyio.to_thread.run_sync(lambda said=said: client.remember(said, user_id=USER))  # type: ignore[misc]
                acknowledged.append(said)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is counted and shown
                errors.append(f"rest: {error}")


async def _through_mcp(db: Path, server: int, each: int, killed: bool, acknowledged: list[str], errors: list[str]) -> None:
    """Writes through one server. The one that is to be killed ends with an error of its client, which is no fault."""
    mark = f"bench-{os.getpid()}-{server}"
    command = ["-m", "onrecord", "--db", str(db), "mcp", "--user", USER]
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "ONRECORD_BENCH": mark}
    try:
        async with McpClient(
            StdioServerParameters(command=sys.executable, args=command, env=env), read_timeout_seconds=60
        ) as client:
            for number in range(each):
                if killed and number == each // 2:
                    kill(mark)
                said = statement(str(server), number)
                result = await client.call_tool("add_memory", {"text": said, "said_by": "user", "on_request": True})
                if result.is_error:
                    errors.append(f"mcp {server}: {result.content}")
                else:
                    acknowledged.append(said)
    except BaseException as error:
        if not killed:
            errors.append(f"mcp {server}: {error!r}")
        if isinstance(error, anyio.get_cancelled_exc_class()):
            raise


def kill(mark: str) -> None:
    """Kills the process whose environment holds ``mark``."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found = f"ONRECORD_BENCH={mark}".encode() in (entry / "environ").read_bytes()
            except OSError:
                continue
            if found:
                os.kill(int(entry.name), signal.SIGKILL)


@contextmanager
def rest_server(db: Path, *options: str) -> Iterator[str]:
    """The address of a REST server over ``db``, as long as it is wanted."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "onrecord", "--db", str(db), "serve", "--port", str(port), *options])
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                httpx2.get(f"{url}/health", timeout=5)
                break
            except httpx2.TransportError:
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=60)


def statement(writer: str, number: int) -> str:
    """A statement that no other writer makes, in words that no other has: numbers alone would be weighed against each other."""
    name = hashlib.sha256(f"{writer} {number}".encode()).hexdigest().translate(_LETTERS)
    return f"{name[:7].title()} keeps the {name[7:14]} beside the {name[14:21]}."


def report(db: Path, acknowledged: list[str], errors: list[str]) -> None:
    """Compares what was acknowledged with what is there."""
    with Memory(db) as memory:
        queued = memory.maintain(limit=len(acknowledged) + 1).captured  # stored, and read now: others kept writing to the subject
        there = Counter(record.statement for record in memory.get_all(user_id=USER, statuses=list(Status)))
        faults = memory.engine.store.check().faults
    missing = [said for said in acknowledged if said not in there]
    lost = len(missing)
    doubled = sum(count > 1 for count in there.values())
    counts = f"lost {lost}, doubled {doubled}, errors {len(errors)}, faults {len(faults)}"
    print(f"acknowledged {len(acknowledged)} ({queued} of them queued), {counts}")
    for error in (*missing[:5], *errors[:5]):
        print(error)
    if lost or doubled or errors or faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
