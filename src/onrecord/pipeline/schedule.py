"""Schedule: something is done again and again while a process runs, on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

from onrecord.errors import InvalidInput

_log = logging.getLogger("onrecord")


def seconds_of(every: timedelta | float, field: str = "maintain_every") -> float:
    """The span in seconds, which a number is already. Raises ``InvalidInput``, which names ``field``, for one that is none."""
    seconds = every.total_seconds() if isinstance(every, timedelta) else every
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise InvalidInput(field, f"is {every}", "give a positive span, such as six hours")
    return seconds


class Schedule:
    """Calls ``job`` every so often, counted from the end of the last call, until it is stopped. The first call comes after one
    such span. Raises ``InvalidInput`` for a span that is none.

    What fails is logged and tried again at the next time. The thread does not keep the process alive, and is not there in a
    forked child."""

    def __init__(self, job: Callable[[], object], every: timedelta) -> None:
        self._job, self._seconds, self._over = job, seconds_of(every), threading.Event()
        self._thread = threading.Thread(target=self._run, name="onrecord-schedule", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Waits for the call that runs, if one does; there is none afterwards. Stopping twice is harmless."""
        self._over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._seconds):
            try:
                self._job()
            except Exception:  # noqa: BLE001 - the top level of this thread: what fails must not end what comes after it
                _log.exception("a scheduled run failed; the next one comes in %s s", self._seconds)
