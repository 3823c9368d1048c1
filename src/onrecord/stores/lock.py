"""Lines of threads and processes: who wants to write waits here first, and who decides about a subject, so that nobody starves.

SQLite's own waiting backs off for ever longer times, and a busy writer overtakes a patient one for seconds. In a line everybody
draws a number and goes when no lower one is left. A number is a lock on a byte of a file beside the database, so the system takes
it back when its holder dies. Lines are there for fairness: what they keep in order stays right without them.
"""

from __future__ import annotations

import os
import struct
import threading
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
#: Locks of a file that was opened once instead of a process, so that threads wait for each other as well. Linux alone has them;
#: elsewhere chance decides who of those that wait to write comes next.
_LOCK: int = getattr(fcntl, "F_OFD_SETLK", 0)
_LOOK: int = getattr(fcntl, "F_OFD_GETLK", 0)
NUMBERED = bool(_LOCK and _LOOK)
#: ``struct flock``: type, whence, start, length, process.
_FLOCK = struct.Struct("hhqqi0q")
#: Bytes of a count. A line has two in the file, the number drawn last and the one served last; its locks lie far behind them all.
_COUNT, _APART = 8, 1 << 40
#: Who stands farther behind looks seldom, but at least every so many pauses.
_SELDOM = 16
#: Files of the lines that this process stands in. A forked child must not stand there in its place.
_standing: set[int] = set()
_opening = threading.Lock()


class FileLine:
    """Line ``number`` of the file at ``path``; ``pause`` is the seconds between two looks of who comes next."""

    def __init__(self, path: str, number: int = 0, pause: float = PAUSE) -> None:
        self._path, self._pause = path, pause
        self._drawn, self._served, self._locks = 2 * number * _COUNT, (2 * number + 1) * _COUNT, (number + 1) * _APART

    @contextmanager
    def held(self, deadline: float) -> Iterator[None]:
        """Holds the head of the line. Raises ``StoreBusy`` if it is not reached until ``deadline`` (of ``time.monotonic``)."""
        if fcntl is None:
            yield
            return
        file = _opened(self._path)
        try:
            number = self._queue(file, deadline)
            try:
                yield
            finally:
                _write(file, self._served, number)
        finally:
            _closed(file)

    def _queue(self, file: int, deadline: float) -> int:
        """Waits; the number that was drawn."""
        if not NUMBERED:
            while not _whole(file):
                self._wait(1, deadline)
            return 0
        number = self._draw(file, deadline)
        while _ahead(file, self._locks, number):
            self._wait(number - _read(file, self._served), deadline)
        return number

    def _draw(self, file: int, deadline: float) -> int:
        """The next number, and its lock. One draws at a time, so that nobody goes before an earlier number is locked."""
        while not _locked(file, self._drawn, _COUNT):
            self._wait(1, deadline)
        number = _read(file, self._drawn) % (_APART - 1) + 1
        while not _locked(file, self._locks + number, 1):  # whoever holds it drew it from another file of this name, now gone
            number += 1
        _write(file, self._drawn, number)
        _unlocked(file, self._drawn, _COUNT)
        return number

    def _wait(self, ahead: int, deadline: float) -> None:
        if time.monotonic() >= deadline:
            raise StoreBusy("another process is writing; try again, or open the store with a longer busy_timeout")
        time.sleep(self._pause * min(max(ahead, 1), _SELDOM))


def _locked(file: int, start: int, length: int) -> bool:
    """Whether the bytes are locked now for this opening of the file, and were not for another."""
    try:
        fcntl.fcntl(file, _LOCK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
    except (BlockingIOError, PermissionError):
        return False
    return True


def _unlocked(file: int, start: int, length: int) -> None:
    fcntl.fcntl(file, _LOCK, _FLOCK.pack(fcntl.F_UNLCK, os.SEEK_SET, start, length, 0))


def _ahead(file: int, start: int, length: int) -> bool:
    """Whether somebody else holds a lock in these bytes."""
    found = fcntl.fcntl(file, _LOOK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
    return bool(_FLOCK.unpack(found)[0] != fcntl.F_UNLCK)


def _whole(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(file: int, start: int) -> int:
    return int.from_bytes(os.pread(file, _COUNT, start), "little")


def _write(file: int, start: int, count: int) -> None:
    os.pwrite(file, count.to_bytes(_COUNT, "little"), start)


def _opened(path: str) -> int:
    with _opening:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise StoreError(f"cannot make the lock file {path}: {error.strerror}") from error
        _standing.add(file)
    return file


def _closed(file: int) -> None:
    """Leaves the line, also for a child that holds the same opening of the file."""
    with _opening:
        if NUMBERED:
            _unlocked(file, 0, 0)
        _standing.discard(file)
        os.close(file)


def _after_fork() -> None:
    while _standing:
        os.close(_standing.pop())
    _opening.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_opening.acquire, after_in_parent=_opening.release, after_in_child=_after_fork)
