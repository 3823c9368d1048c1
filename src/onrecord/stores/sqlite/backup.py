"""Backup and restore: a whole file of one moment, checked before it takes its place.

The copy is written by ``VACUUM INTO``: of one snapshot while writers go on, without free pages, so that it holds nothing that was
erased. It lies beside its target under another name until it was checked and is on disk, and then takes the place in one step: a
process that dies leaves what was there before or what was to be there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from glob import escape
from pathlib import Path
from urllib.parse import quote

import apsw

from onrecord.errors import InvalidInput, StoreBusy, StoreError
from onrecord.ports import Health
from onrecord.stores import migrate
from onrecord.stores.sqlite import health
from onrecord.stores.sqlite.connection import Database, translated

#: What SQLite keeps beside a database in use. Left beside another one they would be taken for its own.
#: Bytes of the head of a database, which tells whose it is.
_HEAD = 100
_BESIDE = ("-wal", "-shm", "-journal")


def backup(database: Database, name: str, *, force: bool) -> Health:
    """What stands in the backup made at ``name``. Raises ``InvalidInput`` if something is there, unless ``force``d to replace an
    older backup; ``StoreError`` if the copy is not whole; then nothing is changed."""
    path = Path(name)
    if not database.in_memory and path.exists() and os.path.samefile(path, database.path):
        raise InvalidInput("path", f"{path} is the database itself", "name another file")
    _check_target(path, force, _is_ours)
    with _beside(path) as part:
        database.copy_into(str(part))
        found = _examined(part)
        _put(part, path)
    return found


def restore(source: Path, path: Path, *, force: bool) -> Health:
    """What stands in the database at ``path`` once the backup ``source`` is in its place.

    Raises ``InvalidInput`` if something is there, unless ``force``d; ``SchemaMismatch`` if a newer version wrote the backup,
    ``StoreError`` if it is damaged, ``StoreBusy`` if somebody uses what is there; then nothing is changed."""
    if not source.is_file():
        raise InvalidInput("source", f"{source} is no file", "name a backup")
    if path.exists() and os.path.samefile(source, path):
        raise InvalidInput("path", "is the backup itself", "name the place where the database is to be")
    _check_target(path, force, _is_database)
    _examined(source)
    with _beside(path) as part:
        with translated(str(source)), closing(_reading(source)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),)).fetchall()
        found = _examined(part)
        with _given_up(path):
            _put(part, path)
    return found


def _check_target(path: Path, force: bool, replaceable: Callable[[bytes], bool]) -> None:
    if path.is_dir():
        raise InvalidInput("path", f"{path} is a directory", "name a file")
    if not path.parent.is_dir():
        raise InvalidInput("path", f"{path.parent} is no directory", "make it first")
    if not path.exists():
        return
    if not path.is_file():  # a device or a pipe would be replaced by a file
        raise InvalidInput("path", f"{path} is no file", "name another one")
    if not force:
        raise InvalidInput("path", f"{path} is there already", "name another file, or force it to be replaced")
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head and not replaceable(head):
        raise InvalidInput("path", f"{path} is no database of this package", "name another file")


def _is_database(head: bytes) -> bool:
    """Whether a file begins like a database; a damaged one of ours may not say more."""
    return head.startswith(b"SQLite format 3\0")


def _is_ours(head: bytes) -> bool:
    return _is_database(head) and int.from_bytes(head[68:72], "big") == migrate.APPLICATION_ID


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """The name under which a copy lies until it takes the place of ``path``. What processes left that died there goes."""
    for old in path.parent.glob(f"{escape(path.name)}.part-*"):
        if not _alive(old.name.rpartition("-")[2]):
            old.unlink(missing_ok=True)
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    part.unlink(missing_ok=True)
    try:
        yield part
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    finally:
        for suffix in ("", *_BESIDE):
            Path(f"{part}{suffix}").unlink(missing_ok=True)


def _alive(pid: str) -> bool:
    """Whether a process of that number runs; what is no number was not left by one."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, OverflowError):
        return True
    return True


def _examined(path: Path) -> Health:
    """What a file holds. Raises ``StoreError`` if it is damaged, or rows and indexes differ."""
    with translated(str(path)), closing(_reading(path)) as connection:
        if not migrate.version(connection):
            raise StoreError(f"{path} is no backup: it is empty")
        if migrate.version(connection) < migrate.newest():  # its tables are those of then, which only SQLite itself can check
            return _sound(path, connection)
        found = health.check(connection)
    if found.faults:
        raise StoreError(f"{path} is not whole: {'; '.join(found.faults)}")
    return found


def _sound(path: Path, connection: apsw.Connection) -> Health:
    if damage := list(health.damage(connection)):
        raise StoreError(f"{path} is not whole: {'; '.join(damage)}")
    return Health({})


def _reading(path: Path) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"file:{quote(str(path))}?mode=ro", flags=flags)


def _put(part: Path, path: Path) -> None:
    """The copy takes its place; both are on disk before anybody is told."""
    _synced(part, os.O_RDWR)
    part.replace(path)
    with suppress(OSError):  # not every system can do that with a folder
        _synced(path.parent, os.O_RDONLY)


def _synced(path: Path, flags: int) -> None:
    file = os.open(path, flags)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def _given_up(path: Path) -> Iterator[None]:
    """The old database at ``path``, if there is one, emptied of what lies beside it and held so that nobody opens it meanwhile.

    Raises ``StoreBusy`` if somebody has it open: they would go on writing into a file that is gone. One that is too damaged to be
    opened is set aside with what lies beside it."""
    if not path.exists() or not path.stat().st_size:
        _set_aside(path)
        yield
        return
    with closing(apsw.Connection(str(path))) as old:
        try:
            _alone(old, path)
        except (apsw.CorruptError, apsw.NotADBError):
            _set_aside(path)
        yield


def _alone(old: apsw.Connection, path: Path) -> None:
    """Moves what lies beside a database into it, and keeps everybody else out until ``old`` is closed."""
    try:
        mode = old.pragma("journal_mode", "delete")  # refused while anybody else has it open
        old.execute("BEGIN EXCLUSIVE").fetchall()
    except apsw.BusyError:
        mode = "wal"
    if mode != "delete":
        raise StoreBusy(f"{path} is in use: stop what uses it first")


def _set_aside(path: Path) -> None:
    for suffix in _BESIDE:
        beside = Path(f"{path}{suffix}")
        if beside.exists():
            beside.replace(f"{path}.damaged{suffix}")
