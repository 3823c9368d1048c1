"""Files with rows of every table, and as older versions of the schema wrote them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from onrecord.model.change import Archive, Edit, Erase
from onrecord.model.query import Corpus
from onrecord.model.run import RunStatus
from onrecord.model.trace import Scored
from onrecord.stores import migrate
from onrecord.stores.queries import migrations
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import (
    NOW,
    REACH,
    a_batch,
    a_document,
    a_passage,
    a_record,
    a_summary,
    a_trace,
    a_turn,
    a_vector,
    a_verdict,
    adds,
)

_TABLES = "SELECT name FROM {} WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%!_terms!_%' ESCAPE '!'"


def fill(path: Path) -> None:
    """Writes rows of every table."""
    store = SQLiteStore(path)
    store.append([a_turn("turn_1"), a_turn("turn_2", "Call me never.", client_id="c", metadata={"a": [1]}), a_turn("turn_3")])
    records = [a_record("rec_1"), a_record("rec_2", "Likes tea.", derived_from=("turn_2",)), a_record("rec_3", "Owns a boat.")]
    vectors = {"rec_1": a_vector(1), "rec_2": a_vector(0, 1)}
    store.apply(adds(*records, verdicts=[a_verdict()], model="m", vectors=vectors, captured=["turn_1"]))
    changes = (Edit(reason="so", id="rec_1", fields={"statement": "Prefers letters."}), Archive(reason="old", id="rec_2"))
    store.apply(a_batch(*changes, model="m"))
    store.apply(a_batch(Erase(reason="", id="rec_3")))
    store.put_vectors(Corpus.TURNS, REACH, "n", {"turn_1": a_vector(1), "turn_2": a_vector(0, 0, 1)})
    store.touch(REACH, ["rec_1"], NOW)
    seen = (Scored("rec_1", Corpus.RECORDS, 1.0, 1.0), Scored("turn_1", Corpus.TURNS, 1.0, 1.0))
    store.put_trace(a_trace(candidates=seen, returned=("rec_1",)))
    store.set_thread(REACH, "thread_1", title="Trip")
    store.put_summary(REACH, "thread_1", a_summary("turn_1"), at=NOW, after=0)
    store.put_checkpoint(REACH, "run_1", 1, {"plan": ["go"]}, status=RunStatus.RUNNING, at=NOW)
    store.put_token_counts(REACH, "t", {"turn_1": 5})
    passages = [a_passage(), a_passage("pas_2", "Boats leave at one.", position=2)]
    store.put_document(a_document(passages=2), passages, model="m", vectors={"pas_1": a_vector(1)})
    store.close()


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
