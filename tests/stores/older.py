"""Files as older versions of the schema wrote them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from onrecord.stores import migrate
from onrecord.stores.queries import migrations

_TABLES = "SELECT name FROM {} WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%!_terms!_%' ESCAPE '!'"


def take_back(path: Path, number: int) -> None:
    """Makes of a file one that the schema of that number wrote, with the same rows as far as it knew them."""
    old = path.with_suffix(".old")
    with closing(apsw.Connection(str(old))) as file:
        for step in migrations("sqlite")[:number]:
            file.execute(step.sql).fetchall()
        file.execute(f"ATTACH '{path}' AS new").fetchall()
        both = f"{_TABLES.format('main.sqlite_schema')} INTERSECT {_TABLES.format('new.sqlite_schema')}"
        for table in [str(name) for (name,) in file.execute(both).fetchall()]:
            file.execute(f"DELETE FROM main.{table}").fetchall()  # what the migrations themselves put there
            _copy(file, table)
        file.execute("DELETE FROM sqlite_sequence").fetchall()
        file.execute("INSERT INTO sqlite_sequence SELECT * FROM new.sqlite_sequence").fetchall()
        file.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}").fetchall()
        file.execute(f"PRAGMA user_version = {number}").fetchall()
    for leftover in ("-wal", "-shm"):
        path.with_name(path.name + leftover).unlink(missing_ok=True)
    old.replace(path)


def _copy(file: apsw.Connection, table: str) -> None:
    columns = {
        name: file.execute("SELECT name FROM pragma_table_info(?, ?)", (table, name)).fetchall() for name in ("main", "new")
    }
    older, newer = ([str(name) for (name,) in columns[name]] for name in ("main", "new"))
    shared = (["rowid"] if table.endswith("_terms") else []) + [name for name in older if name in newer]
    gone = [name for name in older if name not in newer]
    into, values = ", ".join([*shared, *gone]), ", ".join([*shared, *("1" for _ in gone)])
    file.execute(f"INSERT INTO main.{table} ({into}) SELECT {values} FROM new.{table}").fetchall()
