"""Maintenance: what was queued is done, what lacks a vector gets one, idle threads are put away, records fade or are merged.

Safe to run at any time, from any process, twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from onrecord.errors import EmbedderError, ModelError, ModelUnavailable, NotFound, OnRecordError
from onrecord.model.change import Change
from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.model.verdict import Reason
from onrecord.pipeline.capture import capture_turns, turn_verdict
from onrecord.pipeline.consolidate import Consolidated, consolidate_all
from onrecord.pipeline.fading import Faded, fade
from onrecord.pipeline.journal import BATCH
from onrecord.pipeline.progress import Progress, quiet
from onrecord.pipeline.prune import Gone, prune, vectors_since
from onrecord.pipeline.reading import Reader
from onrecord.policy.gate.judge import Ruling
from onrecord.policy.lifecycle.expiry import RUN
from onrecord.policy.reading.point import Told
from onrecord.ports import Batch, Engine, Unembedded

_log = logging.getLogger("onrecord")
#: Failures in a row after which an embedder counts as down.
_GIVE_UP = 3


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did: turns captured, put back for another try, parked; rows embedded, and rows still without a vector; threads
    put away because nobody wrote to them for ``policy.thread_idle``; calls of a model that read, and ``strays``: turns and
    records that it named and was not shown, and rows of its answers that could not be used.

    Of records: how many were current ``before`` and are ``after``, how many ``faded`` out of recall (they come back when they
    are asked for), ``expired`` at their stated end, and wait for a person as ``stale``; how many ``merged`` into another that
    says the same, or into a general one of what recurs (``promoted``), how many keys were ``joined`` to another of the same
    meaning, and how many pairs were ``flagged`` as contradictory: ``run`` names what ``undo`` takes back. ``pruned`` were out of
    recall for longer than they are kept. ``changes`` are those of the records of the tenant that asked, in a dry run those that
    would be.

    ``traces``, ``verdicts`` and ``tombstones`` were taken away for their age, ``restatements`` told together with later ones. So
    were the vectors and words of turns (``vectors_dropped``, ``turns_shed``) and, later, what was left of them
    (``turns_dropped``). ``bytes`` on disk hold something afterwards, ``bytes_before`` did before."""

    captured: int = 0
    failed: int = 0
    parked: int = 0
    embedded: int = 0
    unembedded: int = 0
    archived: int = 0
    calls: int = 0
    strays: int = 0
    before: int = 0
    after: int = 0
    faded: int = 0
    expired: int = 0
    stale: int = 0
    merged: int = 0
    promoted: int = 0
    joined: int = 0
    flagged: int = 0
    pruned: int = 0
    traces: int = 0
    verdicts: int = 0
    tombstones: int = 0
    restatements: int = 0
    vectors_dropped: int = 0
    turns_shed: int = 0
    turns_dropped: int = 0
    bytes_before: int = 0
    bytes: int = 0
    run: str = ""
    changes: tuple[Change, ...] = ()
    dry_run: bool = False


def drain(engine: Engine, tenant: str, *, limit: int = 1_000, dry_run: bool = False, progress: Progress = quiet) -> Report:
    """Captures up to ``limit`` pending turns, embeds as many rows, archives as many idle threads and records, merges as many, and
    takes away as many of what is older than it is kept.

    A dry run tells what would become of records, and does nothing. Raises ``StoreError`` if the store can't be reached."""
    size = engine.store.size()
    report = Report(dry_run=True) if dry_run else _caught_up(engine, limit, progress)
    faded = fade(engine, limit=limit, told=tenant, dry_run=dry_run, progress=progress)
    run = engine.ids(RUN.rstrip("_"))
    merged = consolidate_all(engine, run=run, limit=limit, told=tenant, dry_run=dry_run, progress=progress)
    gone = prune(engine, limit=limit, told=tenant, dry_run=dry_run, progress=progress)
    done = _with_records(report, faded, merged, gone)
    return replace(done, run=run if merged.did and not dry_run else "", bytes_before=size, bytes=engine.store.size())


def _caught_up(engine: Engine, limit: int, progress: Progress) -> Report:
    captured = failed = parked = 0
    reader, waiting = Reader(engine), engine.store.pending(limit=limit)
    for n, state in enumerate(read_queue(engine, waiting, reader)):
        progress("turns to read", n, len(waiting))
        captured += state is CaptureState.DONE
        failed += state is CaptureState.PENDING
        parked += state is CaptureState.PARKED
    embedded, left = _embed(engine, limit, progress)
    idle = engine.store.archive_idle(engine.clock() - engine.policy.thread_idle, limit=limit)
    return Report(captured, failed, parked, embedded, left, len(idle), calls=reader.calls, strays=reader.strays)


def _with_records(report: Report, done: Faded, merged: Consolidated, gone: Gone) -> Report:
    return replace(
        report,
        before=done.before,
        after=done.after - merged.gone - merged.settled + merged.added,
        faded=done.faded,
        expired=done.expired,
        stale=done.stale,
        merged=merged.merged,
        promoted=merged.promoted,
        joined=merged.joined,
        flagged=merged.flagged,
        pruned=gone.records,
        traces=gone.account.traces,
        verdicts=gone.account.verdicts,
        tombstones=gone.account.tombstones,
        restatements=gone.account.restatements,
        vectors_dropped=gone.vectors,
        turns_shed=gone.turns,
        turns_dropped=gone.account.places,
        changes=(*done.changes, *merged.changes, *gone.changes),
    )


def capture_or_queue(engine: Engine, turn: Turn, error: OnRecordError) -> CaptureState | None:
    """What becomes of a turn whose capture failed: it waits for another try, or is parked after ``policy.capture_tries``, or
    ``policy.reading_tries`` where a model's answer could not be used; none for one that was erased meanwhile. That a model is
    away is no try."""
    if isinstance(error, ModelUnavailable):
        return CaptureState.PENDING
    _log.warning("capture of turn %s failed: %s", turn.id, type(error).__name__)
    reach, by_model = Reach(turn.tenant, (turn.subject,)), isinstance(error, ModelError)
    tries = engine.policy.reading_tries if by_model else engine.policy.capture_tries
    try:
        state = engine.store.fail_capture(reach, turn.id, tries).state
    except NotFound:
        return None
    if by_model and state is CaptureState.PARKED:
        now, why = engine.clock(), Ruling(False, Reason.UNREAD, f"parked after {tries} tries: {error}")
        engine.store.apply(Batch(reach=reach, now=now, actor="capture", verdicts=[turn_verdict(engine, turn, why, now)]))
    return state


def read_queue(engine: Engine, turns: Sequence[Turn], reader: Reader) -> Iterator[CaptureState | None]:
    """Captures turns that wait, oldest first, with a model where one reads; what became of each, none of
    one that was erased meanwhile. Those that wait for more to be
    said before a model is asked are passed over."""
    for window in reader.windows(turns):
        try:
            told = reader.read(window)
        except ModelError as error:
            _log.warning("a reader of %d turns failed: %s", len(window.turns), error)
            yield from [capture_or_queue(engine, turn, error) for turn in window.turns]
            continue
        yield from [_capture(engine, turn, told if window.asked else None) for turn in window.turns]


def read_again(engine: Engine, turns: Sequence[Turn]) -> None:
    """Captures turns that were put back, each by itself; what fails waits for the next run."""
    for turn in turns:
        _capture(engine, turn)


def _capture(engine: Engine, turn: Turn, told: Mapping[str, Sequence[Told]] | None = None) -> CaptureState | None:
    read = None if told is None else {turn.id: told.get(turn.id, ())}
    try:
        captured = capture_turns(engine, [turn], told=read)
    except OnRecordError as error:
        return capture_or_queue(engine, turn, error)
    return CaptureState.PENDING if captured.waiting else CaptureState.DONE  # to wait for another turn is no failed try


def _embed(engine: Engine, limit: int, progress: Progress) -> tuple[int, int]:
    done = left = 0
    for corpus in Corpus:
        since = vectors_since(engine) if corpus is Corpus.TURNS else None
        rows = engine.store.unembedded(corpus, engine.embedder.name, limit=limit, since=since)
        embedded = embed_rows(engine, corpus, rows, progress)
        done += embedded
        left += len(rows) - embedded
    return done, left


def embed_rows(engine: Engine, corpus: Corpus, rows: Sequence[Unembedded], progress: Progress = quiet) -> int:
    """How many of these rows got a vector; it is there as soon as its batch is."""
    done = 0
    for start in range(0, len(rows), BATCH):
        progress(f"{corpus} to embed", start, len(rows))
        done += _embed_what_can_be(engine, corpus, rows[start : start + BATCH])
    return done


def _embed_what_can_be(engine: Engine, corpus: Corpus, rows: Sequence[Unembedded]) -> int:
    """How many rows were embedded: all at once, else one by one, so that one bad row does not cost the others their vectors."""
    try:
        _embed_batch(engine, corpus, rows)
        return len(rows)
    except EmbedderError as error:
        _log.warning("embedding %d rows failed: %s", len(rows), type(error).__name__)
    done = failed = 0
    for row in rows if len(rows) > 1 else ():
        try:
            _embed_batch(engine, corpus, [row])
            done, failed = done + 1, 0
        except EmbedderError:
            failed += 1
        if failed == _GIVE_UP:
            break
    return done


def _embed_batch(engine: Engine, corpus: Corpus, rows: Sequence[Unembedded]) -> None:
    matrix = engine.embedder.embed_documents([row.text for row in rows])
    vectors = {(row.tenant, row.subject, row.id): matrix[i] for i, row in enumerate(rows)}
    for (tenant, subject), group in groupby(sorted(vectors), key=lambda key: key[:2]):
        mine = {id: vectors[tenant, subject, id] for _, _, id in group}
        read = {row.id: row.version for row in rows if (row.tenant, row.subject) == (tenant, subject)}
        engine.store.put_vectors(corpus, Reach(tenant, (subject,)), engine.embedder.name, mine, versions=read)
