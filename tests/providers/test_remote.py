"""Embedders behind HTTP, against a real server on loopback that speaks their protocols, well and badly."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.providers.loopback import Loopback, Reply

from onrecord.build import open_embedder
from onrecord.errors import EmbedderError, EmbedderUnavailable, InvalidInput
from onrecord.memory import Memory
from onrecord.model.receipt import TurnResult
from onrecord.providers.embed.endpoint import DOCUMENTS, QUERY
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.embed.remote import OllamaEmbedder, OpenAiEmbedder
from onrecord.providers.endpoint import Patience

pytest.importorskip("httpx2")

DIM = 16
KEY = "sk-a-secret-key"


class Server(Loopback):
    """Answers as the protocols say."""

    def __init__(self) -> None:
        super().__init__()
        self.change: Callable[[dict[str, Any]], Any] = lambda answer: answer

    def reply(self, path: str, body: dict[str, Any]) -> Reply:
        vectors = HashingEmbedder(DIM).embed_documents(body["input"]).tolist()
        rows = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        answer = {"/v1/embeddings": {"data": rows[::-1]}, "/api/embed": {"embeddings": vectors}}[path]
        return 200, {}, self.change(answer)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def pauses() -> list[float]:
    """The seconds that were waited; nobody really waits."""
    return []


@pytest.fixture(params=["openai", "ollama"])
def embedder(request: pytest.FixtureRequest, server: Server, pauses: list[float]) -> OpenAiEmbedder | OllamaEmbedder:
    if request.param == "openai":
        return OpenAiEmbedder("m", f"{server.url}/v1", key=KEY, batch=2, pause=pauses.append)
    return OllamaEmbedder("m", server.url, batch=2, pause=pauses.append)


Remote = OpenAiEmbedder | OllamaEmbedder
TEXTS = ["Anna lives in Lisbon", "two eggs", "", "日本語 🎉 \ud800", "five"]


def test_vectors_come_in_the_order_asked_whatever_the_order_of_the_answer(server: Server, embedder: Remote) -> None:
    sent = ["Anna lives in Lisbon", "two eggs", " ", "日本語 🎉 ?", "five"]
    assert np.array_equal(embedder.embed_documents(TEXTS), HashingEmbedder(DIM).embed_documents(sent))  # float32 survives JSON
    assert [len(body["input"]) for _, body, _ in server.requests] == [2, 2, 1]
    assert embedder.dim == DIM


def test_the_dimension_is_asked_for_once_where_it_is_not_known(server: Server, embedder: Remote) -> None:
    assert (embedder.dim, embedder.dim, embedder.embed_documents([]).shape) == (DIM, DIM, (0, DIM))
    assert len(server.requests) == 1


def test_the_key_is_sent_and_stands_in_no_log_and_no_error(
    server: Server, caplog: pytest.LogCaptureFixture, pauses: list[float]
) -> None:
    caplog.set_level(logging.DEBUG)
    embedder = OpenAiEmbedder("m", f"{server.url}/v1", key=KEY, pause=pauses.append)
    embedder.embed_query("a very private question")
    server.due = [(401, {}, KEY.encode())]
    with pytest.raises(EmbedderError, match="answered 401; check the key") as caught:
        embedder.embed_query("a very private question")
    assert {headers["authorization"] for _, _, headers in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in caplog.text + str(caught.value) + repr(embedder)
    assert "private" not in caplog.text


def test_a_busy_server_is_asked_again_on_one_ladder(server: Server, embedder: Remote, pauses: list[float]) -> None:
    server.due = [(429, {}, b""), (500, {}, b"no json"), (503, {}, b"")]
    assert embedder.embed_documents(["a"]).shape == (1, DIM)
    assert pauses == list(DOCUMENTS.waits)


def test_a_server_that_asks_for_time_gets_it(server: Server, embedder: Remote, pauses: list[float]) -> None:
    server.due = [(429, {"Retry-After": "7"}, b""), (429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"")]
    embedder.embed_documents(["a"])
    assert pauses == [7.0, DOCUMENTS.waits[1]]


def test_one_that_asks_for_too_much_is_given_up_at_once(server: Server, embedder: Remote, pauses: list[float]) -> None:
    server.due = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(EmbedderUnavailable, match=r"answered 429; it asks to wait 3600 s"):
        embedder.embed_documents(["a"])
    assert (pauses, len(server.requests)) == ([], 1)


def test_tries_are_bounded_and_fewer_for_a_question(server: Server, embedder: Remote, pauses: list[float]) -> None:
    server.due = [(500, {}, b"")] * 20
    with pytest.raises(EmbedderUnavailable, match="answered 500"):
        embedder.embed_query("a")
    assert len(server.requests) == 1 + len(QUERY.waits)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_documents(["a"])
    assert len(server.requests) == 2 + len(QUERY.waits) + len(DOCUMENTS.waits)


def test_a_silent_server_is_left_after_the_timeout(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onrecord.providers.embed.remote.QUERY", Patience(0.05, (0.0,), 1.0))
    server.due = [None, None]
    with pytest.raises(EmbedderUnavailable, match=r"no answer within 0\.05 s"):
        OllamaEmbedder("m", server.url).embed_query("a")
    assert len(server.requests) == 2


def test_nobody_listening_is_named_with_the_url(server: Server, embedder: Remote) -> None:
    server.close()
    with pytest.raises(EmbedderUnavailable, match=rf"{server.url}.*cannot be reached"):
        embedder.embed_query("a")


@pytest.mark.parametrize(("status", "advice"), [(400, "log of the server"), (404, "the URL and the model"), (302, "log")])
def test_a_refusal_is_not_tried_again(server: Server, embedder: Remote, status: int, advice: str) -> None:
    server.due = [(status, {"Location": "http://127.0.0.1:9/"}, b"{}")]
    with pytest.raises(EmbedderError, match=f"answered {status}; .*{advice}"):
        embedder.embed_query("a")
    assert len(server.requests) == 1


def _rows(answer: dict[str, Any]) -> list[Any]:
    rows = answer.get("embeddings") or [row["embedding"] for row in answer["data"]]
    return list(rows)


def _short(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: rows[:-1] for name, rows in answer.items()} if "embeddings" in answer else {"data": answer["data"][1:]}


def _ragged(answer: dict[str, Any]) -> dict[str, Any]:
    _rows(answer)[0].pop()
    return answer


def _words(answer: dict[str, Any]) -> dict[str, Any]:
    _rows(answer)[0][0] = "x"
    return answer


def _infinite(answer: dict[str, Any]) -> dict[str, Any]:
    _rows(answer)[0][0] = float("nan")
    return answer


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_short, "1 vectors for 2 texts|without data"),
        (_ragged, "no list of vectors of one length"),
        (_words, "no list of vectors of one length"),
        (_infinite, "not finite"),
        (lambda answer: {}, "answered without"),
        (lambda answer: [], "answered without"),
        (lambda answer: {"data": [{"index": 0}], "embeddings": 3}, "answered without|no list of vectors"),
    ],
)
def test_a_nonsense_answer_is_refused_with_what_is_off(
    server: Server, embedder: Remote, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    server.change = change
    with pytest.raises(EmbedderError, match=message):
        embedder.embed_documents(["a", "b"])


def test_an_answer_that_is_not_json_names_the_url(server: Server, embedder: Remote) -> None:
    server.due = [(200, {}, b"<html>\xff")]
    with pytest.raises(EmbedderError, match="not JSON; check the URL"):
        embedder.embed_query("a")


def test_vectors_of_another_length_than_before_or_than_said_are_refused(server: Server, embedder: Remote) -> None:
    embedder.embed_query("a")
    cut = {"data": [{"index": 0, "embedding": [1.0, 0.0]}], "embeddings": [[1.0, 0.0]]}
    server.change = lambda answer: cut
    with pytest.raises(EmbedderError, match=f"of 2 numbers, not {DIM}"):
        embedder.embed_query("b")
    with pytest.raises(EmbedderError, match="of 2 numbers, not 3"):
        OllamaEmbedder("m", server.url, dim=3).embed_query("b")


def test_models_that_were_trained_with_prefixes_get_them(server: Server) -> None:
    embedder = OllamaEmbedder("nomic-embed-text:v1.5", server.url)
    embedder.embed_query("who")
    embedder.embed_documents(["Anna"])
    assert [body["input"] for _, body, _ in server.requests] == [["search_query: who"], ["search_document: Anna"]]


def test_only_a_family_that_can_is_asked_to_shorten(server: Server) -> None:
    OpenAiEmbedder("text-embedding-3-large", f"{server.url}/v1", dim=DIM).embed_query("a")
    OpenAiEmbedder("bge-m3", f"{server.url}/v1", dim=DIM).embed_query("a")
    assert [body.get("dimensions") for _, body, _ in server.requests] == [DIM, None]


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://x/v1", "http://", "http://ana:pw@x/v1", "http://x/v1?key=3"])
def test_an_unusable_url_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(InvalidInput, match="embedder") as caught:
        OpenAiEmbedder("m", url)
    assert "pw" not in str(caught.value)


def test_a_missing_client_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(EmbedderUnavailable, match=r"needs the package httpx2.*onrecord\[http\]"):
        OllamaEmbedder("m").embed_query("a")


def test_a_memory_works_behind_a_server_and_through_its_failure(server: Server) -> None:
    with Memory(":memory:", embedder=open_embedder(f"openai:m#{DIM}@{server.url}/v1", key=KEY)) as memory:
        memory.add("I am allergic to walnuts.", user_id="ana")
        assert memory.search("allergic walnuts", user_id="ana").trace.embedder == f"openai:m#{DIM}"
        server.due = [(401, {}, b"")] * 9
        (turn,) = memory.add("I prefer window seats.", user_id="ana").turns
        assert turn.result is not TurnResult.REFUSED
        found = memory.search("what about window seats", user_id="ana", threshold=0.0)
        assert found.trace.embedder == ""
        assert any("window" in hit.text for hit in found.hits)
