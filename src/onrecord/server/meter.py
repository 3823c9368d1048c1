"""Meters of a server: requests by route and how long they took, how long the event loop stood still, and a log line for each."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio.to_thread
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from onrecord.server.garbage import tidy
from onrecord.server.logs import REQUEST

_log = logging.getLogger("onrecord.server")
#: Seconds between looks at the loop, and the bounds of what is counted.
_LOOK, _LAGS = 0.01, (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
#: An id that a caller gave a request, if it is no text.
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Meters:
    """The counts of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self._count = Counter("onrecord_requests", "Requests by route, method and status.", labels, registry=self.registry)
        self._took = Histogram(
            "onrecord_request_seconds", "Seconds a request took, by route.", ("route",), registry=self.registry
        )
        self._lag = Histogram(
            "onrecord_loop_lag_seconds", "Seconds the event loop came late.", buckets=_LAGS, registry=self.registry
        )
        self._longest = Gauge("onrecord_loop_lag_longest_seconds", "The longest since the start.", registry=self.registry)
        self._busiest = Gauge(
            "onrecord_loop_busy_longest_seconds", "The most seconds it computed itself before it came.", registry=self.registry
        )
        self._most = self._most_busy = 0.0
        self.under_way = 0

    def idle(self) -> bool:
        """Whether no request is under way."""
        return self.under_way == 0

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts one."""
        self._count.labels(route, method, status).inc()
        self._took.labels(route).observe(seconds)

    def lag(self, seconds: float, busy: float) -> None:
        """Counts a look at the loop: how late it came, and how long it had computed since the look before."""
        self._lag.observe(seconds)
        self._most, self._most_busy = max(self._most, seconds), max(self._most_busy, busy)
        self._longest.set(self._most)
        self._busiest.set(self._most_busy)

    async def watch(self) -> None:
        """Looks at the loop until cancelled: how much later than asked for it comes back is how long something held it.

        That may be the loop's own work, another thread, or another process of the machine; the loop's own is told apart."""
        while True:
            began, computed = time.perf_counter(), time.thread_time()
            await asyncio.sleep(_LOOK)
            self.lag(max(0.0, time.perf_counter() - began - _LOOK), time.thread_time() - computed)


def lifespan(meters: Meters, threads: int) -> Callable[[Any], Any]:
    """A lifespan in which the loop is looked at, and at most so many requests are worked on at once; more wait."""

    @asynccontextmanager
    async def live(app: Any) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = threads
        beside = [asyncio.create_task(meters.watch()), asyncio.create_task(tidy(meters.idle))]
        yield
        for task in beside:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return live


class Metered:
    """An app whose requests are counted, timed, logged, and known by an id that goes back to the caller."""

    def __init__(self, app: ASGIApp, meters: Meters, new_id: Callable[[str], str]) -> None:
        self._app, self._meters, self._new_id = app, meters, new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything through."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        id, began, status = self._named(scope), time.perf_counter(), 500
        token = REQUEST.set(id)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", id.encode())]}
            await send(message)

        self._meters.under_way += 1
        try:
            await self._app(scope, receive, sending)
        finally:
            self._meters.under_way -= 1
            seconds = time.perf_counter() - began
            # The route's pattern, never the path: paths hold ids, and there are too many of them.
            route = getattr(scope.get("route"), "path", "none")
            self._meters.request(route, scope["method"], status, seconds)
            known = scope.get("state", {}).get("access")
            fields = {"route": route, "method": scope["method"], "status": status, "ms": round(seconds * 1_000, 1)}
            _log.info("request", extra={**fields, "tenant": getattr(known, "tenant", None), "key": getattr(known, "name", None)})
            REQUEST.reset(token)
        return None

    def _named(self, scope: Scope) -> str:
        for name, value in scope["headers"]:
            if name == b"x-request-id" and _ID.fullmatch(given := value.decode("latin-1")):
                return str(given)
        return self._new_id("req")
