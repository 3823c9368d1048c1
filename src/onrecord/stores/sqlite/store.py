"""``SQLiteStore``: the methods of ``Store``, each one transaction."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from os import PathLike, fspath
from typing import Any

from onrecord.model.change import Event, EventType
from onrecord.model.moment import as_utc, to_us
from onrecord.model.query import Corpus, Postings, View
from onrecord.model.record import Record, Usage
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.ports import UNSEEN, Appended, Batch, Health, Unembedded, Vector
from onrecord.stores.sqlite import account, health, journal, records, subjects, threads
from onrecord.stores.sqlite.apply import Application
from onrecord.stores.sqlite.cache import Cache
from onrecord.stores.sqlite.connection import Database
from onrecord.stores.sqlite.search import Search
from onrecord.stores.sqlite.vectors import put

#: Bytes of columns and vectors kept in memory.
CACHE_BYTES = 512 << 20


class SQLiteStore:
    """A store in the SQLite file at ``path``, made if it is not there; ``":memory:"`` keeps it in this process.

    ``synchronous`` is ``FULL`` (what was acknowledged survives a power cut) or ``NORMAL`` (a power cut may lose the last moments,
    a crash of the process does not). A write waits up to ``busy_timeout`` seconds for other writers. Safe to share between
    threads and to use after a fork. An up-to-date file that may not be written is opened and read, if SQLite can make its
    ``-shm`` file beside it.

    Raises ``StoreError`` if the file can't be opened, ``SchemaMismatch`` if a newer version wrote it.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        synchronous: str = "FULL",
        busy_timeout: float = 10.0,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._db = Database(fspath(path), synchronous=synchronous, busy_timeout=busy_timeout)
        self._cache = Cache(cache_bytes)
        self._held = threading.local()
        self._renew()

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._db.path

    def _renew(self) -> None:
        """Makes full text anew that an older version made, once, so that old rows are found by the words of today."""
        with self._db.read() as connection:
            if not health.outdated(connection):
                return
        with self._db.write() as connection:
            if health.outdated(connection):
                health.reindex(connection)

    # -- writing
    def append(self, turns: Sequence[Turn]) -> list[Appended]:
        """See ``Store.append``."""
        with self._db.write() as connection:
            return journal.append(connection, turns)

    def apply(self, batch: Batch) -> list[Event]:
        """See ``Store.apply``."""
        with self._db.write() as connection:
            events = Application(connection, batch).perform()
        if any(event.type is EventType.ERASED for event in events):
            self._db.scrub()
        return events

    def put_vectors(
        self,
        corpus: Corpus,
        reach: Reach,
        model: str,
        vectors: Mapping[str, Vector],
        *,
        versions: Mapping[str, int] = UNSEEN,
    ) -> None:
        """See ``Store.put_vectors``."""
        with self._db.write() as connection:
            known = subjects.within(connection, reach)
            put(connection, corpus, model, vectors, known, versions)
            subjects.save(connection, known)

    def put_trace(self, trace: Trace) -> None:
        """See ``Store.put_trace``."""
        Reach(trace.tenant, trace.subjects)
        with self._db.write() as connection:
            account.put_trace(connection, trace)

    def mark_injected(self, reach: Reach, trace_id: str, ids: Sequence[str]) -> None:
        """See ``Store.mark_injected``."""
        with self._db.write() as connection:
            account.mark_injected(connection, reach, trace_id, ids)

    def touch(self, reach: Reach, ids: Collection[str], at: datetime) -> None:
        """See ``Store.touch``."""
        moment = to_us(as_utc(at, "at"))
        with self._db.write() as connection:
            records.touch(connection, reach, ids, moment)

    def fail_capture(self, reach: Reach, turn_id: str, park_at: int) -> Turn:
        """See ``Store.fail_capture``."""
        with self._db.write() as connection:
            return journal.fail(connection, reach, turn_id, park_at)

    # -- reading records
    def get(self, reach: Reach, ids: Sequence[str]) -> list[Record]:
        """See ``Store.get``."""
        with self._db.read() as connection:
            return records.get(connection, reach, ids)

    def select(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Record]:
        """See ``Store.select``."""
        with self._search() as search:
            return search.select(view, limit, after)

    def usage(self, reach: Reach, ids: Sequence[str]) -> dict[str, Usage]:
        """See ``Store.usage``."""
        with self._db.read() as connection:
            return records.usage(connection, reach, ids)

    def epochs(self, reach: Reach) -> dict[str, int]:
        """See ``Store.epochs``."""
        with self._db.read() as connection:
            known = {subject.name: subject.epoch for subject in subjects.within(connection, reach)}
        return {name: known.get(name, 0) for name in reach.subjects}

    # -- reading turns
    def turns(self, reach: Reach, ids: Sequence[str]) -> list[Turn]:
        """See ``Store.turns``."""
        with self._db.read() as connection:
            return journal.get(connection, reach, ids)

    def thread(self, reach: Reach, thread: str, *, last: int | None = None) -> list[Turn]:
        """See ``Store.thread``."""
        with self._db.read() as connection:
            return journal.thread(connection, reach, thread, last)

    def neighbours(self, reach: Reach, turn_id: str, width: int) -> list[Turn]:
        """See ``Store.neighbours``."""
        with self._db.read() as connection:
            return journal.neighbours(connection, reach, turn_id, width)

    def pending(self, *, limit: int, reach: Reach | None = None) -> list[Turn]:
        """See ``Store.pending``."""
        with self._db.read() as connection:
            return journal.pending(connection, limit, reach)

    # -- threads and runs
    def put_summary(self, reach: Reach, thread: str, summary: Summary, *, at: datetime, after: int) -> None:
        """See ``Store.put_summary``."""
        with self._db.write() as connection:
            threads.put_summary(connection, reach, thread, summary, at, after)

    def summary(self, reach: Reach, thread: str) -> Summary | None:
        """See ``Store.summary``."""
        with self._db.read() as connection:
            return threads.summary(connection, reach, thread)

    def threads(
        self, reach: Reach, *, archived: bool = False, limit: int = 100, after: ThreadInfo | None = None
    ) -> list[ThreadInfo]:
        """See ``Store.threads``."""
        with self._db.read() as connection:
            return threads.threads(connection, reach, archived, limit, after)

    def set_thread(self, reach: Reach, thread: str, *, title: str | None = None, archived: bool | None = None) -> ThreadInfo:
        """See ``Store.set_thread``."""
        with self._db.write() as connection:
            return threads.set_thread(connection, reach, thread, title, archived)

    def fork(self, reach: Reach, thread: str, new: str, *, upto: int) -> ThreadInfo:
        """See ``Store.fork``."""
        with self._db.write() as connection:
            return threads.fork(connection, reach, thread, new, upto)

    def put_token_counts(self, reach: Reach, counter: str, counts: Mapping[str, int]) -> None:
        """See ``Store.put_token_counts``."""
        with self._db.write() as connection:
            threads.put_token_counts(connection, reach, counter, counts)

    def token_counts(self, reach: Reach, thread: str, counter: str) -> dict[str, int]:
        """See ``Store.token_counts``."""
        with self._db.read() as connection:
            return threads.token_counts(connection, reach, thread, counter)

    def put_checkpoint(
        self, reach: Reach, run: str, step: int, state: Mapping[str, Any], *, status: RunStatus, at: datetime
    ) -> None:
        """See ``Store.put_checkpoint``."""
        with self._db.write() as connection:
            threads.put_checkpoint(connection, reach, run, step, state, status, at)

    def checkpoint(self, reach: Reach, run: str) -> Checkpoint | None:
        """See ``Store.checkpoint``."""
        with self._db.read() as connection:
            return threads.checkpoint(connection, reach, run)

    def drop_run(self, reach: Reach, run: str) -> int:
        """See ``Store.drop_run``."""
        with self._db.write() as connection:
            return threads.drop_run(connection, reach, run)

    # -- searching
    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See ``Store.snapshot``."""
        with self._db.snapshot() as connection:
            outer, self._held.search = self._snapshot(), Search(connection, self._cache)
            try:
                yield
            finally:
                self._held.search = outer

    def _snapshot(self) -> Search | None:
        return getattr(self._held, "search", None)

    @contextmanager
    def _search(self) -> Iterator[Search]:
        with self._db.read() as connection:
            yield self._snapshot() or Search(connection, self._cache)

    def lexical(self, view: View, corpus: Corpus, terms: Sequence[str]) -> Postings:
        """See ``Store.lexical``."""
        with self._search() as search:
            return search.lexical(view, corpus, terms)

    def nearest(
        self, view: View, corpus: Corpus, model: str, vector: Vector, *, limit: int, also: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """See ``Store.nearest``."""
        with self._search() as search:
            return search.nearest(view, corpus, model, vector, limit, also)

    def recent(self, view: View, corpus: Corpus, *, limit: int) -> list[str]:
        """See ``Store.recent``."""
        with self._search() as search:
            return search.recent(view, corpus, limit)

    # -- the account
    def events(self, reach: Reach, record_id: str) -> list[Event]:
        """See ``Store.events``."""
        with self._db.read() as connection:
            return account.events(connection, reach, record_id)

    def verdicts(
        self,
        reach: Reach,
        *,
        turn_id: str | None = None,
        record_id: str | None = None,
        accepted: bool | None = None,
        limit: int = 100,
    ) -> list[Verdict]:
        """See ``Store.verdicts``."""
        with self._db.read() as connection:
            return account.verdicts(connection, reach, turn_id, record_id, accepted, limit)

    def traces(self, reach: Reach, *, record_id: str | None = None, limit: int = 20) -> list[Trace]:
        """See ``Store.traces``."""
        with self._db.read() as connection:
            return account.traces(connection, reach, record_id, limit)

    def trace(self, reach: Reach, trace_id: str) -> Trace | None:
        """See ``Store.trace``."""
        with self._db.read() as connection:
            return account.trace(connection, reach, trace_id)

    # -- maintenance
    def archive_idle(self, before: datetime, *, limit: int) -> list[ThreadInfo]:
        """See ``Store.archive_idle``."""
        moment = to_us(as_utc(before, "before"))
        with self._db.write() as connection:
            return threads.archive_idle(connection, moment, limit)

    def unembedded(self, corpus: Corpus, model: str, *, limit: int) -> list[Unembedded]:
        """See ``Store.unembedded``."""
        with self._db.read() as connection:
            return health.unembedded(connection, corpus, model, limit)

    def check(self) -> Health:
        """See ``Store.check``."""
        with self._db.read() as connection:
            return health.check(connection)

    def repair(self) -> Health:
        """See ``Store.repair``."""
        with self._db.write() as connection:
            health.repair(connection)
            return health.check(connection)

    def close(self) -> None:
        """See ``Store.close``."""
        self._db.close()
