"""Connections to one SQLite file: many readers and one writer in this process, other processes beside it."""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import TypeVar
from urllib.parse import quote

import apsw

from onrecord.errors import InvalidInput, OnRecordError, StoreBusy, StoreClosed, StoreError
from onrecord.stores import migrate
from onrecord.stores.lanes import Lanes
from onrecord.stores.lock import PAUSE, FileLine

#: Older ones can corrupt a WAL file that several connections write to (fixed in 3.51.3).
OLDEST_SQLITE = (3, 51, 3)
MEMORY = ":memory:"
_log = logging.getLogger("onrecord")
T = TypeVar("T")
#: Bytes of the smallest page. SQLite takes a shorter file for an empty one and would write over it.
_SMALLEST = 512
#: SQLite's number for a file of which free pages can be given back without writing it anew.
_INCREMENTAL = 2
#: Connections made before a fork. They may neither be used nor closed in the child.
_inherited: list[object] = []
#: Every database; and, during a fork, those in which nothing may be written, with the lock that lets one thread fork at a time.
_open: weakref.WeakSet[Database] = weakref.WeakSet()
_halted: list[Database] = []
_forking = threading.Lock()


class Database:
    """Hands out connections inside transactions: ``read`` on a snapshot, ``write`` one at a time."""

    def __init__(self, path: str, *, synchronous: str, busy_timeout: float) -> None:
        if synchronous not in ("FULL", "NORMAL"):
            raise InvalidInput("synchronous", f"{synchronous!r} is not a mode", "use FULL (every commit is on disk) or NORMAL")
        self.path = path if path == MEMORY else os.path.abspath(path)
        self.closed = self.frozen = False
        self._synchronous, self._timeout = synchronous, busy_timeout
        self._reset()
        _check_library()
        with translated(self.path):
            self._open()
        _open.add(self)

    @property
    def in_memory(self) -> bool:
        """Whether there is no file."""
        return self.path == MEMORY

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """A read transaction that every ``read`` of this thread inside it shares."""
        if self._snapshot():
            with self.read() as connection:
                yield connection
            return
        with self.read() as connection:
            self._held.connection, self._held.made = connection, None
            try:
                yield connection
            finally:
                self._held.connection = self._held.made = None

    def held(self, make: Callable[[], T]) -> T:
        """What ``make`` makes; within a snapshot of this thread once, so that every read of it shares that one."""
        if not self._snapshot():
            return make()
        if self._held.made is None:
            self._held.made = make()
        made: T = self._held.made
        return made

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A connection in a read transaction: everything seen is of one moment."""
        self._usable()
        if held := self._snapshot():
            with translated(self.path):
                yield held
            return
        with translated(self.path), self._reader() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def fresh(self) -> Iterator[apsw.Connection]:
        """A new connection in a read transaction. What SQLite checks of a full-text index it checks by what a connection knows of
        it, which in an old one may be of before others rebuilt it."""
        self._usable()
        if self.in_memory:
            with self.read() as connection:
                yield connection
            return
        with translated(self.path), closing(self._connect(reading=True)) as connection:
            connection.execute("BEGIN")
            yield connection
            connection.execute("ROLLBACK")

    @contextmanager
    def write(self, *, keep: bool = True) -> Iterator[apsw.Connection]:
        """The writing connection in a transaction that is committed on leaving, and undone by an exception or unless ``keep``.

        Raises ``StoreBusy`` if other writers leave no room until the timeout."""
        self._usable()
        if self.frozen:
            raise StoreError(f"{self.path} is open to be read only: neither it nor its folder can be written")
        deadline = time.monotonic() + self._timeout
        with translated(self.path), self._alone(deadline) as connection:
            self._begin(connection, deadline)
            try:
                yield connection
                connection.execute("COMMIT" if keep else "ROLLBACK")
            except BaseException:
                self._undo(connection)
                raise
        if self._due:
            self.scrub()

    def in_lanes(self, names: Sequence[str]) -> AbstractContextManager[None]:
        """Waits, until the timeout at most, for those who entered the lanes of these names before."""
        self._usable()
        return self._lanes.held(names, self._timeout)

    def scrub(self) -> None:
        """Moves what was written into the file and empties the ``-wal`` beside it, where erased bytes would stay readable. Waits
        for nobody: where a reader or writer stands in the way it is tried again after each write, and on closing."""
        self._due = not (self.in_memory or self.frozen)
        if self._due:
            with suppress(StoreError), translated(self.path), self._alone(0.0) as connection:
                self._waiting_until = 0.0
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                self._due = False

    def emptied(self) -> None:
        """Moves what was written into the file and empties the ``-wal``, waiting for readers and writers.

        Raises ``StoreBusy`` if they leave no room until the timeout."""
        self._usable()
        if self.in_memory:
            return
        deadline = time.monotonic() + self._timeout
        with translated(self.path), self._alone(deadline) as connection:
            self._waiting_until = deadline
            while connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)[0] > 0:
                time.sleep(PAUSE)  # a writer came between

    def vacuum(self) -> None:
        """Writes the file anew, without free pages or slack, and empties the ``-wal``. Writers wait meanwhile."""
        self._usable()
        deadline = time.monotonic() + self._timeout
        with translated(self.path), self._alone(deadline) as connection:
            self._waiting_until = deadline
            if self.in_memory:
                connection.execute("VACUUM").fetchall()
                return
            with self._line.held(deadline):
                connection.pragma("auto_vacuum", _INCREMENTAL)
                connection.execute("VACUUM").fetchall()
        self.emptied()

    def copy_into(self, path: str) -> None:
        """Writes a copy of one moment to a new file, without free pages. Readers and writers go on."""
        self._usable()
        with translated(self.path), self._reader() as connection:
            connection.pragma("query_only", "OFF")
            try:
                connection.execute("VACUUM INTO ?", (path,)).fetchall()
            finally:
                connection.pragma("query_only", "ON" if connection is not self._writer else "OFF")

    def close(self) -> None:
        """Closes every connection; one that is being used closes when its reader is done."""
        if self._pid != os.getpid():
            self._forget()
        with self._mutex:
            self.closed = True
            while self._idle:
                self._idle.pop().close()
            self._writer.close()

    def halt(self) -> None:
        """Lets no other thread write until ``resume``. A fork copies SQLite's locks within the process: those of a transaction
        that runs in another thread would be held in the child forever."""
        self._mutex.acquire()

    def resume(self) -> None:
        """Lets threads write again."""
        self._mutex.release()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._mutex = threading.RLock()
        self._idle: list[apsw.Connection] = []
        self._line = FileLine(self.path + ".lock")
        self._lanes = Lanes(None if self.in_memory else self.path + ".lock")
        self._waiting_until = 0.0
        self._held = threading.local()
        self._due = False

    def _snapshot(self) -> apsw.Connection | None:
        """The connection of the snapshot that this thread is in."""
        return getattr(self._held, "connection", None)

    def _open(self) -> None:
        if not self.in_memory:
            _check_file(self.path)
            self.frozen = _shut(self.path)
        self._writer = self._connect()
        if self.frozen:
            self._check_frozen()
        elif self.in_memory:
            migrate.migrate(self._writer)
        elif migrate.version(self._writer) < migrate.newest() or self._writer.pragma("journal_mode") != "wal":
            self._prepare(self._writer)

    def _check_frozen(self) -> None:
        """The file is read as it lies there, without those beside it that SQLite otherwise makes to read a database in use."""
        if migrate.version(self._writer) < migrate.newest():
            raise StoreError(f"{self.path} is of an older version and cannot be written: open it once where it can be")
        _log.warning("%s cannot be written, nor its folder: it is read as it lies there, without what others write", self.path)

    def _prepare(self, connection: apsw.Connection) -> None:
        with self._line.held(self._waiting_until):
            connection.pragma("auto_vacuum", _INCREMENTAL)  # of a new file; an older one becomes so when it is written anew
            connection.pragma("journal_mode", "wal")
            migrate.migrate(connection)

    def _connect(self, *, reading: bool = False) -> apsw.Connection:
        connection = _as_it_lies(self.path) if self.frozen else apsw.Connection(self.path)
        if reading:
            connection.set_busy_timeout(int(self._timeout * 1000))
        else:
            self._waiting_until = time.monotonic() + self._timeout
            connection.set_busy_handler(self._wait)
        for name, value in _pragmas(self._synchronous, reading or self.frozen):
            connection.pragma(name, value)
        return connection

    def _wait(self, tries: int) -> bool:
        """SQLite asks whether to go on waiting for the write lock. Short pauses are fair, since only one process waits."""
        if time.monotonic() >= self._waiting_until:
            return False
        time.sleep(PAUSE)
        return True

    @contextmanager
    def _reader(self) -> Iterator[apsw.Connection]:
        if self.in_memory:
            with self._mutex:
                yield self._writer
            return
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect(reading=True)
        try:
            yield connection
        finally:
            if self.closed or connection.in_transaction:
                connection.close()
            else:
                self._idle.append(connection)

    @contextmanager
    def _alone(self, deadline: float) -> Iterator[apsw.Connection]:
        if not self._mutex.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise StoreBusy("another thread is writing; try again, or open the store with a longer busy_timeout")
        try:
            self._usable()
            yield self._writer
        finally:
            self._mutex.release()

    def _begin(self, connection: apsw.Connection, deadline: float) -> None:
        """Queues for the write lock. The queue's head waits for the database alone and leaves the queue once it has it."""
        if self.in_memory:
            connection.execute("BEGIN IMMEDIATE")
            return
        self._waiting_until = deadline
        with self._line.held(deadline):
            connection.execute("BEGIN IMMEDIATE")

    def _undo(self, connection: apsw.Connection) -> None:
        """Rolls back. Where even that fails the connection is given up, which frees the write lock and undoes as well."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        finally:
            if connection.in_transaction and not self.in_memory:
                connection.close()
                self._writer = self._connect()

    def _usable(self) -> None:
        if self.closed:
            raise StoreClosed("this store was closed")
        if self._pid != os.getpid():
            self._forget()
            self._writer = self._connect()

    def _forget(self) -> None:
        """In a forked child: leaves the parent's connections alone and begins with none."""
        if self.in_memory:
            raise StoreError("an in-memory database does not survive a fork: open it in the child")
        _inherited.extend([*self._idle, self._writer])
        self._reset()


def _pragmas(synchronous: str, reading: bool) -> Iterator[tuple[str, str | int]]:
    yield "synchronous", synchronous
    yield "secure_delete", "ON"
    yield "foreign_keys", "ON"
    yield "trusted_schema", "OFF"
    yield "cache_size", -65_536
    yield "mmap_size", 1 << 30
    yield "wal_autocheckpoint", 1000
    yield "journal_size_limit", 64 << 20
    yield "temp_store", "MEMORY"
    if reading:
        yield "query_only", "ON"


def _check_file(path: str) -> None:
    if os.path.isdir(path):
        raise StoreError(f"{path} is a directory: name a file")
    if os.path.isfile(path) and 0 < os.path.getsize(path) < _SMALLEST:
        raise StoreError(f"{path} is not a database")


def _shut(path: str) -> bool:
    """Whether a database cannot even be read, because nothing can be written beside it.

    Raises ``StoreError`` if its last writes still lie in a ``-wal`` file, without which it would be an old state of itself."""
    if not os.path.isfile(path) or os.access(path, os.W_OK) or os.access(os.path.dirname(path), os.W_OK):
        return False
    try:
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.pragma("user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        wal = path + "-wal"
        if os.path.isfile(wal) and os.path.getsize(wal):
            raise StoreError(f"{path} was left in use, and its folder cannot be written: open it once where it can be") from None
        return True
    return False


def _as_it_lies(path: str) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"file:{quote(path)}?immutable=1", flags=flags)


def _check_library() -> None:
    have = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if have < OLDEST_SQLITE:
        oldest = ".".join(str(part) for part in OLDEST_SQLITE)
        raise StoreError(f"SQLite {apsw.sqlite_lib_version()} can lose data; {oldest} is needed: upgrade apsw")


class translated:
    """Errors of the driver as errors of this package. No generator: every read enters one, and those take five times as long."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.Error | UnicodeEncodeError):
            raise _ours(self._path, error) from (error if isinstance(error, apsw.Error) else None)


def _ours(path: str, error: apsw.Error | UnicodeEncodeError) -> OnRecordError:
    if isinstance(error, UnicodeEncodeError):
        return InvalidInput("text", f"is not valid Unicode: {error.reason}", "remove lone surrogates")
    if isinstance(error, apsw.BusyError):
        return StoreBusy(f"{path} is locked by another writer: {error}")
    return StoreError(f"{path} is not a database" if isinstance(error, apsw.NotADBError) else f"{path}: {error}")


def _before_fork() -> None:
    _forking.acquire()
    for database in list(_open):
        database.halt()
        _halted.append(database)


def _after_fork() -> None:
    while _halted:
        _halted.pop().resume()
    _forking.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
