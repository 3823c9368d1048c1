"""What every memory in the comparison is asked to do: take messages in, search them, show them, let them go.

A peer that has no such thing raises ``Cannot``; tables show that as "no", never as zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

#: Its documented defaults, and the best setting its documentation names that runs here with the same embedder.
DEFAULT, BEST = "default", "best"
SETTINGS = (DEFAULT, BEST)


class Cannot(Exception):
    """The peer has no such thing."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``role`` is user, assistant or tool; ``at`` is aware; ``payload`` is what else a provider's message holds
    (``tool_calls``, ``tool_call_id``)."""

    id: str
    thread: str
    role: str
    speaker: str
    text: str
    at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """One stored thing. ``sources`` are ids of the messages it rests on, where the peer can carry them.

    ``episode`` marks what a peer itself tells apart from what it holds to be so: dialogue as it was said. ``note`` is what the
    peer itself says of it beside its text, where that bears on whether it is so: that it is over, or disputed.
    """

    text: str
    sources: tuple[str, ...] = ()
    episode: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is being measured. ``can`` is any of add, search, everything, erase, context, history."""

    name: str
    version: str
    setting: str
    embedder: str
    can: frozenset[str]


class Peer(Protocol):
    """A memory. Calls come from one thread, ``open`` first; whatever it writes goes under the folder of ``open``."""

    def open(self, folder: Path) -> Facts:
        """What it is. A folder that it wrote before is gone on with."""
        ...

    def add(self, subject: str, messages: Sequence[Message]) -> None:
        """Takes messages in, in their order; they are durable and can be found when it returns."""
        ...

    def search(self, subject: str, query: str, limit: int) -> list[Hit]:
        """At most ``limit`` hits, best first."""
        ...

    def everything(self, subject: str) -> list[Hit]:
        """What is stored of a subject, oldest first."""
        ...

    def erase(self, subject: str) -> None:
        """Takes everything of a subject away, by the peer's own documented call."""
        ...

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """What it would send to a model for the next step of a thread, within so many tokens."""
        ...

    def close(self) -> None:
        """Lets go of files and processes. Closing twice is harmless."""
        ...
