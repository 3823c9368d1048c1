"""Backups are whole files of one moment, and a restore is one step: who dies in the middle leaves before or after."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import onrecord
from onrecord.errors import InvalidInput, SchemaMismatch, StoreBusy, StoreError
from onrecord.ports import Health
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores import migrate
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore, backup
from onrecord.stores.sqlite.connection import Database
from onrecord.testing.builders import REACH, a_record, a_turn, adds

FORK = multiprocessing.get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(path)
    fill(store, 3)
    yield store
    store.close()


def fill(store: SQLiteStore, count: int, first: int = 0) -> None:
    for n in range(first, first + count):
        store.append([a_turn(f"turn_{n}", f"The shelf {n} is full.", thread=None)])
        store.apply(adds(a_record(f"rec_{n}", f"Shelf {n} is full.")))


def records(path: Path) -> int:
    with closing(SQLiteStore(path)) as opened:
        assert opened.check().faults == ()
        return opened.check().counts["records"]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.endswith((".lock", "-wal", "-shm"))}


def test_a_backup_holds_everything_and_is_opened_like_any_database(store: SQLiteStore, tmp_path: Path) -> None:
    found = store.backup(str(tmp_path / "copy.db"))
    assert (found.counts["records"], found.faults) == (3, ())
    assert records(tmp_path / "copy.db") == 3
    assert names(tmp_path) == {"memory.db", "copy.db"}


def test_a_backup_is_of_one_moment_while_others_write(store: SQLiteStore, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        n = 100
        while not stop.is_set():
            fill(store, 1, n)
            n += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = [store.backup(str(tmp_path / f"{n}.db")).counts for n in range(5)]
    finally:
        stop.set()
        writer.join()
    for each in counts:
        assert each["turns"] - each["records"] in (0, 1)
    assert [each["records"] for each in counts] == sorted(each["records"] for each in counts)


def test_a_backup_holds_nothing_of_what_was_erased_before(store: SQLiteStore, tmp_path: Path) -> None:
    fill(store, 1, 77)
    with Watched(store) as erase:
        erase("turn_77", "rec_77")
    store.backup(str(tmp_path / "copy.db"))
    assert b"Shelf 77" not in (tmp_path / "copy.db").read_bytes()


class Watched:
    """Erases rows of a store."""

    def __init__(self, store: SQLiteStore) -> None:
        self._store = store

    def __enter__(self) -> Callable[[str, str], None]:
        from onrecord.model.change import Erase
        from onrecord.ports import Erasure
        from onrecord.testing.builders import a_batch

        def erase(turn: str, record: str) -> None:
            batch = a_batch(Erase(reason="", id=record), reach=REACH)
            self._store.erase(Erasure(batch=batch, turns=[turn]))

        return erase

    def __exit__(self, *_: object) -> None:
        return None


def test_a_backup_replaces_nothing_unless_it_is_told_to_and_never_another_file(store: SQLiteStore, tmp_path: Path) -> None:
    copy, letter = tmp_path / "copy.db", tmp_path / "letter.txt"
    store.backup(str(copy))
    fill(store, 1, 9)
    with pytest.raises(InvalidInput, match="is there already"):
        store.backup(str(copy))
    assert records(copy) == 3
    store.backup(str(copy), force=True)
    assert records(copy) == 4
    letter.write_text("Dear Ana,", "utf-8")
    other = tmp_path / "other.db"
    with closing(apsw.Connection(str(other))) as theirs:
        theirs.execute("CREATE TABLE notes (text)").fetchall()
    (tmp_path / "copy.db.part-mine").write_text("keep me", "utf-8")
    store.backup(str(copy), force=True)
    assert (tmp_path / "copy.db.part-mine").exists()
    for target, words in (
        (other, "is no database of this package"),
        (letter, "is no database of this package"),
        (Path(store.path), "is the database itself"),
        (tmp_path, "directory"),
    ):
        with pytest.raises(InvalidInput, match=words):
            store.backup(str(target), force=True)
    assert letter.read_text("utf-8") == "Dear Ana,"


def test_neither_a_backup_nor_a_restore_replaces_a_device_or_a_pipe(store: SQLiteStore, tmp_path: Path) -> None:
    pipe, copy = tmp_path / "pipe", tmp_path / "copy.db"
    os.mkfifo(pipe)
    store.backup(str(copy))
    with pytest.raises(InvalidInput, match="is no file"):
        store.backup(str(pipe), force=True)
    with pytest.raises(InvalidInput, match="is no file"):
        onrecord.restore(copy, pipe, force=True)
    assert pipe.is_fifo()


def test_a_folder_that_is_not_there_is_named(store: SQLiteStore, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="missing is no directory"):
        store.backup(str(tmp_path / "missing" / "copy.db"))


@pytest.mark.parametrize("wrong", [None, 3, "", "a\0b", "\ud800", "x" * 300])
def test_what_can_be_no_path_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with onrecord.Memory(":memory:", embedder=HashingEmbedder()) as memory:
        for work in (memory.backup, memory.export_to, memory.import_from, partial(onrecord.restore, "x")):
            with pytest.raises(InvalidInput, match="path"):
                work(wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_store_without_a_file_says_what_to_do_instead(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="export it instead"):
        InMemoryStore().backup(str(tmp_path / "copy.db"))
    with closing(SQLiteStore(":memory:")) as store:
        fill(store, 2)
        store.backup(str(tmp_path / "copy.db"))
    assert records(tmp_path / "copy.db") == 2


def test_a_restore_brings_back_what_was_backed_up(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    fill(store, 2, 9)
    with pytest.raises(InvalidInput, match="is there already"):
        onrecord.restore(copy, path)
    with pytest.raises(StoreBusy, match="is in use"):
        onrecord.restore(copy, path, force=True)
    store.close()
    assert onrecord.restore(copy, path, force=True).counts["records"] == 3
    assert records(path) == 3
    assert onrecord.restore(copy, tmp_path / "new.db").counts["turns"] == 3
    assert names(tmp_path) == {"memory.db", "copy.db", "new.db"}
    assert copy.exists()


def test_a_log_of_the_old_database_is_not_taken_for_one_of_the_new(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    process = FORK.Process(target=_write_and_die, args=(path,))
    process.start()
    process.join()
    store.close()
    onrecord.restore(copy, path, force=True)
    assert records(path) == 3
    missing = tmp_path / "missing.db"
    Path(f"{missing}-wal").write_bytes(os.urandom(5_000))
    onrecord.restore(copy, missing)
    assert records(missing) == 3


def _write_and_die(path: Path) -> None:
    fill(SQLiteStore(path), 5, 50)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_database_that_is_too_damaged_to_be_opened_is_replaced(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    store.close()
    raw = bytearray(path.read_bytes())
    raw[16:4_096] = os.urandom(4_080)
    path.write_bytes(raw)
    onrecord.restore(copy, path, force=True)
    assert records(path) == 3


@pytest.mark.parametrize(
    ("damage", "error", "words"),
    [
        (lambda raw: raw[: len(raw) // 2], StoreError, "is not whole|malformed"),
        (lambda raw: raw[:6_000] + os.urandom(len(raw) - 6_000), StoreError, "is not whole|malformed"),
        (lambda raw: b"Dear Ana," * 400, StoreError, "is not a database"),
        (lambda raw: b"", StoreError, "is empty"),
    ],
)
def test_a_backup_that_is_not_whole_is_refused_and_nothing_is_changed(
    store: SQLiteStore, path: Path, tmp_path: Path, damage: Callable[[bytes], bytes], error: type[Exception], words: str
) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    store.close()
    copy.write_bytes(damage(copy.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(error, match=words):
        onrecord.restore(copy, path, force=True)
    assert path.read_bytes() == before
    assert names(tmp_path) == {"memory.db", "copy.db"}


def test_a_backup_of_a_newer_version_or_with_differing_indexes_is_refused(store: SQLiteStore, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    store.close()
    with closing(apsw.Connection(str(copy))) as raw:
        raw.execute("DELETE FROM record_terms").fetchall()
    with pytest.raises(StoreError, match="3 records without full text"):
        onrecord.restore(copy, path, force=True)
    with closing(apsw.Connection(str(copy))) as raw:
        raw.pragma("user_version", migrate.newest() + 1)
    with pytest.raises(SchemaMismatch, match="upgrade"):
        onrecord.restore(copy, path, force=True)
    with pytest.raises(InvalidInput, match="name a backup"):
        onrecord.restore(tmp_path / "none.db", path, force=True)


# -- death in the middle

STEPS = ("copy_into", "_examined", "_put", "_synced", "after")


def _die_at(step: str, work: Callable[[], Any]) -> None:
    """Does the work and dies at a step of it: when it begins, or after the last."""

    def die(*_: Any, **__: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    if step == "copy_into":
        original = Database.copy_into

        def half(self: Database, target: str) -> None:
            original(self, target)
            os.truncate(target, os.path.getsize(target) // 2)
            die()

        Database.copy_into = half  # type: ignore[method-assign, assignment]
    elif step == "_synced":  # the copy is in its place, and not known to be on disk
        synced = backup._synced
        backup._synced = lambda path, flags: die() if path.is_dir() else synced(path, flags)
    elif step != "after":
        setattr(backup, step, die)
    work()
    die()


def _killed(step: str, work: Callable[[], Any]) -> None:
    process = FORK.Process(target=_die_at, args=(step, work))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("step", STEPS)
def test_a_backup_that_dies_leaves_the_old_one_or_the_new_one(store: SQLiteStore, tmp_path: Path, step: str) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    fill(store, 2, 9)
    _killed(step, lambda: store.backup(str(copy), force=True))
    assert records(copy) == (5 if step in ("_synced", "after") else 3)
    found: Health = store.backup(str(copy), force=True)
    assert found.counts["records"] == records(copy) == 5
    assert names(tmp_path) == {"memory.db", "copy.db"}  # what the dead left is gone


@pytest.mark.parametrize("step", STEPS[1:])
def test_a_restore_that_dies_leaves_what_was_there_or_the_backup(
    store: SQLiteStore, path: Path, tmp_path: Path, step: str
) -> None:
    copy = tmp_path / "copy.db"
    store.backup(str(copy))
    fill(store, 2, 9)
    store.close()
    _killed(step, lambda: onrecord.restore(copy, path, force=True))
    assert records(path) == (3 if step in ("_synced", "after") else 5)
    onrecord.restore(copy, path, force=True)
    assert records(path) == 3
    assert names(tmp_path) == {"memory.db", "copy.db"}
