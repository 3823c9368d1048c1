"""What happens to memory when it moves, changes its embedder or its version, or goes: export_import_loss, embedding_model_switch,
upgrade_persistence, erasure_incomplete.

B027, B028, B029 and B031 are in ``test_lifecycle.py``, B033 in ``tests/memory/test_retention.py``. B265 is about the volume of a
container: this project ships none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.stores.older import fill, take_back

from onrecord.errors import EmbedderMismatch, SchemaMismatch
from onrecord.memory import Memory
from onrecord.model.query import Corpus
from onrecord.model.record import Record, Status
from onrecord.model.scope import Reach
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.stores import migrate
from onrecord.stores.sqlite import SQLiteStore, connection

WHO: dict[str, Any] = {"user_id": "u1"}
UNTIL = datetime(2026, 6, 30, tzinfo=UTC)


def on(memory: Memory, statement: str, **fields: Any) -> Record:
    (record,) = memory.remember(statement, **WHO, **fields).records
    return record


def every_status(memory: Memory) -> dict[Status, str]:
    """A record in each status, by its id."""
    badge = on(memory, "Badge 4417 opens the lab.", valid_until=UNTIL, pinned=True, metadata={"tags": ["é", "日"]})
    job = on(memory, "Works at Acme.", key="employer", value="Acme")
    boat, bees, flat = on(memory, "Owns a boat."), on(memory, "Keeps bees."), on(memory, "Rents a flat.")
    memory.add("Actually, I work at Globex now.", **WHO)
    memory.retract([boat.id], **WHO)
    memory.quarantine([bees.id], **WHO)
    memory.expire(flat.id, **WHO)
    gone = {Status.RETRACTED: boat.id, Status.QUARANTINED: bees.id, Status.EXPIRED: flat.id}
    return {Status.ACTIVE: badge.id, Status.SUPERSEDED: job.id, **gone}


# -- export and import


@pytest.mark.parametrize("case", ["B258", "B259"])
def test_everything_of_a_record_survives_export_and_import_whatever_its_status(memory: Memory, tmp_path: Path, case: str) -> None:
    """B258 B259"""
    ids = every_status(memory)
    memory.export_to(tmp_path / "one.jsonl")
    with Memory(":memory:", embedder=HashingEmbedder()) as other:
        done = other.import_from(tmp_path / "one.jsonl")
        assert (done.conflicts, done.refused) == (0, 0)
        for status, id in ids.items():
            if case == "B258":
                assert other.get(id, **WHO) == memory.get(id, **WHO)
            else:
                assert other.get(id, **WHO).status is memory.get(id, **WHO).status is status
                assert [event.type for event in other.history(id, **WHO)] == [event.type for event in memory.history(id, **WHO)]
        kept = other.get(ids[Status.ACTIVE], **WHO)
        assert (kept.valid_until, kept.expiry_basis.value, kept.pinned) == (UNTIL, "stated", True)
        other.export_to(tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_a_database_that_can_only_be_read_is_exported_and_a_second_import_adds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: SteppingClock
) -> None:
    """B260"""
    path = tmp_path / "memory.db"
    with Memory(path, embedder=HashingEmbedder(), clock=clock) as memory:
        for words in ("I prefer email. I am allergic to walnuts.", "Never call me before 9.", "My flight is LX 812.", "Thanks."):
            memory.add(words, session_id="s", **WHO)
        memory.session("s", **WHO).compact(budget=32)
        memory.session("s", **WHO).end()
    monkeypatch.setattr(connection, "_shut", lambda path: True)
    with Memory(path, embedder=HashingEmbedder()) as memory:
        told = memory.export_to(tmp_path / "e.jsonl")
    monkeypatch.undo()
    assert told.rows["summary"] == 1
    with Memory(tmp_path / "other.db", embedder=HashingEmbedder()) as other:
        assert other.import_from(tmp_path / "e.jsonl").added == told.rows
        again = other.import_from(tmp_path / "e.jsonl")
        assert (again.added, again.updated, again.same) == ({}, {}, told.rows)
        assert other.engine.store.summary(Reach("default", ("user:u1",)), "s") is not None


# -- another embedder


class SameName(HashingEmbedder):
    """An embedder whose name does not tell its dimension."""

    @property
    def name(self) -> str:
        return "acme"


def test_another_dimension_needs_no_new_database_and_says_what_to_do(tmp_path: Path, run: Callable[..., Any]) -> None:
    """B222"""
    path = tmp_path / "memory.db"
    with Memory(path, embedder=SameName(8)) as memory:
        on(memory, "Plays the cello.")
    with Memory(path, embedder=SameName(16)) as memory:
        (turn,) = memory.remember("Plays the oboe.", **WHO).turns
        assert "EmbedderMismatch" in turn.detail  # it waits: vectors of one name that cannot be compared are not stored
        with pytest.raises(EmbedderMismatch, match="name the new model otherwise, and reembed"):
            memory.search("cello", **WHO)
    with Memory(path, embedder=HashingEmbedder(16)) as memory:
        assert memory.maintain().captured == 1
        assert memory.reembed().left == 0
        assert [record.statement for record in memory.get_all(**WHO)] == ["Plays the cello.", "Plays the oboe."]
        counts = memory.engine.store.check().counts
    assert {name: count for name, count in counts.items() if "vectors" in name} == {
        "record_vectors/hashing/16": 2,
        "turn_vectors/hashing/16": 2,
    }
    health = json.loads(run("doctor", "--db", str(path), "--json").out)
    assert health["counts"]["record_vectors/hashing/16"] == 2


def test_captured_turns_and_edits_under_another_embedder_lose_nothing_and_are_searched_by_one_model(tmp_path: Path) -> None:
    """B221"""
    path, old = tmp_path / "memory.db", HashingEmbedder(8)
    with Memory(path, embedder=old) as memory:
        cello = on(memory, "Plays the cello.")
    with Memory(path, embedder=HashingEmbedder(16), previous=old) as memory:
        for words in ("I work at Northwind.", "I prefer window seats.", "I am allergic to walnuts."):
            memory.add(words, **WHO)
        memory.update(cello.id, "Plays the viola.", **WHO)
        assert len(memory.get_all(**WHO)) == 4
        found = memory.search("Who plays the viola?", include="records", **WHO)
        assert (found.trace.embedder, found.hits[0].id) == (old.name, cello.id)
        memory.reembed()
        assert memory.search("viola", **WHO).trace.embedder == "hashing/16"
        assert memory.engine.store.unembedded(Corpus.RECORDS, "hashing/16", limit=9) == []


# -- versions


@pytest.mark.parametrize("number", range(1, migrate.newest()))
def test_a_file_of_every_version_is_opened_and_its_rows_are_read(tmp_path: Path, number: int) -> None:
    """B262 B263"""
    path = tmp_path / "memory.db"
    fill(path)
    take_back(path, number)
    who: dict[str, Any] = {"user_id": "ana"}
    with Memory(path, tenant="acme", embedder=HashingEmbedder()) as memory:
        assert [record.statement for record in memory.get_all(**who)] == ["Prefers letters."]
        assert len(memory.history("rec_1", **who)) == 2
        assert memory.session("thread_1", **who).turns()[0].text == "I prefer email."
        memory.add("I am allergic to walnuts.", **who)
        assert memory.search("walnuts", **who).hits
        assert memory.engine.store.check().faults == ()


def test_a_file_of_a_newer_version_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    """B263"""
    path = tmp_path / "memory.db"
    fill(path)
    with closing(apsw.Connection(str(path))) as file:
        file.pragma("user_version", migrate.newest() + 1)
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match="upgrade the package"):
        Memory(path)
    assert path.read_bytes() == before


# -- erasure


def test_no_way_of_taking_records_away_leaves_a_dangling_link(tmp_path: Path, clock: SteppingClock) -> None:
    """B032"""
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock) as memory:

        def talk(thread: str) -> list[str]:
            receipt = memory.add("I prefer email. I am allergic to walnuts.", session_id=thread, **WHO)
            memory.add("Actually, I prefer phone calls.", session_id=thread, **WHO)
            memory.context("How should I be reached?", session_id=thread, **WHO)
            memory.session(thread, **WHO).compact(budget=16)
            memory.session(thread, **WHO).end()
            return [record.id for record in receipt.records]

        ways: dict[str, Callable[[list[str], str], object]] = {
            "delete": lambda ids, _: memory.delete(ids[0], **WHO),
            "rows": lambda ids, _: memory.erase(ids=ids, **WHO),
            "thread": lambda _, thread: memory.erase(session_id=thread, **WHO),
            "retract": lambda ids, _: memory.retract(ids[:1], **WHO),
            "quarantine": lambda ids, _: memory.quarantine(ids[:1], **WHO),
            "expire": lambda ids, _: memory.expire(ids[-1], **WHO),
            "maintain": lambda *_: memory.maintain(),
            "all": lambda *_: memory.delete_all(**WHO),
            "owner": lambda *_: memory.erase(**WHO),
        }
        for way, take in ways.items():
            ids = talk(way) or [record.id for record in memory.get_all(**WHO)]
            take(ids, way)
            assert memory.engine.store.check().faults == (), way


def test_no_table_that_knows_an_owner_holds_a_row_of_one_that_was_erased(tmp_path: Path) -> None:
    """B034"""
    path = tmp_path / "memory.db"
    fill(path)
    with closing(SQLiteStore(path)) as store, Memory(store=store, tenant="acme", embedder=HashingEmbedder()) as memory:
        memory.remember("Likes tea.", user_id="bob")
        before = rows_of(path, "user:bob")
        assert sum(rows_of(path, "user:ana").values()) > 15
        memory.erase(user_id="ana")
        assert rows_of(path, "user:ana") == {}
        assert rows_of(path, "user:bob") == before
        assert memory.get_all(user_id="bob")[0].statement == "Likes tea."


def rows_of(path: Path, subject: str) -> dict[str, int]:
    """How many rows of a subject each table holds, of all that have a column for it."""
    with closing(apsw.Connection(str(path))) as file:
        tables = [str(name) for (name,) in file.execute("SELECT name FROM pragma_table_list WHERE schema = 'main'").fetchall()]
        having = [
            table
            for table in tables
            if any(name == "sid" for (name,) in file.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall())
        ]
        count = 'SELECT count(*) FROM "{}" WHERE sid IN (SELECT sid FROM subject WHERE name = ?)'
        found = {table: int(file.execute(count.format(table), (subject,)).get) for table in having if table != "subject"}
    assert len(found) >= 10
    return {table: number for table, number in found.items() if number}
