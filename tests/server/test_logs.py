"""Logs as JSON lines: what they tell, and that no words of a record, a caller or an error get into them."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.web import secret, web

from onrecord import Memory
from onrecord.errors import StoreError
from onrecord.model.key import Right
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.server.logs import log_json

SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    root, ours = logging.getLogger(), logging.getLogger("onrecord")
    before = list(root.handlers), root.level, ours.level
    stream = io.StringIO()
    log_json(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:], root.level = before[0], before[1]
    ours.setLevel(before[2])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder()) as opened:
        yield opened


def test_a_request_is_one_line_with_its_id_tenant_and_route(memory: Memory, lines: Callable[[], list[dict[str, Any]]]) -> None:
    headers = {"Authorization": f"Bearer {secret(memory, Right.WRITE, tenant='acme')}", "X-Request-Id": "call-7"}
    answer = web(memory, local=False).get("/v1/memories", params={"user_id": "ana"}, headers=headers)
    assert answer.headers["x-request-id"] == "call-7"
    (line,) = lines()
    assert line["time"].endswith("+00:00")
    assert line["ms"] >= 0
    told = ("level", "logger", "message", "request", "tenant", "key", "route", "method", "status")
    assert [line[name] for name in told] == [
        *("info", "onrecord.server", "request", "call-7", "acme", "write", "/v1/memories", "GET", 200)
    ]


@pytest.mark.parametrize("id", ["a b", "x" * 65, "ü", ""])
def test_an_id_that_may_be_text_is_replaced(memory: Memory, id: str) -> None:
    answer = web(memory).get("/health", headers=[(b"X-Request-Id", id.encode())])
    assert answer.headers["x-request-id"].startswith("req_")


def test_a_warning_from_within_tells_request_tenant_run_and_session(
    memory: Memory, lines: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: Any) -> None:
        raise StoreError("walnuts are not kept")

    monkeypatch.setattr(memory.engine.store, "put_vectors", fails)
    said = {"messages": "I'm allergic to walnuts.", "user_id": "ana", "run_id": "r1", "session_id": "s1"}
    answer = web(memory).post("/v1/memories", json=said)
    assert answer.status_code == 200
    warning, request = lines()
    assert warning["message"] == "the vectors of %d turns were not kept: %s"
    assert (warning["tenant"], warning["run"], warning["session"]) == ("default", "r1", "s1")
    assert warning["request"] == request["request"] == answer.headers["x-request-id"]


def test_an_unexpected_fault_is_told_by_class_and_place_and_not_by_its_words(
    memory: Memory, lines: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"walnuts {SECRET}")

    monkeypatch.setattr(memory.engine.store, "select", breaks)
    assert web(memory).get("/v1/memories", params={"user_id": "ana"}).status_code == 500
    fault = next(line for line in lines() if "error" in line)
    assert fault["error"] == "RuntimeError"
    assert fault["at"][-1].endswith(" breaks")
    assert "walnut" not in json.dumps(lines())


def test_no_words_of_callers_or_other_packages_get_into_a_line(memory: Memory, lines: Callable[[], list[dict[str, Any]]]) -> None:
    app = web(memory)
    app.post("/v1/memories", json={"messages": f"My password is {SECRET}. I like walnuts.", "user_id": "ana"})
    app.post("/v1/search", json={"query": "walnuts", "user_id": "ana", "limit": "walnuts"})
    app.get("/v1/memories/walnuts", params={"user_id": "walnuts"}, headers={"X-Request-Id": "walnuts are kept?"})
    app.get("/walnuts")
    logging.getLogger("elsewhere").warning("failed on %s", "walnuts")
    logging.getLogger("elsewhere").warning(f"failed on walnuts {SECRET}")
    told = json.dumps(lines())
    assert "walnut" not in told
    assert SECRET not in told
    assert len(lines()) == 6


def test_the_loop_is_watched(memory: Memory) -> None:
    with web(memory) as app:  # runs the app with its lifespan
        app.get("/health")
        text = app.get("/metrics").text
    assert "onrecord_loop_lag_seconds_bucket" in text
    assert "onrecord_loop_lag_longest_seconds" in text
