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

from onrecord.errors import EmbedderError, EmbedderUnavailable, InvalidInput
from onrecord.providers.embed.lazy import Lazy

if TYPE_CHECKING:
    from httpx2 import Client, Response

#: Worth another try: the server is busy, or another one behind it failed.
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_ADVICE: Mapping[int, str] = {
    401: "check the key",
    403: "check the key and what it may do",
    404: "check the URL and the model's name",
    413: "embed shorter texts or fewer at once",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one call may take: seconds that a try may last, and those to wait before each further try.

    A server that asks for another wait (``Retry-After``, RFC 9110, in seconds) gets it, up to ``longest``; one that asks for
    more is given up at once.
    """

    timeout: float
    waits: tuple[float, ...]
    longest: float


#: Somebody waits for the answer to a question; documents may take the time that a busy server needs.
QUERY = Patience(timeout=10.0, waits=(0.25,), longest=1.0)
DOCUMENTS = Patience(timeout=60.0, waits=(0.5, 2.0, 8.0), longest=60.0)


class Endpoint:
    """Posts to paths under ``url``. ``what`` names it in errors; ``pause`` waits for so many seconds.

    Raises:
        InvalidInput: ``url`` is no http or https URL, or holds a user or password.
    """

    def __init__(self, what: str, url: str, *, key: str = "", pause: Callable[[float], None] = time.sleep) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput("embedder", f"{url!r} is no URL", "write it like http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise InvalidInput("embedder", "its URL holds a user, a password or a query", "give the key as a key")
        self._what, self._url, self._pause = what, url.rstrip("/"), pause
        self._client: Lazy[Client] = Lazy(what, "http", lambda: self._opened(key))

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> Any:
        """The answer. Raises EmbedderUnavailable where none came, EmbedderError for one that cannot be used."""
        trouble, wait = "", 0.0
        for step in range(len(patience.waits) + 1):
            answer, trouble = self._tried(path, body, patience)
            if answer is not None and answer.status_code not in _AGAIN:
                return self._read(answer)
            wait = _asked_wait(answer)
            if step == len(patience.waits) or wait > patience.longest:
                break
            self._pause(max(wait, patience.waits[step]))
        late = f"; it asks to wait {wait:.0f} s" if wait > patience.longest else ""
        raise EmbedderUnavailable(f"{self._what} at {self._url}: {trouble}{late}")

    def _opened(self, key: str) -> Client:
        from httpx2 import Client

        client = Client(headers={"Authorization": f"Bearer {key}"} if key else {}, follow_redirects=False)
        weakref.finalize(self, client.close)  # a memory does not close its embedder, which may serve others
        return client

    def _tried(self, path: str, body: Mapping[str, Any], patience: Patience) -> tuple[Response | None, str]:
        client = self._client()
        from httpx2 import TimeoutException, TransportError

        try:
            answer = client.post(f"{self._url}{path}", json=body, timeout=patience.timeout)
        except TimeoutException:
            return None, f"no answer within {patience.timeout:g} s"
        except TransportError as error:
            return None, f"cannot be reached ({type(error).__name__})"
        return answer, f"answered {answer.status_code}"

    def _read(self, answer: Response) -> Any:
        if answer.status_code != 200:
            advice = _ADVICE.get(answer.status_code, "see the log of the server")
            raise EmbedderError(f"{self._what} at {self._url}: answered {answer.status_code}; {advice}")
        try:
            return answer.json()
        except ValueError:  # also bytes that are no text
            raise EmbedderError(f"{self._what} at {self._url}: the answer is not JSON; check the URL") from None


def _asked_wait(answer: Response | None) -> float:
    """The seconds that the server asks to wait; 0 where it names none, or a date."""
    text = answer.headers.get("retry-after", "") if answer is not None else ""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
