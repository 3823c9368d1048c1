"""The durable form of working memory: the state of a run after a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class RunStatus(StrEnum):
    """What a run does. A completed run is not kept, so there is no word for it."""

    RUNNING = "running"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The last step of a run, counted from 1, and everything it knew then, as plain JSON values."""

    run: str
    step: int
    state: Mapping[str, Any]
    status: RunStatus
    at: datetime
