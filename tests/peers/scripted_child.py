"""A peer's program for the tests: keeps what it is told in a list, and misbehaves when it is asked for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.peers.children import wire

_BESIDE = """
import sys, time
held = bytearray(100 << 20)
held[::4096] = bytes([1]) * len(held[::4096])
while time.process_time() < 0.6:
    pass
print("ready", flush=True)
sys.stdin.read()
"""


class Scripted(wire.Child):
    """Searches for words as they stand."""

    def open(self, folder: str, setting: str, endpoint: str) -> dict[str, Any]:
        sys.stdout.write("a banner that must not stand in the line\n")
        sys.stdout.flush()
        os.write(1, b"and one that goes round Python\n")
        if setting == "broken":
            raise ValueError("no such setting")
        self._kept: list[tuple[str, Mapping[str, Any]]] = []
        self._folder = Path(folder)
        return {"version": "1.0", "embedder": endpoint or "none", "can": ["add", "search", "everything"]}

    def add(self, subject: str, messages: Sequence[Mapping[str, Any]]) -> None:
        self._kept += [(subject, one) for one in messages]
        (self._folder / "kept.txt").write_text(str(len(self._kept)))

    def search(self, subject: str, query: str, limit: int) -> list[dict[str, Any]]:
        if query == "fail":
            raise KeyError("no such word")
        if query == "end":
            os._exit(3)
        if query == "start":
            self._start()
        if query == "wait":
            time.sleep(60)
        return [hit for hit in self.everything(subject) if query in hit["text"]][:limit]

    def _start(self) -> None:
        """A process of its own, which holds memory and has worked by the time it says so."""
        self._beside = subprocess.Popen([sys.executable, "-c", _BESIDE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._beside.stdout is not None
        self._beside.stdout.readline()

    def close(self) -> None:
        if hasattr(self, "_beside"):
            self._beside.communicate()

    def everything(self, subject: str) -> list[dict[str, Any]]:
        return [wire.hit(wire.told(one), one["id"]) for owner, one in self._kept if owner == subject]


if __name__ == "__main__":
    wire.serve(Scripted())
