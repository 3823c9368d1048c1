"""How long programs take to start: to their help, to a first answer, and to a first MCP answer, beside a bare ``python -c pass``.

    python -m bench.start --rounds 7

Prints for each the least seconds of all rounds, of the clock and of the processor, and the latter as a multiple of the bare one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        program = ["-m", "onrecord", "--db", str(Path(folder) / "memory.db")]
        hello = json.dumps(_HELLO).encode() + b"\n"
        subprocess.run([sys.executable, *program, "remember", "Ana likes tea.", "--user", "ana"], check=True, capture_output=True)
        asked = {
            "python -c pass": (["-c", "pass"], b""),
            "python -c 'import onrecord'": (["-c", "import onrecord"], b""),
            "onrecord --help": (["-m", "onrecord", "--help"], b""),
            "onrecord list": ([*program, "list", "--user", "ana"], b""),
            "onrecord mcp, first answer": ([*program, "mcp", "--user", "ana"], hello),
            "python -c 'import mcp.server.mcpserver'": (["-c", "import mcp.server.mcpserver"], b""),
        }
        times = {name: [_took(command, sent) for _ in range(rounds)] for name, (command, sent) in asked.items()}
    bare = min(processor for _, processor in times["python -c pass"])
    for name, took in times.items():
        clock, processor = min(clock for clock, _ in took), min(processor for _, processor in took)
        print(f"{name}: {clock:.2f} s, of the processor {processor:.3f} s, {processor / bare:.1f} x")


def _took(command: list[str], sent: bytes) -> tuple[float, float]:
    """Seconds of the clock and of the processor until it ends, or (where something is sent) until its first line."""
    began, before = time.perf_counter(), os.times()
    with subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        if sent:
            program.stdin.write(sent)
            program.stdin.flush()
            assert b'"result"' in program.stdout.readline()
        else:
            program.stdout.read()
        clock = time.perf_counter() - began
        program.stdin.close()
        program.wait()
    after = os.times()
    return clock, after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
