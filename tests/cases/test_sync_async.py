"""What went wrong elsewhere between a synchronous and an asynchronous face, each as a test. The number in a comment is the
case's."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onrecord import AsyncMemory, AsyncRun, AsyncSession, Memory, OnRecordError
from onrecord.model.record import Status
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import CountingIds, GatedEmbedder, SteppingClock
from onrecord.stores.inmemory import InMemoryStore

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ANA: dict[str, Any] = {"user_id": "ana"}
SAID = ("I am allergic to walnuts.", "I live in Lisbon.", "By the way, I moved to Porto.", "Never call me before nine.")
#: Seconds after which a test that went wrong goes on, so that it fails instead of standing still. Nothing waits so long.
PATIENCE = 30


@dataclass(frozen=True)
class Call:
    """A call of one face: whose method (the memory's, a session's, a run's), its name and arguments."""

    of: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


#: Every method, in an order in which each has something to do. ``REC`` stands for the id of the first record there is.
REC = "<the first record>"
SCRIPT = [
    *(Call("session", "add", {"messages": {"role": "user", "content": text, "id": f"m{n}"}}) for n, text in enumerate(SAID)),
    Call("memory", "add", {"messages": "What time is it? I prefer window seats.", "metadata": {"from": "desk"}, **ANA}),
    Call("memory", "remember", {"statement": "Prefers tea.", "kind": "preference", **ANA}),
    Call("memory", "search", {"query": "What is Ana allergic to?", **ANA}),
    Call("memory", "get_all", ANA),
    Call("memory", "get", {"id": REC, **ANA}),
    Call("memory", "update", {"id": REC, "statement": "I am allergic to walnuts and pecans.", **ANA}),
    Call("memory", "history", {"id": REC, **ANA}),
    Call("memory", "why", {"id": REC, **ANA}),
    Call("memory", "refusals", ANA),
    Call("memory", "context", {"message": "Book a table.", "session_id": "s", **ANA}),
    Call("memory", "sessions", ANA),
    Call("memory", "maintain"),
    Call("memory", "undo", {"run": "run_nobody"}),
    Call("memory", "misses", ANA),
    Call("memory", "lineage", {"id": REC, **ANA}),
    Call("memory", "review", ANA),
    Call("memory", "renew", {"id": REC, **ANA}),
    Call("session", "search", {"message": "And what may she eat?"}),
    Call("session", "info"),
    Call("session", "turns"),
    Call("session", "messages", {"shape": "anthropic"}),
    Call("session", "tokens"),
    Call("session", "sizes"),
    Call("session", "window", {"budget": 60}),
    Call("session", "context", {"message": "And now?"}),
    Call("session", "compact", {"budget": 40}),
    Call("session", "summary"),
    Call("session", "rename", {"title": "Dinner"}),
    Call("session", "end"),
    Call("session", "archive"),
    Call("run", "retry", {"name": "book"}),
    Call("run", "checkpoint"),
    Call("run", "pause", {"waiting_for": "ana"}),
    Call("run", "resume", {"answer": "yes"}),
    Call("run", "reload"),
    Call("memory", "get", {"id": "rec_nobody", **ANA}),
    Call("memory", "expire", {"id": REC, **ANA}),
    Call("memory", "retract", {"ids": [REC], **ANA}),
    Call("memory", "quarantine", {"ids": ["turn_nobody"], **ANA}),
    Call("memory", "delete", {"id": REC, **ANA}),
    Call("memory", "reembed"),
    Call("memory", "export_to", {"path": "ana.jsonl", **ANA}),
    Call("memory", "import_from", {"path": "ana.jsonl"}),
    Call("memory", "backup", {"path": "backup.db"}),
    Call("run", "complete"),
    Call("memory", "erase", {"session_id": "t", **ANA}),
    Call("memory", "delete_all", {"session_id": "s", **ANA}),
]
#: Those that hand out what the others are called on, and the end.
MADE = {"memory": {"session", "run", "close"}, "session": {"fork"}, "run": set[str]()}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the script writes files


def parts() -> dict[str, Any]:
    """What makes two memories that are told the same the same."""
    return {
        "store": InMemoryStore(),
        "embedder": HashingEmbedder(),
        "clock": SteppingClock(START, timedelta(hours=9)),
        "ids": CountingIds(),
    }


def filled_in(call: Call, records: Sequence[Any]) -> dict[str, Any]:
    first = records[0].id if records else "rec_nobody"
    return {name: first if value == REC else value for name, value in call.arguments.items()}


def everything(memory: Memory) -> list[Any]:
    """All that a store holds of Ana, as the synchronous face reads it."""
    records = memory.get_all(**ANA, statuses=list(Status))
    return [
        records,
        [memory.history(record.id, **ANA) for record in records],
        memory.refusals(**ANA),
        memory.sessions(**ANA, archived=True) + memory.sessions(**ANA),
        [memory.session(name, **ANA).turns() for name in ("s", "t")],
        memory.session("s", **ANA).summary(),
        memory.run("r", **ANA).state,
    ]


def sync_story(script: Sequence[Call]) -> tuple[list[Any], list[Any]]:
    """What each call of the synchronous face gave, and what is on record after all of them."""
    with Memory(**parts()) as memory:
        on: dict[str, Any] = {"memory": memory, "session": memory.session("s", **ANA), "run": memory.run("r", **ANA)}
        given: list[Any] = []
        for call in script:
            arguments = filled_in(call, memory.get_all(**ANA))
            try:
                given.append(getattr(on[call.of], call.name)(**arguments))
            except OnRecordError as error:
                given.append(repr(error))
        return given, everything(memory)


async def async_story(script: Sequence[Call], made: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The same of the asynchronous face."""
    async with AsyncMemory(**made) as memory:
        on: dict[str, Any] = {
            "memory": memory,
            "session": await memory.session("s", **ANA),
            "run": await memory.run("r", **ANA),
        }
        given: list[Any] = []
        for call in script:
            arguments = filled_in(call, await memory.get_all(**ANA))
            try:
                given.append(await getattr(on[call.of], call.name)(**arguments))
            except OnRecordError as error:
                given.append(repr(error))
        return given, everything(Memory(**made))


def test_the_script_calls_every_method_there_is() -> None:
    for name, face in (("memory", AsyncMemory), ("session", AsyncSession), ("run", AsyncRun)):
        methods = {verb for verb, value in vars(face).items() if callable(value) and not verb.startswith("_")}
        assert {call.name for call in SCRIPT if call.of == name} | MADE[name] == methods


def test_every_method_gives_the_value_of_its_twin_while_the_loop_goes_on() -> None:  # B145
    turn, beats, stalled = threading.Condition(), 0, 0

    def until_the_loop_went_on() -> None:
        """Embeds nothing before the loop has gone round again, five times."""
        nonlocal stalled
        with turn:
            goal = beats + 5
            stalled += not turn.wait_for(lambda: beats >= goal, PATIENCE)

    async def heart() -> None:
        nonlocal beats
        while True:
            with turn:
                beats += 1
                turn.notify_all()
            await asyncio.sleep(0)

    async def main() -> tuple[list[Any], list[Any]]:
        beating = asyncio.create_task(heart())
        made = parts()
        made["embedder"] = GatedEmbedder(made["embedder"], until_the_loop_went_on)
        try:
            return await async_story(SCRIPT, made)
        finally:
            beating.cancel()

    given, kept = asyncio.run(main())
    assert stalled == 0
    assert beats > 5
    assert not any(inspect.isawaitable(value) for value in given)
    assert (given, kept) == sync_story(SCRIPT)


@settings(max_examples=25)
@given(st.lists(st.sampled_from(SCRIPT), max_size=30))
def test_any_sequence_of_calls_leaves_the_same_behind_by_either_face(script: list[Call]) -> None:  # B147
    assert asyncio.run(async_story(script, parts())) == sync_story(script)
