"""Where everything is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol

from onrecord.model.change import Event
from onrecord.model.erasure import Erased
from onrecord.model.key import ApiKey
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
from onrecord.ports.batch import Appended, Batch, Erasure, Health, Pruned, Unembedded
from onrecord.ports.knowledge import Library
from onrecord.ports.language import Vector

UNSEEN: Mapping[str, int] = MappingProxyType({})


class Store(Library, Protocol):
    """Keeps turns, records, events, verdicts, vectors and traces; all or nothing per call; every call is durable on return.

    Every method that takes a ``reach`` (or a view or batch, which hold one) sees rows of that tenant and those subjects only:
    a foreign id behaves like a made-up one. Methods without one are for maintenance and workers. Ids are unique per tenant.
    Raises ``StoreError`` when the database fails, ``InvalidInput`` for a bad filter.
    """

    # -- writing
    def append(self, turns: Sequence[Turn]) -> list[Appended]:
        """The turns as stored, in order, with ``seq`` given per (tenant, subject, thread); idempotent by ``client_id``."""
        ...

    def apply(self, batch: Batch) -> list[Event]:
        """The events of the changes, in order: the only way a record changes. Raises ``NotFound``, ``VersionConflict``,
        ``StaleRead``; then nothing was written."""
        ...

    def erase(self, erasure: Erasure, *, verify: bool = False, rehearse: bool = False) -> Erased:
        """The receipt of an erasure. With ``verify`` the files are written anew and every byte of them read for what was erased;
        with ``rehearse`` nothing is written, and the receipt tells what would be.

        Raises what ``apply`` raises, ``NotFound`` for a turn that is not there; then nothing was erased. Raises
        ``ErasureIncomplete`` if something of it is left; then the rows are gone."""
        ...

    def put_vectors(
        self,
        corpus: Corpus,
        reach: Reach,
        model: str,
        vectors: Mapping[str, Vector],
        *,
        versions: Mapping[str, int] = UNSEEN,
    ) -> None:
        """Sets vectors of existing rows; ids not there are passed over, and so are records that are at another version by now
        than ``versions`` tells: a slow embedder must not set the vector of old words over that of new ones.

        Raises ``EmbedderMismatch`` for a second dimension of one model."""
        ...

    def put_trace(self, trace: Trace) -> None:
        """Stores a trace, replacing the one of the same id. If a record that it names was erased meanwhile, its words are left
        out: what is erased does not come back with a trace of before."""
        ...

    def mark_injected(self, reach: Reach, trace_id: str, ids: Sequence[str]) -> None:
        """Notes which rows a trace brought into a model's context; passed over if its subjects do not all lie in the reach."""
        ...

    def touch(self, reach: Reach, ids: Collection[str], at: datetime) -> None:
        """Counts one use of each record."""
        ...

    def fail_capture(self, reach: Reach, turn_id: str, park_at: int) -> Turn:
        """The turn with one try more; parked once it has ``park_at`` tries. Raises ``NotFound``."""
        ...

    # -- reading records
    def get(self, reach: Reach, ids: Sequence[str]) -> list[Record]:
        """Records by id, any status, in the order asked; what is not there is left out."""
        ...

    def select(self, view: View, *, limit: int | None = None, after: str | None = None) -> list[Record]:
        """Records of a view in order of id, beginning behind ``after``."""
        ...

    def made_from(self, reach: Reach, ids: Sequence[str] | None = None) -> list[Record]:
        """The records that were made directly from turns or records of the reach, from those ids or (``None``) from any; in order
        of id, of whatever status, and of any subject of the tenant: lineage does not end at a subject.

        With ids, a source need not be there any more; without, the records of the reach itself are left out."""
        ...

    def usage(self, reach: Reach, ids: Sequence[str]) -> dict[str, Usage]:
        """Counters by record id, for those that are there."""
        ...

    def epochs(self, reach: Reach) -> dict[str, int]:
        """For each subject a number that grows with every change of its records; 0 for one not known yet."""
        ...

    # -- reading turns
    def turns(self, reach: Reach, ids: Sequence[str]) -> list[Turn]:
        """Turns by id, in the order asked; what is not there is left out."""
        ...

    def thread(self, reach: Reach, thread: str, *, last: int | None = None) -> list[Turn]:
        """The turns of a thread in order of ``seq``; only the last ``last`` if given."""
        ...

    def of_client(self, reach: Reach, thread: str | None, client_ids: Sequence[str]) -> list[Turn]:
        """Those turns of a thread (``None``: of no thread) that came under these ids of the caller's, in the order asked."""
        ...

    def neighbours(self, reach: Reach, turn_id: str, width: int, *, after: int | None = None) -> list[Turn]:
        """The turn with up to ``width`` before it in its thread and ``after`` behind it (``None``: as many), in order. Empty if
        it is not there."""
        ...

    def pending(self, *, limit: int, reach: Reach | None = None) -> list[Turn]:
        """Turns of any tenant, or of the reach if given, that were journaled and not yet captured, oldest first (ties by
        ``seq``, then by id); parked ones are left out."""
        ...

    # -- threads; one belongs to the first subject of the reach, whichever others may be seen beside it
    def put_summary(self, reach: Reach, thread: str, summary: Summary, *, at: datetime, after: int) -> None:
        """Sets the thread's summary. ``after`` is the ``seq`` of the last turn that the one read before covered, 0 for none.

        Raises ``StaleRead`` if another came first, ``InvalidInput`` if it covers no turn of the thread, or fewer than before."""
        ...

    def summary(self, reach: Reach, thread: str) -> Summary | None:
        """The newest summary of a thread, or ``None``."""
        ...

    def threads(
        self, reach: Reach, *, archived: bool = False, limit: int = 100, after: ThreadInfo | None = None
    ) -> list[ThreadInfo]:
        """The threads of all subjects of the reach that are archived or not, by their last turn, newest first; those behind
        ``after``, if given."""
        ...

    def thread_info(self, reach: Reach, thread: str) -> ThreadInfo | None:
        """One thread, archived or not; ``None`` before its first turn."""
        ...

    def set_thread(self, reach: Reach, thread: str, *, title: str | None = None, archived: bool | None = None) -> ThreadInfo:
        """The thread with what is given changed. Raises ``NotFound``."""
        ...

    def fork(self, reach: Reach, thread: str, new: str, *, upto: int) -> ThreadInfo:
        """A new thread with copies of the turns up to the ``seq`` ``upto``, captured already, under ids of their own.

        Raises ``NotFound``, and ``InvalidInput`` if ``new`` has turns or there is nothing to copy."""
        ...

    def put_token_counts(self, reach: Reach, counter: str, counts: Mapping[str, int]) -> None:
        """Keeps the tokens of turns, by id, as the counter of that name counts them; ids not there are passed over."""
        ...

    def token_counts(self, reach: Reach, thread: str, counter: str) -> dict[str, int]:
        """The tokens of those turns of a thread that were kept for the counter of that name, by id."""
        ...

    # -- runs; one belongs to the first subject of the reach
    def put_checkpoint(
        self, reach: Reach, run: str, step: int, state: Mapping[str, Any], *, status: RunStatus, at: datetime
    ) -> None:
        """Keeps the state of a run after a step, in place of the step before. The same one again changes nothing.

        Raises ``VersionConflict`` unless the last one is ``step - 1`` (0 for a new run)."""
        ...

    def checkpoint(self, reach: Reach, run: str) -> Checkpoint | None:
        """The last step of a run, or ``None``."""
        ...

    def drop_run(self, reach: Reach, run: str) -> int:
        """Destroys the working memory of a run; the number of checkpoints that were there."""
        ...

    def deciding(self, reach: Reach) -> AbstractContextManager[object]:
        """Others who decide about a subject of the reach wait meanwhile, those who came first go first; after a while they go on.

        It spares decisions that ``StaleRead`` would undo, and protects nothing: ``Batch.epochs`` does."""
        ...

    # -- searching, over the rows of a view alone
    def snapshot(self) -> AbstractContextManager[object]:
        """Reads of this thread inside it see the store as it stood at one moment. Nothing may be written inside it."""
        ...

    def lexical(self, view: View, corpus: Corpus, terms: Sequence[str], *, best: Best | None = None) -> Postings:
        """The rows that hold any of ``terms`` (made by ``policy.text.terms``), or the ``best`` of them, with the counts of BM25.

        A record is indexed by its ``text``, a turn as ``policy.episode.told`` shows it, a passage as it is ``told``.
        """
        ...

    def nearest(
        self, view: View, corpus: Corpus, model: str, vector: Vector, *, limit: int, also: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """``(id, cosine)`` of the ``limit`` nearest rows, best first (ties by id), then of rows named in ``also``, by id.

        Over very many vectors a store may miss a few of the nearest (at most one in fifty); a cosine that it gives is exact."""
        ...

    def recent(self, view: View, corpus: Corpus, *, limit: int) -> list[str]:
        """Ids of the rows said last, newest first (ties by id, larger first)."""
        ...

    # -- the account
    def events(self, reach: Reach, record_id: str) -> list[Event]:
        """What happened to a record, oldest first. Empty if it is not there."""
        ...

    def verdicts(
        self,
        reach: Reach,
        *,
        turn_id: str | None = None,
        record_id: str | None = None,
        accepted: bool | None = None,
        limit: int = 100,
    ) -> list[Verdict]:
        """Verdicts, newest first."""
        ...

    def verdicts_on(self, reach: Reach, turn_ids: Collection[str]) -> dict[str, list[Verdict]]:
        """All verdicts on what each of these turns said, by the turn's id, newest first; turns without one are left out."""
        ...

    def traces(self, reach: Reach, *, record_id: str | None = None, limit: int = 20) -> list[Trace]:
        """Traces whose subjects all lie in the reach, newest first; with ``record_id`` those that returned or injected it."""
        ...

    def trace(self, reach: Reach, trace_id: str) -> Trace | None:
        """One trace, or ``None``."""
        ...

    # -- keys to a server, over all tenants
    def put_key(self, key: ApiKey) -> None:
        """Keeps a new key. Raises ``InvalidInput`` if its id or digest is there already."""
        ...

    def key(self, digest: str) -> ApiKey | None:
        """The key of that digest, or ``None``."""
        ...

    def keys(self) -> list[ApiKey]:
        """All keys, in order of id."""
        ...

    def drop_key(self, id: str) -> None:
        """Takes a key away: its bearer gets in no more. Raises ``NotFound``."""
        ...

    # -- travelling
    def dump(self, extent: Extent) -> Iterator[Parcel]:
        """Every row of the extent, one after the other, as they stood at one moment: subject by subject in order of tenant and
        name, of each its turns, threads, summaries, runs, verdicts, records (by id), then what is left of erased ones, then
        vectors; behind all subjects the traces that looked at nobody outside the extent."""
        ...

    def load(self, parcels: Sequence[Parcel]) -> list[Loaded]:
        """What became of each, in order, in one transaction. Each is taken in as a whole or not at all, under the ids, times and
        numbers that it has; what is there already is recognised. Numbers of events are given anew, in their order."""
        ...

    # -- maintenance
    def subjects(self, *, limit: int | None = None, after: tuple[str, str] | None = None) -> list[tuple[str, str]]:
        """Tenant and subject of everybody who has records, in order of both, beginning behind ``after``."""
        ...

    def archive_idle(self, before: datetime, *, limit: int) -> list[ThreadInfo]:
        """Archives threads of any tenant whose last turn was written before that time; those it did, the longest idle first.

        A turn that is appended to an archived thread takes it out of the archive."""
        ...

    def unembedded(
        self, corpus: Corpus, model: str, *, limit: int, since: datetime | None = None, reach: Reach | None = None
    ) -> list[Unembedded]:
        """Rows of any tenant, or of the reach if given, without a vector of ``model``, written from ``since`` on, oldest first;
        shed turns are left out."""
        ...

    def models(self, reach: Reach) -> dict[str, bool]:
        """The embedders by name of which rows of the reach have vectors, each with whether every row has one."""
        ...

    def behind(self, model: str) -> list[tuple[str, str]]:
        """Tenant and subject of everybody who has rows without a vector of ``model``, or vectors of another, in order of both."""
        ...

    def drop_vectors(self, reach: Reach, *, keep: str) -> int:
        """Takes the vectors of all models but ``keep`` away from rows of the reach; how many those were."""
        ...

    def drop_turn_vectors(self, before: datetime, *, limit: int) -> int:
        """Takes away the vectors of turns of any tenant that were written before that time, the oldest first; of how many."""
        ...

    def aged(self, before: datetime, *, limit: int, after: Turn | None = None) -> list[Turn]:
        """Turns of any tenant written before that time that are captured and have their words, oldest first (ties by tenant and
        id), behind ``after``."""
        ...

    def shed(self, reach: Reach, ids: Sequence[str], *, epochs: Mapping[str, int]) -> int:
        """Takes the words of captured turns away (text, payload, full text, vectors, counts of tokens); of how many. Their places
        stay. Raises ``StaleRead`` if a subject changed since ``epochs``; then nothing was taken."""
        ...

    def out_of_recall(
        self, before: Mapping[Status, datetime], *, limit: int, after: tuple[Record, datetime] | None = None
    ) -> list[tuple[Record, datetime]]:
        """Records of any tenant that are not pinned, of one of these statuses (none of them current), with the time of what
        happened to them last, if that was before the time given for the status; oldest first (ties by tenant and id), behind
        ``after``."""
        ...

    def prune(self, *, traces: datetime, account: datetime, limit: int) -> Pruned:
        """Takes away traces older than ``traces``, and what is older than ``account``: verdicts on turns without words of which
        no event of a record that is there tells; what is told of erased records; of events in a row that tell that a record was
        said again, all but the last, which then begins where the first began; summaries of threads of which the last turn has
        no words; and turns without words that gave no verdict and no record.

        That a record was erased is told as long as there are the words of a turn that gave it: they stay unsaid by that. Of a
        thread the last turn and the last one that a summary covers stay until they are all that is left, so that its numbers go
        on. What a run of maintenance did is told in full. At most ``limit`` of each, of any tenant."""
        ...

    def done_by(self, tenant: str, actor: str) -> list[Event]:
        """What a run of maintenance, ``actor``, did to records of a tenant, oldest first."""
        ...

    def size(self) -> int:
        """Bytes on disk that hold something; 0 where nothing is on disk."""
        ...

    def check(self) -> Health:
        """Counts of rows and of every derived index, and the differences between them. Changes nothing."""
        ...

    def repair(self) -> Health:
        """Rebuilds the derived indexes from the rows; the state afterwards."""
        ...

    def backup(self, path: str, *, force: bool = False) -> Health:
        """What stands in the copy made at ``path``, of one moment, while others read and write. It was checked.

        Raises ``InvalidInput`` if something is there (unless an older backup may be replaced by ``force``), ``StoreError`` for
        a store that has no file."""
        ...

    def close(self) -> None:
        """Releases the database. Further calls raise ``StoreClosed``; closing twice is harmless."""
        ...
