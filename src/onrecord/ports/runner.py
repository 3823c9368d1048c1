"""Calls of code that is not ours, which may never come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Errand(Generic[T]):
    """One call: what it is called after, what is done, and for how many seconds its result is waited for."""

    name: str
    do: Callable[[], T]
    timeout: float


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What came of an errand: its ``value`` if it was ``done`` in time, or the ``error`` that it raised; neither where it is
    late. ``refused`` ones were not begun, since too many of that name have not come back yet."""

    done: bool = False
    value: T | None = None
    error: BaseException | None = None
    refused: bool = False


class Runner(Protocol):
    """Runs errands side by side."""

    def run(self, errands: Sequence[Errand[T]]) -> list[Outcome[T]]:
        """What came of each, in order; never later than the longest of their timeouts, whatever they do."""
        ...
