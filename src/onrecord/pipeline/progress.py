"""Progress: how far a long piece of work is, for those who wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
#: Called with the part of the work, how much of it is done, and how much there is (0 where nobody knows).
Progress = Callable[[str, int, int], None]


def quiet(what: str, done: int, total: int) -> None:
    """Shows nothing."""


def through(rows: Sequence[T], what: str, progress: Progress) -> Iterator[T]:
    """The rows one after the other, with how far through them it is."""
    for n, row in enumerate(rows):
        progress(what, n, len(rows))
        yield row
    progress(what, len(rows), len(rows))
