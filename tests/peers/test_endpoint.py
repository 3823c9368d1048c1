"""The embedding endpoint answers as OpenAI's does, with the vectors of this project's embedder."""

import base64
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from bench.peers.children import wire
from bench.peers.endpoint import Endpoint, afresh

from onrecord.build import open_embedder
from onrecord.providers.embed.minilm import MiniLmEmbedder

EMBEDDER = open_embedder("minilm")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = Endpoint(EMBEDDER)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.url
    server.shutdown()
    server.server_close()
    thread.join()


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_vectors_are_those_of_the_embedder_whatever_the_batch(url: str) -> None:
    texts = ["I keep bees.", "", "The trams of Lisbon."]
    found = np.array(wire.embed(url, texts), np.float32)
    expected = np.stack([EMBEDDER.embed_documents([text or " "])[0] for text in texts])
    np.testing.assert_array_equal(found, expected)


def test_a_single_string_and_base64_are_understood(url: str) -> None:
    found = post(f"{url}/embeddings", {"model": "m", "input": "I keep bees.", "encoding_format": "base64"})
    vector = np.frombuffer(base64.b64decode(found["data"][0]["embedding"]), "<f4")
    np.testing.assert_array_equal(vector, EMBEDDER.embed_documents(["I keep bees."])[0])


def test_what_was_embedded_is_counted(url: str) -> None:
    stats = f"{url.removesuffix('/v1')}/stats"
    before = json.load(urllib.request.urlopen(stats, timeout=60))
    wire.embed(url, ["one", "two"])
    after = json.load(urllib.request.urlopen(stats, timeout=60))
    assert (after["calls"] - before["calls"], after["texts"] - before["texts"]) == (1, 2)
    assert after["cpu_seconds"] > before["cpu_seconds"]


def test_a_chat_is_refused_in_words(url: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="501") as refused:
        post(f"{url}/chat/completions", {"messages": []})
    assert "no language model" in json.load(refused.value)["error"]["message"]
    refused.value.close()


def test_the_same_text_is_embedded_as_often_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[str]] = []
    inner = MiniLmEmbedder.embed_documents

    def counted(embedder: MiniLmEmbedder, texts: Sequence[str]) -> Any:
        runs.append(list(texts))
        return inner(embedder, texts)

    monkeypatch.setattr(MiniLmEmbedder, "embed_documents", counted)
    server = Endpoint(afresh())
    for _ in range(3):
        server.vectors(["I keep bees."])
    server.server_close()
    assert runs[-3:] == [["I keep bees."]] * 3
    assert server.stats["texts"] == 3
