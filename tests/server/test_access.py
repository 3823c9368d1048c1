"""Who may do what: asked of every route that the app has, so that a new one is asked too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from tests.server.web import client, secret, web

from onrecord import Memory
from onrecord.client import Refused
from onrecord.model.key import Right
from onrecord.pipeline.keys import new_key
from onrecord.server.access import of_tenant
from onrecord.server.limits import Limits

#: So many requests come from one caller here that a limit would be passed.
EVERY = Limits(rate=0)
#: What each route that takes a body is asked beside an owner. A route that takes one and stands not here fails the tests.
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/v1/memories"): {"messages": "I like tea."},
    ("POST", "/v1/memories/remember"): {"statement": "Ana likes tea."},
    ("PATCH", "/v1/memories/{id}"): {"statement": "Changed."},
    ("POST", "/v1/memories/{id}/renew"): {},
    ("POST", "/v1/memories/{id}/expire"): {},
    ("POST", "/v1/search"): {"query": "code"},
    ("POST", "/v1/context"): {"message": "code"},
    ("PATCH", "/v1/sessions/{session_id}"): {"title": "Tea"},
    ("POST", "/v1/sessions/{session_id}/turns"): {"messages": "I like tea."},
    ("POST", "/v1/sessions/{session_id}/compact"): {},
    ("POST", "/v1/sessions/{session_id}/end"): {},
    ("POST", "/v1/sessions/{session_id}/fork"): {"new": "s2"},
    ("POST", "/v1/sessions/{session_id}/search"): {"message": "code"},
    ("POST", "/v1/sessions/{session_id}/context"): {"message": "code"},
    ("PUT", "/v1/runs/{run_id}"): {"step": 0},
    ("POST", "/v1/knowledge"): {"text": "The shop opens at ten.", "name": "shop"},
    ("POST", "/v1/knowledge/search"): {"query": "code"},
    ("POST", "/v1/retract"): {"ids": ["{id}"]},
    ("POST", "/v1/quarantine"): {"ids": ["{id}"]},
    ("POST", "/v1/erase"): {"ids": ["{id}"]},
}
#: Routes about the whole store, which name no owner, with what they need.
OWNERLESS: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/v1/maintain"): {},
    ("POST", "/v1/undo"): {"run": "upkeep_none"},
}
#: What needs more than the right to read.
RIGHTS: dict[tuple[str, str], Right] = {
    **dict.fromkeys(BODIES, Right.WRITE),
    **{route: Right.READ for route in BODIES if route[1].endswith(("/search", "/context"))},
    ("DELETE", "/v1/memories"): Right.WRITE,
    ("DELETE", "/v1/memories/{id}"): Right.WRITE,
    ("DELETE", "/v1/runs/{run_id}"): Right.WRITE,
    ("POST", "/v1/erase"): Right.ADMIN,
    ("DELETE", "/v1/knowledge/{id}"): Right.WRITE,
    ("POST", "/v1/maintain"): Right.ADMIN,
    ("POST", "/v1/undo"): Right.ADMIN,
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db") as opened:
        yield opened


def routes(app: Any) -> list[tuple[str, str]]:
    paths = app.app.openapi()["paths"]
    return [(verb.upper(), path) for path, verbs in paths.items() if path.startswith("/v1") for verb in verbs]


def ask(app: TestClient, verb: str, path: str, id: str, key: str | None, owner: dict[str, str]) -> httpx2.Response | Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = path.replace("{id}", id).replace("{session_id}", "s1").replace("{run_id}", "r1")
    if verb in ("GET", "DELETE"):
        return app.request(verb, url, params=owner, headers=headers)
    if (verb, path) in OWNERLESS:
        return app.request(verb, url, json=OWNERLESS[verb, path], headers=headers)
    asked = BODIES[verb, path]
    filled = {name: [id] if value == ["{id}"] else value for name, value in asked.items()}
    return app.request(verb, url, json={**filled, **owner}, headers=headers)


def planted(memory: Memory, user: str) -> str:
    """A record, a thread and a run of a user, with a word that nobody else has; the record's id."""
    memory.add("The vault code word is marzipan.", user_id=user, session_id="s1")
    run = memory.run("r1", user_id=user)
    run.values["word"] = "marzipan"
    run.checkpoint()
    memory.knowledge.add("The vault is opened with marzipan.", name="vault", user_id=user)
    return memory.remember("Marzipan opens the vault.", user_id=user).records[0].id


def untouched(memory: Memory, id: str, user: str) -> None:
    assert memory.get(id, user_id=user).version == 1
    assert memory.get(id, user_id=user).status == "active"
    assert [turn.text for turn in memory.session("s1", user_id=user).turns()] == ["The vault code word is marzipan."]
    assert memory.run("r1", user_id=user).values == {"word": "marzipan"}


def test_without_a_key_nothing_is_readable_but_health(memory: Memory) -> None:
    secret(memory, Right.ADMIN)
    for local in (True, False):
        app = web(memory, local=local, limits=EVERY)
        assert len(routes(app)) >= 35
        for verb, path in routes(app):
            for key in (None, "onr_wrong", ""):
                answer = ask(app, verb, path, "rec_1", key, {"user_id": "ana"})
                assert answer.status_code == 401, (verb, path)
                assert answer.headers["content-type"] == "application/problem+json"
        assert app.get("/health").json() == {"status": "ok"}
        assert app.get("/ready").status_code == 200
        assert app.get("/metrics").status_code == 401


def test_counts_are_read_with_any_key_and_on_this_machine_before_one_is_made(memory: Memory) -> None:
    assert web(memory, local=True).get("/metrics").status_code == 200
    key = secret(memory, Right.READ)
    counts = web(memory, local=False).get("/metrics", headers={"Authorization": f"Bearer {key}"})
    assert "onrecord_requests_total" in counts.text


def test_a_server_that_others_reach_asks_for_keys_even_if_none_is_left(memory: Memory) -> None:
    assert web(memory, local=False).post("/v1/search", json={"query": "x", "user_id": "ana"}).status_code == 401


def test_a_key_of_one_tenant_gets_nothing_of_another_through_any_route(memory: Memory) -> None:
    theirs = of_tenant(memory, "globex")
    id = planted(theirs, "ana")
    key = secret(memory, Right.ADMIN, tenant="acme")
    app = web(memory, local=False, limits=EVERY)
    for verb, path in routes(app):
        answer = ask(app, verb, path, id, key, {"user_id": "ana"})
        assert answer.status_code in (200, 204, 404), (verb, path, answer.text)
        assert "marzipan" not in answer.text.lower(), (verb, path)
    untouched(theirs, id, "ana")


def test_a_key_bound_to_an_owner_reaches_no_other_through_any_route(memory: Memory) -> None:
    id = planted(memory, "bo")
    key = secret(memory, Right.ADMIN, subject="user:ana")
    app = web(memory, local=False, limits=EVERY)
    for verb, path in routes(app):
        for owner, fine in (
            ({"user_id": "bo"}, (403,)),
            ({"subject": "user:bo"}, (403,)),
            ({"agent_id": "x"}, (403,)),
            ({}, (403,) if (verb, path) in OWNERLESS else (200, 204, 404)),
        ):
            answer = ask(app, verb, path, id, key, owner)
            assert answer.status_code in fine, (verb, path, owner, answer.text)
            assert "marzipan" not in answer.text.lower(), (verb, path)
    untouched(memory, id, "bo")


@pytest.mark.parametrize("path", ["/v1/search", "/v1/context", "/v1/sessions/s1/search", "/v1/sessions/s1/context"])
def test_a_bound_key_names_no_further_subjects(memory: Memory, path: str) -> None:
    planted(memory, "bo")
    headers = {"Authorization": f"Bearer {secret(memory, Right.READ, subject='user:ana')}"}
    words = {"query": "marzipan", "message": "marzipan"}
    asked = {name: words[name] for name in (["query"] if path == "/v1/search" else ["message"])}
    app = web(memory, local=False, limits=EVERY)
    assert app.post(path, json={**asked, "subjects": ["user:bo"]}, headers=headers).status_code == 403
    for listing in ("/v1/memories", "/v1/misses"):
        assert app.get(listing, params={"subjects": ["user:bo"]}, headers=headers).status_code == 403


def test_a_bound_key_is_told_of_rows_elsewhere_and_not_what_they_say(memory: Memory) -> None:
    said = {"role": "user", "name": "Bo", "content": "I prefer marzipan to nougat."}
    turn = memory.add([said], subject="team:care", session_id="s1").turns[0].turn_id
    assert [record.subject for record in memory.get_all(subject="user:bo")] == ["user:bo"]
    key = secret(memory, Right.READ, subject="team:care")
    app = web(memory, local=False, limits=EVERY)
    answer = app.get(f"/v1/memories/{turn}/lineage", headers={"Authorization": f"Bearer {key}"}).json()
    assert (answer["made"], answer["elsewhere"]) == ([], 1)
    whole = app.get(
        f"/v1/memories/{turn}/lineage",
        params={"subject": "team:care"},
        headers={"Authorization": f"Bearer {secret(memory, Right.READ)}"},
    ).json()
    assert ([one["statement"] for one in whole["made"]], whole["elsewhere"]) == (["I prefer marzipan to nougat."], 0)


def test_a_right_covers_what_is_below_it_and_no_more(memory: Memory) -> None:
    keys = {right: secret(memory, right) for right in Right}
    app = web(memory, local=False, limits=EVERY)
    for verb, path in routes(app):
        needed = RIGHTS.get((verb, path), Right.READ)
        for right, key in keys.items():
            answer = ask(app, verb, path, "rec_1", key, {"user_id": "ana"})
            assert (answer.status_code == 403) == (not right.covers(needed)), (verb, path, right)


def test_a_key_that_was_dropped_gets_in_no_more(memory: Memory) -> None:
    key, shown = new_key(memory.engine, "default", "k", Right.READ, None)
    with client(memory, shown, local=False) as ours:
        assert ours.get_all(user_id="ana") == []
        memory.engine.store.drop_key(key.id)
        with pytest.raises(Refused):
            ours.get_all(user_id="ana")


def test_the_secret_of_a_key_is_nowhere_in_the_file(memory: Memory, tmp_path: Path) -> None:
    shown = secret(memory, Right.WRITE)
    memory.close()
    for file in tmp_path.iterdir():
        assert shown.encode() not in file.read_bytes()


def test_a_local_server_answers_under_its_own_name_alone(memory: Memory) -> None:
    app = web(memory)
    assert app.get("/v1/memories", params={"user_id": "ana"}, headers={"Host": "evil.example"}).status_code == 400
