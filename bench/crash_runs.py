"""The writer that works: it performs one run after the other, step by step, until it is killed; another one goes on."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.crash_notes import Notes, noted

from onrecord.memory import Memory
from onrecord.model.scope import Reach
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.run import Run, drive
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import TENANT

OWNER = "user:worker"
REACH = Reach(TENANT, (OWNER,))
STEPS = 8


def work(path: str, acknowledged: str, n: int, slot: int) -> None:
    """Performs the runs of its slot until killed, beginning with the first that nobody noted as complete."""
    memory, notes = _memory(path), Notes(acknowledged)
    folder = Path(acknowledged).parent
    done = sum(1 for name, *_ in noted(folder, "completed") if name.startswith(f"run_{slot}_"))
    while True:
        run = memory.run(f"run_{slot}_{done}", subject=OWNER)
        perform(run, lambda it: notes.add("step", it.id, it.step))
        notes.add("finished", run.id, json.dumps(run.state, sort_keys=True).replace(" ", ""))
        run.complete()
        notes.add("completed", run.id)
        done += 1


def perform(run: Run, saved: Callable[[Run], None] = lambda run: None) -> None:
    """Drives a run to its end, answering whatever it waits for."""

    def step(it: Run) -> bool:
        if it.step:
            saved(it)
        return _step(it)

    while not drive(run, step):
        run.resume({"answer": run.step})


def undisturbed(name: str) -> dict[str, Any]:
    """The state that a run of this name ends in when nothing happens to it."""
    run = Memory(store=InMemoryStore(), tenant=TENANT, embedder=HashingEmbedder()).run(name, subject=OWNER)
    perform(run)
    return run.state


def faults(path: Path, folder: Path) -> Iterator[str]:
    """What is wrong with runs after the last kill, one sentence each. Those that are not complete are driven to their end."""
    for name, state in noted(folder, "finished"):
        if json.loads(state) != _plain(undisturbed(name)):
            yield f"{name} ended with {state}"
    store = SQLiteStore(path)
    complete = {name for (name,) in noted(folder, "completed")}
    steps: dict[str, int] = {}
    for name, step in noted(folder, "step"):
        steps[name] = max(steps.get(name, 0), int(step))
    finished = {name for name, _ in noted(folder, "finished")}
    for name in sorted({*steps, *finished}):
        last = store.checkpoint(REACH, name)
        if name in complete and last is not None:
            yield f"{name} left a checkpoint behind"
        elif name not in finished and (last is None or last.step < steps[name]):
            yield f"{name} is at step {last.step if last else 0}, {steps[name]} was acknowledged"
    store.close()
    yield from _resumed(path, sorted({*steps, *finished} - complete))


def _resumed(path: Path, names: list[str]) -> Iterator[str]:
    memory = _memory(str(path))
    for name in names:
        run = memory.run(name, subject=OWNER)
        perform(run)
        if _plain(run.state) != _plain(undisturbed(name)):
            yield f"{name} was resumed and ended with {run.state}"
        run.complete()
    memory.close()


def killed_at(path: str, name: str, step: int, before: bool) -> None:
    """Performs a run in this process, which kills itself when ``step`` is done, ``before`` or after it is saved."""
    memory = _memory(path)
    run = memory.run(name, subject=OWNER)

    def die_after(it: Run) -> None:
        if it.step >= step and not before:
            os.kill(os.getpid(), signal.SIGKILL)

    def perform_step(it: Run) -> bool:
        die_after(it)
        more = _step(it)
        if before and it.step + 1 >= step:
            os.kill(os.getpid(), signal.SIGKILL)
        return more

    while not drive(run, perform_step):
        die_after(run)
        run.resume({"answer": run.step})


def _step(run: Run) -> bool:
    """One step; which one follows from the name of the run and what was done already."""
    done = int(run.values.get("done", 0))
    if done == STEPS:
        return False
    what = random.Random(f"{run.id} {done}").choice(["plan", "value", "result", "retry", "pause"])
    run.values["done"] = done + 1
    match what:
        case "plan":
            run.plan.append(f"step_{done}")
        case "value":
            run.values["sum"] = run.values.get("sum", 0) + done
        case "result":
            run.results[f"call_{done}"] = {"rows": list(range(done))}
        case "retry":
            run.retry("call")
        case _:
            run.pause(f"approval_{done}")
    return True


def _memory(path: str) -> Memory:
    return Memory(path, tenant=TENANT, embedder=HashingEmbedder())


def _plain(state: dict[str, Any]) -> Any:
    return json.loads(json.dumps(state))
