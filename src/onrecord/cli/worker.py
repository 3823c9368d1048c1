"""A worker: the same job again and again until the process is asked to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from onrecord.cli import render
from onrecord.errors import StoreError
from onrecord.pipeline.schedule import seconds_of


def again_and_again(job: Callable[[], None], seconds: float) -> None:
    """Calls ``job``, waits so many seconds, and calls it again, until SIGINT or SIGTERM: the call under way ends whole then.

    A store that is busy or away is told on stderr and asked again at the next time. Raises ``InvalidInput`` for a span that is
    none."""
    seconds = seconds_of(seconds, "--every")
    with _asked_to_stop() as over:
        while not over.is_set():
            try:
                job()
            except StoreError as error:
                render.show_error(f"{error}; the next run comes in {seconds:g} s")
            over.wait(seconds)


@contextmanager
def _asked_to_stop() -> Iterator[threading.Event]:
    """Set by the first signal; a second one ends the process as usual."""
    over = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: FrameType | None) -> None:
        over.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, stop)
    try:
        yield over
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
