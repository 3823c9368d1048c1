"""Working memory: a run that is killed anywhere ends as an undisturbed one does, and leaves nothing behind."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onrecord import InvalidInput, Memory, Run, VersionConflict
from onrecord.errors import StoreError
from onrecord.model.run import RunStatus
from onrecord.ports import Store
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.run import drive
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.faults import faulty

Op = tuple[str, Any]
ops = st.lists(
    st.one_of(
        st.tuples(st.just("plan"), st.text(max_size=3)),
        st.tuples(st.just("value"), st.integers(0, 9)),
        st.tuples(st.just("result"), st.lists(st.integers(0, 9), max_size=2)),
        st.tuples(st.just("retry"), st.sampled_from("ab")),
    ),
    min_size=1,
    max_size=6,
)


class Killed(Exception):
    """The process dies here."""


class KilledAfter:
    """A store of which the ``n``-th write of a checkpoint is the last thing its process does."""

    def __init__(self, inner: Store, n: int) -> None:
        self._inner, self._left = inner, n

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def put_checkpoint(self, *args: Any, **kwargs: Any) -> None:
        self._inner.put_checkpoint(*args, **kwargs)
        self._left -= 1
        if not self._left:
            raise Killed


def opened(store: Any) -> Run:
    return Memory(store=store).run("r", user_id="ana")


def perform(run: Run, todo: list[Op]) -> bool:
    done = run.values.setdefault("done", 0)
    if done == len(todo):
        return False
    what, value = todo[done]
    match what:
        case "plan":
            run.plan.append(value)
        case "value":
            run.values["sum"] = run.values.get("sum", 0) + value
        case "result":
            run.results[f"call_{done}"] = value
        case _:
            run.retry(value)
    run.values["done"] = done + 1
    return True


def undisturbed(todo: list[Op]) -> Mapping[str, Any]:
    run = opened(InMemoryStore())
    assert drive(run, lambda it: perform(it, todo))
    return run.state


@settings(max_examples=60, deadline=None)
@given(ops)
def test_a_run_killed_at_every_step_ends_in_the_same_state(todo: list[Op]) -> None:
    expected = undisturbed(todo)
    for before in (True, False):
        store, deaths = InMemoryStore(), 0
        while True:
            fails = faulty(store, lambda n, name: name == "put_checkpoint") if before and deaths % 2 == 0 else store
            try:
                run = opened(KilledAfter(fails, 1))
                if drive(run, lambda it: perform(it, todo)):
                    break
            except (Killed, StoreError):
                deaths += 1
        assert deaths >= len(todo)
        assert run.state == expected
        assert opened(store).state == expected


def test_a_process_killed_at_any_step_is_replaced_and_the_run_ends_in_the_same_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from bench.crash import PROCESSES
    from bench.crash_runs import OWNER, STEPS, killed_at, perform, undisturbed

    from onrecord.testing.builders import TENANT

    path, name = tmp_path / "memory.db", "run_0_1"
    for step in range(1, STEPS + 1):
        for before in (True, False):
            process = PROCESSES.Process(target=killed_at, args=(str(path), name, step, before))
            process.start()
            process.join()
            assert process.exitcode == -signal.SIGKILL
    with Memory(path, tenant=TENANT, embedder=HashingEmbedder()) as memory:
        run = memory.run(name, subject=OWNER)
        assert run.step > 0
        perform(run)
        assert run.state == undisturbed(name)


def test_a_run_goes_on_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        run = memory.run("r", user_id="ana")
        run.plan = ["look up", "answer"]
        run.results["call_1"] = {"rows": [1, 2]}
        assert run.checkpoint() == 1
        run.values["lost"] = True
    with Memory(path) as memory:
        again = memory.run("r", user_id="ana")
        assert (again.step, again.plan, again.results, again.values) == (1, run.plan, run.results, {})


def test_a_run_waits_for_a_person_and_goes_on_with_the_answer() -> None:
    store = InMemoryStore()
    run = opened(store)
    run.pause("approval")
    waiting = opened(store)
    assert (waiting.status, waiting.waiting_for) == (RunStatus.WAITING, "approval")
    assert drive(waiting, lambda it: pytest.fail("a waiting run took a step")) is False
    waiting.resume({"approved": True})
    assert opened(store).results == {"approval": {"approved": True}}
    with pytest.raises(InvalidInput, match="does not wait"):
        opened(store).resume({"approved": False})
    with pytest.raises(VersionConflict):
        run.resume()


def test_a_step_may_pause_the_run() -> None:
    store = InMemoryStore()

    def step(run: Run) -> bool:
        run.pause("webhook")
        return True

    assert drive(opened(store), step) is False
    assert opened(store).step == 1


def test_two_processes_cannot_both_take_a_step() -> None:
    store = InMemoryStore()
    one, other = opened(store), opened(store)
    one.values["x"] = 1
    one.checkpoint()
    other.values["x"] = 2
    with pytest.raises(VersionConflict, match="run r is at step 1, not 0"):
        other.checkpoint()
    other.reload()
    assert other.values == {"x": 1}


def test_a_completed_run_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SQLiteStore(path)
    run = opened(store)
    run.values["note"] = "xylophone" * 40
    run.checkpoint()
    run.complete()
    assert opened(store).step == 0
    with pytest.raises(InvalidInput, match="is complete"):
        run.checkpoint()
    assert store.check().counts["checkpoints"] == 0
    store.close()
    assert all(b"xylophone" not in file.read_bytes() for file in tmp_path.iterdir())


def test_secrets_do_not_reach_the_disk() -> None:
    store = InMemoryStore()
    run = opened(store)
    run.results["call"] = "the key is sk-ant-api03-" + "a1B2" * 20
    run.checkpoint()
    assert "a1B2a1B2" not in str(opened(store).state)


def test_a_run_is_its_owners_alone() -> None:
    memory = Memory(store=InMemoryStore())
    memory.run("r", user_id="ana").checkpoint()
    assert memory.run("r", user_id="bob").step == 0
    with pytest.raises(InvalidInput):
        memory.run("", user_id="ana")
