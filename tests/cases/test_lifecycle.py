"""What becomes of memories over time and when they are taken away: erasure_incomplete, delete_semantics,
stale_index_after_update, decay_expiry, embedding_model_switch, listing_pagination.

B032 and B034 (every table) are in ``tests/stores/test_proof.py``, which also runs every leak against the proof; B033 (tombstones
past a retention) is in ``tests/memory/test_retention.py``, B039 (forgetting by text) in ``tests/policy/test_forget.py``.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import NotFound
from onrecord.memory import Memory
from onrecord.model.query import Corpus
from onrecord.model.record import Record, Status
from onrecord.model.scope import Reach
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.builders import a_record, adds

WHO: dict[str, Any] = {"user_id": "u1"}
DAY = timedelta(days=1)
SENTINEL = "Keeps a quiet marmalade harbour."


def on(memory: Memory, statement: str, **fields: Any) -> Record:
    (record,) = memory.remember(statement, **WHO, **fields).records
    return record


def everywhere(memory: Memory, query: str) -> str:
    """What every way of reading tells."""
    found = memory.search(query, **WHO)
    context = memory.context(query, **WHO)
    return str([[hit.text for hit in found.hits], memory.get_all(**WHO), context.messages[:-1]])


# -- erasure


@pytest.mark.parametrize("count", [100, 101, 257])
def test_everything_is_erased_and_counted_whatever_the_page(memory: Memory, count: int) -> None:
    """B027"""
    reach = Reach("default", ("user:u1",))
    own = {"tenant": reach.tenant, "subject": "user:u1"}
    memory.engine.store.apply(adds(*(a_record(f"r{n}", f"Shelf {n} holds crates.", **own) for n in range(count)), reach=reach))
    assert len(memory.get_all(**WHO)) == count
    assert memory.erase(**WHO).counts["records"] == count
    counts = memory.engine.store.check().counts
    assert (counts["records"], counts["record_terms"], counts["turns"], counts["turn_terms"]) == (0, 0, 0, 0)


def test_what_is_deleted_takes_no_place_among_the_hits(memory: Memory) -> None:
    """B028"""
    ids = [on(memory, f"Parks the red van in bay {n}.").id for n in range(10)]
    for id in ids[:9]:
        memory.delete(id, **WHO)
    hits = memory.search("Where is the red van parked?", include="records", limit=3, **WHO).hits
    assert [hit.id for hit in hits] == [ids[9]]
    counts = memory.engine.store.check().counts
    assert counts["records"] == counts["record_terms"] == 1
    assert counts[f"record_vectors/{memory.engine.embedder.name}"] == 1


@pytest.mark.parametrize("how", ["delete", "erase"])
def test_no_way_of_reading_finds_what_was_deleted_before_or_after_a_restart(tmp_path: Path, how: str) -> None:
    """B029"""
    path = tmp_path / "memory.db"
    with Memory(path, embedder=HashingEmbedder()) as memory:
        id = on(memory, SENTINEL).id
        assert "marmalade" in everywhere(memory, "quiet marmalade harbour")
        if how == "delete":
            memory.delete(id, **WHO)
        else:
            memory.erase(ids=[id], **WHO)
        assert "marmalade" not in everywhere(memory, "quiet marmalade harbour")
    with Memory(path, embedder=HashingEmbedder()) as memory:
        assert "marmalade" not in everywhere(memory, "quiet marmalade harbour")
        with pytest.raises(NotFound):
            memory.get(id, **WHO)


def test_no_file_holds_what_was_erased(tmp_path: Path) -> None:
    """B031"""

    def holds() -> bool:
        return any(b"marmalade" in file.read_bytes() for file in tmp_path.iterdir())

    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder()) as memory:
        on(memory, SENTINEL)
        memory.search("marmalade", **WHO)
        assert holds()
        memory.erase(verify=True, **WHO)
        assert not holds()


# -- deleting


def test_the_same_thing_said_three_times_is_one_record(memory: Memory) -> None:
    """B038"""
    for _ in range(3):
        on(memory, "Plays the cello.")
    (record,) = memory.get_all(**WHO)
    assert record.statement == "Plays the cello."


def test_deleting_what_is_not_there_or_somebody_elses_changes_nothing(memory: Memory) -> None:
    """B040"""
    id = on(memory, "Plays the cello.").id
    before = memory.engine.store.check().counts
    for wrong in ("rec_made_up", id):
        for call in (memory.delete, memory.lineage):
            with pytest.raises(NotFound):
                call(wrong, user_id="u2")
        with pytest.raises(NotFound):
            memory.erase(ids=[wrong], user_id="u2")
    assert memory.engine.store.check().counts == before


@pytest.mark.parametrize("how", ["delete", "erase", "erase all", "expire", "retract"])
def test_the_same_sentence_can_be_stored_again(memory: Memory, how: str) -> None:
    """B041"""
    old = on(memory, "Plays the cello.")
    match how:
        case "delete":
            memory.delete(old.id, **WHO)
        case "erase":
            memory.erase(ids=[old.id], **WHO)
        case "erase all":
            memory.erase(**WHO)
        case "expire":
            memory.expire(old.id, **WHO)
        case _:
            memory.retract([old.id], **WHO)
    assert memory.get_all(**WHO) == []
    again = on(memory, "Plays the cello.")
    assert [record.id for record in memory.get_all(**WHO)] == [again.id]
    assert again.id != old.id
    assert again.written_at > old.written_at
    assert [str(event.type) for event in memory.history(again.id, **WHO)] == ["added"]


# -- indexes


def test_search_sees_the_new_words_of_an_edit_and_not_the_old(memory: Memory) -> None:
    """B046, B048"""
    record = on(memory, "The gardener waters tulips beside the fountain.")
    memory.update(record.id, "The plumber mends radiators under the staircase.", **WHO)
    for word in ("gardener", "tulips", "fountain"):
        assert memory.search(word, include="records", **WHO).hits == ()
    for word in ("plumber", "radiators", "staircase"):
        assert [hit.id for hit in memory.search(word, include="records", **WHO).hits] == [record.id]


def test_another_embedder_loses_nothing_and_tells_what_is_left_to_embed(tmp_path: Path) -> None:
    """B221"""
    path = tmp_path / "memory.db"
    with Memory(path, embedder=HashingEmbedder(8)) as memory:
        old = on(memory, "Plays the cello.")
    with Memory(path, embedder=HashingEmbedder(16)) as memory:
        for words in ("I work at Northwind.", "I prefer window seats.", "I am allergic to walnuts."):
            memory.add(words, **WHO)
        memory.update(old.id, "Plays the viola.", **WHO)
        assert len(memory.get_all(**WHO)) == 4
        assert memory.search("viola", include="records", **WHO).hits[0].id == old.id
        model = memory.engine.embedder.name
        memory.maintain()
        assert memory.engine.store.unembedded(Corpus.RECORDS, model, limit=9) == []
        assert memory.engine.store.check().counts[f"record_vectors/{model}"] == 4


# -- decay


def test_what_matters_is_found_after_more_than_a_year_without_use(memory: Memory, clock: SteppingClock) -> None:
    """B236"""
    on(memory, "Allergic to walnuts.", kind="constraint", key="allergy", value="walnuts")
    on(memory, "Lives at 12 Quay Street in Bergen.", key="address", value="12 Quay Street")
    for days in (30, 60, 310):
        clock.now += days * DAY
        memory.maintain()
        for query, word in (("Which allergy: walnuts?", "walnuts"), ("address Quay Street Bergen", "Quay")):
            assert word in memory.search(query, include="records", **WHO).hits[0].text


def test_upkeep_is_a_matter_of_time_and_not_of_how_often_it_runs(memory: Memory, clock: SteppingClock) -> None:
    """B237"""
    for n in range(5):
        on(memory, f"Shelf {n} holds crate {n * 7 + 1}.")
    clock.now += 900 * DAY
    assert memory.maintain().faded == 5
    archived = memory.get_all(statuses=[Status.ARCHIVED], **WHO)
    assert memory.get_all(**WHO) == []
    for _ in range(100):
        assert memory.maintain().changes == ()
    assert memory.get_all(statuses=[Status.ARCHIVED], **WHO) == archived


def test_what_is_pinned_stays_as_it_is(memory: Memory, clock: SteppingClock) -> None:
    """B239"""
    record = on(memory, "Plays the cello.", pinned=True)
    for _ in range(60):
        clock.now += 2 * DAY
        memory.maintain()
    assert memory.get(record.id, **WHO) == record
    assert memory.search("cello", include="records", **WHO).hits[0].id == record.id


def test_what_has_ended_is_not_told_even_before_upkeep_runs(memory: Memory, clock: SteppingClock) -> None:
    """B240"""
    record = on(memory, "Sits in room nine today.", valid_until=clock.now + timedelta(hours=1))
    clock.now += timedelta(hours=2)
    found = memory.search("Which room?", include="records", **WHO)
    assert found.hits == ()
    assert "room nine" not in str(memory.context("Where does she sit?", **WHO).messages)
    memory.maintain()
    assert memory.get(record.id, **WHO).status is Status.EXPIRED
    assert memory.get_all(**WHO) == []


# -- pages


def test_every_record_is_on_one_page_while_others_are_added_and_deleted(memory: Memory) -> None:
    """B266"""
    ids = [on(memory, f"Shelf {n} holds crate {n * 7 + 1}.").id for n in range(57)]
    seen: list[str] = []
    after: str | None = None
    while page := memory.get_all(limit=20, after=after, **WHO):
        seen += [record.id for record in page]
        after = page[-1].id
        if len(seen) < len(ids):  # who adds a record for each page is never at the end
            on(memory, f"Later, desk {len(seen)} holds folder {len(seen) * 11}.")
        memory.delete(seen[0], **WHO) if len(seen) == 20 else None
    assert [id for id in seen if id in ids] == ids
    assert len(seen) == len(set(seen))
