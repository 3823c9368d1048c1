"""The REST server, asked by its own client over the app itself, and as a program over the network."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from tests.server.web import LOCAL, client, through, web

import onrecord
from onrecord import Memory
from onrecord.client import Client
from onrecord.errors import InvalidInput, NotFound, StoreError, VersionConflict
from onrecord.server.limits import Buckets, Limits
from onrecord.server.rest import serve_rest

SOURCE = str(Path(onrecord.__file__).resolve().parents[1])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db") as opened:
        yield opened


# -- the verbs


def test_a_statement_is_added_found_explained_corrected_and_erased(memory: Memory) -> None:
    with client(memory) as ours:
        added = ours.add("I'm allergic to walnuts.", user_id="ana", session_id="s1")
        assert [one.result for one in added.outcomes] == ["added"]
        id = ours.search("What am I allergic to?", user_id="ana").hits[0].id
        assert ours.why(id, user_id="ana").turns[0].text == "I'm allergic to walnuts."
        assert ours.update(id, "I'm allergic to walnuts and pecans.", version=1, user_id="ana").version == 2
        assert [event.type for event in ours.history(id, user_id="ana")] == ["added", "edited"]
        assert "pecans" in json.dumps(ours.context("What may I eat?", user_id="ana").messages)
        assert [thread.id for thread in ours.sessions(user_id="ana")] == ["s1"]
        assert [turn.text for turn in ours.session("s1", user_id="ana").turns()] == ["I'm allergic to walnuts."]
        assert [(one.type, one.id) for one in ours.retract([id], user_id="ana").changes] == [("retract", id)]
        assert ours.get(id, user_id="ana").status == "retracted"
        ours.delete(id, user_id="ana")
        with pytest.raises(NotFound):
            ours.get(id, user_id="ana")
        assert ours.maintain().failed == 0


def test_what_was_refused_is_shown_with_its_reason(memory: Memory) -> None:
    with client(memory) as ours:
        ours.add("What's the weather?", user_id="ana")
        assert [one.reason for one in ours.refusals(user_id="ana")] == ["question"]


def test_all_pages_of_a_long_list_are_read(memory: Memory) -> None:
    for number in range(130):
        memory.remember(f"Badge {number} opens door {number}.", user_id="ana")
    with client(memory) as ours:
        assert len({one.id for one in ours.get_all(user_id="ana")}) == 130
        assert len(ours.get_all(user_id="ana", limit=120)) == 120


def test_the_same_idempotency_key_writes_once(memory: Memory) -> None:
    with client(memory) as ours:
        for result in ("stored", "existing"):
            added = ours.add("I moved to Porto.", user_id="ana", session_id="s", idempotency_key="k")
            assert [turn.result for turn in added.turns] == [result]


def test_errors_of_the_library_come_back_as_they_were(memory: Memory) -> None:
    id = memory.remember("Ana likes tea.", user_id="ana").records[0].id
    with client(memory) as ours:
        with pytest.raises(VersionConflict, match="version 1"):
            ours.update(id, "Ana likes coffee.", version=7, user_id="ana")
        with pytest.raises(InvalidInput) as refused:
            ours.search("tea", subject="nobody")
        assert refused.value.field == "subject"
        assert refused.value.fix
        with pytest.raises(InvalidInput, match="limit"):
            ours.search("tea", user_id="ana", limit=1_000)
        with pytest.raises(InvalidInput, match="user_id"):
            ours.search("tea")


# -- limits and faults


def test_a_body_that_is_too_large_is_refused(memory: Memory) -> None:
    answer = web(memory, limits=Limits(body=1_000)).post("/v1/search", json={"query": "x" * 2_000, "user_id": "ana"})
    assert (answer.status_code, answer.json()["status"]) == (413, 413)


def test_a_caller_that_asks_too_often_is_told_to_wait(memory: Memory) -> None:
    app = web(memory, limits=Limits(rate=0.000_1, burst=2))
    codes = [app.get("/v1/sessions", params={"user_id": "ana"}).status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert app.get("/health").status_code == 200


def test_a_bucket_fills_up_again_and_forgets_whom_it_did_not_see_for_long() -> None:
    buckets = Buckets(rate=1.0, burst=1, most=2)
    assert [buckets.take("a", now) for now in (0.0, 0.5, 1.6)] == [True, False, True]
    assert buckets.take("b", 1.6)
    assert buckets.take("c", 1.6)
    assert list(buckets.held) == ["b", "c"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"query": 7}', b'{"query": "x", "nonsense": 1}', b"\xff"])
def test_a_bad_body_is_told_by_field(memory: Memory, body: bytes) -> None:
    answer = web(memory).post("/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["field"]


@pytest.mark.parametrize("since", ["0.5", "1700000000", "-1e9", " 7 ", "tomorrow", "2026-03-03"])
def test_a_time_is_written_with_its_zone_and_is_no_number(memory: Memory, since: str) -> None:
    app = web(memory)
    assert app.get("/v1/misses", params={"user_id": "ana", "since": since}).status_code == 422
    assert app.get("/v1/misses", params={"user_id": "ana", "since": "2026-03-03T11:42:05+01:00"}).status_code == 200
    assert app.post("/v1/search", json={"query": "x", "user_id": "ana", "since": 0.5}).status_code == 422


def test_a_method_that_is_not_there_is_told_with_those_that_are(memory: Memory) -> None:
    answer = web(memory).request("OPTIONS", "/v1/memories/rec_1")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, PATCH")
    assert web(memory).request("OPTIONS", "/v1/memories/remember").headers["allow"] == "POST"


def test_a_store_that_fails_is_a_problem_and_not_a_crash(memory: Memory) -> None:
    app = web(memory)
    memory.close()
    answer = app.post("/v1/search", json={"query": "x", "user_id": "ana"})
    assert answer.status_code == 503
    assert app.get("/ready").status_code == 503
    assert app.get("/health").status_code == 200


def test_metrics_count_routes_and_hold_no_ids(memory: Memory) -> None:
    app = web(memory)
    app.get("/v1/memories/rec_secret_1", params={"user_id": "ana"})
    text = app.get("/metrics").text
    assert 'onrecord_requests_total{method="GET",route="/v1/memories/{id}",status="404"} 1.0' in text
    assert "rec_secret_1" not in text


# -- the client on a bad line


def failing(*codes: int | Exception) -> tuple[Client, list[httpx2.Request]]:
    seen: list[httpx2.Request] = []
    left = list(codes)

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        code = left.pop(0)
        if isinstance(code, Exception):
            raise code
        return httpx2.Response(code, json={"turns": [], "outcomes": []})

    return Client(LOCAL, transport=httpx2.MockTransport(handle), sleep=lambda seconds: None), seen


def test_an_add_is_sent_again_with_the_same_key() -> None:
    ours, seen = failing(503, httpx2.ReadTimeout("late"), 429, 200)
    ours.add("x", user_id="ana")
    assert len({request.headers["Idempotency-Key"] for request in seen}) == 1
    assert len(seen) == 4


def test_what_may_have_been_done_is_not_sent_again() -> None:
    ours, seen = failing(httpx2.ReadTimeout("late"))
    with pytest.raises(StoreError):
        ours.retract(["rec_1"], user_id="ana")
    assert len(seen) == 1


class _Lossy(httpx2.BaseTransport):
    """Carries requests on, and loses the answer of the first."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        self._inner, self.sent = inner, 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._inner.handle_request(request)
        self.sent += 1
        if self.sent == 1:
            raise httpx2.ReadTimeout("the answer was lost")
        return answer


@pytest.mark.parametrize("write", [Client.add, Client.remember])
def test_what_is_written_though_its_answer_was_lost_is_written_once(memory: Memory, write: Callable[..., object]) -> None:
    line = _Lossy(through(memory))
    with Client(LOCAL, transport=line, sleep=lambda seconds: None) as ours:
        write(ours, "I moved to Porto.", user_id="ana", session_id="s")
    assert line.sent == 2
    assert len(memory.session("s", user_id="ana").turns()) == 1
    (record,) = memory.get_all(user_id="ana")
    assert len(memory.history(record.id, user_id="ana")) == 1


def test_a_server_that_is_never_there_is_given_up() -> None:
    ours, seen = failing(*(httpx2.ConnectError("gone") for _ in range(9)))
    with pytest.raises(StoreError, match="not reached"):
        ours.get_all(user_id="ana")
    assert len(seen) == 4


# -- the description, and the program


def test_the_description_names_every_problem(memory: Memory) -> None:
    described = web(memory).get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    for path, verbs in described["paths"].items():
        for verb in verbs.values():
            if path.startswith("/v1"):
                assert {"401", "403", "422", "429", "503"} <= set(verb["responses"]), path
                assert verb["summary"]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., str]]:
    running: list[subprocess.Popen[bytes]] = []

    def start(*options: str) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "onrecord", "--db", str(tmp_path / "memory.db"), "serve", "--port", str(port), *options]
        server = subprocess.Popen(command, env={"PATH": os.environ["PATH"], "PYTHONPATH": SOURCE})
        running.append(server)
        url = f"http://127.0.0.1:{port}"
        with httpx2.Client(transport=httpx2.HTTPTransport(retries=9)) as http:
            while True:
                try:
                    http.get(f"{url}/health", timeout=5)
                    return url
                except httpx2.TransportError:
                    assert server.poll() is None

    yield start
    for server in running:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) in (0, -signal.SIGTERM)


def test_many_clients_write_through_one_server_at_once(program: Callable[..., str], tmp_path: Path) -> None:
    url = program()

    def write(name: int) -> None:
        with Client(url) as ours:
            for number in range(5):
                ours.remember(f"Locker {name}-{number} belongs to crew {name}.", user_id="ana")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    with Memory(tmp_path / "memory.db") as memory:
        assert len(memory.get_all(user_id="ana")) == 40


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.com"])
def test_it_does_not_listen_where_others_reach_it_without_keys(memory: Memory, host: str) -> None:
    with pytest.raises(InvalidInput, match="onrecord keys add"):
        serve_rest(memory, host, 8_764)
