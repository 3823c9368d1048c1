"""``SQLiteStore``: the methods of ``Store``, each one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from os import PathLike, fspath
from typing import Any

from onrecord.model.change import Event, EventType
from onrecord.model.erasure import Erased
from onrecord.model.key import ApiKey
from onrecord.model.moment import as_utc, to_us
from onrecord.model.parcel import Extent, Loaded, Parcel
from onrecord.model.query import Best, Corpus, Postings, View
from onrecord.model.record import Record, Status, Usage
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.ports import UNSEEN, Appended, Batch, Erasure, Health, Pruned, Unembedded, Vector
from onrecord.stores.erasure import receipt
from onrecord.stores.lanes import owners
from onrecord.stores.sqlite import account, documents, embeddings, health, journal, keys, records, retention, subjects, threads
from onrecord.stores.sqlite.apply import Application
from onrecord.stores.sqlite.arrival import Arrival
from onrecord.stores.sqlite.backup import backup
from onrecord.stores.sqlite.cache import Cache
from onrecord.stores.sqlite.connection import Database
from onrecord.stores.sqlite.departure import dump
from onrecord.stores.sqlite.erase import Erasing
from onrecord.stores.sqlite.matrix import INDEXED_FROM
from onrecord.stores.sqlite.proof import Proof
from onrecord.stores.sqlite.search import Search
from onrecord.stores.sqlite.vectors import put

#: Bytes of columns and vectors kept in memory.
CACHE_BYTES = 512 << 20


class SQLiteStore(documents.Shelves):
    """A store in the SQLite file at ``path``, made if it is not there; ``":memory:"`` keeps it in this process.

    ``synchronous`` is ``FULL`` (what was acknowledged survives a power cut) or ``NORMAL`` (a power cut may lose the last moments,
    a crash of the process does not). A write waits up to ``busy_timeout`` seconds for other writers. Safe to share between
    threads and to use after a fork. Up to ``cache_bytes`` of columns, vectors and full text of the subjects in use are kept in
    memory, and of a subject with more than ``indexed_from`` vectors an index instead of them.

    An up-to-date file that may not be written is opened and read; if its folder may not be written either, it is read as it lies
    there, with a warning. Writing then raises ``StoreError``.

    Raises ``StoreError`` if the file can't be opened, ``SchemaMismatch`` if a newer version wrote it.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        synchronous: str = "FULL",
        busy_timeout: float = 10.0,
        cache_bytes: int = CACHE_BYTES,
        indexed_from: int = INDEXED_FROM,
    ) -> None:
        self._db = Database(fspath(path), synchronous=synchronous, busy_timeout=busy_timeout)
        self._cache = Cache(cache_bytes, indexed_from)
        self._proof = Proof(self._db)
        self._renew()

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._db.path

    @property
    def cached_bytes(self) -> int:
        """Bytes of memory that columns, vectors and full text take here, roughly."""
        return self._cache.nbytes

    def _renew(self) -> None:
        """Makes full text anew that an older version made, once, so that old rows are found by the words of today."""
        with self._db.read() as connection:
            if self._db.frozen or not health.outdated(connection):
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

    def erase(self, erasure: Erasure, *, verify: bool = False, rehearse: bool = False) -> Erased:
        """See ``Store.erase``."""
        with self._db.write(keep=not rehearse) as connection, self._proof.watching(connection, verify and not rehearse):
            erasing = Erasing(connection, erasure)
            erasing.perform()
        if rehearse:
            return receipt(erasing.gone, erasing.emptied, None)
        self._cache.forget(erasing.sids)
        self._db.scrub()
        scan = self._proof.prove(erasing) if verify else None
        return receipt(erasing.gone, erasing.emptied, scan)

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
        with self._search() as search:
            return search.get(reach, ids)

    def select(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Record]:
        """See ``Store.select``."""
        with self._search() as search:
            return search.select(view, limit, after)

    def made_from(self, reach: Reach, ids: Sequence[str] | None = None) -> list[Record]:
        """See ``Store.made_from``."""
        with self._db.read() as connection:
            return records.made_from(connection, reach, ids)

    def usage(self, reach: Reach, ids: Sequence[str]) -> dict[str, Usage]:
        """See ``Store.usage``."""
        with self._search() as search:
            return records.usage(search.connection, search.subjects(reach), ids)

    def epochs(self, reach: Reach) -> dict[str, int]:
        """See ``Store.epochs``."""
        with self._db.read() as connection:
            known = {subject.name: subject.epoch for subject in subjects.within(connection, reach)}
        return {name: known.get(name, 0) for name in reach.subjects}

    def deciding(self, reach: Reach) -> AbstractContextManager[object]:
        """See ``Store.deciding``. Processes wait for each other too, as long as for the lock of writing."""
        return self._db.in_lanes(owners(reach))

    # -- reading turns
    def turns(self, reach: Reach, ids: Sequence[str]) -> list[Turn]:
        """See ``Store.turns``."""
        with self._search() as search:
            return journal.get(search.connection, reach.tenant, search.subjects(reach), ids)

    def thread(self, reach: Reach, thread: str, *, last: int | None = None) -> list[Turn]:
        """See ``Store.thread``."""
        with self._db.read() as connection:
            return journal.thread(connection, reach, thread, last)

    def of_client(self, reach: Reach, thread: str | None, client_ids: Sequence[str]) -> list[Turn]:
        """See ``Store.of_client``."""
        with self._db.read() as connection:
            return journal.of_client(connection, reach, thread, client_ids)

    def neighbours(self, reach: Reach, turn_id: str, width: int, *, after: int | None = None) -> list[Turn]:
        """See ``Store.neighbours``."""
        with self._search() as search:
            around = width, width if after is None else after
            return journal.neighbours(search.connection, reach.tenant, search.subjects(reach), turn_id, around)

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

    def thread_info(self, reach: Reach, thread: str) -> ThreadInfo | None:
        """See ``Store.thread_info``."""
        with self._db.read() as connection:
            return threads.thread_info(connection, reach, thread)

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
    def snapshot(self) -> AbstractContextManager[object]:
        """See ``Store.snapshot``."""
        return self._db.snapshot()

    @contextmanager
    def _search(self) -> Iterator[Search]:
        with self._db.read() as connection:
            yield self._db.held(lambda: Search(connection, self._cache))

    def lexical(self, view: View, corpus: Corpus, terms: Sequence[str], *, best: Best | None = None) -> Postings:
        """See ``Store.lexical``."""
        with self._search() as search:
            if corpus is Corpus.PASSAGES:
                return documents.lexical(search.connection, view, terms, best)
            return search.lexical(view, corpus, terms, best)

    def nearest(
        self, view: View, corpus: Corpus, model: str, vector: Vector, *, limit: int, also: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """See ``Store.nearest``."""
        with self._search() as search:
            if corpus is Corpus.PASSAGES:
                return documents.nearest(search.connection, view, model, vector, limit, also)
            return search.nearest(view, corpus, model, vector, limit, also)

    def recent(self, view: View, corpus: Corpus, *, limit: int) -> list[str]:
        """See ``Store.recent``."""
        with self._search() as search:
            if corpus is Corpus.PASSAGES:
                return documents.recent(search.connection, view, limit)
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

    def verdicts_on(self, reach: Reach, turn_ids: Collection[str]) -> dict[str, list[Verdict]]:
        """See ``Store.verdicts_on``."""
        with self._db.read() as connection:
            return account.verdicts_on(connection, reach, turn_ids)

    def traces(self, reach: Reach, *, record_id: str | None = None, limit: int = 20) -> list[Trace]:
        """See ``Store.traces``."""
        with self._db.read() as connection:
            return account.traces(connection, reach, record_id, limit)

    def trace(self, reach: Reach, trace_id: str) -> Trace | None:
        """See ``Store.trace``."""
        with self._db.read() as connection:
            return account.trace(connection, reach, trace_id)

    # -- travelling
    def dump(self, extent: Extent) -> Iterator[Parcel]:
        """See ``Store.dump``."""
        with self._db.read() as connection:
            rows = dump(connection, extent)
            if not self._db.in_memory:
                yield from rows
                return
            held = list(rows)  # there is one connection, and others want to write
        yield from held

    def load(self, parcels: Sequence[Parcel]) -> list[Loaded]:
        """See ``Store.load``."""
        with self._db.write() as connection:
            arrival = Arrival(connection)
            return [arrival.keep(parcel) for parcel in parcels]

    # -- maintenance
    def subjects(self, *, limit: int | None = None, after: tuple[str, str] | None = None) -> list[tuple[str, str]]:
        """See ``Store.subjects``."""
        with self._db.read() as connection:
            return subjects.peopled(connection, limit, after)

    def archive_idle(self, before: datetime, *, limit: int) -> list[ThreadInfo]:
        """See ``Store.archive_idle``."""
        moment = to_us(as_utc(before, "before"))
        with self._db.write() as connection:
            return threads.archive_idle(connection, moment, limit)

    def put_key(self, key: ApiKey) -> None:
        """See ``Store.put_key``."""
        with self._db.write() as connection:
            keys.put_key(connection, key)

    def key(self, digest: str) -> ApiKey | None:
        """See ``Store.key``."""
        with self._db.read() as connection:
            return keys.key(connection, digest)

    def keys(self) -> list[ApiKey]:
        """See ``Store.keys``."""
        with self._db.read() as connection:
            return keys.keys(connection)

    def drop_key(self, id: str) -> None:
        """See ``Store.drop_key``."""
        with self._db.write() as connection:
            keys.drop_key(connection, id)

    def unembedded(
        self, corpus: Corpus, model: str, *, limit: int, since: datetime | None = None, reach: Reach | None = None
    ) -> list[Unembedded]:
        """See ``Store.unembedded``."""
        moment = None if since is None else to_us(as_utc(since, "since"))
        with self._db.read() as connection:
            return embeddings.unembedded(connection, corpus, model, limit, moment, reach)

    def models(self, reach: Reach) -> dict[str, bool]:
        """See ``Store.models``."""
        with self._db.read() as connection:
            return embeddings.models(connection, reach)

    def behind(self, model: str) -> list[tuple[str, str]]:
        """See ``Store.behind``."""
        with self._db.read() as connection:
            return embeddings.behind(connection, model)

    def drop_vectors(self, reach: Reach, *, keep: str) -> int:
        """See ``Store.drop_vectors``."""
        with self._db.write() as connection:
            return embeddings.drop(connection, reach, keep)

    def drop_turn_vectors(self, before: datetime, *, limit: int) -> int:
        """See ``Store.drop_turn_vectors``."""
        with self._db.write() as connection:
            gone = retention.drop_turn_vectors(connection, to_us(as_utc(before, "before")), limit)
        self._cache.forget({id >> 32 for id in gone})
        return len(gone)

    def aged(self, before: datetime, *, limit: int, after: Turn | None = None) -> list[Turn]:
        """See ``Store.aged``."""
        with self._db.read() as connection:
            return retention.aged(connection, to_us(as_utc(before, "before")), limit, after)

    def shed(self, reach: Reach, ids: Sequence[str], *, epochs: Mapping[str, int]) -> int:
        """See ``Store.shed``."""
        with self._db.write() as connection:
            known = subjects.within(connection, reach)
            done = retention.shed(connection, known, ids, epochs)
        self._cache.forget({subject.sid for subject in known})
        self._db.scrub()
        return done

    def out_of_recall(
        self, before: Mapping[Status, datetime], *, limit: int, after: tuple[Record, datetime] | None = None
    ) -> list[tuple[Record, datetime]]:
        """See ``Store.out_of_recall``."""
        with self._db.read() as connection:
            return retention.out_of_recall(connection, before, limit, after)

    def prune(self, *, traces: datetime, account: datetime, limit: int) -> Pruned:
        """See ``Store.prune``."""
        with self._db.write() as connection:
            told, sids = retention.prune(connection, to_us(as_utc(traces, "traces")), to_us(as_utc(account, "account")), limit)
            smaller = retention.give_back(connection)
        self._cache.forget(sids)
        if smaller:
            self._db.scrub()
        return told

    def done_by(self, tenant: str, actor: str) -> list[Event]:
        """See ``Store.done_by``."""
        with self._db.read() as connection:
            return retention.done_by(connection, tenant, actor)

    def size(self) -> int:
        """See ``Store.size``."""
        with self._db.read() as connection:
            return 0 if self._db.in_memory else retention.size(connection)

    def check(self) -> Health:
        """See ``Store.check``."""
        with self._db.fresh() as connection:
            return health.check(connection)

    def repair(self) -> Health:
        """See ``Store.repair``."""
        with self._db.write() as connection:
            health.repair(connection)
            return health.check(connection)

    def backup(self, path: str, *, force: bool = False) -> Health:
        """See ``Store.backup``."""
        return backup(self._db, path, force=force)

    def close(self) -> None:
        """See ``Store.close``."""
        self._db.close()
