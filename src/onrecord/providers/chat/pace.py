"""A rate limit of one's own: calls that come faster than agreed wait, instead of being refused."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from onrecord.errors import InvalidInput


class Pace:
    """At most ``per_minute`` calls a minute, evenly spread among the threads of this process; ``None`` holds nobody up.

    Raises:
        InvalidInput: it is less than one.
    """

    def __init__(
        self,
        per_minute: int | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        if per_minute is not None and per_minute < 1:
            raise InvalidInput("per_minute", f"is {per_minute}", "allow at least one call a minute, or give None")
        self._step = 60.0 / per_minute if per_minute else 0.0
        self._clock, self._pause, self._lock, self._next = clock, pause, threading.Lock(), 0.0

    def __call__(self) -> None:
        """Returns when the next call may be made."""
        if not self._step:
            return
        with self._lock:
            now = self._clock()
            mine = max(now, self._next)
            self._next = mine + self._step
        if mine > now:
            self._pause(mine - now)
