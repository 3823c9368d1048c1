"""One HTTP server that answers JSON with JSON: bounded tries on one ladder, and errors that say what to do.

Neither what is sent nor what comes back is ever logged or put into an error: it holds the words of people, and a key.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from onrecord.errors import InvalidInput
from onrecord.providers.embed.lazy import Lazy

if TYPE_CHECKING:
    from httpx2 import Client, Response

#: Worth another try: the server is busy, or another one behind it failed. 529 is Anthropic's word for busy.
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
#: Of these, what says nothing about the request itself.
_BUSY = frozenset({408, 425, 429, 503, 529})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one call may take: seconds that a try may last, and those to wait before each further try.

    A server that asks for another wait (``Retry-After``, RFC 9110, in seconds) gets it, up to ``longest``; one that asks for
    more is given up at once.
    """

    timeout: float
    waits: tuple[float, ...]
    longest: float


class NoAnswer(Exception):
    """The ladder came to its end. ``busy`` is whether the request itself can have no part in it."""

    def __init__(self, why: str, *, busy: bool) -> None:
        self.busy = busy
        super().__init__(why)


class Server:
    """Posts to paths under ``url``. ``what`` names it in errors, ``field`` the argument that chose it; ``pause`` waits for so
    many seconds.

    Raises:
        InvalidInput: ``url`` is no http or https URL, or holds a user or password.
    """

    def __init__(
        self, what: str, url: str, *, field: str, headers: Mapping[str, str], pause: Callable[[float], None] = time.sleep
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(field, f"{url!r} is no URL", "write it like http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise InvalidInput(field, "its URL holds a user, a password or a query", "give the key as a key")
        self.name, self.host, self._url, self._pause = f"{what} at {url.rstrip('/')}", parts.hostname, url.rstrip("/"), pause
        self._client: Lazy[Client] = Lazy(what, "http", lambda: self._opened(headers))

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> Response:
        """What the server answers, of whatever status that no further try would change. Raises ``NoAnswer``."""
        trouble, wait, busy = "", 0.0, False
        for step in range(len(patience.waits) + 1):
            answer, trouble, busy = self._tried(path, body, patience)
            if answer is not None and answer.status_code not in _AGAIN:
                return answer
            wait = _asked_wait(answer)
            if step == len(patience.waits) or wait > patience.longest:
                break
            self._pause(max(wait, patience.waits[step]))
        late = f"; it asks to wait {wait:.0f} s" if wait > patience.longest else ""
        raise NoAnswer(f"{self.name}: {trouble}{late}", busy=busy)

    def _opened(self, headers: Mapping[str, str]) -> Client:
        from httpx2 import Client

        client = Client(headers=dict(headers), follow_redirects=False)
        weakref.finalize(self, client.close)  # a memory does not close what may serve others
        return client

    def _tried(self, path: str, body: Mapping[str, Any], patience: Patience) -> tuple[Response | None, str, bool]:
        client = self._client()
        from httpx2 import TimeoutException, TransportError

        try:
            answer = client.post(f"{self._url}{path}", json=body, timeout=patience.timeout)
        except TimeoutException:
            return None, f"no answer within {patience.timeout:g} s", False
        except TransportError as error:
            return None, f"cannot be reached ({type(error).__name__})", True
        return answer, f"answered {answer.status_code}", answer.status_code in _BUSY


def _asked_wait(answer: Response | None) -> float:
    """The seconds that the server asks to wait; 0 where it names none, or a date."""
    text = answer.headers.get("retry-after", "") if answer is not None else ""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
