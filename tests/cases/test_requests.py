"""What went wrong elsewhere with requests to a server: bodies, lists, names that are paths. Numbers in comments name cases."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import START
from tests.server.mcp_calls import ask, called
from tests.server.web import client, secret, web

from onrecord import InvalidInput, Memory
from onrecord.model.key import Right
from onrecord.model.record import Status
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import CountingIds, SteppingClock
from onrecord.server.app import rest_app
from onrecord.server.mcp import mcp_server

ANA: dict[str, Any] = {"user_id": "ana"}


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "data" / "memory.db", embedder=HashingEmbedder()) as opened:
        yield opened


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"a": value}
    return value


BAD: dict[str, tuple[str, Any, str]] = {
    "a text over the limit": ("/v1/memories", {"messages": "x" * 1_000_001, **ANA}, "messages"),
    "an owner over the limit": ("/v1/search", {"query": "x", "user_id": "x" * 201}, "user_id"),
    "a statement over the limit": ("/v1/memories/remember", {"statement": "x" * 241, **ANA}, "statement"),
    "a question over the limit": ("/v1/search", {"query": "x" * 1_000_000, **ANA}, "query"),  # B214
    "more messages than the limit": ("/v1/memories", {"messages": [{"role": "user", "content": "x"}] * 101, **ANA}, "messages"),
    "more ids than the limit": ("/v1/retract", {"ids": ["rec_1"] * 1_001, **ANA}, "ids"),
    "a wrong type": ("/v1/search", {"query": 7, **ANA}, "query"),
    "an unknown field": ("/v1/search", {"query": "x", "nonsense": 1, **ANA}, "nonsense"),
    "an unknown word": ("/v1/search", {"query": "x", "include": "all", **ANA}, "include"),
    "a list for an object": ("/v1/search", [], "body"),
    "no body": ("/v1/search", None, "body"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_told_with_the_field_and_is_no_fault_of_the_server(kept: Memory, name: str) -> None:  # B212
    path, body, field = BAD[name]
    answer = web(kept).post(path, json=body)
    assert answer.status_code == 422
    assert field in answer.json()["field"]
    assert answer.json()["detail"]
    assert kept.engine.store.check().counts["turns"] == 0


@pytest.mark.parametrize("depth", [40, 400, 4_000, 100_000])
def test_metadata_as_deep_as_it_likes_is_kept_or_refused(kept: Memory, depth: int) -> None:  # B212
    body = '{"statement": "Ana likes tea.", "user_id": "ana", "metadata": ' + '{"a":' * depth + "1" + "}" * depth + "}"
    answer = web(kept).post("/v1/memories/remember", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 413, 422), answer.text


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_type_is_refused(kept: Memory, kind: str) -> None:  # B212
    answer = web(kept).post("/v1/search", content=b'{"query": "x", "user_id": "ana"}', headers={"Content-Type": kind})
    assert answer.status_code in (200, 415, 422)


def test_a_body_without_end_is_read_no_further_than_the_limit(kept: Memory) -> None:  # B212
    read, sent = 0, list[Any]()

    async def receive() -> Any:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"x" * 1_000_000, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/search", "raw_path": b"/v1/search", "query_string": b""}
    scope |= {"headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http"}
    asyncio.run(rest_app(kept, local=True)(scope, receive, send))
    assert sent[0]["status"] == 413
    assert read == 3  # of megabytes; the limit is two


# -- lists


def test_every_record_is_on_one_page_of_the_server_while_others_come_and_go(kept: Memory) -> None:  # B266
    ids = [kept.remember(f"Shelf {n} holds crate {n * 7 + 1}.", **ANA).records[0].id for n in range(57)]
    app, seen, after = web(kept), list[str](), None
    while True:
        page = app.get("/v1/memories", params={"limit": 20, **ANA, **({"after": after} if after else {})}).json()
        seen += [one["id"] for one in page["memories"]]
        if (after := page["next"]) is None:
            break
        kept.delete(seen[0], **ANA) if len(seen) == 20 else None
        kept.remember(f"Later, desk {len(seen)} holds folder {len(seen) * 11}.", **ANA) if len(seen) == 20 else None
    assert [id for id in seen if id in ids] == ids
    assert len(seen) == len(set(seen)) == 58


def test_who_names_no_owner_is_refused_by_every_verb_alike(kept: Memory) -> None:  # B268
    kept.add("I like tea.", session_id="s", **ANA)
    for call in (kept.get_all, kept.sessions, kept.review, lambda: kept.search("tea"), lambda: kept.add("I like tea.")):
        with pytest.raises(InvalidInput) as refused:
            call()
        assert refused.value.field == "user_id"


def test_a_key_of_one_owner_means_that_owner_in_every_verb_alike(kept: Memory) -> None:  # B268
    kept.add("I never eat pork.", session_id="s", user_id="ana")
    kept.add("I never eat fish.", session_id="t", user_id="bo")
    with client(kept, secret(kept, Right.READ, subject="user:ana"), local=False) as ours:
        assert [one.statement for one in ours.get_all()] == ["I never eat pork."]
        assert {hit.text for hit in ours.search("What does she never eat: pork or fish?").hits} == {"I never eat pork."}
        assert [one.id for one in ours.sessions()] == ["s"]
        assert [turn.text for turn in ours.session("s").turns()] == ["I never eat pork."]


def test_the_owner_of_the_settings_is_meant_by_every_command_alike(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # B268
    for user, said in (("ana", "I never eat pork."), ("bo", "I never eat fish.")):
        assert run("add", said, "--user", user, "--session", f"of {user}").code == 0
    monkeypatch.setenv("ONRECORD_USER", "ana")
    assert [one["statement"] for one in run("list", "--json").json()] == ["I never eat pork."]
    assert "fish" not in run("search", "Who never eats pork or fish?", "--json").out
    assert [one["id"] for one in run("session", "list", "--json").json()] == ["of ana"]


# -- names that are paths

NAMES = ["../../x", "/etc/x", "..\\x", "a/../../b", "con", "x" * 190, "$(touch x)", "%2e%2e%2fx", "~", "a;b"]
REFUSED = ["x\0y", "x\ny", "x" * 201, " ", ""]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_opaque_text_and_never_a_path(kept: Memory, tmp_path: Path, name: str) -> None:  # B248, B249
    kept.remember("Bo likes milk.", user_id="bo", session_id="s")
    before = files(tmp_path)
    app = web(kept)
    quoted = "".join(f"%{byte:02x}" for byte in name.encode())
    assert app.post("/v1/memories", json={"messages": "I like tea.", "user_id": name, "session_id": name}).status_code == 200
    turns = app.get(f"/v1/sessions/{quoted}/turns", params={"user_id": name})
    # a name with a slash is no single part of a path for the framework: not there, and not elsewhere either
    assert turns.status_code in (200, 404)
    assert [turn.text for turn in kept.session(name, user_id=name).turns()] == ["I like tea."]
    kept.run(name, user_id=name).checkpoint()
    kept.erase(user_id=name)
    assert kept.sessions(user_id=name) == []
    assert len(kept.get_all(user_id="bo")) == 1
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_can_be_none_is_refused(kept: Memory, name: str) -> None:  # B248
    for place in ({"user_id": name}, {"user_id": "ana", "session_id": name}, {"user_id": "ana", "run_id": name}):
        answer = web(kept).post("/v1/memories", json={"messages": "I like tea.", **place})
        assert answer.status_code == 422, place
    assert kept.engine.store.check().counts["turns"] == 0


def test_names_in_a_file_of_messages_stay_names(run: Any, tmp_path: Path) -> None:  # B249
    rows = [{"role": "user", "content": "I like tea.", "id": "../../x", "name": "/etc/passwd", "metadata": {"file": "../out"}}]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    assert run("add", "--file", "m.jsonl", "--user", "ana", "--session", "../../tmp/out").code == 0
    assert {path.name for path in tmp_path.iterdir()} <= {"m.jsonl", "data", "onrecord.db", *_BESIDE}
    assert not (tmp_path.parent.parent / "tmp" / "out").exists()


_BESIDE = {"onrecord.db-wal", "onrecord.db-shm", "onrecord.db-lock", "onrecord.db.lock"}


# -- one store behind every face


def _script(seed: int) -> list[tuple[str, Any]]:
    """Calls in words that every face has, the same for a seed."""
    draw = random.Random(seed)
    said = [
        "I live in Lisbon.",
        "I moved to Porto.",
        "I never eat pork.",
        "My sister is Inês.",
        "I like tea.",
        "What time is it?",
    ]
    verbs = ["add", "add", "add", "update", "forget", "delete", "end"]
    return [(draw.choice(verbs), (draw.choice(said), draw.random())) for _ in range(12)]


@pytest.mark.parametrize("seed", range(4))
def test_the_same_calls_leave_the_same_behind_whatever_face_they_come_through(seed: int) -> None:  # B147
    assert _through_library(seed) == _through_rest(seed) == _through_mcp(seed)


def _fresh() -> Memory:
    return Memory(":memory:", embedder=HashingEmbedder(), clock=SteppingClock(START), ids=CountingIds())


def _left(memory: Memory) -> list[tuple[str, str, str]]:
    records = memory.get_all(statuses=list(Status), **ANA)
    return [(record.statement, record.status, record.kind) for record in records]


def _picked(memory: Memory, place: float) -> str | None:
    ids = [record.id for record in memory.get_all(**ANA)]
    return ids[int(place * len(ids))] if ids else None


def _through_library(seed: int) -> list[tuple[str, str, str]]:
    memory = _fresh()
    for verb, (said, place) in _script(seed):
        id = _picked(memory, place)
        if verb == "add":
            memory.add([{"role": "user", "content": said}], session_id="s", **ANA)
        elif verb == "end":
            if memory.sessions(**ANA):
                memory.session("s", **ANA).end()
        elif id is None:
            continue
        elif verb == "update":
            memory.update(id, f"{said} Or so.", **ANA)
        elif verb == "forget":
            memory.retract([id], **ANA)
        else:
            memory.delete(id, **ANA)
    return _left(memory)


def _through_rest(seed: int) -> list[tuple[str, str, str]]:
    memory = _fresh()
    with client(memory) as ours:
        for verb, (said, place) in _script(seed):
            id = _picked(memory, place)
            if verb == "add":
                ours.add([{"role": "user", "content": said}], session_id="s", **ANA)
            elif verb == "end":
                if ours.sessions(**ANA):
                    ours.session("s", **ANA).end()
            elif id is None:
                continue
            elif verb == "update":
                ours.update(id, f"{said} Or so.", **ANA)
            elif verb == "forget":
                ours.retract([id], **ANA)
            else:
                ours.delete(id, **ANA)
    return _left(memory)


def _through_mcp(seed: int) -> list[tuple[str, str, str]]:
    memory = _fresh()

    async def asking(server: Any) -> None:
        for verb, (said, place) in _script(seed):
            id = _picked(memory, place)
            if verb == "add":
                await called(server, "add_memory", text=said, said_by="user", session_id="s")
            elif verb == "end":
                if (await called(server, "list_sessions"))["threads"]:
                    await called(server, "end_session", session_id="s")
            elif id is None:
                continue
            elif verb == "update":
                await called(server, "update_memory", id=id, statement=f"{said} Or so.")
            else:
                await called(server, "forget" if verb == "forget" else "delete_memory", id=id)

    ask(mcp_server(memory, {"user_id": "ana"}), asking)
    return _left(memory)
