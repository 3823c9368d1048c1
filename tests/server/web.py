"""The REST app in this process: a browser's view of it, and the client's."""

from __future__ import annotations

from typing import Any

import httpx2
from fastapi.testclient import TestClient

from onrecord import Memory
from onrecord.client import Client
from onrecord.model.key import Right
from onrecord.pipeline.keys import new_key
from onrecord.server.app import rest_app
from onrecord.server.limits import Limits

LOCAL = "http://localhost"


def web(memory: Memory, *, local: bool = True, limits: Limits | None = None) -> TestClient:
    return TestClient(rest_app(memory, local=local, limits=limits), base_url=LOCAL, raise_server_exceptions=False)


class _Through(httpx2.BaseTransport):
    """Carries requests of the client into an app in this process."""

    def __init__(self, app: TestClient) -> None:
        self._app = app

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._app.request(request.method, str(request.url), headers=dict(request.headers), content=request.read())
        return httpx2.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


def through(memory: Memory, **options: Any) -> httpx2.BaseTransport:
    return _Through(web(memory, **options))


def client(memory: Memory, key: str | None = None, **options: Any) -> Client:
    return Client(LOCAL, key, transport=through(memory, **options), sleep=lambda seconds: None)


def secret(memory: Memory, right: Right, subject: str | None = None, tenant: str = "default") -> str:
    """The secret of a new key."""
    return new_key(memory.engine, tenant, f"{right}", right, subject)[1]
