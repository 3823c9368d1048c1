"""The embedder and the store fail at every call in turn: nothing said is lost, nothing written twice, every receipt is true."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import StoreError
from onrecord.memory import Memory
from onrecord.model.change import Change
from onrecord.model.receipt import Receipt, Result, TurnResult
from onrecord.model.record import Record, Source, Status
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState
from onrecord.pipeline.capture import capture_turns
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.frame import OPEN
from onrecord.ports import Store
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import FailingEmbedder, SteppingClock
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.faults import faulty

WHO: dict[str, Any] = {"user_id": "ana", "session_id": "s"}
#: Kept, refused, restated and corrected, so that every branch of capture is on the way of a failure.
SAID: list[dict[str, Any]] = [
    {"role": "user", "content": "I prefer window seats on long flights.", "id": "m1"},
    {"role": "assistant", "content": "Noted. Shall I look for a flight?", "id": "m2"},
    {"role": "user", "content": "What time is it?", "id": "m3"},
    {"role": "user", "content": "I am allergic to walnuts. I work at Northwind as a planner.", "id": "m4"},
    {"role": "user", "content": "As I said, I am allergic to walnuts.", "id": "m5"},
]
State = tuple[object, ...]


@pytest.fixture(params=["inmemory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Makes empty stores of one sort."""
    made: list[Store] = []
    number = count()

    def make() -> Store:
        made.append(InMemoryStore() if request.param == "inmemory" else SQLiteStore(tmp_path / f"{next(number)}.db"))
        return made[-1]

    yield make
    for one in made:
        one.close()


def over(store: Store, clock: SteppingClock, **parts: Any) -> Memory:
    return Memory(store=store, **{"embedder": HashingEmbedder(), "clock": clock, **parts})


def state(memory: Memory) -> State:
    """Everything that counts, without ids and times."""
    reach = Reach(memory.tenant, ("user:ana",))
    records = memory.get_all(user_id="ana", statuses=list(Status))
    turns = memory.session("s", user_id="ana").turns()
    verdicts = memory.engine.store.verdicts(reach, limit=1_000)
    texts = {turn.id: turn.text for turn in turns}
    return (
        sorted((r.statement, r.status, r.kind, r.confidence, [texts[ref] for ref in r.derived_from]) for r in records),
        [(turn.seq, turn.text, turn.state) for turn in turns],
        sorted((v.statement, v.accepted, v.reason, len(v.record_ids)) for v in verdicts),
        sorted(str(event.type) for r in records for event in memory.history(r.id, user_id="ana")),
        sorted(use.mention_count for use in memory.engine.store.usage(reach, [r.id for r in records]).values()),
    )


def undisturbed(store: Store, clock: SteppingClock) -> State:
    memory = over(store, clock)
    memory.add(SAID, **WHO)
    assert memory.maintain() == memory.maintain()
    assert [result for _, _, result in state(memory)[1]] == [CaptureState.DONE] * len(SAID)  # type: ignore[attr-defined]
    assert len(state(memory)[0]) == 3  # type: ignore[arg-type]
    return state(memory)


def counting(calls: list[int]) -> Callable[[int, str], bool]:
    """Fails never, and notes every call."""

    def fails(n: int, method: str) -> bool:
        calls.append(n)
        return False

    return fails


def vectorless(memory: Memory) -> int:
    assert memory.engine.store.check().faults == ()
    return memory.maintain().embedded


def calls_of(store: Store, clock: SteppingClock) -> int:
    counted: list[int] = []
    memory = over(faulty(store, counting(counted)), clock)
    memory.add(SAID, **WHO)
    return len(counted)


def check_receipt(memory: Memory, receipt: Receipt) -> None:
    """What the receipt says of each input is what the journal says."""
    turns = {turn.id: turn for turn in memory.session("s", user_id="ana").turns()}
    assert len(receipt.turns) == len(SAID)
    for told in receipt.turns:
        assert told.turn_id in turns
        waiting = turns[told.turn_id].state is CaptureState.PENDING
        assert (told.result is TurnResult.QUEUED) == waiting
    for record in receipt.records:
        assert memory.get(record.id, user_id="ana").statement


@pytest.mark.parametrize("outage", [False, True], ids=["one call", "that call and all after it"])
def test_whatever_call_of_the_store_fails_every_input_is_stored_queued_or_reported(
    store: Callable[[], Store], clock: SteppingClock, outage: bool
) -> None:
    """Also B119, B121, B122."""
    expected = undisturbed(store(), clock)
    for broken in range(1, calls_of(store(), clock) + 1):
        inner, down = store(), [True]
        failing = faulty(inner, lambda n, name, k=broken, on=down: on[0] and (n >= k if outage else n == k))  # type: ignore[misc]
        memory, healthy = over(failing, clock), over(inner, clock)
        try:
            receipt = memory.add(SAID, **WHO)
        except StoreError:
            assert healthy.session("s", user_id="ana").turns() == [], f"call {broken} failed after the journal, and add raised"
            down[0] = False
            memory.add(SAID, **WHO)
        else:
            down[0] = False
            check_receipt(healthy, receipt)
        memory.maintain()
        assert state(healthy) == expected, f"call {broken}"
        assert vectorless(healthy) == 0


def test_whatever_call_of_the_embedder_fails_nothing_said_is_lost(store: Callable[[], Store], clock: SteppingClock) -> None:
    """Also B210: no reliance on what the error says."""
    expected = undisturbed(store(), clock)
    healthy = FailingEmbedder(HashingEmbedder(), lambda n: False)
    over(store(), clock, embedder=healthy).add(SAID, **WHO)
    for broken in range(1, healthy.calls + 1):
        for outage in (False, True):
            down = [True]
            embedder = FailingEmbedder(
                HashingEmbedder(),
                lambda n, k=broken, many=outage, on=down: on[0] and (n >= k if many else n == k),  # type: ignore[misc]
            )
            memory = over(store(), clock, embedder=embedder)
            check_receipt(memory, memory.add(SAID, **WHO))
            down[0] = False
            memory.maintain()
            assert state(memory) == expected, f"call {broken}"
            assert vectorless(memory) == 0


def test_a_failure_during_maintenance_leaves_the_rest_to_the_next_run(store: Callable[[], Store], clock: SteppingClock) -> None:
    expected = undisturbed(store(), clock)

    def queued() -> Store:
        inner = store()
        over(faulty(inner, lambda n, name: name == "apply"), clock).add(SAID, **WHO)
        assert len(inner.pending(limit=99)) == len(SAID)
        return inner

    counted: list[int] = []
    over(faulty(queued(), counting(counted)), clock).maintain()
    for broken in range(1, len(counted) + 1):
        inner = queued()
        with suppress(StoreError):
            over(faulty(inner, lambda n, name, k=broken: n == k), clock).maintain()  # type: ignore[misc]
        healthy = over(inner, clock)
        healthy.maintain()
        assert state(healthy) == expected, f"call {broken}"
        assert vectorless(healthy) == 0


def test_a_turn_that_always_fails_is_parked_and_shown_and_holds_up_no_other(
    store: Callable[[], Store], clock: SteppingClock
) -> None:
    inner = store()
    over(faulty(inner, lambda n, name: name == "apply"), clock).add(SAID[0], **WHO)
    (poison,) = inner.pending(limit=9)
    failing = faulty(inner, lambda n, name: name == "apply")
    reports = [over(failing, clock).maintain() for _ in range(Policy().capture_tries - 1)]
    assert [report.parked for report in reports] == [0] * (len(reports) - 1) + [1]
    assert [report.failed for report in reports] == [1] * (len(reports) - 1) + [0]
    assert inner.pending(limit=9) == []
    memory = over(inner, clock)
    (turn,) = memory.session("s", user_id="ana").turns()
    assert (turn.id, turn.state, turn.tries) == (poison.id, CaptureState.PARKED, Policy().capture_tries)
    assert memory.maintain().parked == 0
    assert len(memory.add("I am allergic to walnuts.", **WHO).records) == 1


def test_ten_restatements_over_ten_sessions_are_one_record_with_ten_sources(memory: Memory, clock: SteppingClock) -> None:
    turns = []
    for n in range(10):
        receipt = memory.add("I am allergic to walnuts.", user_id="ana", session_id=f"s{n}")
        turns += [turn.turn_id for turn in receipt.turns]
        clock.now += timedelta(days=9)
    (record,) = memory.get_all(user_id="ana", statuses=list(Status))
    assert list(record.derived_from) == turns
    (use,) = memory.engine.store.usage(Reach("default", ("user:ana",)), [record.id]).values()
    assert use.mention_count == 10


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize("shape", ["as it is", "without its marks", "rows upside down", "statements alone"])
def test_twenty_turns_that_feed_the_context_back_add_no_record(memory: Memory, role: str, shape: str) -> None:
    """B080."""
    for statement in ("I prefer window seats on long flights.", "I am allergic to walnuts.", "I work at Northwind as a planner."):
        assert memory.add(statement, **WHO).records
    before = memory.get_all(user_id="ana", statuses=list(Status))
    uses = memory.engine.store.usage(Reach("default", ("user:ana",)), [record.id for record in before])
    for n in range(20):
        context = memory.context(f"Which seat, and which nuts to avoid on trip {n}?", **WHO)
        block = str(next(m["content"] for m in context.messages if str(m["content"]).startswith(OPEN)))
        assert "window seats" in block or "walnuts" in block
        memory.add([{"role": role, "content": reshaped(block, shape) + "\nok"}], **WHO)
    after = memory.get_all(user_id="ana", statuses=list(Status))
    assert [record.statement for record in after] == [record.statement for record in before]
    assert [record.confidence for record in after] == [record.confidence for record in before]
    assert [record.derived_from for record in after] == [record.derived_from for record in before]
    told = memory.engine.store.usage(Reach("default", ("user:ana",)), [record.id for record in before])
    assert {id: use.mention_count for id, use in told.items()} == {id: use.mention_count for id, use in uses.items()}


def reshaped(block: str, shape: str) -> str:
    lines = block.splitlines()
    if shape == "without its marks":
        return "\n".join(lines[1:-1])
    if shape == "rows upside down":
        return "\n".join(reversed(lines[2:-1]))
    if shape == "statements alone":
        return "\n".join(line.split('"')[1] for line in lines if line.startswith("- "))
    return block


def settled(changes: tuple[Change, ...]) -> list[str]:
    """Changes in words, with ids numbered as they come, and without the times of writing: no two runs share those."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"id {len(names)}")

    told = (re.sub(r"written_at=.*?utc\)", "", repr(replace(change, verdict_id=None))) for change in changes)
    return [re.sub(r"(?:rec|turn)_\w+", named, words) for words in told]


ON_RECORD = ["I work at Northwind as a planner.", "My favourite tea is oolong."]
NEWS = {
    "new": ["I am allergic to walnuts."],
    "restated": ["I work at Northwind as a planner."],
    "superseded": ["My favourite tea is sencha now."],
    "forgotten": ["Forget that my favourite tea is oolong."],
    "restated within the call": ["I am allergic to walnuts.", "What time is it?", "I am allergic to walnuts."],
    "corrected within the call": ["My favourite soup is borscht.", "Actually, my favourite soup is minestrone, not borscht."],
    "forgotten within the call": ["I am allergic to walnuts.", "Forget that I am allergic to walnuts."],
    "refused": ["What time is it?"],
}


#: What is said first, and what speaks of it.
SPEAKS_OF = {
    "restated": ["I am allergic to walnuts.", "As I said, I am allergic to walnuts."],
    "corrected": ["My favourite soup is borscht.", "Actually, my favourite soup is minestrone, not borscht."],
    "no longer so": ["I am allergic to walnuts.", "I am no longer allergic to walnuts."],
    "forgotten": ["I am allergic to walnuts.", "Forget that I am allergic to walnuts."],
}


@pytest.mark.parametrize("later_call", [False, True], ids=["one call", "a later call"])
@pytest.mark.parametrize("said", SPEAKS_OF.values(), ids=SPEAKS_OF)
def test_what_speaks_of_a_turn_whose_capture_failed_is_read_after_it(
    store: Callable[[], Store], clock: SteppingClock, said: list[str], later_call: bool
) -> None:
    undisturbed, inner = over(store(), clock), store()
    undisturbed.add(said, **WHO)
    applied = count()
    failing = over(faulty(inner, lambda n, name: name == "apply" and next(applied) == 0), clock)
    receipts = [failing.add([said[0]], **WHO), failing.add([said[1]], **WHO)] if later_call else [failing.add(said, **WHO)]
    assert [turn.result for receipt in receipts for turn in receipt.turns] == [TurnResult.QUEUED] * 2
    assert [turn.tries for turn in inner.pending(limit=9)] == [1, 0]
    report = over(inner, clock).maintain()
    assert (report.captured, report.failed) == (2, 0)
    assert state(over(inner, clock)) == state(undisturbed)


def test_nothing_waits_for_a_turn_that_is_parked_or_of_another_memory(store: Callable[[], Store], clock: SteppingClock) -> None:
    inner = store()
    first, second = SPEAKS_OF["forgotten"]
    failing = over(faulty(inner, lambda n, name: name == "apply"), clock)
    failing.add([first], user_id="ben", session_id="s")
    assert over(inner, clock).add([second], **WHO).turns[0].result is TurnResult.STORED
    failing.add([first], **WHO)
    memory = over(inner, clock)
    assert memory.add([second], **WHO).turns[0].result is TurnResult.QUEUED
    assert memory.add(["I prefer window seats on long flights."], **WHO).turns[0].result is TurnResult.STORED
    assert memory.remember("Actually, the greenhouse needs two keys.", **WHO).turns[0].result is TurnResult.STORED
    reach = Reach("default", ("user:ana",))
    poison, _ = inner.pending(limit=9, reach=reach)
    inner.fail_capture(reach, poison.id, 1)
    memory.maintain()
    assert inner.pending(limit=9) == []


@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize("news", NEWS.values(), ids=NEWS)
def test_a_dry_run_tells_the_changes_and_items_that_the_real_run_makes(
    memory: Memory, clock: SteppingClock, news: list[str], infer: bool
) -> None:
    memory.add(ON_RECORD, infer=infer, **WHO)
    clock.now += timedelta(days=10)
    at = clock.now
    before = state(memory)
    told = memory.add(news, at=at, infer=infer, dry_run=True, **WHO)
    assert state(memory) == before
    done = memory.add(news, at=at, infer=infer, **WHO)
    assert settled(told.changes) == settled(done.changes)
    assert [(i.result, i.reason, i.statement) for i in told.items] == [(i.result, i.reason, i.statement) for i in done.items]


def test_a_dry_run_of_what_is_known_already_tells_that_nothing_would_change(memory: Memory) -> None:
    memory.add(SAID, **WHO)
    told = memory.add(SAID, dry_run=True, **WHO)
    done = memory.add(SAID, **WHO)
    assert [turn.result for turn in done.turns] == [TurnResult.EXISTING] * len(SAID)
    assert (told.changes, told.items) == (done.changes, done.items) == ((), ())


def test_a_turn_that_is_captured_twice_writes_nothing_twice(memory: Memory) -> None:
    """A second process may hold the same turn in its hands, as it stood before the first one read it."""
    memory.add("I am allergic to walnuts.", user_id="ana", session_id="t")
    failing = Memory(
        store=faulty(memory.engine.store, lambda n, name: name == "apply"), embedder=HashingEmbedder(), clock=memory.engine.clock
    )
    failing.add(SAID, **WHO)
    stale = memory.engine.store.pending(limit=99)
    assert len(stale) == len(SAID)
    memory.maintain()
    once = memory.get_all(user_id="ana")
    verdicts = memory.engine.store.verdicts(Reach("default", ("user:ana",)), limit=999)
    uses = memory.engine.store.usage(Reach("default", ("user:ana",)), [record.id for record in once])
    again = capture_turns(memory.engine, stale)
    assert again.changes == ()
    assert memory.get_all(user_id="ana") == once
    assert memory.engine.store.verdicts(Reach("default", ("user:ana",)), limit=999) == verdicts
    assert memory.engine.store.usage(Reach("default", ("user:ana",)), [record.id for record in once]) == uses


@pytest.mark.parametrize("method", ["epochs", "apply"])
def test_maintenance_that_comes_between_journal_and_capture_writes_nothing_twice(
    store: Callable[[], Store], clock: SteppingClock, method: str
) -> None:
    expected = undisturbed(store(), clock)
    inner = store()
    other = over(inner, clock)

    def meddle(n: int, name: str) -> bool:
        if name == method:
            other.maintain()
        return False

    memory = over(faulty(inner, meddle), clock)
    memory.add(SAID, **WHO)
    assert state(memory) == expected


def test_one_message_twice_in_a_call_is_read_once(memory: Memory) -> None:
    receipt = memory.add([SAID[0], SAID[0], SAID[2], SAID[2]], **WHO)
    told = [turn.result for turn in receipt.turns]
    assert told == [TurnResult.STORED, TurnResult.EXISTING, TurnResult.STORED, TurnResult.EXISTING]
    assert [item.result for item in receipt.items] == [Result.ADDED, Result.REFUSED]
    assert len(memory.engine.store.verdicts(Reach("default", ("user:ana",)))) == 2


KEYS = "The greenhouse needs two keys."
FIELDS: dict[str, Any] = {
    "kind": "constraint",
    "key": "greenhouse_keys",
    "value": "two",
    "qualifier": "in winter",
    "negation": True,
    "valid_from": datetime(2026, 1, 1, tzinfo=UTC),
    "valid_until": datetime(2027, 1, 1, tzinfo=UTC),
    "pinned": True,
    "metadata": {"topic": "garden"},
    "at": datetime(2026, 2, 1, tzinfo=UTC),
}
ON_PURPOSE: dict[str, Callable[[Memory], Receipt]] = {
    "as it is": lambda memory: memory.add([KEYS], infer=False, **WHO),
    "with its fields": lambda memory: memory.remember(KEYS, **FIELDS, **WHO),
}


def without_chance(record: Record) -> Record:
    """The record without ids, and without times that no two runs share."""
    fixed = datetime(2026, 1, 1, tzinfo=UTC)
    times: dict[str, Any] = {} if record.pinned else {"said_at": fixed, "valid_from": fixed, "valid_until": fixed}
    return replace(record, id="r", source=Source(record.source.type, "t"), derived_from=(), written_at=fixed, **times)


@pytest.mark.parametrize("write", ON_PURPOSE.values(), ids=ON_PURPOSE)
def test_what_is_written_on_purpose_and_fails_half_way_is_kept_by_maintenance_with_its_fields(
    store: Callable[[], Store], clock: SteppingClock, write: Callable[[Memory], Receipt]
) -> None:
    """What the caller asked to keep as it is, is either on record in the end, or was reported."""
    total: list[int] = []
    memory = over(faulty(store(), counting(total)), clock)
    (expected,) = write(memory).records
    assert expected.statement == KEYS
    queued = 0
    for broken in range(1, len(total) + 1):
        inner = store()
        try:
            receipt = write(over(faulty(inner, lambda n, name, k=broken: n == k), clock))  # type: ignore[misc]
        except StoreError:
            assert inner.thread(Reach("default", ("user:ana",)), "s") == []
            continue
        queued += receipt.turns[0].result is TurnResult.QUEUED
        healthy = over(inner, clock)
        healthy.maintain()
        (kept,) = healthy.get_all(user_id="ana")
        assert without_chance(kept) == without_chance(expected), broken
        assert [turn.note for turn in healthy.session("s", user_id="ana").turns()] == [None]
    assert queued


def test_a_secret_in_a_field_of_a_note_reaches_neither_the_note_nor_the_record(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    failing = over(faulty(memory.engine.store, lambda n, name: name == "apply"), SteppingClock(memory.engine.clock()))
    failing.remember(KEYS, value=token, qualifier=f"with {token}", **WHO)
    (turn,) = memory.engine.store.pending(limit=9)
    assert turn.note is not None
    assert token not in repr(turn)
    memory.maintain()
    assert token not in repr(memory.get_all(user_id="ana"))


def test_a_refusal_that_two_processes_come_to_at_once_is_told_once(store: Callable[[], Store], clock: SteppingClock) -> None:
    inner = store()
    other = over(inner, clock)

    def meddle(n: int, name: str) -> bool:
        if name == "apply":
            other.maintain()
        return False

    over(faulty(inner, meddle), clock).add("What time is it?", **WHO)
    assert len(inner.verdicts(Reach("default", ("user:ana",)))) == 1


def test_reading_answers_where_nothing_can_be_written(store: Callable[[], Store], caplog: pytest.LogCaptureFixture) -> None:
    inner, clock = store(), SteppingClock(datetime(2026, 3, 2, 9, tzinfo=UTC), timedelta(seconds=1))
    over(inner, clock).remember("I prefer window seats on long flights.", user_id="ana")
    writes = {"put_trace", "mark_injected", "touch", "put_token_counts"}
    memory = over(faulty(inner, lambda n, name: name in writes), clock)
    (hit,) = memory.search("window seats", user_id="ana", include="records").hits
    assert hit.text in str(memory.context("window seats", user_id="ana", session_id="s").messages)
    assert [("trace" in message, "scripted failure" in message) for message in caplog.messages] == [(True, True)] * 3
    assert inner.check().counts["traces"] == 0
