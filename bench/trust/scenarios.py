"""The scenarios of ``scenarios.json``: what is said, what is asked, and what must not come back.

They were written before any memory was run on them. Every subject of a scenario is its own, so all of them go into one memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.peers.peer import Message

FILE = Path(__file__).parent / "scenarios.json"
KINDS = ("stale", "contradiction", "negation", "crossing", "erasure", "injection", "junk", "orphan")
_BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_WHO = "sam"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario: its kind, its id, what was said to it in order with the subject each message belongs to, and its labels."""

    kind: str
    id: str
    said: tuple[tuple[str, Message], ...]
    labels: Mapping[str, Any]

    def subject(self, who: str = _WHO) -> str:
        """The name of somebody's memory in this scenario."""
        return f"{self.kind}-{self.id}-{who}"


def load(path: Path = FILE) -> list[Scenario]:
    """All scenarios, by kind and in the order of the file."""
    data = json.loads(path.read_text("utf-8"))
    return [_scenario(kind, row) for kind in KINDS for row in data[kind]]


def _scenario(kind: str, row: Mapping[str, Any]) -> Scenario:
    name = f"{kind}-{row['id']}"
    said = _calling(name, row) if kind == "orphan" else _told(name, row["said"])
    return Scenario(kind, row["id"], tuple(said), row)


def _told(name: str, rows: list[Mapping[str, Any]]) -> Iterator[tuple[str, Message]]:
    for n, row in enumerate(rows):
        who, role = row.get("who", _WHO), row.get("role", "user")
        yield (
            f"{name}-{who}",
            Message(
                id=f"{name}/{n}",
                thread=f"{name}-{row.get('thread', 'talk')}",
                role=role,
                speaker=who if role == "user" else role,
                text=row["text"],
                at=_BEGIN + timedelta(days=row["day"], minutes=row.get("minute", 0)),
            ),
        )


def _calling(name: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Message]]:
    """A thread of rounds: a question, calls of tools (``calls`` of each step at once), their results, an answer.

    With ``open`` the last round ends in its results, as when the model is called again."""
    number = 0
    filler = " ".join(f"item {n} in stock," for n in range(row.get("filler", 5)))
    for turn in range(row["rounds"]):
        steps: list[tuple[str, str, dict[str, Any]]] = [("user", f"Round {turn}: is part {turn * 7} in stock?", {})]
        for step, count in enumerate(row["calls"]):
            ids = [f"call_{row['id']}_{turn}_{step}_{n}" for n in range(count)]
            function = {"name": "stock", "arguments": json.dumps({"part": turn * 7})}
            steps.append(("assistant", "", {"tool_calls": [{"id": id, "type": "function", "function": function} for id in ids]}))
            steps += [("tool", f"Shelf {turn}: {filler}", {"tool_call_id": id}) for id in ids]
        if not (row.get("open") and turn == row["rounds"] - 1):
            steps.append(("assistant", f"Part {turn * 7} is in stock.", {}))
        for role, text, payload in steps:
            at = _BEGIN + timedelta(minutes=number)
            yield (
                f"{name}-{_WHO}",
                Message(f"{name}/{number}", f"{name}-talk", role, _WHO if role == "user" else role, text, at, payload),
            )
            number += 1
