"""What is out of recall is erased when it has been so for long enough; turns lose vectors, then words; nothing that is needed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import NotFound, StoreError
from onrecord.memory import Memory
from onrecord.model.change import Erase, Expire, Merge
from onrecord.model.query import Corpus
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState
from onrecord.policy.defaults import Policy
from onrecord.policy.lifecycle.echo import SHED
from onrecord.ports import Batch
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.builders import a_record, adds

WHO: dict[str, Any] = {"user_id": "ana"}
REACH = Reach("default", ("user:ana",))
DAY = timedelta(days=1)
SHORT = Policy(turn_vector_retention=30 * DAY, turn_retention=90 * DAY)


def moved(memory: Memory, clock: SteppingClock, *cities: str) -> list[str]:
    """Ids of where she lived, one after the other."""
    ids = []
    for city in cities:
        (record,) = memory.remember(f"Ana lives in {city}.", key="city", value=city, **WHO).records
        ids.append(record.id)
        clock.now += 5 * DAY
    return ids


def gone(memory: Memory, id: str) -> bool:
    try:
        memory.get(id, **WHO)
    except NotFound:
        return True
    return False


def test_what_was_superseded_for_a_year_is_erased_and_its_turn_stays_unsaid(memory: Memory, clock: SteppingClock) -> None:
    old, new = moved(memory, clock, "Bergen", "Tromsø")
    clock.now += 300 * DAY
    assert memory.maintain().pruned == 0
    clock.now += 80 * DAY
    assert [change.reason for change in memory.maintain(dry_run=True).changes if isinstance(change, Erase)]
    assert not gone(memory, old)
    report = memory.maintain()
    assert (report.pruned, gone(memory, old), gone(memory, new)) == (1, True, False)
    assert [str(event.type) for event in memory.history(old, **WHO)][-1] == "erased"
    assert "Bergen" not in str([hit.text for hit in memory.search("Where does Ana live? Bergen?", **WHO).hits])
    clock.now += 400 * DAY
    memory.maintain()  # what is told of it goes, but not that it was erased
    assert [str(event.type) for event in memory.history(old, **WHO)] == ["erased"]
    assert "Bergen" not in str([hit.text for hit in memory.search("Where does Ana live? Bergen?", **WHO).hits])
    assert memory.engine.store.check().faults == ()


def test_what_is_pinned_quarantined_or_rested_on_stays(memory: Memory, clock: SteppingClock) -> None:
    pinned = memory.remember("Ana parks in bay seventeen.", pinned=True, **WHO).records[0].id
    doubted = memory.remember("Ana keeps kayaks.", **WHO).records[0].id
    source = memory.remember("Ana's dentist is Doctor Okafor.", **WHO).records[0]
    memory.quarantine([doubted], **WHO)
    memory.retract([pinned], **WHO)
    made = memory.remember("Ana sees a dentist.", **WHO).records[0]
    store, now = memory.engine.store, memory.engine.clock()
    linked = replace(made, derived_from=(source.id,), pinned=True)
    changes = [Merge(record=linked, reason="made from it"), Expire(id=source.id, reason="over")]
    store.apply(Batch(reach=REACH, now=now, actor="test", changes=changes))
    clock.now += 800 * DAY
    assert memory.maintain().pruned == 0
    assert [memory.get(id, **WHO).status for id in (pinned, doubted, source.id)] == [
        Status.RETRACTED,
        Status.QUARANTINED,
        Status.EXPIRED,
    ]


def test_what_was_merged_is_pruned_in_time_and_what_it_went_into_stays_as_it_is(memory: Memory, clock: SteppingClock) -> None:
    first = memory.remember("Ana lives at 12 Quay Street in Leeds.", pinned=False, **WHO).records[0]
    (turn,) = memory.add("Lives in Leeds at 12 Quay Street", infer=False, **WHO).turns
    second = next(record for record in memory.get_all(**WHO) if record.id != first.id)
    memory.engine.store.touch(REACH, [first.id], clock())
    assert memory.maintain().merged == 1
    left = memory.get_all(**WHO)[0]
    clock.now += 4 * 365 * DAY
    for _ in range(12):
        memory.engine.store.touch(REACH, [left.id], clock())
    assert memory.maintain().pruned == 1
    (now,) = memory.get_all(**WHO)
    assert (now.id, now.statement) == (left.id, left.statement)
    assert {turn.turn_id, *first.derived_from} <= set(now.derived_from)
    assert gone(memory, second.id) != gone(memory, first.id)


def test_old_traces_go_with_their_bytes(tmp_path: Path, clock: SteppingClock) -> None:
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock) as memory:
        memory.remember("Ana keeps kayaks.", **WHO)
        for n in range(200):
            memory.search(f"What does Ana keep in crate {n}?", **WHO)
        clock.now += 100 * DAY
        before = (tmp_path / "memory.db").stat().st_size
        report = memory.maintain()
        assert report.traces == 200
        assert 0 < report.bytes < report.bytes_before
        after = (tmp_path / "memory.db").stat().st_size
        assert after < 1.2 * report.bytes  # what is free went back to the disk
        assert after < before


def test_five_thousand_deleted_records_leave_no_row_and_no_bytes_behind(tmp_path: Path, clock: SteppingClock) -> None:
    """B033"""
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock) as memory:
        store, now = memory.engine.store, clock()
        keep = memory.remember("Ana keeps kayaks.", **WHO).records[0]
        empty = store.size()
        for start in range(0, 5_000, 500):
            rows = [a_record(f"r{n}", f"Crate {n} holds {n * 7} pegs.", tenant="default") for n in range(start, start + 500)]
            vectors = {row.id: memory.engine.embedder.embed_documents([row.text])[0] for row in rows}
            store.apply(adds(*rows, reach=REACH, model=memory.engine.embedder.name, vectors=vectors, now=now))
        full = store.size()
        for start in range(0, 5_000, 500):
            changes = [Erase(id=f"r{n}", reason="") for n in range(start, start + 500)]
            store.apply(Batch(reach=REACH, now=now, actor="test", changes=changes))
        assert store.check().counts["records"] == 1
        clock.now += 366 * DAY
        assert sum(memory.maintain(limit=5_000).tombstones for _ in range(3)) == 10_000
        assert store.check().counts["events"] == 1
        assert store.size() - empty < (full - empty) / 20
        assert [record.id for record in memory.get_all(**WHO)] == [keep.id]


# -- turns


@pytest.fixture
def keeping(memory: Memory) -> Memory:
    """A memory on the same store that keeps turns for ninety days, and their vectors for thirty."""
    engine = memory.engine
    return Memory(store=engine.store, embedder=HashingEmbedder(), clock=engine.clock, policy=SHORT)


def test_turns_keep_vectors_and_words_unless_somebody_says_how_long(memory: Memory, clock: SteppingClock) -> None:
    memory.add("We talked about the weather in Leeds.", session_id="s", **WHO)
    clock.now += 3000 * DAY
    report = memory.maintain()
    assert (report.vectors_dropped, report.turns_shed) == (0, 0)


def test_a_turn_loses_its_vector_then_its_words_and_keeps_its_place(keeping: Memory, clock: SteppingClock) -> None:
    keeping.add("We talked about the weather in Leeds.", session_id="s", **WHO)
    clock.now += 40 * DAY
    report = keeping.maintain()
    assert (report.vectors_dropped, report.turns_shed, report.unembedded) == (1, 0, 0)
    assert keeping.maintain().embedded == 0
    assert "weather" in str([hit.text for hit in keeping.search("the weather in Leeds", **WHO).hits])
    clock.now += 60 * DAY
    assert keeping.maintain().turns_shed == 1
    assert keeping.search("the weather in Leeds", **WHO).hits == ()
    keeping.add("And now?", session_id="s", **WHO)
    first, second = keeping.session("s", **WHO).turns()
    assert (first.text, first.seq, second.seq) == (SHED, 1, 2)
    assert "weather" not in str(keeping.context("What did we talk about?", session_id="s", **WHO).messages)
    assert keeping.engine.store.check().faults == ()


def test_the_place_of_a_turn_goes_in_time_but_not_what_tells_of_a_record_in_force(keeping: Memory, clock: SteppingClock) -> None:
    (record,) = keeping.remember("Ana's dentist is Doctor Okafor.", key="dentist", value="Okafor", pinned=True, **WHO).records
    for _ in range(4):
        clock.now += 5 * DAY
        keeping.remember("Ana's dentist is Doctor Okafor.", key="dentist", value="Okafor", session_id="s", **WHO)
        keeping.add("We talked about the weather in Leeds.", session_id="s", **WHO)
    told = keeping.history(record.id, **WHO)
    clock.now += 100 * DAY
    assert keeping.maintain().turns_dropped == 0
    clock.now += 400 * DAY
    report = keeping.maintain()
    assert (report.turns_dropped, report.restatements) == (3, 3)
    (left,) = keeping.get_all(**WHO)
    assert (left.statement, left.derived_from) == (record.statement, told[-1].after.derived_from if told[-1].after else ())
    assert [str(event.type) for event in keeping.history(record.id, **WHO)] == ["added", "restated"]
    assert {turn.id for turn in keeping.lineage(record.id, **WHO).turns} == set(left.derived_from)
    assert keeping.why(record.id, **WHO).verdicts
    assert keeping.engine.store.check().faults == ()


def test_no_turn_loses_its_words_while_a_record_in_force_rests_on_it_alone(keeping: Memory, clock: SteppingClock) -> None:
    keeping.add("I am allergic to quinces.", session_id="s", **WHO)
    clock.now += 100 * DAY
    assert keeping.maintain().turns_shed == 0
    keeping.add("By the way, I am allergic to quinces.", session_id="t", **WHO)
    (record,) = keeping.get_all(**WHO)
    assert len(record.derived_from) == 2
    assert keeping.maintain().turns_shed == 1
    clock.now += 100 * DAY
    assert keeping.maintain().turns_shed == 0
    states = [turn.state for turn in keeping.engine.store.turns(REACH, list(record.derived_from))]
    assert states == [CaptureState.SHED, CaptureState.DONE]
    keeping.retract([record.id], **WHO)
    assert keeping.maintain().turns_shed == 1


def test_a_turn_that_waits_to_be_read_keeps_its_words(
    keeping: Memory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(batch: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(keeping.engine.store, "apply", full)
    keeping.add("I am allergic to quinces.", session_id="s", **WHO)
    clock.now += 100 * DAY
    assert keeping.engine.store.aged(clock.now, limit=9) == []
    monkeypatch.undo()
    assert keeping.maintain().captured == 1
    assert [record.statement for record in keeping.get_all(**WHO)] == ["I am allergic to quinces."]


def _dying(path: Path, now: Any, method: str) -> None:
    """A run that dies in the second call of a method of the store."""
    with Memory(path, embedder=HashingEmbedder(), clock=lambda: now, policy=SHORT) as memory:
        call, done = getattr(memory.engine.store, method), list[Any]()

        def dying(*args: Any, **kwargs: Any) -> Any:
            if done:
                os.kill(os.getpid(), signal.SIGKILL)
            done.append(args)
            return call(*args, **kwargs)

        setattr(memory.engine.store, method, dying)
        for _ in range(3):
            memory.maintain()


@pytest.mark.parametrize("method", ["apply", "shed", "prune", "drop_turn_vectors"])
def test_a_run_that_is_killed_in_any_step_leaves_each_owner_as_before_or_after(
    tmp_path: Path, clock: SteppingClock, method: str
) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, embedder=HashingEmbedder(), clock=clock) as memory:
        for name in ("ana", "bob"):
            for city in ("Bergen", "Tromsø"):
                memory.remember(f"Lives in {city}.", key="city", value=city, pinned=city == "Tromsø", user_id=name)
                clock.now += 5 * DAY
            memory.add("We talked about the weather in Leeds.", session_id="s", user_id=name)
        memory.search("weather", **WHO)
        before = memory.engine.store.check().counts
    later = clock.now + 400 * DAY
    process = multiprocessing.get_context("spawn").Process(target=_dying, args=(path, later, method))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with Memory(path, embedder=HashingEmbedder(), clock=lambda: later, policy=SHORT) as memory:
        assert memory.engine.store.check().faults == ()
        assert memory.engine.store.check().counts["turns"] in (before["turns"], 2)  # two have a record that rests on them
        for _ in range(2):
            memory.maintain()
        for name in ("ana", "bob"):
            assert [record.value for record in memory.get_all(user_id=name, statuses=list(Status))] == ["Tromsø"]
            assert memory.session("s", user_id=name).turns() == []
        assert memory.engine.store.check().counts["traces"] == 0
        vectors = memory.engine.store.check().counts
        assert not [name for name, count in vectors.items() if name.startswith("turn_vectors") and count]
        assert memory.engine.store.unembedded(Corpus.RECORDS, memory.engine.embedder.name, limit=9) == []


def test_what_is_said_every_week_names_its_first_source_and_the_latest_ones(clock: SteppingClock) -> None:
    policy = replace(SHORT, turn_retention=30 * DAY, account_retention=30 * DAY)
    with Memory(embedder=HashingEmbedder(), clock=clock, policy=policy) as memory:
        (record,) = memory.remember("The sailing boat is the Petrel.", key="boat", value="Petrel", **WHO).records
        sizes = list[tuple[int, int, int]]()
        for _ in range(100):
            clock.now += 7 * DAY
            memory.remember("The sailing boat is the Petrel.", key="boat", value="Petrel", **WHO)
            memory.maintain()
            counts, now = memory.engine.store.check().counts, memory.get(record.id, **WHO)
            sizes.append((len(now.sources), counts["turns"], counts["events"]))
        assert now.sources[0] == record.sources[0]
        assert now.statement == record.statement
        half = [max(column) for column in zip(*sizes[:50], strict=True)]
        assert [max(column) for column in zip(*sizes[50:], strict=True)] == half  # what is kept has an end
        assert half[0] <= 1 + 3 * policy.source_limit
        assert memory.engine.store.usage(REACH, [record.id])[record.id].mention_count == 101
        last = memory.history(record.id, **WHO)[-1]
        assert last.after is not None
        assert (last.after.sources, last.after.version) == (now.sources, now.version)
        assert memory.engine.store.check().faults == ()
        memory.delete(record.id, **WHO)
        assert gone(memory, record.id)
