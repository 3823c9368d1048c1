"""A file of every schema there was is brought up to date: all or nothing, with every row, and like a new one afterwards."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.stores.older import fill, take_back

from onrecord.errors import SchemaMismatch
from onrecord.model.parcel import Extent
from onrecord.policy.portable import parcel_line
from onrecord.stores import migrate
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import REACH, SUBJECT, a_record, a_turn, adds

FORK = multiprocessing.get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads
NUMBERS = range(1, migrate.newest())
#: What each schema brought, by the kind of its rows in an export: an older file had none of it.
SINCE = {"thread": 2, "summary": 2, "run": 2, "document": 10}


def since(line: str) -> int:
    """The schema that brought a line of an export."""
    return SINCE["document"] if '"corpus":"passages"' in line else SINCE.get(line.split('"')[1], 0)


def lines(store: SQLiteStore) -> list[str]:
    return [parcel_line(parcel) for parcel in store.dump(Extent(vectors=True))]


def schema(path: Path) -> list[Any]:
    with closing(apsw.Connection(str(path))) as file:
        found: list[Any] = file.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()
        return [*found, file.pragma("user_version"), file.pragma("application_id")]


@pytest.fixture
def full(tmp_path: Path) -> Path:
    path = tmp_path / "full.db"
    fill(path)
    return path


def older(full: Path, number: int) -> Path:
    path = full.with_name("memory.db")
    shutil.copy(full, path)
    take_back(path, number)
    return path


@pytest.mark.parametrize("number", NUMBERS)
def test_a_file_of_every_schema_keeps_its_rows_and_becomes_like_a_new_one(full: Path, number: int) -> None:
    path = older(full, number)
    with closing(SQLiteStore(full)) as store:
        known = [line for line in lines(store) if since(line) <= number]
    assert len(known) >= 11
    with closing(SQLiteStore(path)) as store:
        assert store.check().faults == ()
        assert lines(store) == known
        assert [record.id for record in store.made_from(REACH, ["turn_2"])] == ["rec_2"]
        assert store.traces(REACH, record_id="rec_1")
        store.append([a_turn("turn_9", "More.")])
        store.apply(adds(a_record("rec_9", "Keeps bees.", subject=SUBJECT)))
        assert store.check().faults == ()
    assert schema(path) == schema(full)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_migration_that_is_killed_leaves_the_file_as_it_was_and_is_repeated(full: Path, number: int) -> None:
    path = older(full, number)
    with closing(SQLiteStore(full)) as store:
        known = [line for line in lines(store) if since(line) <= number]
    for statement in (1, 4, 9):
        process = FORK.Process(target=_migrate_and_die, args=(path, statement))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        with closing(apsw.Connection(str(path))) as file:
            assert file.pragma("user_version") == number
            assert file.pragma("integrity_check") == "ok"
    with closing(SQLiteStore(path)) as store:
        assert store.check().faults == ()
        assert lines(store) == known
    assert schema(path) == schema(full)


def _migrate_and_die(path: Path, statement: int) -> None:
    """Dies before so many statements of the last step are done; of a step with fewer, when all of them are."""
    original = migrate.migrate

    def migrating(file: apsw.Connection) -> None:
        last = migrate.newest()
        left = statement

        def trace(_: object, sql: str, __: object) -> bool:
            nonlocal left
            left -= not sql.startswith(("BEGIN", "PRAGMA", "SELECT"))
            if left < 0 or sql.startswith(f"PRAGMA user_version = {last}"):
                os.kill(os.getpid(), signal.SIGKILL)
            return True

        file.exec_trace = trace
        original(file)

    migrate.migrate = migrating  # type: ignore[assignment]
    SQLiteStore(path)


def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(full: Path) -> None:
    with closing(apsw.Connection(str(full))) as file:
        file.pragma("user_version", migrate.newest() + 1)
    before = full.read_bytes()
    with pytest.raises(SchemaMismatch, match="upgrade the package"):
        SQLiteStore(full)
    assert full.read_bytes() == before
