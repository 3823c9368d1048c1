"""A lock between processes: who wants to write queues here first, so that nobody starves.

SQLite's own waiting backs off for ever longer times, and a busy writer overtakes a patient one for seconds. Behind this lock only
one process at a time waits for the database. The system releases it when its holder dies.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from onrecord.errors import StoreBusy, StoreError

try:
    import fcntl
except ImportError:  # not on Windows: there SQLite's own waiting has to do
    fcntl = None  # type: ignore[assignment]

#: Seconds between two looks whether a lock is free.
PAUSE = 0.0005


class FileLock:
    """An exclusive lock on a file beside the database. Not for several threads at once: guard it with a lock of their own."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: int | None = None

    @contextmanager
    def held(self, deadline: float) -> Iterator[None]:
        """Holds the lock. Raises ``StoreBusy`` if it is not free until ``deadline`` (of ``time.monotonic``)."""
        if fcntl is None:
            yield
            return
        file = self._opened()
        while not _taken(file):
            if time.monotonic() >= deadline:
                raise StoreBusy("another process is writing; try again, or open the store with a longer busy_timeout")
            time.sleep(PAUSE)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _opened(self) -> int:
        if self._file is None:
            try:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            except OSError as error:
                raise StoreError(f"cannot make the lock file {self._path}: {error.strerror}") from error
        return self._file


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
