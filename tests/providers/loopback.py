"""A server on loopback for providers that speak JSON over HTTP."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Mapping[str, str], Any]


class Loopback(ABC):
    """Sends the replies that are ``due``, then what ``reply`` says; ``None`` among them is silence until it is closed.

    ``requests`` are those that came: path, body, and headers by their names in small letters."""

    def __init__(self) -> None:
        self.due: list[Reply | None] = []
        self.requests: list[tuple[str, dict[str, Any], Mapping[str, str]]] = []
        self.over = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, body, {name.casefold(): value for name, value in self.headers.items()}))
                reply = server.due.pop(0) if server.due else server.reply(self.path, body)
                if reply is None:
                    server.over.wait()
                    self.close_connection = True
                    return
                status, headers, content = reply
                sent = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(sent))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @abstractmethod
    def reply(self, path: str, body: dict[str, Any]) -> Reply:
        """What is answered where nothing is due."""

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
