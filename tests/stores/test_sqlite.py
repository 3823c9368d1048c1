"""What only the SQLite store has: a file, its schema, its pragmas, and other processes."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores.older import take_back
from tests.stores.standing import drawn

from onrecord.errors import InvalidInput, SchemaMismatch, StoreBusy, StoreError
from onrecord.model.change import Add, Edit, Erase, Reinforce
from onrecord.model.query import Corpus, View
from onrecord.model.record import Record
from onrecord.model.trace import Period
from onrecord.policy.language.text import terms
from onrecord.stores import migrate
from onrecord.stores.lock import FileLine
from onrecord.stores.queries import migrations, queries
from onrecord.stores.sqlite import SQLiteStore, connection
from onrecord.stores.sqlite.connection import Database
from onrecord.stores.sqlite.erase import BY_KEY, BY_SUBJECT
from onrecord.stores.sqlite.rows import full_text
from onrecord.testing.builders import (
    NOW,
    REACH,
    a_batch,
    a_document,
    a_passage,
    a_record,
    a_trace,
    a_turn,
    a_vector,
    a_verdict,
    adds,
)

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(path)
    yield store
    store.close()


@contextmanager
def raw(path: Path) -> Iterator[apsw.Connection]:
    opened = apsw.Connection(str(path))
    yield opened
    opened.close()


# -- opening


def test_every_pragma_is_in_force_on_every_connection(store: SQLiteStore) -> None:
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "cache_size": -65_536,
        "mmap_size": 1 << 30,
        "wal_autocheckpoint": 1000,
        "journal_size_limit": 64 << 20,
        "temp_store": 2,
    }
    with store._db.read() as reader:
        assert {name: reader.pragma(name) for name in expected} == expected
        assert reader.pragma("query_only") == 1
    with store._db.write() as writer:
        assert {name: writer.pragma(name) for name in expected} == expected


def test_normal_is_the_other_synchronous_mode(path: Path) -> None:
    store = SQLiteStore(path, synchronous="NORMAL")
    with store._db.read() as reader:
        assert reader.pragma("synchronous") == 1
    store.close()
    with pytest.raises(InvalidInput):
        SQLiteStore(path, synchronous="OFF")


def test_full_text_erases_securely(store: SQLiteStore) -> None:
    with store._db.read() as reader:
        for table in ("record_terms", "turn_terms"):
            assert reader.execute(f"SELECT v FROM {table}_config WHERE k = 'secure-delete'").get == 1


def test_erased_words_are_in_no_file_while_the_store_is_open(store: SQLiteStore, path: Path) -> None:
    def holding() -> list[str]:
        return sorted(file.name for file in path.parent.iterdir() if b"quokkadrom" in file.read_bytes())

    store.apply(adds(a_record("rec_1", "quokkadrome"), a_record("rec_2", "stays"), verdicts=[a_verdict(statement="quokkadrome")]))
    store.put_trace(a_trace(query="quokkadrome"))
    assert store.lexical(View(reach=REACH), Corpus.RECORDS, terms("quokkadrome")).ids
    assert "memory.db-wal" in holding()
    with store.snapshot(), ThreadPoolExecutor(1) as others:
        store.epochs(REACH)
        others.submit(store.apply, a_batch(Erase(reason="", id="rec_1"))).result(5)  # waits for no reader
        assert "memory.db-wal" in holding()
    store.append([a_turn()])
    assert holding() == []
    store.apply(adds(a_record("rec_3", "quokkadrome")))
    store.apply(a_batch(Erase(reason="", id="rec_3")))
    assert holding() == []
    assert [record.id for record in store.select(View(reach=REACH))] == ["rec_2"]


def test_opening_a_current_file_writes_nothing(path: Path) -> None:
    SQLiteStore(path).close()
    before = path.read_bytes(), os.stat(path).st_mtime_ns
    store = SQLiteStore(path)
    assert store.check().faults == ()
    store.close()
    assert (path.read_bytes(), os.stat(path).st_mtime_ns) == before


def test_a_current_file_that_cannot_be_written_is_opened_and_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SQLiteStore(path)
    store.apply(adds(a_record()))
    store.close()
    everywhere = connection._pragmas
    monkeypatch.setattr(connection, "_pragmas", lambda synchronous, _: everywhere(synchronous, True))
    store = SQLiteStore(path)
    assert store.select(View(reach=REACH)) == [a_record()]
    with pytest.raises(StoreError, match="readonly"):
        store.put_trace(a_trace())
    store.close()


@pytest.fixture
def shut() -> Iterator[Path]:
    """A database that nobody but root may write, in a folder that nobody but root may write."""
    folder = Path(tempfile.mkdtemp())
    store = SQLiteStore(folder / "memory.db")
    store.apply(adds(a_record(), model="m", vectors={"rec_1": a_vector(1)}))
    store.close()
    (folder / "memory.db.lock").unlink()
    (folder / "memory.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder / "memory.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


def _read_as_nobody(path: str, answer: Any) -> None:
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        store = SQLiteStore(path)
        answer.put([record.id for record in store.select(View(reach=REACH))])
        answer.put(store.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=1))
        store.put_trace(a_trace())
    except StoreError as error:
        answer.put(str(error))


def _answers(path: Path, count: int) -> list[Any]:
    answer = FORK.Queue()
    child = FORK.Process(target=_read_as_nobody, args=(str(path), answer))
    child.start()
    found = [answer.get(timeout=20) for _ in range(count)]
    child.join()
    return found


def test_a_file_in_a_folder_that_cannot_be_written_is_read_and_says_so_when_written(shut: Path) -> None:
    records, near, refusal = _answers(shut, 3)
    assert (records, near) == (["rec_1"], [("rec_1", 1.0)])
    assert "neither it nor its folder can be written" in refusal
    assert sorted(os.listdir(shut.parent)) == ["memory.db"]


def test_a_file_left_in_use_where_nothing_can_be_written_is_refused(shut: Path) -> None:
    shut.parent.chmod(0o755)
    Path(f"{shut}-wal").write_bytes(b"x" * 64)
    shut.parent.chmod(0o555)
    (refusal,) = _answers(shut, 1)
    assert "was left in use" in refusal


def test_what_was_written_is_there_after_reopening(path: Path) -> None:
    store = SQLiteStore(path)
    store.apply(adds(a_record(), model="m", vectors={"rec_1": a_vector(1)}))
    store.close()
    again = SQLiteStore(path)
    assert again.get(REACH, ["rec_1"]) == [a_record()]
    assert again.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=1) == [("rec_1", 1.0)]
    again.close()


def test_closing_leaves_one_file_and_the_lock(path: Path) -> None:
    store = SQLiteStore(path)
    store.apply(adds(a_record()))
    store.close()
    assert sorted(os.listdir(path.parent)) == ["memory.db", "memory.db.lock"]


@pytest.mark.parametrize("content", [b"no database at all" * 300, b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"memory\.db is not a database"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        SQLiteStore(tmp_path)


def test_a_path_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"memory\.db"):
        SQLiteStore(tmp_path / "missing" / "memory.db")


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    with raw(path) as other:
        other.execute("CREATE TABLE notes (text)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(path: Path) -> None:
    SQLiteStore(path).close()
    with raw(path) as file:
        file.pragma("user_version", migrate.newest() + 1)
    with pytest.raises(SchemaMismatch):
        SQLiteStore(path)


def test_an_old_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(StoreError, match=r"3\.51\.3 is needed"):
        SQLiteStore(path)


# -- schema


def test_a_fresh_schema_is_that_of_the_migrations_one_by_one(path: Path, tmp_path: Path) -> None:
    SQLiteStore(path).close()
    stepwise = tmp_path / "stepwise.db"
    with raw(stepwise) as file:
        for step in migrations("sqlite"):
            file.execute(step.sql).fetchall()
        with raw(path) as fresh:
            schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
            assert fresh.execute(schema).fetchall() == file.execute(schema).fetchall()


def test_turns_of_an_older_file_are_there_after_the_migration_and_are_read(path: Path) -> None:
    with raw(path) as old:
        for step in migrations("sqlite")[:2]:
            old.execute(step.sql).fetchall()
        old.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}; PRAGMA user_version = 2").fetchall()
        old.execute("INSERT INTO tenant (name) VALUES ('acme')").fetchall()
        old.execute("INSERT INTO subject (tid, name, turns) VALUES (1, 'user:ana', 1)").fetchall()
        old.execute(
            "INSERT INTO turn VALUES (4294967297, 1, 1, 1, 0, 0, 0, 0, 1, 'pending', 't1', 's', NULL, NULL, NULL, "
            "'user', 'ana', 'hi', '{}', '{}')"
        ).fetchall()
    store = SQLiteStore(path)
    (turn,) = store.pending(limit=9)
    assert (turn.id, turn.text, turn.note) == ("t1", "hi", None)
    store.close()


def test_vectors_of_an_older_file_are_known_after_the_migration(path: Path) -> None:
    store = SQLiteStore(path)
    store.apply(adds(a_record("a"), a_record("b"), a_record("c"), model="m", vectors={"a": a_vector(1)}))
    store.append([a_turn("t1"), a_turn("t2")])
    store.put_vectors(Corpus.TURNS, REACH, "m", {"t2": a_vector(1)})
    store.put_vectors(Corpus.RECORDS, REACH, "n", {"b": a_vector(1)})
    store.close()
    take_back(path, 3)
    store = SQLiteStore(path)
    assert store.check().faults == ()
    assert [row.id for row in store.unembedded(Corpus.RECORDS, "m", limit=9)] == ["b", "c"]
    assert [row.id for row in store.unembedded(Corpus.RECORDS, "n", limit=9)] == ["a", "c"]
    assert [row.id for row in store.unembedded(Corpus.TURNS, "m", limit=9)] == ["t1"]
    store.close()


@pytest.mark.parametrize(("query", "index"), [("unembedded_records", "record_mid"), ("unembedded_turns", "turn_mid")])
def test_rows_without_a_vector_are_found_by_an_index_and_in_order(store: SQLiteStore, query: str, index: str) -> None:
    with store._db.read() as reader:
        plan = [row[3] for row in reader.execute(f"EXPLAIN QUERY PLAN {queries('sqlite')[query]}", (1, None, 9, None))]
    assert any(f"INDEX {index} (mid=?)" in step for step in plan), plan
    assert "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY" in plan, plan


def test_full_text_that_an_older_version_made_is_made_anew_on_opening(path: Path) -> None:
    thai = "ประชุมครั้งหน้าจัดที่กรุงเทพใกล้สถานี"
    store = SQLiteStore(path)
    store.apply(adds(a_record("a", thai), a_record("b", "Prefers email.")))
    store.append([a_turn("t", thai)])
    store.put_document(a_document(), [a_passage("p", thai)])
    store.close()
    with raw(path) as old:
        old.execute("UPDATE record_terms SET terms = 'old' WHERE rowid & 1; UPDATE turn_terms SET terms = 'old'").fetchall()
        old.execute("UPDATE passage_terms SET terms = 'old'").fetchall()
        old.execute("UPDATE setting SET value = 1").fetchall()
    store = SQLiteStore(path)
    assert store.check().faults == ()
    for corpus in Corpus:
        assert store.lexical(View(reach=REACH), corpus, terms("กรุงเทพ")).rows
    store.close()


def test_migrations_are_numbered_without_gaps() -> None:
    assert [step.number for step in migrations("sqlite")] == list(range(1, migrate.newest() + 1))


def test_a_failing_migration_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SQLiteStore(path).close()
    broken = migrations("sqlite")[-1]._replace(number=migrate.newest() + 1, sql="CREATE TABLE more (x); SELECT nonsense;")
    monkeypatch.setattr(migrate, "migrations", lambda dialect: (*migrations(dialect), broken))
    with pytest.raises(StoreError, match="nonsense"):
        SQLiteStore(path)
    monkeypatch.undo()
    store = SQLiteStore(path)
    assert store.check().faults == ()
    store.close()


#: The tables that statements of erasure are named after.
ROWS = ("record", "turn", "passage", "records", "turns", "passages")
TABLES = (*BY_KEY, *BY_SUBJECT, "trace_subject")


def test_every_query_is_used_and_has_a_sentence() -> None:
    package = Path(connection.__file__).parent
    code = "\n".join(file.read_text("utf-8") for file in package.glob("*.py"))
    used = set(re.findall(r'"(\w+)"', code))
    for template in re.findall(r'f"(\w*\{[^"]*)"', code):
        used |= {re.sub(r"\{[^}]*\}", one, template) for one in (*ROWS, *TABLES)}
    for name, sql in queries("sqlite").items():
        assert sql.startswith("-- "), name
        assert name in used, name


# -- full text


@given(st.text(max_size=40) | st.text(alphabet="aA1.-_/@:'’&+# \0\"東京かな서ßéǅ", max_size=20))
def test_every_term_of_any_text_is_one_token_of_the_index(text: str) -> None:
    words, index_text = terms(text), full_text(text)
    with raw(Path(":memory:")) as index:
        index.execute(queries_of_terms()).fetchall()
        index.execute("INSERT INTO record_terms (rowid, terms, again) VALUES (1, ?, ?)", index_text[:2])
        index.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(record_terms, row)")
        held = {(term, count) for term, count in index.execute("SELECT term, cnt FROM vocabulary")}
    assert held == {(word, words.count(word)) for word in words}
    assert index_text.length == len(words)
    assert sorted(index_text.terms.split()) == sorted(set(words))


def queries_of_terms() -> str:
    (line,) = [line for line in migrations("sqlite")[0].sql.splitlines() if "TABLE record_terms" in line]
    return line


# -- faults


def test_a_snapshot_stays_at_its_moment_while_others_write(store: SQLiteStore, path: Path) -> None:
    store.apply(adds(a_record("a", "red")))
    other = SQLiteStore(path)
    with store.snapshot():
        assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["red"]).size == 1
        other.apply(adds(a_record("b", "red")))
        assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["red"]).size == 1
        assert store.get(REACH, ["b"]) == []
        assert threaded(lambda: store.get(REACH, ["b"]))[0].id == "b"
    assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["red"]).size == 2
    other.close()


def threaded(call: Callable[[], list[Record]]) -> list[Record]:
    """What a call answers in another thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def test_check_names_the_differences_and_repair_mends_them(store: SQLiteStore) -> None:
    records = [a_record(f"r{n}", f"common word{n}") for n in range(4)]
    store.apply(adds(*records, model="m", vectors={record.id: a_vector(1) for record in records}))
    store.append([a_turn("t1", "one"), a_turn("t2", "two")])
    whole = store.check()
    with store._db.write() as writer:
        writer.execute("DELETE FROM record_terms WHERE rowid & 3 = 1").fetchall()
        writer.execute("UPDATE record_terms SET terms = 'wrong' WHERE rowid & 3 = 2").fetchall()
        writer.execute("DELETE FROM turn_terms").fetchall()
        writer.execute("INSERT INTO turn_terms (rowid, terms, again) VALUES (99, 'lost', '')").fetchall()
        writer.execute("INSERT INTO record_vector (sid, mid, id, rev, v) VALUES (1, 1, 99, 0, zeroblob(8))").fetchall()
        writer.execute("INSERT INTO record_text (id, body) VALUES (99, '{}')").fetchall()
        writer.execute("DELETE FROM record_use WHERE id & 3 = 3").fetchall()
        writer.execute("UPDATE turn SET mid = 1").fetchall()
    faults = "\n".join(store.check().faults)
    for what in ("records without full text", "words without a record", "records without counters", "turns without full text"):
        assert what in faults
    for what in ("full text without a turn", "vectors without a record", "is not that of their words"):
        assert what in faults
    assert "turns without the vector they tell of" in faults
    assert store.repair() == whole
    assert [row.id for row in store.lexical(View(reach=REACH), Corpus.RECORDS, ["common"]).rows] == ["r0", "r1", "r2", "r3"]


def test_check_finds_a_damaged_full_text_index_and_repair_mends_it(store: SQLiteStore) -> None:
    store.apply(adds(*(a_record(f"r{n}", f"common word{n}") for n in range(50))))
    with store._db.write() as writer:
        writer.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        writer.execute("DELETE FROM record_terms_data WHERE id > 10").fetchall()
    assert store.check().faults
    assert store.repair().faults == ()
    assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["common"]).size == 50


def test_a_write_that_cannot_even_be_rolled_back_holds_up_nobody(store: SQLiteStore, path: Path) -> None:
    def refuse(cursor: Any, sql: str, bindings: Any) -> bool:
        return sql != "ROLLBACK"

    store._db._writer.exec_trace = refuse
    with pytest.raises(StoreError):
        store.apply(a_batch(Add(reason="", record=a_record()), Erase(reason="", id="rec_0")))
    store.apply(adds(a_record("rec_2")))
    other = SQLiteStore(path, busy_timeout=0.5)
    other.apply(adds(a_record("rec_3")))
    assert [record.id for record in store.select(View(reach=REACH))] == ["rec_2", "rec_3"]
    other.close()


# -- other writers


def test_a_held_write_transaction_does_not_block_reads(store: SQLiteStore, path: Path) -> None:
    store.apply(adds(a_record()))
    with raw(path) as other:
        other.execute("BEGIN IMMEDIATE").fetchall()
        other.execute("UPDATE subject SET epoch = epoch + 1").fetchall()
        assert [record.id for record in store.select(View(reach=REACH))] == ["rec_1"]
        assert store.epochs(REACH) == {"user:ana": 1}
        other.execute("COMMIT").fetchall()
    assert store.epochs(REACH) == {"user:ana": 2}


VIEWS = {"plain": {}, "filtered": {"filters": {"kind": {"ne": "goal"}}}, "known at": {"known_at": NOW + timedelta(days=9)}}


@pytest.mark.parametrize("how", VIEWS)
def test_a_snapshot_is_whole_though_other_threads_searched_after_newer_writes(store: SQLiteStore, how: str) -> None:
    view = View(reach=REACH, **VIEWS[how])  # type: ignore[arg-type]
    rows, model = [a_record(f"r{n}", f"common w{n}") for n in range(3)], {"model": "m"}
    store.apply(adds(*rows, **model, vectors={row.id: a_vector(1) for row in rows}))
    store.append([a_turn("t1", "common")])

    def searched() -> tuple[object, ...]:
        return (
            [record.text for record in store.select(view)],
            [store.lexical(view, corpus, ["common"]) for corpus in Corpus],
            [store.recent(view, corpus, limit=9) for corpus in Corpus],
            [id for id, _ in store.nearest(view, Corpus.RECORDS, "m", a_vector(1), limit=9)],
        )

    def write() -> None:
        store.apply(a_batch(Erase(reason="", id="r0"), Edit(reason="", id="r1", fields={"statement": "quite another"})))
        store.apply(adds(a_record("r3", "common w3"), **model, vectors={"r3": a_vector(2)}))
        store.append([a_turn("t2", "common")])
        searched()

    before = searched()
    with ThreadPoolExecutor(1) as others, store.snapshot():
        store.epochs(REACH)
        others.submit(write).result()
        assert searched() == before
    assert searched() != before


@pytest.mark.parametrize(
    ("damage", "read", "fault"),
    [
        ("record_text SET body = '{}'", lambda store: store.get(REACH, ["rec_1"]), "1 rows that cannot be read"),
        ("record SET state = '{'", lambda store: store.select(View(reach=REACH)), "1 rows that cannot be read"),
        ("turn SET payload = '{'", lambda store: store.turns(REACH, ["turn_1"]), "1 turns whose fields are damaged"),
        ("event SET after = '{'", lambda store: store.events(REACH, "rec_1"), "1 events whose records are damaged"),
        ("verdict SET body = '{'", lambda store: store.verdicts(REACH), "1 damaged verdicts"),
        ("trace SET body = '{'", lambda store: store.traces(REACH), "1 damaged traces"),
    ],
)
def test_a_damaged_row_is_a_fault_of_the_store(store: SQLiteStore, damage: str, read: Any, fault: str) -> None:
    store.apply(adds(a_record(), verdicts=[a_verdict()]))
    store.append([a_turn()])
    store.put_trace(a_trace())
    with store._db.write() as writer:
        writer.execute(f"UPDATE {damage}").fetchall()
    with pytest.raises(StoreError, match="damaged"):
        read(store)
    assert store.check().faults == store.repair().faults == (fault,)


@pytest.mark.parametrize("damage", ["trace", "verdict"])
def test_what_cannot_be_read_any_more_goes_with_the_record_that_is_erased(store: SQLiteStore, damage: str, path: Path) -> None:
    store.apply(adds(a_record(statement="Hides a zyzzyva."), verdicts=[a_verdict(statement="Hides a zyzzyva.")]))
    store.put_trace(a_trace(query="where is the zyzzyva"))
    store.put_trace(a_trace("tra_2", subjects=("user:bob",)))
    with store._db.write() as writer:
        writer.execute(f"UPDATE {damage} SET body = '{{zyzzyva' WHERE uid NOT IN ('tra_2')").fetchall()
    store.apply(a_batch(Erase(reason="", id="rec_1")))
    assert store.check().faults == ()
    assert store.check().counts["traces"] == (1 if damage == "trace" else 2)
    assert store.check().counts["verdicts"] == (0 if damage == "verdict" else 1)
    store.close()
    assert b"zyzzyva" not in path.read_bytes()


def test_a_write_gives_up_when_the_database_stays_locked(path: Path) -> None:
    store = SQLiteStore(path, busy_timeout=0.05)
    with raw(path) as other:
        other.execute("BEGIN IMMEDIATE").fetchall()
        with pytest.raises(StoreBusy):
            store.apply(adds(a_record()))
        other.execute("ROLLBACK").fetchall()
    store.apply(adds(a_record()))
    store.close()


def test_a_write_gives_up_when_the_queue_stays_locked(path: Path) -> None:
    store = SQLiteStore(path, busy_timeout=0.05)
    with FileLine(f"{path}.lock").held(time.monotonic()), pytest.raises(StoreBusy):
        store.apply(adds(a_record()))
    store.apply(adds(a_record()))
    store.close()


def test_a_write_gives_up_when_another_thread_writes_too_long(path: Path) -> None:
    store = SQLiteStore(path, busy_timeout=0.05)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store._db.write():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(10)
    with pytest.raises(StoreBusy):
        store.apply(adds(a_record()))
    leave.set()
    thread.join()
    store.close()


def _hold_lock(path: str, ready: Any) -> None:
    store = SQLiteStore(path)
    with store._db.write() as writer, store._db._line.held(time.monotonic() + 5):
        writer.execute("DELETE FROM subject").fetchall()
        ready.set()
        time.sleep(60)


def test_the_lock_of_a_dead_process_is_released(store: SQLiteStore, path: Path) -> None:
    store.apply(adds(a_record()))
    ready = FORK.Event()
    child = FORK.Process(target=_hold_lock, args=(str(path), ready))
    child.start()
    assert ready.wait(10)
    child.kill()
    child.join()
    store.apply(adds(a_record("rec_2")))
    assert [record.id for record in store.select(View(reach=REACH))] == ["rec_1", "rec_2"]


def _add(path: str, n: int) -> None:
    store = SQLiteStore(path)
    store.apply(adds(a_record(f"r{n}", f"common w{n}"), model="m", vectors={f"r{n}": a_vector(1)}))
    store.append([a_turn(f"t{n}", "common")])
    store.close()


def test_processes_see_each_others_writes_at_once(store: SQLiteStore, path: Path) -> None:
    view = View(reach=REACH)
    for n in range(3):
        child = FORK.Process(target=_add, args=(str(path), n))
        child.start()
        child.join()
        assert child.exitcode == 0
        assert store.lexical(view, Corpus.RECORDS, ["common"]).size == n + 1
        assert store.lexical(view, Corpus.TURNS, ["common"]).size == n + 1
        assert len(store.nearest(view, Corpus.RECORDS, "m", a_vector(1), limit=9)) == n + 1


def _use_inherited(store: SQLiteStore, answer: Any) -> None:
    store.apply(adds(a_record("child")))
    answer.put([record.id for record in store.select(View(reach=REACH))])
    store.close()


def test_a_store_can_be_used_on_both_sides_of_a_fork(store: SQLiteStore) -> None:
    store.apply(adds(a_record("parent")))
    answer = FORK.Queue()
    child = FORK.Process(target=_use_inherited, args=(store, answer))
    child.start()
    assert answer.get(timeout=10) == ["child", "parent"]
    child.join()
    store.apply(adds(a_record("parent_2")))
    assert [record.id for record in store.select(View(reach=REACH))] == ["child", "parent", "parent_2"]
    assert store.check().faults == ()


def _write_inherited(store: SQLiteStore) -> None:
    store.apply(adds(a_record("child")))
    store.close()


def test_a_fork_waits_for_the_write_of_another_thread_so_that_its_child_can_write(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, asked = threading.Event(), threading.Event()

    def write() -> None:
        with store._db.write() as writer:
            writer.execute("UPDATE subject SET epoch = epoch").fetchall()
            entered.set()
            asked.wait(10)

    def halt() -> None:
        asked.set()
        Database.halt(store._db)

    store.apply(adds(a_record("parent")))
    monkeypatch.setattr(store._db, "halt", halt)
    thread = threading.Thread(target=write)
    thread.start()
    entered.wait(10)
    child = FORK.Process(target=_write_inherited, args=(store,))
    child.start()
    child.join(30)
    child.kill()
    thread.join()
    assert child.exitcode == 0
    store.apply(adds(a_record("parent_2")))
    assert [record.id for record in store.select(View(reach=REACH))] == ["child", "parent", "parent_2"]


def test_a_child_reads_though_another_thread_was_searching_at_the_fork(store: SQLiteStore) -> None:
    store.apply(adds(a_record("parent")))
    answer = FORK.Queue()
    child = FORK.Process(target=_use_inherited, args=(store, answer))
    with store._cache._lock:
        child.start()
    assert answer.get(timeout=10) == ["child", "parent"]
    child.join()


def _append(path: str, id: str) -> None:
    with closing(SQLiteStore(path)) as store:
        store.append([a_turn(id)])


def test_processes_write_in_the_order_in_which_they_came(store: SQLiteStore, path: Path) -> None:
    children = [FORK.Process(target=_append, args=(str(path), f"turn_{n}")) for n in range(5)]
    with store._db._line.held(time.monotonic() + 5):
        for n, child in enumerate(children, 2):
            child.start()
            drawn(f"{path}.lock", n)
    for child in children:
        child.join()
    assert [turn.id for turn in store.thread(REACH, "thread_1")] == [f"turn_{n}" for n in range(5)]


def test_processes_may_open_a_new_file_at_the_same_moment(path: Path) -> None:
    children = [FORK.Process(target=_add, args=(str(path), n)) for n in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0, 0]
    store = SQLiteStore(path)
    assert store.check().counts["records"] == 4
    store.close()


def test_a_trace_of_before_questions_were_built_from_threads_is_read(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SQLiteStore(path)) as store:
        store.put_trace(a_trace(message="and how?", built_from=("turn_1",), periods=(Period(NOW - timedelta(days=1), NOW),)))
    with closing(apsw.Connection(str(path))) as database:
        database.execute("UPDATE trace SET body = json_remove(body, '$.message', '$.built_from', '$.periods')")
    with closing(SQLiteStore(path)) as store:
        assert store.trace(REACH, "tra_1") == a_trace()
        store.mark_injected(REACH, "tra_1", ["rec_2"])
        assert store.traces(REACH, record_id="rec_2") == [a_trace(injected=("rec_2",))]


def test_a_record_read_before_is_handed_out_as_it_is_now_and_as_one_of_its_own(store: SQLiteStore) -> None:
    store.apply(adds(a_record("rec_1", metadata={"tags": ["a"]}), a_record("rec_2")))
    for _ in range(2):
        assert store.recent(View(reach=REACH), Corpus.RECORDS, limit=1)  # columns are in use from here on
        first, second = store.get(REACH, ["rec_1", "rec_2"])
        first.metadata["tags"].append("mine")
        second.metadata["mine"] = True  # type: ignore[index]
    assert [dict(record.metadata) for record in store.get(REACH, ["rec_1", "rec_2"])] == [{"tags": ["a"]}, {}]
    store.apply(a_batch(Edit(id="rec_1", fields={"statement": "Prefers post."}, reason="told")))
    assert [record.statement for record in store.get(REACH, ["rec_1"])] == ["Prefers post."]


def test_what_is_told_of_a_record_that_is_said_again_grows_with_what_is_new_alone(tmp_path: Path) -> None:
    with closing(SQLiteStore(tmp_path / "memory.db", synchronous="NORMAL")) as store:
        store.apply(adds(a_record("a")))
        sizes = []
        for n in range(200):
            store.apply(a_batch(Reinforce(id="a", sources=(f"turn_{n:026}",), reason="")))
            with closing(apsw.Connection(str(tmp_path / "memory.db"))) as file:
                sizes.append(file.execute("SELECT sum(length(ifnull(before, '')) + length(ifnull(after, ''))) FROM event").get)
        assert len(store.events(REACH, "a")) == 201
        whole = len(store.get(REACH, ["a"])[0].sources) * len('"turn_",') + 200 * 26
        assert sizes[-1] - sizes[99] < 100 * whole / 4  # written whole twice it would be more than 100 * whole
