"""The child's side of the line: one JSON object a line in, one out. Standard library only; it runs in every environment.

A request is ``{"call": name, ...arguments}``; the answer ``{"ok": value}``, ``{"cannot": why}`` or ``{"error": what}``. What a
peer prints goes to standard error. ``measure`` answers for the process and for those it started (a database of its own): its peak
of resident memory, theirs as it stands, and the processor time of all.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


class Cannot(Exception):
    """The peer has no such thing."""


class Child:
    """What a peer's program overrides. What it leaves is answered with ``Cannot``."""

    def open(self, folder: str, setting: str, endpoint: str) -> dict[str, Any]:
        """``version``, ``embedder`` and ``can`` of what was opened under ``folder``."""
        raise Cannot("it cannot be opened")

    def add(self, subject: str, messages: Sequence[Mapping[str, Any]]) -> None:
        """Messages have ``id``, ``thread``, ``role``, ``speaker``, ``text``, ``told``, ``at`` (ISO 8601) and ``payload``."""
        raise Cannot("it takes nothing in")

    def search(self, subject: str, query: str, limit: int) -> list[dict[str, Any]]:
        """Hits, best first."""
        raise Cannot("it has no search")

    def everything(self, subject: str) -> list[dict[str, Any]]:
        """Hits, oldest first."""
        raise Cannot("it lists nothing")

    def erase(self, subject: str) -> None:
        """Everything of the subject."""
        raise Cannot("it has no erasure")

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """Messages for a model."""
        raise Cannot("it makes no context")

    def close(self) -> None:
        """The last call."""


def hit(text: str, source: str | None = None) -> dict[str, Any]:
    """A hit as the line carries it; ``source`` is the id of a message, if the peer gave it back."""
    return {"text": text, "sources": [source] if source else []}


def told(message: Mapping[str, Any]) -> str:
    """``[8 May 2023] speaker: text``: the form in which every peer is given a message, since it helps all of them."""
    return str(message["told"])


def embed(endpoint: str, texts: Iterable[str]) -> list[list[float]]:
    """The vectors of texts by the OpenAI-compatible endpoint, in their order."""
    body = json.dumps({"model": "minilm", "input": list(texts)}).encode()
    request = urllib.request.Request(f"{endpoint}/embeddings", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        found = json.load(answer)["data"]
    return [one["embedding"] for one in sorted(found, key=lambda one: one["index"])]


def serve(child: Child) -> None:
    """Answers until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the peer prints must not stand between the answers
    for line in sys.stdin:
        request = json.loads(line)
        call = request.pop("call")
        answers.write(json.dumps(_answer(child, call, request)) + "\n")
        answers.flush()
        if call == "close":
            return


def _answer(child: Child, call: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"ok": _measure() if call == "measure" else getattr(child, call)(**arguments)}
    except Cannot as error:
        return {"cannot": str(error)}
    except Exception as error:  # the top of this process: the parent is told, the log has where
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def _measure() -> dict[str, float]:
    beside = _below(os.getpid(), _children())
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "peak_kb": _peak_kb() + sum(map(_shared_once_kb, beside)),
        "cpu_seconds": sum(one.ru_utime + one.ru_stime for one in used) + sum(map(_cpu_seconds, beside)),
    }


def _peak_kb() -> int:
    """The kernel's high-water mark of this program; ``ru_maxrss`` also counts what its parent held when it was started."""
    return _field_kb(Path("/proc/self/status"), "VmHWM:")


def _below(parent: int, children: Mapping[int, Sequence[int]]) -> list[int]:
    """The processes that descend from one."""
    return [pid for child in children.get(parent, ()) for pid in (child, *_below(child, children))]


def _children() -> dict[int, list[int]]:
    """The processes of this machine by the one that started each."""
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found.setdefault(int(_after_name(stat)[1]), []).append(int(stat.parent.name))
        except OSError:  # it ended meanwhile
            continue
    return found


def _cpu_seconds(pid: int) -> float:
    """The processor time of a process and of what it has waited for."""
    try:
        ticks = _after_name(Path(f"/proc/{pid}/stat"))[11:15]
    except OSError:
        return 0.0
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _shared_once_kb(pid: int) -> int:
    """Resident memory in which each page that several processes share is counted in parts, so that a sum has it once."""
    try:
        return _field_kb(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")
    except OSError:
        return 0


def _field_kb(path: Path, field: str) -> int:
    return next(int(line.split()[1]) for line in path.read_text("ascii").splitlines() if line.startswith(field))


def _after_name(stat: Path) -> list[str]:
    """The fields of ``stat`` from the state on; the name before them may hold blanks."""
    return stat.read_text("utf-8", errors="replace").rpartition(") ")[2].split()
