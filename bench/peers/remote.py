"""A peer in a process of its own: the parent's side of ``children.wire``."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.peers.peer import Cannot, Facts, Hit, Message

from onrecord.policy.recall.episode import told

#: Seconds that one call may take: a haystack is taken in by calls of one sitting each.
PATIENCE = 300.0
#: How much of a child's standard error an error message quotes.
_TAIL = 2_000


class PeerFailed(Exception):
    """The peer's process answered with an error, too late, or not at all."""


class RemotePeer:
    """A child that speaks the line. ``endpoint`` is the base address of the embedding server; ``environment`` is added to the
    child's. ``patience`` is in seconds for each call; a child that takes longer is ended."""

    def __init__(
        self,
        name: str,
        setting: str,
        command: Sequence[str],
        *,
        endpoint: str = "",
        environment: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._name, self._setting, self._command, self._endpoint = name, setting, list(command), endpoint
        self._environment, self._patience = dict(environment or {}), patience
        self._child: subprocess.Popen[bytes] | None = None
        self._log = Path()
        self._unread = b""

    def open(self, folder: Path) -> Facts:
        """Starts the child; what it prints goes to ``child.log`` beside the folder. Raises ``PeerFailed``."""
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder.with_name(f"{folder.name}.log")
        at_home = {
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "XDG_DATA_HOME": str(folder),
        }
        environment = {**os.environ, **at_home, **self._environment}
        with self._log.open("ab") as log:
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, cwd=folder
            )
        try:
            found = self._ask("open", folder=str(folder), setting=self._setting, endpoint=self._endpoint)
        except PeerFailed:
            self.close()
            raise
        return Facts(self._name, found["version"], self._setting, found["embedder"], frozenset(found["can"]))

    def add(self, subject: str, messages: Sequence[Message]) -> None:
        """Takes messages in."""
        self._ask("add", subject=subject, messages=[_sent(message) for message in messages])

    def search(self, subject: str, query: str, limit: int) -> list[Hit]:
        """Hits, best first."""
        return _hits(self._ask("search", subject=subject, query=query, limit=limit))

    def everything(self, subject: str) -> list[Hit]:
        """What is stored, oldest first."""
        return _hits(self._ask("everything", subject=subject))

    def erase(self, subject: str) -> None:
        """Takes everything of a subject away."""
        self._ask("erase", subject=subject)

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """Messages for a model."""
        return list(self._ask("context", subject=subject, thread=thread, tokens=tokens))

    def measure(self) -> dict[str, float]:
        """``peak_kb`` of resident memory and ``cpu_seconds`` of the child so far."""
        return dict(self._ask("measure"))

    def close(self) -> None:
        """Has the child close and waits for its end; one that fails or lingers is ended."""
        child, self._child = self._child, None
        if child is None:
            return
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(b'{"call": "close"}\n')
            child.stdin.close()
            child.wait(self._patience)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            child.kill()
            child.wait()
        finally:
            child.stdout.close()

    def _ask(self, call: str, **arguments: Any) -> Any:
        child = self._child
        if child is None or child.stdin is None:
            raise RuntimeError("the peer is not open: call open(folder) first")
        try:
            child.stdin.write(json.dumps({"call": call, **arguments}).encode() + b"\n")
            child.stdin.flush()
            answer = json.loads(self._line(child, call))
        except (BrokenPipeError, ValueError) as error:
            raise self._failed(f"{call}: {error}") from None
        if "cannot" in answer:
            raise Cannot(answer["cannot"])
        if "error" in answer:
            raise PeerFailed(f"{self._name} ({self._setting}) {call}: {answer['error']}")
        return answer["ok"]

    def _line(self, child: subprocess.Popen[bytes], call: str) -> bytes:
        assert child.stdout is not None
        while b"\n" not in self._unread:
            with selectors.DefaultSelector() as waiting:
                waiting.register(child.stdout, selectors.EVENT_READ)
                if not waiting.select(self._patience):
                    child.kill()
                    raise self._failed(f"{call} took more than {self._patience:.0f} s")
            piece = os.read(child.stdout.fileno(), 1 << 20)
            if not piece:
                raise self._failed(f"{call}: the process ended with {child.wait()}")
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _failed(self, what: str) -> PeerFailed:
        said = self._log.read_text("utf-8", errors="replace")[-_TAIL:] if self._log.is_file() else ""
        return PeerFailed(f"{self._name} ({self._setting}) {what}\n{said}")


def _sent(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "thread": message.thread,
        "role": message.role,
        "speaker": message.speaker,
        "text": message.text,
        "told": told(message.at, message.speaker, message.text),
        "at": message.at.isoformat(),
        "payload": dict(message.payload),
    }


def _hits(found: Sequence[Mapping[str, Any]]) -> list[Hit]:
    return [Hit(one["text"], tuple(one["sources"]), bool(one.get("episode")), one.get("note", "")) for one in found]
