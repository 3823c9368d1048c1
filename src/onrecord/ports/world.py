"""Time, identity and chance."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...


class Ids(Protocol):
    """Makes ids."""

    def __call__(self, prefix: str) -> str:
        """A new unique id ``prefix_...`` that sorts by time of creation."""
        ...


class Secrets(Protocol):
    """Makes secrets."""

    def __call__(self) -> str:
        """A new secret of 256 random bits or more, safe in a URL."""
        ...
