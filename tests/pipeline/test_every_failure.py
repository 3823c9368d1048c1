"""Whatever a caller asks for, and whichever call of the store or embedder fails: it is done, queued, or refused as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import NotFound, StoreError
from onrecord.memory import Memory
from onrecord.model.receipt import Receipt, TurnResult
from onrecord.model.record import Status
from onrecord.model.turn import CaptureState
from onrecord.ports import Store
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import FailingEmbedder, SteppingClock
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.faults import faulty

WHO: dict[str, Any] = {"user_id": "ana", "session_id": "s"}
KEYS = "The greenhouse needs two keys."
SAID = [
    {"role": "user", "content": "I am allergic to walnuts.", "id": "n1"},
    {"role": "assistant", "content": "Noted.", "id": "n2"},
]
#: What callers ask for, given the id of a record that is there.
ASKED: dict[str, Callable[[Memory, str], Any]] = {
    "add": lambda memory, id: memory.add(SAID, **WHO),
    "add as it is": lambda memory, id: memory.add([{"role": "user", "content": KEYS, "id": "k"}], infer=False, **WHO),
    "remember": lambda memory, id: memory.remember(KEYS, key="greenhouse_keys", value="two", **WHO),
    "turns of a session": lambda memory, id: memory.session("s", user_id="ana").add(SAID),
    "turns of a session as they are": lambda memory, id: memory.session("s", user_id="ana").add(SAID[:1], infer=False),
    "update": lambda memory, id: memory.update(id, "Prefers aisle seats.", user_id="ana"),
    "update of a field": lambda memory, id: memory.update(id, pinned=True, user_id="ana"),
    "delete": lambda memory, id: memory.delete(id, user_id="ana"),
    "delete all": lambda memory, id: memory.delete_all(user_id="ana"),
}
ASKING = pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)


class Case:
    """A store with one record in it, and a clock."""

    def __init__(self, inner: Store, clock: SteppingClock) -> None:
        self.inner, self.clock = inner, clock
        self.healthy = self.over(inner)
        (record,) = self.healthy.add("I prefer window seats on long flights.", **WHO).records
        self.id = record.id

    def over(self, store: Store, **parts: Any) -> Memory:
        return Memory(store=store, **{"embedder": HashingEmbedder(), "clock": self.clock, **parts})

    def asked(self, ask: Callable[[Memory, str], Any], memory: Memory) -> None:
        """Asks, and holds the answer to what the journal says."""
        answer = ask(memory, self.id)
        states = {turn.id: turn.state for turn in self.healthy.session("s", user_id="ana").turns()}
        for told in answer.turns if isinstance(answer, Receipt) else ():
            assert (told.result is TurnResult.QUEUED) == (states[told.turn_id or ""] is CaptureState.PENDING)

    def state(self) -> tuple[Any, ...]:
        """What is on record in the end, without ids and times, once maintenance has run."""
        for _ in range(2):
            report = self.healthy.maintain()
        assert (report.captured, report.failed, report.embedded, report.unembedded) == (0, 0, 0, 0)
        assert self.inner.check().faults == ()
        records = self.healthy.get_all(user_id="ana", statuses=list(Status))
        turns = self.healthy.session("s", user_id="ana").turns()
        assert {(turn.state, turn.note) for turn in turns} == {(CaptureState.DONE, None)} if turns else True
        return (
            sorted((r.statement, r.status, r.kind, r.key, r.value, r.pinned, r.version) for r in records),
            [(turn.seq, turn.text) for turn in turns],
            sorted(str(event.type) for r in records for event in self.healthy.history(r.id, user_id="ana")),
        )


@pytest.fixture(params=["inmemory", "sqlite"])
def case(request: pytest.FixtureRequest, tmp_path: Path, clock: SteppingClock) -> Iterator[Callable[[], Case]]:
    made: list[Store] = []
    number = count()

    def make() -> Case:
        made.append(InMemoryStore() if request.param == "inmemory" else SQLiteStore(tmp_path / f"{next(number)}.db"))
        return Case(made[-1], clock)

    yield make
    for store in made:
        store.close()


def undisturbed(case: Case, ask: Callable[[Memory, str], Any]) -> tuple[tuple[Any, ...], int, int]:
    """The state after the request, and how many calls of the store and of the embedder it takes."""
    called = [0]

    def notes(n: int, name: str) -> bool:
        called.append(n)
        return False

    embedder = FailingEmbedder(HashingEmbedder(), lambda n: False)
    ask(case.over(faulty(case.inner, notes), embedder=embedder), case.id)
    return case.state(), called[-1], embedder.calls


@ASKING
@pytest.mark.parametrize("outage", [False, True], ids=["one call", "that call and all after it"])
def test_a_request_during_which_the_store_fails_is_done_queued_or_refused_as_a_whole(
    case: Callable[[], Case], ask: Callable[[Memory, str], Any], outage: bool
) -> None:
    expected, calls, _ = undisturbed(case(), ask)
    for broken in range(1, calls + 1):
        one = case()
        failing = faulty(one.inner, lambda n, name, k=broken: n >= k if outage else n == k)  # type: ignore[misc]
        try:
            one.asked(ask, one.over(failing))
        except StoreError:
            with suppress(NotFound):  # the deletion was done, and reading what was deleted failed
                ask(one.healthy, one.id)
        assert one.state() == expected, f"call {broken} of {calls}"


@ASKING
def test_a_request_during_which_the_embedder_fails_is_done(case: Callable[[], Case], ask: Callable[[Memory, str], Any]) -> None:
    expected, _, calls = undisturbed(case(), ask)
    for broken in range(1, calls + 1):
        for outage in (False, True):
            one = case()
            embedder = FailingEmbedder(HashingEmbedder(), lambda n, k=broken, o=outage: n >= k if o else n == k)  # type: ignore[misc]
            one.asked(ask, one.over(one.inner, embedder=embedder))
            assert one.state() == expected, f"call {broken} of {calls}"


@ASKING
def test_a_request_whose_answer_is_lost_after_the_work_is_done_has_been_done_once(
    case: Callable[[], Case], ask: Callable[[Memory, str], Any]
) -> None:
    expected, calls, _ = undisturbed(case(), ask)
    for broken in range(1, calls + 1):
        one = case()
        failing = faulty(one.inner, lambda n, name, k=broken: n == k, after=True)  # type: ignore[misc]
        before = one.state()
        with suppress(StoreError):
            one.asked(ask, one.over(failing))
        if one.state() == before != expected:  # a read failed: nothing was done, and the caller asks again
            ask(one.healthy, one.id)
        assert one.state() == expected, f"call {broken} of {calls}"
