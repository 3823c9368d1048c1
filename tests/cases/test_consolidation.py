"""What upkeep makes of memories, and what edits leave of them: consolidation_loss, update_loses_fields, stale_index_after_update,
decay_expiry, unbounded_growth, listing_pagination.

More of each in ``tests/memory/test_consolidation.py`` and ``tests/memory/test_retention.py`` (B033).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import EmbedderError, InvalidInput, NotFound
from onrecord.memory import Memory
from onrecord.model.query import Corpus, View
from onrecord.model.record import Kind, Record, Status, Usage
from onrecord.model.scope import Reach
from onrecord.policy.consolidation.merge import Proposal
from onrecord.policy.consolidation.plan import consolidate
from onrecord.policy.defaults import Policy
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.builders import a_record, adds

WHO: dict[str, Any] = {"user_id": "u1"}
REACH = Reach("default", ("user:u1",))
DAY = timedelta(days=1)


def on(memory: Memory, statement: str, **fields: Any) -> Record:
    (record,) = memory.remember(statement, **WHO, **fields).records
    return record


def imported(memory: Memory, *statements: str, **fields: Any) -> list[str]:
    """Ids of records that came as they are, which nothing compared with each other."""
    now = memory.engine.clock()
    start = memory.engine.store.check().counts["records"]
    given = {"tenant": "default", "subject": "user:u1", "said_at": now, "written_at": now, "kind": Kind.STATED_FACT}
    rows = [a_record(f"rec_{start + n:05d}", text, **given | fields) for n, text in enumerate(statements)]
    matrix = memory.engine.embedder.embed_documents([row.text for row in rows])
    vectors = {row.id: matrix[n] for n, row in enumerate(rows)}
    memory.engine.store.apply(adds(*rows, reach=REACH, now=now, model=memory.engine.embedder.name, vectors=vectors))
    return [row.id for row in rows]


# -- consolidation


def test_a_fact_is_found_while_it_is_merged_and_ranks_no_worse_afterwards(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B128"""
    imported(memory, "Keeps the spare key under the fig tree.", "As I said, keeps the spare key under the fig tree.")
    imported(memory, *(f"Shelf {n} holds crate {n * 7 + 1}." for n in range(20)))
    query = "Where is the spare key? under the fig tree"

    def place() -> int:
        hits = memory.search(query, include="records", **WHO).hits
        return next(n for n, hit in enumerate(hits) if "fig tree" in hit.text)

    before, during = place(), []
    apply = memory.engine.store.apply

    def watched(batch: Any) -> Any:
        during.append(place())
        done = apply(batch)
        during.append(place())
        return done

    monkeypatch.setattr(memory.engine.store, "apply", watched)
    assert memory.maintain().merged == 1
    assert len(during) == 2
    assert [*during, place()] == [before] * 3


def test_ten_runs_leave_what_one_run_leaves(memory: Memory, clock: SteppingClock) -> None:
    """B129"""
    for n in range(12):
        clock.now += DAY
        imported(
            memory, f"Swam in the lake on {n + 1} May.", kind=Kind.EPISODE, valid_from=clock.now, valid_until=clock.now + 99 * DAY
        )
    imported(memory, "Parks in bay nine.", "Parks in bay 9.", "By the way, parks in bay nine", "Parks in bay 9, near the ramp")
    assert memory.maintain().merged > 0
    first = memory.get_all(**WHO)
    for _ in range(9):
        memory.maintain()
    assert memory.get_all(**WHO) == first


def test_what_was_merged_counts_no_more_and_is_not_listed(memory: Memory) -> None:
    """B130"""
    asides = ("{}", "As I said, {}", "{}, by the way", "Just to remind you, {}", "And {}")
    facts = [f"bay {n} holds the kayak of {name}" for n, name in enumerate("Ada Bo Cleo Dov Eva Finn Gus Hana Ilse Jan".split())]
    imported(memory, *(asides[n % 5].format(fact) for n in range(9) for fact in facts))
    assert len(memory.get_all(**WHO)) == 90
    memory.maintain()
    assert len(memory.get_all(**WHO)) == 10
    assert len(memory.search("Which bay holds the kayak of Cleo?", include="records", limit=50, threshold=0.0, **WHO).hits) == 10


def test_dated_readings_are_never_merged(memory: Memory, clock: SteppingClock) -> None:
    """B133"""
    for month, reading in (("May", 4120), ("June", 4388), ("July", 4388)):
        clock.now += 31 * DAY
        imported(
            memory, f"Meter on 1 {month}: {reading}", kind=Kind.TOOL_FACT, valid_from=clock.now, valid_until=clock.now + 90 * DAY
        )
    memory.maintain()
    assert len(memory.get_all(**WHO)) == 3
    rows = [(record, Usage()) for record in memory.get_all(**WHO)]
    wish = Proposal(rows[0][0], (rows[1][0],), rows[1][0].statement)  # who says that the new one is an update of the old
    plan = consolidate(rows, clock.now, Policy(), proposed=[wish])
    assert (plan.changes, len(plan.refused)) == ([], 1)


@pytest.mark.parametrize(
    "told",
    [
        "The blue ferry has seats and leaves from pier 3.",
        "The blue ferry has 24 seats and leaves from pier 3.",
        "The blue ferry of Bertram has 42 seats and leaves from pier 3.",
    ],
)
def test_a_merge_that_drops_changes_or_invents_something_is_refused(told: str) -> None:
    """B134"""
    one = a_record("a", "The blue ferry has 42 seats.", kind=Kind.STATED_FACT)
    two = a_record("b", "The blue ferry leaves from pier 3.", kind=Kind.STATED_FACT)
    rows = [(one, Usage()), (two, Usage())]
    plan = consolidate(rows, one.said_at, Policy(), proposed=[Proposal(one, (two,), told)])
    assert (plan.changes, len(plan.refused)) == ([], 1)
    whole = "The blue ferry has 42 seats and leaves from pier 3."
    assert consolidate(rows, one.said_at, Policy(), proposed=[Proposal(one, (two,), whole)]).merged == 1


# -- edits


def test_an_edit_of_the_words_leaves_everything_else(memory: Memory) -> None:
    """B042"""
    old = on(memory, "Sits in room b2.", metadata={"room": "b2", "source": "form", "tags": ["x"]}, pinned=True)
    new = memory.update(old.id, "Sits near the lift.", **WHO)
    kept = ("metadata", "pinned", "scope", "origin", "kind", "derived_from", "written_at", "confidence")
    assert [getattr(new, name) for name in kept] == [getattr(old, name) for name in kept]
    changed = memory.update(old.id, metadata={"room": "c1", "source": None}, **WHO)
    assert dict(changed.metadata) == {"room": "c1", "tags": ["x"]}
    assert changed.statement == "Sits near the lift."


def test_an_edit_keeps_when_it_was_written_and_tells_when_it_was_changed(memory: Memory, clock: SteppingClock) -> None:
    """B043"""
    old = on(memory, "Sits in room b2.")
    clock.now += DAY
    new = memory.update(old.id, "Sits in room c1.", **WHO)
    assert new.written_at == old.written_at
    assert memory.history(old.id, **WHO)[-1].at > old.written_at + DAY / 2


def test_a_date_of_the_callers_own_is_kept_and_found_by(memory: Memory, clock: SteppingClock) -> None:
    """B044"""
    said = datetime(2025, 1, 5, tzinfo=UTC)
    old = on(memory, "Sits in room b2.", at=said)
    new = on(memory, "Plays the cello.")
    assert (old.said_at, memory.history(old.id, **WHO)[0].at > said) == (said, True)
    for since, found in ((said, {old.id, new.id}), (said + DAY, {new.id})):
        view = View(reach=REACH, since=since)
        assert {record.id for record in memory.engine.store.select(view)} == found
    with pytest.raises(InvalidInput):
        on(memory, "Sits in room d4.", at=clock.now + 4000 * DAY)


def test_words_that_could_not_be_embedded_are_not_ranked_by_the_old_ones(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """B047"""
    record = on(memory, "striped kettle")

    def down(texts: object) -> Any:
        raise EmbedderError("it is down")

    vector = memory.engine.embedder.embed_documents(["striped kettle"])[0]
    view, name = View(reach=REACH), memory.engine.embedder.name
    assert memory.engine.store.nearest(view, Corpus.RECORDS, name, vector, limit=9)[0][0] == record.id
    monkeypatch.setattr(memory.engine.embedder, "embed_documents", down)
    memory.update(record.id, "grey umbrella", **WHO)
    assert memory.engine.store.nearest(view, Corpus.RECORDS, name, vector, limit=9) == []
    monkeypatch.undo()
    memory.maintain()
    ((_, cosine),) = memory.engine.store.nearest(view, Corpus.RECORDS, name, vector, limit=9)
    assert cosine < 0.5


def test_no_field_shows_the_words_of_before(memory: Memory) -> None:
    """B051"""
    old = on(memory, "Her dentist is Doctor Okafor.", key="dentist", value="Doctor Okafor")
    new = memory.update(old.id, "Her dentist is Doctor Baker.", **WHO)
    assert "Okafor" not in str(new)
    assert "Okafor" not in str(memory.get(old.id, **WHO))
    (hit,) = memory.search("Who is her dentist?", include="records", **WHO).hits
    assert "Okafor" not in str(hit)
    assert "Okafor" not in str(memory.context("Who is her dentist?", **WHO).messages[:-1])


# -- ends


def test_what_has_ended_is_purged_in_time(memory: Memory, clock: SteppingClock) -> None:
    """B240"""
    record = on(memory, "Sits in room nine today.", valid_until=clock.now + timedelta(hours=1))
    clock.now += timedelta(hours=2)
    assert memory.maintain().expired == 1
    assert memory.get(record.id, **WHO).status is Status.EXPIRED
    clock.now += 400 * DAY
    assert memory.maintain().pruned == 1
    with pytest.raises(NotFound):
        memory.get(record.id, **WHO)


# -- growth


@pytest.mark.parametrize("kind", sorted(set(Kind) - {Kind.POINTER}))
def test_the_same_facts_over_sixty_days_leave_as_many_records_whatever_their_kind(
    memory: Memory, clock: SteppingClock, kind: Kind
) -> None:
    """B224"""
    asides = ("{}", "As I said, {}", "{}, by the way")
    facts = [f"crate {n} holds {n * 7 + 3} pegs" for n in range(10)]
    fields: dict[str, Any] = {"kind": kind, "valid_until": clock.now + 4000 * DAY, "valid_from": clock.now}
    fields["confidence"] = 0.6 if kind is Kind.MODEL_INFERENCE else 0.9
    sizes = []
    for day in range(12):
        clock.now += 5 * DAY
        imported(memory, *(asides[(day + n) % 3].format(fact) for n, fact in enumerate(facts)), **fields)
        memory.maintain()
        sizes.append(len(memory.get_all(**WHO)))
    assert sizes == [10] * 12


def test_reading_what_is_not_there_leaves_nothing_behind(tmp_path: Path) -> None:
    """B225"""
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder()) as memory:
        on(memory, "Plays the cello.")
        before, threads = memory.engine.store.check().counts, threading.active_count()
        for n in range(300):
            session = memory.session(f"s{n}", user_id=f"nobody{n}")
            assert (session.turns(), session.summary(), memory.run(f"r{n}", **WHO).step) == ([], None, 0)
            assert memory.get_all(user_id=f"nobody{n}") == []
            with pytest.raises(NotFound):
                memory.get(f"rec_{n}", **WHO)
        assert (memory.engine.store.check().counts, threading.active_count()) == (before, threads)
        assert memory.sessions(user_id="nobody1") == []


def test_captures_that_fail_leave_neither_threads_nor_files_open(tmp_path: Path) -> None:
    """B226"""
    calls = 0

    class Flaky(HashingEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls % 3 == 0:
                raise EmbedderError("it is down")
            return super().embed_documents(texts)

    def opened() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    with Memory(tmp_path / "memory.db", embedder=Flaky()) as memory:
        memory.add("Crate 0 holds pegs.", **WHO)
        memory.maintain()
        before = threading.active_count(), opened()
        for n in range(150):
            memory.add(f"My crate number {n} holds {n * 7} pegs.", session_id=f"s{n % 5}", **WHO)
            if n % 50 == 0:
                memory.maintain()
        assert (threading.active_count(), opened()) == before
    assert calls > 150


# -- lists


def test_nothing_is_listed_searched_or_counted_without_an_owner_and_all_agree_with_one(
    memory: Memory, run: Callable[..., Any]
) -> None:
    """B268"""
    calls: list[Callable[..., Any]] = [memory.get_all, memory.sessions, memory.delete_all, memory.erase]
    calls += [lambda **who: memory.search("x", **who), lambda **who: memory.context("x", **who)]
    for call in calls:
        with pytest.raises(InvalidInput):
            call()
    for command in (("list",), ("search", "x"), ("context", "x")):
        run("--db", "a.db", "add", "I play the cello.", "--user", "u1")
        assert run("--db", "a.db", *command).code == 2
    for n in range(3):
        on(memory, f"Shelf {n} holds crate {n * 7 + 1}.")
    listed = {record.id for record in memory.get_all(**WHO)}
    found = {hit.id for hit in memory.search("Shelf crate holds", include="records", limit=50, threshold=0.0, **WHO).hits}
    assert listed == found == {record.id for record in memory.engine.store.select(View(reach=REACH))}
