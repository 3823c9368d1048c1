"""The client's handles and verbs of upkeep, each against what the library itself then finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.server.web import client

from onrecord import Memory
from onrecord.client import Client
from onrecord.errors import InvalidInput, NotFound, VersionConflict
from onrecord.model.run import RunStatus
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock


@pytest.fixture
def memory(tmp_path: Path, clock: SteppingClock) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock) as opened:
        yield opened


@pytest.fixture
def ours(memory: Memory) -> Iterator[Client]:
    with client(memory) as opened:
        yield opened


def test_a_thread_is_added_to_compacted_ended_forked_renamed_and_put_away(memory: Memory, ours: Client) -> None:
    trip = ours.session("trip", user_id="ana")
    trip.add(
        [{"role": "user", "content": f"Never book hotel {number}, it was loud.", "id": f"m{number}"} for number in range(20)]
    )
    trip.add("We decided to take the night train.")
    assert [turn.result for turn in trip.add({"role": "user", "content": "again", "id": "m1"}).turns] == ["existing"]
    assert trip.info().turns == 21
    assert trip.turns(last=1)[0].text == "We decided to take the night train."
    assert trip.messages(last=1) == [{"role": "user", "content": "We decided to take the night train."}]
    assert trip.summary() is None
    compacted = trip.compact(budget=300)
    assert compacted.fresh
    summary = trip.summary()
    assert summary == compacted.summary
    assert summary is not None
    assert summary.covers == list(memory.session("trip", user_id="ana").summary().covers)  # type: ignore[union-attr]
    assert trip.end().outcomes[0].record.kind == "episode"  # type: ignore[union-attr]
    assert "night train" in json.dumps(trip.context("How do we travel?").messages)
    assert [hit.text for hit in trip.search("How do we travel: by night train?").hits]
    fork = trip.fork("plan b", upto=2)
    assert (fork.info().turns, fork.info().forked_from) == (2, "trip")
    assert trip.rename("To Porto").title == "To Porto"
    assert trip.archive().archived
    assert [one.id for one in ours.sessions(user_id="ana")] == ["plan b"]
    assert [one.id for one in ours.sessions(user_id="ana", archived=True)] == ["trip"]


def test_all_pages_of_threads_are_read(memory: Memory, ours: Client) -> None:
    for number in range(105):
        memory.session(f"s{number}", user_id="ana").add("What's up?", infer=False)
    assert len({one.id for one in ours.sessions(user_id="ana", limit=1_000)}) == 105
    assert len(ours.sessions(user_id="ana", limit=7)) == 7
    with pytest.raises(InvalidInput, match="after: is no cursor"):
        ours.sessions(user_id="ana", after="nonsense")


def test_a_run_is_saved_step_by_step_paused_resumed_and_destroyed(memory: Memory, ours: Client) -> None:
    run = ours.run("order", user_id="ana")
    assert (run.step, run.plan) == (0, [])
    run.plan, run.values = ["ask", "book"], {"city": "Porto"}
    assert run.retry("search") == 1
    assert run.checkpoint() == 1
    other = ours.run("order", user_id="ana")
    assert (other.plan, other.values, other.retries) == (["ask", "book"], {"city": "Porto"}, {"search": 1})
    assert run.pause("approval") == 2
    with pytest.raises(VersionConflict):
        other.checkpoint()
    other.reload()
    assert other.status is RunStatus.WAITING
    assert other.resume("yes") == 3
    assert memory.run("order", user_id="ana").results == {"approval": "yes"}
    with pytest.raises(InvalidInput, match="does not wait"):
        other.resume("twice")
    other.complete()
    assert memory.run("order", user_id="ana").step == 0
    with pytest.raises(InvalidInput, match="complete"):
        other.checkpoint()


def test_an_erasure_gives_its_receipt_and_leaves_nothing(memory: Memory, ours: Client) -> None:
    ours.add("I'm allergic to walnuts.", user_id="ana", session_id="s")
    rehearsed = ours.erase(user_id="ana", session_id="s", dry_run=True)
    assert (rehearsed.dry_run, len(memory.get_all(user_id="ana"))) == (True, 1)
    receipt = ours.erase(user_id="ana", session_id="s", verify=True)
    assert receipt.counts == rehearsed.counts
    assert receipt.proof is not None
    assert receipt.proof.files
    assert memory.get_all(user_id="ana") == []
    with pytest.raises(NotFound):
        ours.session("s", user_id="ana").info()
    with pytest.raises(InvalidInput, match="ids: are given with a session_id"):
        ours.erase(user_id="ana", session_id="s", ids=["rec_1"])


def test_what_is_distrusted_is_traced_and_taken_out(memory: Memory, ours: Client) -> None:
    turn = ours.add("I work at Northwind.", user_id="ana", session_id="s").turns[0].turn_id or ""
    (record,) = memory.get_all(user_id="ana")
    traced = ours.lineage(turn, user_id="ana")
    assert ([one.id for one in traced.made], traced.memory) == ([record.id], None)
    assert [one.id for one in ours.lineage(record.id, user_id="ana").turns] == [turn]
    assert ours.quarantine([turn], user_id="ana", dry_run=True).dry_run
    assert memory.get(record.id, user_id="ana").status == "active"
    taken = ours.quarantine([turn], user_id="ana")
    assert ([(one.type, one.id) for one in taken.changes], taken.withheld) == ([("quarantine", record.id)], [turn])
    assert memory.get(record.id, user_id="ana").status == "quarantined"


def test_what_is_past_its_lifetime_is_renewed_or_expires(memory: Memory, ours: Client, clock: SteppingClock) -> None:
    ids = [memory.remember(f"Ana's badge is {number}.", user_id="ana").records[0].id for number in (1, 2)]
    assert ours.review(user_id="ana") == []
    clock.now += timedelta(days=400)
    assert [one.id for one in ours.review(user_id="ana")] == ids
    until = datetime(2030, 1, 1, tzinfo=UTC)
    assert ours.renew(ids[0], user_id="ana", until=until).valid_until == until
    assert ours.expire(ids[1], user_id="ana").status == "expired"
    assert ours.review(user_id="ana") == []


def test_misses_and_maintenance_are_told(memory: Memory, ours: Client) -> None:
    assert ours.misses(user_id="ana", since=datetime(2020, 1, 1, tzinfo=UTC)) == []
    assert ours.maintain(dry_run=True).dry_run
    assert ours.maintain(limit=5).captured == 0


def test_what_a_run_merged_is_undone(memory: Memory, ours: Client) -> None:
    memory.remember("Ana lives at 12 Quay Street in Leeds.", user_id="ana")
    memory.add("Lives in Leeds at 12 Quay Street", user_id="ana", infer=False)
    done = ours.maintain()
    assert (done.merged, len(ours.get_all(user_id="ana"))) == (1, 1)
    assert len(ours.undo(done.run, dry_run=True).changes) == 2
    assert (ours.undo(done.run).left, len(ours.get_all(user_id="ana"))) == ([], 2)
    with pytest.raises(NotFound):
        ours.undo("upkeep_none")


def test_all_records_of_a_session_or_an_owner_are_deleted(memory: Memory, ours: Client) -> None:
    ours.add("I'm allergic to walnuts.", user_id="ana", session_id="s")
    ours.add("I live in Lisbon.", user_id="ana", session_id="t")
    assert ours.delete_all(user_id="ana", session_id="s") == 1
    assert ours.delete_all(user_id="ana") == 1
    assert ours.get_all(user_id="ana") == []


def test_a_list_is_narrowed_by_status_filters_and_subjects(memory: Memory, ours: Client) -> None:
    memory.remember("Ana likes tea.", user_id="ana", metadata={"topic": "food"})
    memory.remember("Ana likes trains.", user_id="ana", metadata={"topic": "travel"})
    memory.remember("The team meets on Mondays.", subject="team:care")
    assert [one.statement for one in ours.get_all(user_id="ana", filters={"topic": "food"})] == ["Ana likes tea."]
    assert len(ours.get_all(user_id="ana", subjects=["team:care"])) == 3
    assert ours.get_all(user_id="ana", statuses=["retracted"]) == []


def test_documents_are_added_found_listed_and_taken_away(memory: Memory, ours: Client) -> None:
    text = "# Shop\n\nThe shop in Bergen opens at ten.\n\n# Returns\n\nReturns are taken for thirty days.\n"
    shelved = ours.knowledge.add(text, name="shop.md", user_id="ana", metadata={"topic": "shop"})
    assert shelved.added == shelved.document.passages == len(ours.knowledge.passages(shelved.document.id, user_id="ana"))
    ours.knowledge.add("Open to all of the house.", name="house.md")
    hits = ours.knowledge.search("When does the shop in Bergen open?", user_id="ana", threshold=0)
    assert hits[0].passage.text == "The shop in Bergen opens at ten."
    assert [one.name for one in ours.knowledge.get_all(user_id="ana")] == ["shop.md", "house.md"]
    assert [one.name for one in ours.knowledge.get_all(user_id="ana", filters={"topic": "shop"})] == ["shop.md"]
    assert ours.knowledge.get(shelved.document.id, user_id="ana").version == 1
    ours.knowledge.remove(shelved.document.id, user_id="ana")
    assert [one.name for one in memory.knowledge.get_all(user_id="ana")] == ["house.md"]


def test_a_run_that_merged_nothing_is_not_undone(ours: Client) -> None:
    with pytest.raises(NotFound):
        ours.undo("run_1")
