"""The proof of an erasure finds what is left, wherever it is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import ErasureIncomplete, StoreBusy
from onrecord.model.change import Erase
from onrecord.model.query import Corpus
from onrecord.model.run import RunStatus
from onrecord.model.scope import Reach
from onrecord.model.trace import Scored
from onrecord.ports import Erasure
from onrecord.stores.residue import found_in, joined, off_the_edges, parts_of
from onrecord.stores.sqlite import SQLiteStore, statements
from onrecord.testing.builders import NOW, TENANT, a_batch, a_record, a_summary, a_trace, a_turn, a_verdict, adds

ANA, BOB = Reach(TENANT, ("user:ana",)), Reach(TENANT, ("user:bob",))
SECRET = "The quinquereme of Nineveh carries ivory, apes and peacocks."
RNG = np.random.default_rng(7)


def a_vector() -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = RNG.normal(size=64).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def people(store: SQLiteStore, reach: Reach, words: str) -> None:
    """Gives a subject a row of everything that holds these words."""
    name = reach.subjects[0]
    own = {"subject": name}
    store.append([a_turn(f"turn_{name}", words, payload={"content": words}, metadata={"of": words}, note={"x": words}, **own)])
    verdict = a_verdict(f"ver_{name}", statement=words, turn_id=f"turn_{name}", record_ids=(f"rec_{name}",), **own)
    record = a_record(f"rec_{name}", words, quote=words, derived_from=(f"turn_{name}",), **own)
    store.apply(adds(record, reach=reach, verdicts=[verdict], model="m", vectors={record.id: a_vector()}))
    store.put_vectors(Corpus.TURNS, reach, "m", {f"turn_{name}": a_vector()})
    seen = (Scored(f"rec_{name}", Corpus.RECORDS, 1, 1), Scored(f"turn_{name}", Corpus.TURNS, 1, 1))
    store.put_trace(a_trace(f"tra_{name}", query=words, subjects=(name,), candidates=seen, returned=(), injected=()))
    store.set_thread(reach, "thread_1", title=words[:40])
    store.put_summary(reach, "thread_1", a_summary(f"turn_{name}", text=words), at=NOW, after=0)
    store.put_token_counts(reach, "t", {f"turn_{name}": 5})
    store.put_checkpoint(reach, "run_1", 1, {"plan": words}, status=RunStatus.RUNNING, at=NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    with_both = SQLiteStore(tmp_path / "memory.db", busy_timeout=0.2)
    people(with_both, BOB, "Bob likes ivory and peacocks.")
    people(with_both, ANA, SECRET)
    yield with_both
    with_both.close()


def everything() -> Erasure:
    return Erasure(batch=a_batch(reach=ANA), subjects=ANA.subjects)


def parts() -> Erasure:
    """What names every row of Ana's without erasing her."""
    changes = [Erase(reason="", id="rec_user:ana")]
    threads = [("user:ana", "thread_1")]
    runs = [("user:ana", "run_1")]
    return Erasure(batch=a_batch(*changes, reach=ANA), turns=["turn_user:ana"], threads=threads, runs=runs)


def bytes_of(store: SQLiteStore) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(Path(store.path).parent.iterdir()))


@pytest.mark.parametrize("erasure", [everything, parts])
def test_nothing_of_an_erasure_is_left_in_any_file_and_the_receipt_tells_how_it_was_looked_for(
    store: SQLiteStore, erasure: object
) -> None:
    assert callable(erasure)
    assert b"quinquereme" in bytes_of(store)
    scan = store.erase(erasure(), verify=True).scan
    assert scan is not None
    assert scan.parts > 500
    assert {"memory.db", "memory.db-wal", "memory.db.lock"} <= set(scan.files)
    left = bytes_of(store)
    assert not any(word in left for word in (b"quinquereme", b"Nineveh", b"quinquerem", b"apes"))
    assert b"peacocks" in left  # Bob's
    assert store.check().faults == ()


ROWS_OF_A_SUBJECT = (
    "record record_vector turn turn_vector event verdict thread summary checkpoint record_text record_use record_terms "
    "turn_terms turn_size"
).split()


def run_anyhow(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    original = statements.run

    def run(connection: apsw.Connection, name: str, *values: object) -> None:
        if name not in names:
            original(connection, name, *values)

    for module in ("erase", "apply", "account"):
        monkeypatch.setattr(f"onrecord.stores.sqlite.{module}.run", run)


@pytest.mark.parametrize("table", ROWS_OF_A_SUBJECT)
def test_rows_that_a_subject_leaves_in_a_table_are_found(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    queries = [name for name in (f"drop_{table}_of", f"drop_{table}_between") if name in statements.SQL]
    if table == "turn_size":  # they also go with their turn
        queries.append("drop_turn_of")
    assert queries
    run_anyhow(monkeypatch, *queries)
    with pytest.raises(ErasureIncomplete) as caught:
        store.erase(everything(), verify=True)
    assert any(place.endswith(f"rows of {table}") for place in caught.value.places)


@pytest.mark.parametrize(
    ("query", "table"),
    [
        ("drop_record", "record"),
        ("drop_record_text", "record_text"),
        ("drop_record_terms", "record_terms"),
        ("drop_record_use", "record_use"),
        ("drop_record_sources", "record_source"),
        ("drop_record_vectors", "record_vector"),
        ("empty_events", "event"),
        ("empty_reasons", "event"),
        ("set_trace", "trace"),
        ("drop_turn", "turn"),
        ("drop_turn_terms", "turn_terms"),
        ("drop_turn_vectors", "turn_vector"),
        ("drop_verdict", "verdict"),
        ("drop_summary", "summary"),
        ("drop_checkpoint", "checkpoint"),
        ("drop_thread", "thread"),
    ],
)
def test_rows_that_an_erased_record_or_turn_leaves_in_a_table_are_found(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch, query: str, table: str
) -> None:
    run_anyhow(monkeypatch, query)
    with pytest.raises(ErasureIncomplete) as caught:
        store.erase(parts(), verify=True)
    assert any(place.endswith(f"rows of {table}") for place in caught.value.places)


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", ".lock"])
@pytest.mark.parametrize("erasure", [everything, parts])
@pytest.mark.parametrize("what", ["words", "vector", "term"])
def test_bytes_that_are_left_in_a_file_are_found(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch, suffix: str, erasure: object, what: str
) -> None:
    assert callable(erasure)
    with store._db.read() as connection:
        vector = connection.execute("SELECT v FROM record_vector WHERE id >> 32 = 2").get
    left = {"words": SECRET.encode()[4:30], "vector": vector[40:72], "term": b"\x02ivori\x01apes\x07Nineveh\x03"}[what]
    vacuum = store._db.vacuum

    def leak() -> None:
        vacuum()
        with open(store.path + suffix, "ab") as file:
            file.write(bytes(64) + left)

    monkeypatch.setattr(store._db, "vacuum", leak)
    with pytest.raises(ErasureIncomplete, match=r"memory\.db"):
        store.erase(erasure(), verify=True)


def test_what_was_left_is_looked_for_again_with_the_next_erasure(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = Path(store.path + ".lock")
    lock.write_bytes(SECRET.encode())
    with pytest.raises(ErasureIncomplete, match="lock"):
        store.erase(everything(), verify=True)
    with pytest.raises(ErasureIncomplete, match="lock"):
        store.erase(everything(), verify=True)
    lock.write_bytes(b"")
    assert store.erase(everything(), verify=True).scan is not None


def test_a_reader_that_keeps_old_bytes_in_the_log_is_told_of(store: SQLiteStore) -> None:
    other = apsw.Connection(store.path)
    other.execute("BEGIN").fetchall()
    assert other.execute("SELECT count(*) FROM turn").get == 2
    with pytest.raises(StoreBusy):
        store.erase(everything(), verify=True)
    assert b"quinquereme" in bytes_of(store)
    other.execute("COMMIT").fetchall()
    assert store.erase(everything(), verify=True).scan is not None  # it still knows what to look for
    assert b"quinquereme" not in bytes_of(store)


def test_no_table_holds_a_row_of_an_erased_subject(store: SQLiteStore) -> None:
    with store._db.read() as connection:
        sid = connection.execute("SELECT sid FROM subject WHERE name = 'user:ana'").get
        tables = [name for (name,) in connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main'")]
        having = [
            t for t in tables if any(c == "sid" for (c,) in connection.execute("SELECT name FROM pragma_table_info(?)", (t,)))
        ]
    store.erase(everything())
    with store._db.read() as connection:
        left = {t: connection.execute(f'SELECT count(*) FROM "{t}" WHERE sid = {sid}').get for t in having if t != "subject"}
        name = connection.execute("SELECT name FROM subject WHERE sid = ?", (sid,)).get
    assert len(left) >= 10
    assert set(left.values()) == {0}
    assert "ana" not in name


def test_a_lineage_of_an_older_file_is_made_from_its_records(store: SQLiteStore, tmp_path: Path) -> None:
    before = store.made_from(ANA, ["turn_user:ana"])
    assert [record.id for record in before] == ["rec_user:ana"]
    with store._db.write() as connection:
        connection.execute("DELETE FROM record_source").fetchall()
    assert any("sources of a record" in fault for fault in store.check().faults)
    assert store.repair().faults == ()
    assert store.made_from(ANA, ["turn_user:ana"]) == before


# -- the parts themselves

values = st.one_of(st.text(max_size=40), st.binary(max_size=40))


@given(values, st.binary(max_size=30), st.binary(max_size=30))
def test_every_part_of_a_value_is_found_where_the_value_stands(value: str | bytes, before: bytes, after: bytes) -> None:
    raw = value.encode() if isinstance(value, str) else value
    wanted = parts_of([value])
    found = found_in([before + raw + after], wanted)
    assert len(wanted.without(found)) == 0


@given(values, values)
def test_nothing_is_found_that_does_not_stand_there(value: str | bytes, other: str | bytes) -> None:
    raw = other.encode() if isinstance(other, str) else other
    found = found_in([raw], parts_of([value]))
    windows = {window.tobytes() for window in found.windows}
    assert all(part in raw for part in windows | found.words)


@given(st.lists(values, max_size=4))
def test_parts_of_several_values_are_those_of_each(several: list[str | bytes]) -> None:
    together, each = parts_of(several), joined([parts_of([value]) for value in several])
    assert (together.windows.tolist(), together.words) == (each.windows.tolist(), each.words)


def test_a_window_that_a_row_and_its_neighbour_make_by_chance_is_no_residue() -> None:
    wanted = parts_of(["I prefer kiwi for breakfast."])
    live, next_cell = b"prefer plum breakfast", b".\x90\x81\x03"  # the next cell is 46 bytes long, which reads as a full stop
    hits = found_in([live + next_cell], wanted).without(found_in([live], wanted))
    assert [window.tobytes() for window in hits.windows] == [b"eakfast."]
    assert len(off_the_edges(hits, [live])) == 0
    assert len(off_the_edges(hits, [b"something else"])) == 1
    word = parts_of(["allergy"])  # 121, the length of the next cell, reads as y
    assert (len(off_the_edges(word, [b"is allerg"])), len(off_the_edges(word, [b"is aller "]))) == (0, 1)


@given(st.text(min_size=30, alphabet=st.characters(min_codepoint=33, max_codepoint=0x24F)), st.lists(values, max_size=3))
def test_what_is_left_of_a_longer_text_is_not_all_on_edges(text: str, live: list[str | bytes]) -> None:
    rows = [value.encode() if isinstance(value, str) else value for value in live]
    wanted = parts_of([text])
    other = wanted.without(found_in(rows, wanted))
    assert len(off_the_edges(other, rows)) >= len(other) - 16 * len(rows)


def test_a_long_text_gives_a_window_at_every_place() -> None:
    assert len(parts_of(["abcdefghijklmnopqrstuvwxyz"])) == 19
    assert len(parts_of(["aaaaaaaaaaaaaaaaaa", bytes(40)])) == 0
    assert parts_of(["to Zofia and Bo"]).words == {b"Zofia"}
