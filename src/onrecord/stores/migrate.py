"""Brings the schema of a SQLite file up to date: one transaction from whatever version it has to the newest."""

from __future__ import annotations

import apsw

from onrecord.errors import SchemaMismatch, StoreError
from onrecord.stores.queries import migrations

#: "onrc": marks a file as ours, so that a database of another program is never touched.
APPLICATION_ID = 0x6F6E7263


def newest() -> int:
    """The version of the schema that this package writes."""
    return migrations("sqlite")[-1].number


def version(connection: apsw.Connection) -> int:
    """The version of a file's schema, 0 for an empty file.

    Raises ``SchemaMismatch`` if it is newer than this package, ``StoreError`` if the file is another program's."""
    found, owner = int(connection.pragma("user_version")), int(connection.pragma("application_id"))
    objects = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if owner != APPLICATION_ID and (found or owner or objects):
        raise StoreError("the file is a database of another program: name another path")
    if found > newest():
        raise SchemaMismatch(f"the file has schema {found}, this package knows up to {newest()}: upgrade the package")
    return found


def migrate(connection: apsw.Connection) -> None:
    """Runs the migrations that a file lacks, all or none. The caller holds the write lock, in no transaction."""
    connection.execute("BEGIN IMMEDIATE").fetchall()
    try:
        have = version(connection)
        for step in migrations("sqlite"):
            if step.number > have:
                connection.execute(step.sql).fetchall()
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}").fetchall()
        connection.execute(f"PRAGMA user_version = {newest()}").fetchall()
        connection.execute("COMMIT").fetchall()
    except BaseException:
        connection.execute("ROLLBACK").fetchall()
        raise
