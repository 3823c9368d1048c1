"""What fades goes out of recall and comes back when it is asked for; what ends expires; what lapses waits for a person."""

from __future__ import annotations

import multiprocessing
import os
import signal
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound, StoreError
from onrecord.memory import Memory
from onrecord.model.change import Archive
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.ports import Batch
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock

WHO: dict[str, Any] = {"user_id": "ana"}
REACH = Reach("default", ("user:ana",))
DAY = timedelta(days=1)


def on(memory: Memory, statement: str, **fields: Any) -> str:
    """The id of a statement written on purpose."""
    (item,) = memory.remember(statement, **WHO, **fields).items
    assert item.record is not None
    return item.record.id


def later(clock: SteppingClock, days: float) -> datetime:
    """Moves the clock."""
    clock.now += timedelta(days=days)
    return clock.now


def status(memory: Memory, id: str) -> Status:
    return memory.get(id, **WHO).status


def test_what_nobody_used_fades_and_comes_back_when_it_is_asked_for(memory: Memory, clock: SteppingClock) -> None:
    id = on(memory, "Ana's dentist is Doctor Okafor in Quay Street.")
    later(clock, 600)
    report = memory.maintain()
    assert (report.before, report.after, report.faded, report.expired) == (1, 0, 1, 0)
    assert status(memory, id) is Status.ARCHIVED
    assert memory.get(id, **WHO).confidence == memory.history(id, **WHO)[0].after.confidence  # type: ignore[union-attr]
    assert memory.search("Which train goes to Lisbon?", include="records", **WHO).hits == ()
    assert status(memory, id) is Status.ARCHIVED
    (hit,) = memory.search("Who is Ana's dentist?", include="records", **WHO).hits
    assert (hit.id, status(memory, id)) == (id, Status.ACTIVE)
    assert [str(event.type) for event in memory.history(id, **WHO)] == ["added", "archived", "restored"]
    later(clock, 100)
    assert memory.maintain().faded == 0  # having been asked for it is fresh again


def test_what_was_used_stays_longer(memory: Memory, clock: SteppingClock) -> None:
    used, unused = on(memory, "Ana's dentist is Doctor Okafor."), on(memory, "Ana parks in bay seventeen.")
    for _ in range(10):
        memory.engine.store.touch(REACH, [used], clock())
    later(clock, 600)
    assert memory.maintain().faded == 1
    assert (status(memory, used), status(memory, unused)) == (Status.ACTIVE, Status.ARCHIVED)


def test_what_binds_or_is_pinned_does_not_fade(memory: Memory, clock: SteppingClock) -> None:
    on(memory, "Ana parks in bay seventeen.", pinned=True)
    on(memory, "Never call Ana before nine.", kind="constraint")
    on(memory, "Ana does not eat walnuts.")
    later(clock, 9 * 365)
    report = memory.maintain()
    assert (report.before, report.after, report.faded) == (3, 3, 0)
    assert report.stale == 3


def test_what_faded_does_not_come_back_over_what_took_its_place(memory: Memory, clock: SteppingClock) -> None:
    old = on(memory, "Ana lives in Bergen.", key="city", value="Bergen")
    later(clock, 5000)
    memory.maintain()
    assert status(memory, old) is Status.ARCHIVED
    on(memory, "Her home is Tromsø.", key="city", value="Tromsø")
    memory.search("Bergen", include="records", **WHO)
    assert status(memory, old) is Status.ARCHIVED


def test_what_was_put_away_by_hand_does_not_come_back(memory: Memory) -> None:
    id = on(memory, "Ana's dentist is Doctor Okafor.")
    memory.engine.store.apply(Batch(reach=REACH, now=memory.engine.clock(), actor="ana", changes=[Archive(id=id, reason="old")]))
    assert memory.search("Who is Ana's dentist?", include="records", **WHO).hits == ()
    assert status(memory, id) is Status.ARCHIVED


def test_a_search_answers_where_what_faded_cannot_be_brought_back(
    memory: Memory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = on(memory, "Ana's dentist is Doctor Okafor.")
    later(clock, 600)
    memory.maintain()

    def full(batch: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(memory.engine.store, "apply", full)
    assert memory.search("Who is Ana's dentist?", include="records", **WHO).hits == ()
    monkeypatch.undo()
    assert status(memory, id) is Status.ARCHIVED


def test_a_stated_end_ends_a_record_and_a_default_one_asks_a_person(memory: Memory, clock: SteppingClock) -> None:
    until = clock.now + 30 * DAY
    stated = on(memory, "Ana works from Porto this month.", valid_until=until)
    lasting = on(memory, "Ana's dentist is Doctor Okafor.", pinned=True)
    later(clock, 400)
    assert memory.maintain(dry_run=True).expired == 1
    assert status(memory, stated) is Status.ACTIVE
    report = memory.maintain()
    assert (report.expired, report.stale) == (1, 1)
    assert (status(memory, stated), status(memory, lasting)) == (Status.EXPIRED, Status.ACTIVE)
    assert [record.id for record in memory.review(**WHO)] == [lasting]
    renewed = memory.renew(lasting, **WHO)
    assert renewed.valid_until > clock.now + 300 * DAY
    assert memory.review(**WHO) == []
    later(clock, 400)
    until = clock.now + DAY
    assert memory.renew(lasting, until=until, **WHO).valid_until == until
    assert memory.expire(lasting, **WHO).status is Status.EXPIRED
    for call in (memory.renew, memory.expire):
        with pytest.raises(InvalidInput):
            call(lasting, **WHO)
        with pytest.raises(NotFound):
            call(lasting, user_id="bob")
    with pytest.raises(InvalidInput):
        memory.renew(lasting, until=clock.now - DAY, **WHO)


def test_a_run_takes_no_more_than_its_limit_and_the_next_goes_on(memory: Memory, clock: SteppingClock) -> None:
    for n in range(5):
        memory.remember(f"Crate {n} holds kayak {n * 7}.", user_id=f"u{n % 2}")
    later(clock, 900)
    assert [memory.maintain(limit=2).faded for _ in range(4)] == [2, 2, 1, 0]


def test_a_report_names_no_record_of_another_tenant(memory: Memory, clock: SteppingClock) -> None:
    other = Memory(store=memory.engine.store, tenant="other", embedder=HashingEmbedder(), clock=clock)
    id = on(memory, "Ana parks in bay seventeen.")
    later(clock, 900)
    assert [(report.faded, report.changes) for report in [other.maintain(dry_run=True)]] == [(1, ())]
    report = memory.maintain()
    assert [getattr(change, "id", "") for change in report.changes] == [id]


def _maintained(path: Path, now: datetime) -> None:
    """A run that dies after the first subject."""
    with Memory(path, embedder=HashingEmbedder(), clock=lambda: now) as memory:
        apply, done = memory.engine.store.apply, list[Any]()

        def dying(batch: Any) -> Any:
            if done:
                os.kill(os.getpid(), signal.SIGKILL)
            done.append(batch)
            return apply(batch)

        memory.engine.store.apply = dying  # type: ignore[method-assign]
        memory.maintain()


def test_a_run_that_is_killed_leaves_every_subject_as_it_was_or_is_to_be(tmp_path: Path, clock: SteppingClock) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, embedder=HashingEmbedder(), clock=clock) as memory:
        for name in ("ana", "bob"):
            for n in range(3):
                memory.remember(f"Crate {n} holds kayak {n * 7}.", user_id=name)
    process = multiprocessing.get_context("spawn").Process(target=_maintained, args=(path, clock.now + 900 * DAY))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with Memory(path, embedder=HashingEmbedder(), clock=lambda: clock.now + 900 * DAY) as memory:
        assert [len(memory.get_all(user_id=name)) for name in ("ana", "bob")] == [0, 3]
        assert memory.maintain().faded == 3
        assert memory.engine.store.check().faults == ()
