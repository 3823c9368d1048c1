"""``Client``: one method for each verb of ``Memory``, with its arguments; results are the models of ``onrecord.wire``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx2

from onrecord.client.knowledge import RemoteKnowledge
from onrecord.client.line import Line, part
from onrecord.client.run import RemoteRun
from onrecord.client.session import RemoteSession, once, sending
from onrecord.wire import answers, threads, upkeep


class Client:
    """A memory behind a REST server. Safe to share between threads.

    ``key`` is the secret of a key; ``timeout`` is in seconds for each try. ``transport`` replaces the network, for tests."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8764",
        key: str | None = None,
        *,
        timeout: float = 30.0,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._line = Line(url, key, timeout, transport, sleep)

    # -- writing

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        **place: Any,
    ) -> answers.Added:
        """What became of every message and statement. ``place`` are the other arguments of ``Memory.add``."""
        return sending(self._line, "/memories", messages, idempotency_key, place)

    def remember(self, statement: str, *, idempotency_key: str | None = None, **fields: Any) -> answers.Added:
        """What became of one statement written on purpose. ``fields`` are the other arguments of ``Memory.remember``."""
        return once(self._line, "/memories/remember", {"statement": statement, **fields}, idempotency_key)

    def update(self, id: str, statement: str | None = None, **fields: Any) -> answers.Memory:
        """The record after an edit of the named fields."""
        named = fields if statement is None else {"statement": statement, **fields}
        return self._line.one(answers.Memory, "PATCH", f"/memories/{part(id)}", named)

    def delete(self, id: str, **owner: Any) -> None:
        """Erases a record and its words."""
        self._line.send("DELETE", f"/memories/{part(id)}", query=owner)

    def delete_all(self, **place: Any) -> int:
        """How many records were erased: all of the owner's, or those of the run or session named."""
        return self._line.one(answers.DeletedAll, "DELETE", "/memories", query=place).deleted

    # -- reading

    def search(self, query: str, **asked: Any) -> answers.FoundMemories:
        """Hits, best first. ``asked`` are the other arguments of ``Memory.search``."""
        return self._line.one(answers.FoundMemories, "POST", "/search", {"query": query, **asked}, harmless=True)

    def get(self, id: str, **owner: Any) -> answers.Memory:
        """One record, whatever its status."""
        return self._line.one(answers.Memory, "GET", f"/memories/{part(id)}", query=owner)

    def get_all(
        self, *, statuses: Sequence[str] | None = None, limit: int | None = None, after: str | None = None, **asked: Any
    ) -> list[answers.Memory]:
        """Current records, oldest first, at most ``limit``; ``None`` gives all, page by page."""
        found: list[answers.Memory] = []
        while limit is None or len(found) < limit:
            size = 100 if limit is None else min(100, limit - len(found))
            query = {**asked, "limit": size, "after": after, "status": None if statuses is None else list(statuses)}
            page = self._line.one(answers.Page, "GET", "/memories", query=query)
            found += page.memories
            after = page.next
            if after is None:
                break
        return found

    def history(self, id: str, **owner: Any) -> list[answers.Happened]:
        """What happened to a record, oldest first."""
        return self._line.many(answers.Happened, f"/memories/{part(id)}/history", owner)

    def why(self, id: str, **owner: Any) -> answers.Why:
        """The story of a record."""
        return self._line.one(answers.Why, "GET", f"/memories/{part(id)}/why", query=owner)

    def refusals(self, **asked: Any) -> list[upkeep.Refused]:
        """What the gate refused, newest first."""
        return self._line.many(upkeep.Refused, "/refusals", asked)

    def misses(self, **asked: Any) -> list[upkeep.Missed]:
        """Probable misses of retrieval, those of the latest turns first. ``asked`` are the arguments of ``Memory.misses``."""
        return self._line.many(upkeep.Missed, "/misses", asked)

    def context(self, message: str, **asked: Any) -> threads.Assembled:
        """Messages to send to a model. ``asked`` are the other arguments of ``Memory.context``."""
        return self._line.one(threads.Assembled, "POST", "/context", {"message": message, **asked}, harmless=True)

    @property
    def knowledge(self) -> RemoteKnowledge:
        """The documents: add, search, replace and remove them."""
        return RemoteKnowledge(self._line)

    # -- threads and runs

    def session(self, session_id: str, **owner: Any) -> RemoteSession:
        """A handle on one thread. Nothing is sent until it is used."""
        return RemoteSession(self._line, session_id, owner)

    def sessions(self, *, limit: int = 100, after: threads.Thread | str | None = None, **asked: Any) -> list[threads.Thread]:
        """The owner's threads, newest first, at most ``limit``; they begin behind the cursor ``after``."""
        found: list[threads.Thread] = []
        while len(found) < limit:
            query = {**asked, "limit": min(100, limit - len(found)), "after": after}
            page = self._line.one(threads.Threads, "GET", "/sessions", query=query)
            found += page.threads
            after = page.next
            if after is None:
                break
        return found

    def run(self, run_id: str, **owner: Any) -> RemoteRun:
        """The working memory of a run, at the last step that was saved; empty for a new one."""
        return RemoteRun(self._line, run_id, owner)

    # -- upkeep

    def retract(self, ids: Sequence[str], **asked: Any) -> upkeep.Recalled:
        """What was taken back: records, and what was made from them."""
        return self._line.one(upkeep.Recalled, "POST", "/retract", {"ids": list(ids), **asked})

    def quarantine(self, ids: Sequence[str], **asked: Any) -> upkeep.Recalled:
        """What was taken out of recall: turns and records that are not to be trusted, and everything made from them."""
        return self._line.one(upkeep.Recalled, "POST", "/quarantine", {"ids": list(ids), **asked})

    def erase(self, **asked: Any) -> upkeep.Erased:
        """The receipt of erasing what ``Memory.erase`` would with these arguments. Needs an admin's key."""
        return self._line.one(upkeep.Erased, "POST", "/erase", asked)

    def lineage(self, id: str, **owner: Any) -> upkeep.Traced:
        """Where a record or turn comes from, and everything it reached."""
        return self._line.one(upkeep.Traced, "GET", f"/memories/{part(id)}/lineage", query=owner)

    def review(self, **asked: Any) -> list[answers.Memory]:
        """Records past the default end of their kind, the longest first."""
        return self._line.many(answers.Memory, "/review", asked)

    def renew(self, id: str, **asked: Any) -> answers.Memory:
        """The record, which holds on: ``until`` that time, or for another lifespan."""
        return self._line.one(answers.Memory, "POST", f"/memories/{part(id)}/renew", asked)

    def expire(self, id: str, **owner: Any) -> answers.Memory:
        """The record, which holds no longer."""
        return self._line.one(answers.Memory, "POST", f"/memories/{part(id)}/expire", owner)

    def maintain(self, **asked: Any) -> upkeep.Maintained:
        """What a maintenance run did. Needs an admin's key."""
        return self._line.one(upkeep.Maintained, "POST", "/maintain", asked, harmless=True)

    def undo(self, run: str, **asked: Any) -> upkeep.Undone:
        """What a maintenance run merged, as it was before. Needs an admin's key."""
        return self._line.one(upkeep.Undone, "POST", "/undo", {"run": run, **asked})

    def close(self) -> None:
        """Closes the connections."""
        self._line.close()

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes it."""
        self.close()
