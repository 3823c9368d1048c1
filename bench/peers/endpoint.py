"""An OpenAI-compatible ``/v1/embeddings`` on this machine, with the packaged embedder, for memories that need one.

    python -m bench.peers.endpoint [--port N] [--cache DIR]

Prints its address and serves until standard input ends. Without a cache every text is embedded, however often it was: a memory
must not wait less because one before it asked for the same. Texts are cut at the length this project cuts turns at, which is
beyond what the model reads. ``/v1/chat/completions`` refuses (501): nothing here is measured with a model that writes. ``/stats``
tells how many texts were embedded and what processor time this process has taken.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from onrecord.evals.cache import CachedEmbedder
from onrecord.policy.recall.episode import EPISODE_LIMIT
from onrecord.ports import Embedder
from onrecord.providers.embed.minilm import MiniLmEmbedder

_MODEL = "minilm"
_REFUSAL = "there is no language model behind this address: only embeddings are served"


class Endpoint(ThreadingHTTPServer):
    """Serves an embedder on a loopback port (0: any)."""

    daemon_threads = True

    def __init__(self, embedder: Embedder, port: int = 0) -> None:
        self.embedder, self._lock = embedder, threading.Lock()
        self.calls = self.texts = 0
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """The base address that OpenAI clients want."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def vectors(self, texts: Sequence[str]) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
        """One text at a time: eight-bit vectors are the same however a caller batches."""
        with self._lock:  # processor time is what is shared; two at once would only make the other slower
            found = [self.embedder.embed_documents([text[:EPISODE_LIMIT] or " "])[0] for text in texts]
            self.calls += 1
            self.texts += len(texts)
        return found

    @property
    def stats(self) -> dict[str, float]:
        """What was asked so far, and what it took: of this whole process, since answering is a part of it."""
        return {"calls": self.calls, "texts": self.texts, "cpu_seconds": process_time()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body would wait 40 ms for each other
    server: Endpoint

    def do_GET(self) -> None:
        if self.path == "/stats":
            self._answer(200, self.server.stats)
        elif self.path.endswith("/models"):
            self._answer(200, {"object": "list", "data": [{"id": _MODEL, "object": "model"}]})
        else:
            self._answer(404, _error("there is no such path"))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path.endswith("/embeddings"):
            self._answer(200, embeddings(self.server, body))
        elif self.path.endswith("/chat/completions"):
            self._answer(501, _error(_REFUSAL))
        else:
            self._answer(404, _error("there is no such path"))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a line for each of thousands of calls would be what is measured."""

    def _answer(self, status: int, found: Mapping[str, Any]) -> None:
        body = json.dumps(found).encode()
        head = (
            f"HTTP/1.1 {status} {self.responses[status][0]}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        )
        self.wfile.write("\r\n".join((*head, "", "")).encode() + body)


def embeddings(endpoint: Endpoint, body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request, as OpenAI gives it: floats, or base64 of little-endian float32 where that is asked for."""
    texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
    packed = body.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": n,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode() if packed else vector.tolist(),
        }
        for n, vector in enumerate(endpoint.vectors(texts))
    ]
    return {"object": "list", "model": body.get("model", _MODEL), "data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}}


def afresh() -> Embedder:
    """The packaged embedder, loaded, and without the vectors of the last texts that one of a memory keeps."""
    embedder = MiniLmEmbedder()
    embedder.embed_documents(["ready"])
    return embedder


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "unsupported"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="where vectors are kept from run to run; none: every text is embedded")
    given = parser.parse_args()
    embedder = afresh()
    endpoint = Endpoint(CachedEmbedder(embedder, given.cache.expanduser()) if given.cache else embedder, given.port)
    print(endpoint.url, flush=True)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    sys.stdin.read()
    endpoint.shutdown()


if __name__ == "__main__":
    main()
