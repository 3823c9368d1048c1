"""Limits of a server: how large a body may be, how many requests a caller may send, how long one may take."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from onrecord.server.problems import problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``body`` in bytes, ``rate`` in requests a second and caller (0: any number) with ``burst`` at once, ``seconds`` for one
    request. ``at_once`` requests go on together, the others wait where waiting costs the event loop nothing."""

    body: int = 2_000_000
    rate: float = 50.0
    burst: int = 100
    seconds: float = 30.0
    at_once: int = 16


@dataclass(slots=True)
class Buckets:
    """A token bucket for each caller (en.wikipedia.org/wiki/Token_bucket), the least recently seen dropped beyond ``most``."""

    rate: float
    burst: int
    most: int = 10_000
    held: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, caller: str, now: float) -> bool:
        """Whether the caller may go on; ``now`` in seconds of a clock that never goes back."""
        tokens, then = self.held.pop(caller, (float(self.burst), now))
        tokens = min(float(self.burst), tokens + (now - then) * self.rate)
        may = tokens >= 1.0
        self.held[caller] = (tokens - may, now)
        while len(self.held) > self.most:
            self.held.popitem(last=False)
        return may


class Limited:
    """An app behind its limits. Health is never limited."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits, self._buckets = app, limits, Buckets(limits.rate, limits.burst)
        self._gate = asyncio.Semaphore(limits.at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers 413, 429 or 503 in place of the app where a limit is passed."""
        if scope["type"] != "http" or not scope["path"].startswith("/v1"):
            return await self._app(scope, receive, send)
        if self._limits.rate and not self._buckets.take(_caller(scope), time.monotonic()):
            return await problem(429, "too many requests: wait a second, then go on slower")(scope, receive, send)
        body = await _read(receive, self._limits.body)
        if body is None:
            return await problem(413, f"body: is larger than {self._limits.body} bytes: send less at once")(scope, receive, send)
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(self._limits.seconds), self._gate:
                await self._app(scope, _replayed(body, receive), sending)
        except TimeoutError:
            # What the worker thread had begun ends whole; the same request with its idempotency key is harmless.
            if not started:
                await problem(503, f"took longer than {self._limits.seconds:g} seconds: repeat it")(scope, receive, send)
        return None


async def _read(receive: Receive, limit: int) -> bytes | None:
    """The whole body, or ``None`` once it goes on beyond ``limit`` bytes."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > limit:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, and then whatever comes."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return left.pop() if left else await receive()

    return receiving


def _caller(scope: Scope) -> str:
    """Who is counted as one: the bearer of a key, or else an address."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            return str(hash(value))
    return str((scope.get("client") or ("",))[0])
