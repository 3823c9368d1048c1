"""Whatever is worked out from the rows is broken on purpose: it is found, named, and made anew from the rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.stores.older import fill

from onrecord.model.parcel import Extent
from onrecord.model.query import Corpus, View
from onrecord.policy.portable import parcel_line
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, REACH, a_record, a_turn, a_vector, adds
from onrecord.testing.sight import sight

#: Tables and virtual tables whose rows follow from those of others, each broken by a statement, and what is said of it.
BREAKS = {
    "a record without full text": ("DELETE FROM record_terms WHERE rowid & 3 = 1", "records without full text"),
    "full text of no record": (
        "INSERT INTO record_terms (rowid, terms, again) VALUES (99, 'x', '')",
        "full text without a record",
    ),
    "full text of other words": ("UPDATE record_terms SET terms = 'wrong'", "full text is not that of their words"),
    "repetitions of other words": ("UPDATE record_terms SET again = 'wrong'", "full text is not that of their words"),
    "a turn without full text": ("DELETE FROM turn_terms WHERE rowid & 3 = 1", "turns without full text"),
    "full text of no turn": ("INSERT INTO turn_terms (rowid, terms) VALUES (99, 'x')", "full text without a turn"),
    "full text of other turns": ("UPDATE turn_terms SET terms = 'wrong'", "full text is not that of their words"),
    "a passage without full text": ("DELETE FROM passage_terms WHERE rowid & 3 = 1", "passages without full text"),
    "full text of no passage": ("INSERT INTO passage_terms (rowid, terms) VALUES (99, 'x')", "full text without a passage"),
    "full text of other passages": ("UPDATE passage_terms SET terms = 'wrong'", "full text is not that of their words"),
    "lengths of passages": ("UPDATE passage SET length = 77", "full text is not that of their words"),
    "a vector of no passage": ("INSERT INTO passage_vector VALUES (1, 1, 99, 0, zeroblob(8))", "vectors without a passage"),
    "the embedder of a passage": ("UPDATE passage SET mid = 2", "passages without the vector they tell of"),
    "names of documents": ("UPDATE document SET name = 'x', collection = 'y'", "documents that are filed wrongly"),
    "lengths of records": ("UPDATE record SET length = 77", "full text is not that of their words"),
    "lengths of turns": ("UPDATE turn SET length = 77", "full text is not that of their words"),
    "counters": ("DELETE FROM record_use WHERE id & 3 = 2", "records without counters"),
    "counters of no record": ("INSERT INTO record_use VALUES (99, NULL, 0, 1)", "counters without a record"),
    "words of no record": ("INSERT INTO record_text VALUES (99, '{}')", "words without a record"),
    "a vector of no record": ("INSERT INTO record_vector VALUES (1, 1, 99, 0, zeroblob(8))", "vectors without a record"),
    "a vector of no turn": ("INSERT INTO turn_vector VALUES (1, 1, 99, 0, zeroblob(8))", "vectors without a turn"),
    "the embedder of a record": ("UPDATE record SET mid = 2 WHERE mid = 1", "records without the vector they tell of"),
    "the embedder of a turn": ("UPDATE turn SET mid = 1", "turns without the vector they tell of"),
    "status": ("UPDATE record SET status = 'quarantined'", "records that are filed wrongly"),
    "kind": ("UPDATE record SET kind = 'decision'", "records that are filed wrongly"),
    "key": ("UPDATE record SET key = 'colour'", "records that are filed wrongly"),
    "scope": ("UPDATE record SET scope = 'thread', scope_ref = 'x'", "records that are filed wrongly"),
    "origin": ("UPDATE record SET agent = 'x', run = 'y', thread = 'z'", "records that are filed wrongly"),
    "times": ("UPDATE record SET said_at = 0, written_at = 0, valid_from = 0", "records that are filed wrongly"),
    "ends": ("UPDATE record SET valid_until = 0, stated = 1", "records that are filed wrongly"),
    "sources": ("DELETE FROM record_source", "sources of a record"),
    "a source of no record": ("INSERT INTO record_source VALUES (1, 'turn_1', 99)", "sources of a record"),
    "a wrong source": ("UPDATE record_source SET source = 'turn_3' WHERE source = 'turn_2'", "sources of a record"),
    "rows of traces": ("DELETE FROM trace_row", "rows that a trace returned"),
    "a row of a trace too many": ("INSERT INTO trace_row VALUES (1, 'rec_2', 1)", "rows that a trace returned"),
    "subjects of traces": ("DELETE FROM trace_subject", "subjects that a trace looked at"),
    "a subject of no trace": ("INSERT INTO trace_subject VALUES (1, 5, 'x', 99)", "subjects that a trace looked at"),
    "times of traces": ("UPDATE trace SET at = 5", "traces that are filed wrongly"),
    "records of verdicts": ("DELETE FROM verdict_record", "records that a verdict names"),
    "a record of a verdict too many": ("INSERT INTO verdict_record VALUES (1, 'rec_2', 1)", "records that a verdict names"),
    "verdicts": ("UPDATE verdict SET accepted = 0, at = 5, turn_uid = NULL", "verdicts that are filed wrongly"),
    "numbers of rows": ("UPDATE subject SET records = 0, turns = 0", "would number a new row like an old one"),
    "epochs": ("UPDATE subject SET epoch = 0", "changes that caches would not see"),
    "vector epochs": ("UPDATE subject SET vector_epoch = 0", "changes that caches would not see"),
    "counts of tokens": ("INSERT INTO turn_size VALUES (99, 't', 1)", "counts of tokens without a turn"),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    fill(tmp_path / "memory.db")
    store = SQLiteStore(tmp_path / "memory.db")
    yield store
    store.close()


def seen(store: SQLiteStore) -> dict[str, Any]:
    """What every way of reading tells."""
    told: dict[str, Any] = dict(
        sight(
            store,
            View(reach=REACH),
            ids=["rec_1", "rec_2", "turn_1", "turn_2", "tra_1"],
            threads=["thread_1"],
            terms=["letter", "prefer", "email", "never"],
            model="m",
            vector=a_vector(1),
        )
    )
    told.pop("epochs")  # they only have to grow
    rows = [parcel_line(parcel) for parcel in store.dump(Extent(vectors=True))]
    view = View(reach=REACH)
    told["passages"] = store.lexical(view, Corpus.PASSAGES, ["train", "boat"])
    told["nearest"] = store.nearest(view, Corpus.PASSAGES, "m", a_vector(1), limit=3)
    told["document"] = store.document_named(REACH, "default", "guide.md")
    return {**told, "made_from": store.made_from(REACH, ["turn_2"]), "rows": rows}


@pytest.mark.parametrize("name", BREAKS)
def test_what_is_broken_is_found_named_and_made_anew(store: SQLiteStore, name: str) -> None:
    statement, fault = BREAKS[name]
    whole, before = store.check(), seen(store)
    assert whole.faults == ()
    with store._db.write() as writer:
        writer.execute(statement).fetchall()
        assert writer.changes()
    assert any(fault in told for told in store.check().faults), store.check().faults
    mended = store.repair()
    assert mended.faults == ()
    if name == "counters":  # they cannot be worked out, and begin anew
        return
    assert mended == whole
    assert seen(store) == before
    with closing(SQLiteStore(store.path)) as other:
        assert seen(other) == before
    store.append([a_turn("turn_9", "More.")])
    store.apply(adds(a_record("rec_9", "Keeps bees.", said_at=NOW)))
    assert store.check().faults == ()


def test_every_table_is_broken_or_holds_what_cannot_be_worked_out(store: SQLiteStore) -> None:
    """A new table that follows from others has to be broken here; one that does not is named here."""
    own = set("tenant setting api_key model event thread summary checkpoint passage".split())
    with store._db.read() as reader:
        rows = reader.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    tables = {str(name) for (name,) in rows if not str(name).partition("_terms_")[2]}
    broken = {word for statement, _ in BREAKS.values() for word in statement.replace(",", " ").split()}
    assert tables - own - broken == set()


def test_a_damaged_full_text_index_is_found_and_made_anew(store: SQLiteStore) -> None:
    before = seen(store)
    for table in ("record_terms_data", "turn_terms_data"):
        with store._db.write() as writer:
            writer.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
            writer.execute(f"DELETE FROM {table} WHERE id > 10").fetchall()
        assert store.check().faults
        assert store.repair().faults == ()
    assert seen(store) == before
    assert store.recent(View(reach=REACH), Corpus.TURNS, limit=3)
