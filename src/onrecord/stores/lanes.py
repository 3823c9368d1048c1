"""Lanes: who decides about a subject waits for those who came first, so that no decision is made in vain.

Decisions are optimistic: one that others overtook is made again. With several who write to one subject most would be, and the
longer a decision takes the sooner somebody never comes to an end. In a lane one decides after the other.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from onrecord.errors import StoreBusy, StoreError
from onrecord.model.scope import Reach
from onrecord.stores.lock import NUMBERED, FileLine

#: Lanes of a store. Two subjects that share one wait for each other, once in so many pairs.
_LANES = 256
#: Seconds between two looks of who comes next: a decision takes tens of milliseconds.
_PAUSE = 0.002


def owners(reach: Reach) -> list[str]:
    """The names of the lanes of a reach."""
    return [f"{reach.tenant}\x1f{subject}" for subject in reach.subjects]


class Lanes:
    """The lanes of a store. With the file at ``path`` processes wait for each other too."""

    def __init__(self, path: str | None = None) -> None:
        self._path = path if NUMBERED else None
        self._threads = [threading.Lock() for _ in range(_LANES)]
        self._mine = threading.local()
        self._blocked: dict[int, float] = {}

    @contextmanager
    def held(self, names: Sequence[str], seconds: float) -> Iterator[None]:
        """Waits for those who came first in the lanes of the names, ``seconds`` at the most: then it goes on without, and for as
        long nobody waits there. Who is in a lane already does not wait for itself."""
        mine: set[int] = self._mine.__dict__.setdefault("lanes", set())
        wanted = sorted({zlib.crc32(name.encode("utf-8", "surrogatepass")) % _LANES for name in names} - mine)
        with ExitStack() as stack:
            for lane in wanted:  # everybody takes them in this order, so no two wait for each other
                self._enter(stack, lane, seconds)
            mine.update(wanted)
            try:
                yield
            finally:
                mine.difference_update(wanted)

    def _enter(self, stack: ExitStack, lane: int, seconds: float) -> None:
        now = time.monotonic()
        deadline = now if now < self._blocked.get(lane, now) else now + seconds
        try:
            stack.enter_context(self._line(lane, deadline))
        except StoreBusy:  # others may come between, which is found out
            if deadline > now:
                self._blocked[lane] = deadline + seconds
        except StoreError:  # no place for the file: nobody waits here
            return

    def _line(self, lane: int, deadline: float) -> AbstractContextManager[None]:
        if self._path is not None:
            return FileLine(self._path, 1 + lane, _PAUSE).held(deadline)
        return _held(self._threads[lane], deadline)


@contextmanager
def _held(lock: threading.Lock, deadline: float) -> Iterator[None]:
    if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
        raise StoreBusy("another thread decides")
    try:
        yield
    finally:
        lock.release()
