"""onrecord as a peer: ``Memory`` as it is documented, with the packaged embedder.

``default`` is ``add`` and ``search`` without an option. ``best`` asks for what was said, as the retrieval evaluations do
(``include="episodes"``, no threshold). The clock stands at the time of the newest message, as it would in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.peers.peer import BEST, Facts, Hit, Message

from onrecord.errors import NotFound
from onrecord.memory import Memory
from onrecord.model.query import Include
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.model.trace import Hit as Found
from onrecord.model.turn import Turn
from onrecord.ports import Embedder
from onrecord.providers.scripted import SteppingClock
from onrecord.wire.version import package_version

_CAN = frozenset({"add", "search", "everything", "erase", "context", "history"})
_PAGE = 1_000


class OnRecord:
    """One memory on one file. ``embedder`` replaces the packaged one; it must give the same vectors."""

    def __init__(self, setting: str, embedder: Embedder | None = None) -> None:
        self._setting, self._embedder = setting, embedder
        self._clock = SteppingClock(datetime.now(UTC))
        self._said: datetime | None = None
        self._memory: Memory | None = None

    def open(self, folder: Path) -> Facts:
        """Opens ``memory.db`` there."""
        folder.mkdir(parents=True, exist_ok=True)
        self._memory = Memory(folder / "memory.db", embedder=self._embedder, clock=self._clock)
        return Facts("onrecord", package_version(), self._setting, self._memory.engine.embedder.name, _CAN)

    def add(self, subject: str, messages: Sequence[Message]) -> None:
        """One call of ``Memory.add`` for each run of messages of one thread."""
        for thread, run in groupby(messages, key=lambda message: message.thread):
            said = list(run)
            self._at(max(message.at for message in said))
            self._open.add([_given(message) for message in said], user_id=subject, session_id=thread)

    def search(self, subject: str, query: str, limit: int) -> list[Hit]:
        """``Memory.search``, by setting."""
        if self._setting == BEST:
            found = self._open.search(query, user_id=subject, limit=limit, include=Include.EPISODES, threshold=0.0)
        else:
            found = self._open.search(query, user_id=subject, limit=limit)
        return [self._hit(subject, hit) for hit in found.hits]

    def everything(self, subject: str) -> list[Hit]:
        """Every turn of every thread in order, then the records that are in force, which came of them."""
        turns = [turn for thread in self._threads(subject) for turn in self._store.thread(_reach(self._open, subject), thread)]
        said = [Hit(turn.text, (_name(turn),), episode=True) for turn in sorted(turns, key=lambda turn: (turn.at, turn.seq))]
        records = self._open.get_all(user_id=subject)
        return said + [Hit(record.statement, self._names(subject, record.sources)) for record in records]

    def erase(self, subject: str) -> None:
        """``Memory.erase`` with its check of every byte."""
        try:
            self._open.erase(user_id=subject, verify=True)
        except NotFound:
            return  # nothing of theirs is there, which is what was wanted

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """The context for the last message of the thread, which is read again as what is asked now."""
        turns = self._store.thread(_reach(self._open, subject), thread)
        asked = next((turn.text for turn in reversed(turns) if turn.role.value == "user"), "")
        return [dict(one) for one in self._open.context(asked, user_id=subject, session_id=thread, budget=tokens).messages]

    def close(self) -> None:
        """Closes the file."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    @property
    def _open(self) -> Memory:
        if self._memory is None:
            raise RuntimeError("the peer is not open: call open(folder) first")
        return self._memory

    @property
    def _store(self) -> Any:
        return self._open.engine.store

    def _at(self, said: datetime) -> None:
        self._said = said if self._said is None else max(said, self._said)
        self._clock.now = self._said

    def _threads(self, subject: str) -> list[str]:
        names: list[str] = []
        for archived in (False, True):
            after = None
            while page := self._open.sessions(user_id=subject, archived=archived, limit=_PAGE, after=after):
                names += [info.id for info in page]
                after = page[-1]
        return names

    def _hit(self, subject: str, hit: Found) -> Hit:
        disputed = (
            bool(hit.conflicts_with) or str(Status.CONFLICTED) in hit.fate.note
        )  # of a turn: what it said is in conflict now
        note = "over" if not hit.current else "disputed" if disputed else ""
        if hit.turn is not None:
            return Hit(hit.text, (_name(hit.turn),), episode=True, note=note)
        return Hit(hit.text, self._names(subject, hit.sources), note=note)

    def _names(self, subject: str, turns: Sequence[str]) -> tuple[str, ...]:
        return tuple(_name(turn) for turn in self._store.turns(_reach(self._open, subject), turns))


def _reach(memory: Memory, subject: str) -> Reach:
    return Reach(memory.tenant, (f"user:{subject}",))


def _name(turn: Turn) -> str:
    return turn.client_id or turn.id


def _given(message: Message) -> dict[str, Any]:
    return {
        **message.payload,
        "id": message.id,
        "role": message.role,
        "name": message.speaker,
        "content": message.text,
        "at": message.at,
    }
