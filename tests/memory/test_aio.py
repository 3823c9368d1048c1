"""The asynchronous face: the same verbs, off the event loop, and what a cancelled call leaves behind."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import multiprocessing
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from onrecord import (
    AsyncMemory,
    AsyncRun,
    AsyncSession,
    InvalidInput,
    Memory,
    NotFound,
    Policy,
    Run,
    Session,
    StoreError,
    VersionConflict,
)
from onrecord.aio import drive
from onrecord.errors import StoreClosed
from onrecord.model.run import RunStatus
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import GatedEmbedder
from onrecord.stores.inmemory import InMemoryStore

#: Seconds after which a test that went wrong goes on, so that it fails instead of standing still. Nothing waits so long.
PATIENCE = 30

FACES = [(Memory, AsyncMemory), (Session, AsyncSession), (Run, AsyncRun)]


def verbs(face: type) -> dict[str, Callable[..., Any]]:
    return {name: value for name, value in inspect.getmembers(face, inspect.isfunction) if not name.startswith("_")}


@pytest.mark.parametrize(("sync", "face"), FACES)
def test_every_verb_has_an_asynchronous_twin_of_the_same_parameters_defaults_and_documentation(sync: type, face: type) -> None:
    assert verbs(face).keys() == verbs(sync).keys()
    for name, twin in verbs(face).items():
        model = getattr(sync, name)
        assert inspect.iscoroutinefunction(twin), name
        assert inspect.signature(twin).parameters == inspect.signature(model).parameters, name
        assert inspect.getdoc(twin) == inspect.getdoc(model), name


def test_a_memory_is_made_of_the_same_parts() -> None:
    assert inspect.signature(AsyncMemory.__init__).parameters == inspect.signature(Memory.__init__).parameters


def test_a_run_has_the_attributes_of_its_twin(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
            run = await memory.run("r", user_id="ana")
            with Memory(":memory:", embedder=HashingEmbedder()) as other:
                twin = other.run("r", user_id="ana")
            names = {name for name in (*vars(twin), "state") if not name.startswith("_")}
            assert {name: getattr(run, name) for name in names} == {name: getattr(twin, name) for name in names}
            run.plan = ["look", "tell"]
            run.values["seat"] = "12A"
            assert await run.retry("search") == 1
            assert await run.checkpoint() == 1
            again = await memory.run("r", user_id="ana")
            assert (again.plan, again.values, again.retries) == (["look", "tell"], {"seat": "12A"}, {"search": 1})

    asyncio.run(main())


# -- the loop goes on


class Gate:
    """Holds whoever comes, until it is opened."""

    def __init__(self) -> None:
        self.reached, self._open = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        self._open.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()

    async def held(self) -> None:
        """Returns when somebody waits at it."""
        await asyncio.to_thread(self.reached.wait, PATIENCE)


def gated(path: str | Path = ":memory:", **parts: Any) -> tuple[AsyncMemory, Gate]:
    gate = Gate()
    return AsyncMemory(path, embedder=GatedEmbedder(HashingEmbedder(), gate), **parts), gate


def test_the_loop_goes_on_while_an_embedder_works() -> None:
    async def main() -> int:
        memory, gate = gated()
        beats = 0

        async def heart() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0)
                if gate.reached.is_set():
                    beats += 1
                    if beats == 100:
                        gate.open()

        beating = asyncio.create_task(heart())
        async with memory:
            await memory.add("I prefer window seats.", user_id="ana")
        beating.cancel()
        return beats

    assert asyncio.run(main()) >= 100


def test_the_context_of_the_caller_comes_along() -> None:
    request: contextvars.ContextVar[str] = contextvars.ContextVar("request")
    seen: list[str] = []

    async def main() -> None:
        parts = GatedEmbedder(HashingEmbedder(), lambda: seen.append(request.get()))
        async with AsyncMemory(":memory:", embedder=parts) as memory:

            async def one(name: str) -> None:
                request.set(name)
                await memory.search("window seats", user_id="ana")

            request.set("first")
            await memory.add("I prefer window seats.", user_id="ana", infer=False)
            await asyncio.gather(one("a"), one("b"))

    asyncio.run(main())
    assert set(seen) == {"first", "a", "b"}


def test_two_calls_run_at_once_and_more_than_there_are_threads_wait() -> None:
    async def main() -> None:
        memory, gate = gated(policy=Policy(call_threads=1))
        async with memory:
            held = asyncio.create_task(memory.add("I prefer window seats.", user_id="ana"))
            await gate.held()
            waiting = asyncio.create_task(memory.get_all(user_id="ana"))
            for _ in range(10):
                await asyncio.sleep(0)
            assert not waiting.done()
            gate.open()
            await held
            assert [record.statement for record in await waiting] == ["I prefer window seats."]

    asyncio.run(main())


# -- cancelling


def test_a_cancelled_call_ends_whole_and_its_repetition_is_harmless() -> None:
    said = {"role": "user", "content": "I am allergic to walnuts.", "id": "m1"}

    async def main() -> None:
        memory, gate = gated()
        async with memory:
            session = await memory.session("s", user_id="ana")
            task = asyncio.create_task(session.add(said))
            await gate.held()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            gate.open()
            await session.add(said)
            assert [turn.text for turn in await session.turns()] == ["I am allergic to walnuts."]
            assert [record.statement for record in await memory.get_all(user_id="ana")] == ["I am allergic to walnuts."]

    asyncio.run(main())


def test_a_call_that_is_cancelled_while_it_waits_for_a_thread_never_runs() -> None:
    async def main() -> None:
        memory, gate = gated(policy=Policy(call_threads=1))
        async with memory:
            held = asyncio.create_task(memory.add("I prefer window seats.", user_id="ana"))
            await gate.held()
            waiting = asyncio.create_task(memory.add("I prefer aisle seats.", user_id="ben"))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting  # before that the queue has not heard of it, and a thread that comes free takes it
            gate.open()
            await held
            assert len(await memory.get_all(user_id="ana")) == 1
            assert await memory.get_all(user_id="ben") == []

    asyncio.run(main())


class Slow(InMemoryStore):
    """A store whose checkpoints wait at a gate, once."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    def put_checkpoint(self, *args: Any, **kwargs: Any) -> None:
        self._gate()
        super().put_checkpoint(*args, **kwargs)


def test_a_checkpoint_that_was_cancelled_is_done_before_it_is_repeated() -> None:
    async def main() -> None:
        gate = Gate()
        async with AsyncMemory(store=Slow(gate), embedder=HashingEmbedder()) as memory:
            run = await memory.run("r", user_id="ana")
            run.values["seat"] = "12A"
            task = asyncio.create_task(run.checkpoint())
            await gate.held()
            task.cancel()
            again = asyncio.create_task(run.checkpoint())
            await asyncio.sleep(0)
            gate.open()
            assert await again == 2
            assert (await memory.run("r", user_id="ana")).values == {"seat": "12A"}

    asyncio.run(main())


# -- opening and closing


def test_closing_waits_for_the_calls_under_way(tmp_path: Path) -> None:
    async def main() -> None:
        memory, gate = gated(tmp_path / "m.db")
        task = asyncio.create_task(memory.add("I prefer window seats.", user_id="ana"))
        await gate.held()
        closing = asyncio.create_task(memory.close())
        await asyncio.sleep(0)
        gate.open()
        assert (await task).items[0].record is not None
        await closing

    asyncio.run(main())


def test_after_closing_every_call_says_so_and_closing_again_is_harmless(tmp_path: Path) -> None:
    async def main() -> None:
        memory = AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder())
        session = await memory.session("s", user_id="ana")
        await memory.close()
        await memory.close()
        for call in (memory.get_all(user_id="ana"), session.add("hi"), memory.run("r", user_id="ana")):
            with pytest.raises(StoreClosed):
                await call
        await AsyncMemory(tmp_path / "never.db").close()
        assert not (tmp_path / "never.db").exists()

    asyncio.run(main())


def test_a_file_that_cannot_be_opened_fails_at_the_first_call_and_a_bad_tenant_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        AsyncMemory(tmp_path / "m.db", tenant="")

    async def main() -> None:
        memory = AsyncMemory(tmp_path, embedder=HashingEmbedder())
        for _ in range(2):
            with pytest.raises(StoreError):
                await memory.get_all(user_id="ana")
        with pytest.raises(StoreError):
            await memory.__aenter__()
        await memory.close()

    asyncio.run(main())


def test_first_calls_that_come_together_open_one_database() -> None:
    async def main() -> None:
        async with AsyncMemory(":memory:", embedder=HashingEmbedder()) as memory:
            await asyncio.gather(*(memory.remember(f"Fact {n} holds.", user_id="ana") for n in range(20)))
            assert len(await memory.get_all(user_id="ana")) == 20

    asyncio.run(main())


def test_one_memory_serves_several_loops(tmp_path: Path) -> None:
    memory = AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder())
    asyncio.run(once(memory.remember("Prefers tea.", user_id="ana")))
    assert len(asyncio.run(once(memory.get_all(user_id="ana")))) == 1
    asyncio.run(once(memory.close()))


async def once(call: Awaitable[Any]) -> Any:
    return await call


def _in_child(memory: AsyncMemory, told: Any) -> None:
    told.put(len(asyncio.run(once(memory.get_all(user_id="ana")))))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads
def test_a_memory_that_was_used_before_a_fork_works_in_the_child(tmp_path: Path) -> None:
    memory = AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder())
    asyncio.run(once(memory.remember("Prefers tea.", user_id="ana")))
    fork = multiprocessing.get_context("fork")
    told = fork.Queue()
    child = fork.Process(target=_in_child, args=(memory, told))
    child.start()
    assert told.get(timeout=PATIENCE) == 1
    child.join(PATIENCE)
    asyncio.run(once(memory.close()))


# -- errors and runs


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda memory: memory.get("rec_none", user_id="ana"), NotFound),
        (lambda memory: memory.search("x", user_id="ana", limit=0), InvalidInput),
        (lambda memory: memory.session("s"), InvalidInput),
        (lambda memory: memory.run("", user_id="ana"), InvalidInput),
    ],
)
def test_errors_are_those_of_the_twin(call: Callable[[AsyncMemory], Coroutine[Any, Any, Any]], error: type[Exception]) -> None:
    async def main() -> None:
        async with AsyncMemory(":memory:", embedder=HashingEmbedder()) as memory:
            await call(memory)

    with pytest.raises(error):
        asyncio.run(main())


def test_a_run_is_driven_step_by_step_paused_and_completed() -> None:
    async def step(run: AsyncRun) -> bool:
        if "seat" not in run.results:
            await run.pause("seat")
            return True
        if run.plan:
            return False
        run.plan.append("booked")
        return True

    async def main() -> None:
        async with AsyncMemory(":memory:", embedder=HashingEmbedder()) as memory:
            run = await memory.run("r", user_id="ana")
            assert not await drive(run, step)
            assert run.status is RunStatus.WAITING
            other = await memory.run("r", user_id="ana")
            await other.resume("12A")
            with pytest.raises(VersionConflict):
                await run.checkpoint()
            assert await drive(run, step)
            assert (run.results, run.plan, run.step) == ({"seat": "12A"}, ["booked"], 3)
            await run.complete()
            assert (await memory.run("r", user_id="ana")).step == 0

    asyncio.run(main())


def test_a_fork_of_a_thread_is_asynchronous_too() -> None:
    async def main() -> None:
        async with AsyncMemory(":memory:", embedder=HashingEmbedder()) as memory:
            session = await memory.session("s", user_id="ana")
            await session.add("Hello.", infer=False)
            copy = await session.fork("t")
            assert isinstance(copy, AsyncSession)
            assert copy.id == "t"
            assert [turn.text for turn in await copy.turns()] == ["Hello."]

    asyncio.run(main())
