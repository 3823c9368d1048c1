"""A server of embeddings: what goes wrong with it as errors of embedders."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from onrecord.errors import EmbedderError, EmbedderUnavailable
from onrecord.providers.endpoint import NoAnswer, Patience, Server

if TYPE_CHECKING:
    from httpx2 import Response

_ADVICE: Mapping[int, str] = {
    401: "check the key",
    403: "check the key and what it may do",
    404: "check the URL and the model's name",
    413: "embed shorter texts or fewer at once",
}
#: Somebody waits for the answer to a question; documents may take the time that a busy server needs.
QUERY = Patience(timeout=10.0, waits=(0.25,), longest=1.0)
DOCUMENTS = Patience(timeout=60.0, waits=(0.5, 2.0, 8.0), longest=60.0)


class Endpoint:
    """Posts to paths under ``url``. ``what`` names it in errors; ``pause`` waits for so many seconds.

    Raises:
        InvalidInput: ``url`` is no http or https URL, or holds a user or password.
    """

    def __init__(self, what: str, url: str, *, key: str = "", pause: Callable[[float], None] = time.sleep) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._server = Server(what, url, field="embedder", headers=headers, pause=pause)

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> Any:
        """The answer. Raises EmbedderUnavailable where none came, EmbedderError for one that cannot be used."""
        try:
            answer = self._server.post(path, body, patience)
        except NoAnswer as error:
            raise EmbedderUnavailable(str(error)) from None
        return self._read(answer)

    def _read(self, answer: Response) -> Any:
        if answer.status_code != 200:
            advice = _ADVICE.get(answer.status_code, "see the log of the server")
            raise EmbedderError(f"{self._server.name}: answered {answer.status_code}; {advice}")
        try:
            return answer.json()
        except ValueError:  # also bytes that are no text
            raise EmbedderError(f"{self._server.name}: the answer is not JSON; check the URL") from None
