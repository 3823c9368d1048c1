"""``RemoteSession``: one thread of dialogue on a REST server."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from onrecord.client.line import Line, part
from onrecord.wire import answers, threads


class RemoteSession:
    """A handle on one thread; ``Client.session`` makes it. The verbs of ``Session``; arguments are those of its methods."""

    def __init__(self, line: Line, session_id: str, owner: Mapping[str, Any]) -> None:
        self._line, self._owner, self.id = line, dict(owner), session_id
        self._path = f"/sessions/{part(session_id)}"

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        **more: Any,
    ) -> answers.Added:
        """What became of the messages; each is durable when this returns."""
        return sending(self._line, f"{self._path}/turns", messages, idempotency_key, {**self._owner, **more})

    def compact(self, *, budget: int | None = None) -> threads.Compacted:
        """Has a summary stand for the older turns, so that the thread takes about ``budget`` tokens."""
        return self._line.one(threads.Compacted, "POST", f"{self._path}/compact", {**self._owner, "budget": budget})

    def end(self) -> answers.Added:
        """What became of the episode: one record that tells what was discussed, decided and used. Safe to repeat."""
        return self._line.one(answers.Added, "POST", f"{self._path}/end", self._owner, harmless=True)

    def fork(self, new: str, *, upto: int | None = None) -> RemoteSession:
        """Another thread with copies of the turns up to number ``upto``; all if not given."""
        self._line.send("POST", f"{self._path}/fork", {**self._owner, "new": new, "upto": upto})
        return RemoteSession(self._line, new, self._owner)

    def rename(self, title: str) -> threads.Thread:
        """Gives the thread a title; an empty one takes it away."""
        return self._line.one(threads.Thread, "PATCH", self._path, {**self._owner, "title": title}, harmless=True)

    def archive(self, archived: bool = True) -> threads.Thread:
        """Puts the thread away, or back."""
        return self._line.one(threads.Thread, "PATCH", self._path, {**self._owner, "archived": archived}, harmless=True)

    def info(self) -> threads.Thread:
        """Title, number of turns and so on."""
        return self._line.one(threads.Thread, "GET", self._path, query=self._owner)

    def turns(self, *, last: int = 100) -> list[answers.Said]:
        """The last turns (100 at the most), oldest first."""
        return self._line.many(answers.Said, f"{self._path}/turns", {**self._owner, "limit": last})

    def messages(self, shape: str = "openai", *, last: int | None = None) -> list[dict[str, Any]]:
        """The thread as messages of a provider, ``openai`` or ``anthropic``."""
        query = {**self._owner, "shape": shape, "last": last}
        return self._line.one(threads.Dialogue, "GET", f"{self._path}/messages", query=query).messages

    def summary(self) -> threads.Summarized | None:
        """The newest summary of the older turns, or ``None``."""
        return self._line.perhaps(threads.Summarized, f"{self._path}/summary", self._owner)

    def search(self, message: str, **asked: Any) -> answers.FoundMemories:
        """What the owner's whole memory holds on ``message``, said next in this thread."""
        body = {**self._owner, "message": message, **asked}
        return self._line.one(answers.FoundMemories, "POST", f"{self._path}/search", body, harmless=True)

    def context(self, message: str = "", **asked: Any) -> threads.Assembled:
        """What to send to the model for ``message``, within a budget of tokens."""
        body = {**self._owner, "message": message, **asked}
        return self._line.one(threads.Assembled, "POST", f"{self._path}/context", body, harmless=True)


def sending(
    line: Line,
    path: str,
    messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    key: str | None,
    more: Mapping[str, Any],
) -> answers.Added:
    """What became of messages that are sent to ``path`` under an idempotency key, so that sending twice writes once."""
    listed = [messages] if isinstance(messages, Mapping) else messages
    return once(line, path, {"messages": listed, **more}, key)


def once(line: Line, path: str, body: Mapping[str, Any], key: str | None) -> answers.Added:
    """What became of a body that is sent to ``path`` under an idempotency key, one of its own if none is given."""
    headers = {"Idempotency-Key": key or secrets.token_hex(16)}
    return line.one(answers.Added, "POST", path, body, headers=headers, harmless=True)
