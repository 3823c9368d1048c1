"""Fading: what faded is archived, what has come to its stated end expires; what faded and is asked for again comes back.

One transaction a subject, decided on its epoch: a run that is killed leaves each subject as it was or as it is to be, and the
next one goes on from there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from onrecord.errors import StaleRead, StoreError
from onrecord.model.change import Change, Expire
from onrecord.model.query import Corpus, Include, Query, View
from onrecord.model.record import CURRENT, Record, Status, Usage
from onrecord.model.scope import Reach
from onrecord.pipeline.progress import Progress, quiet, through
from onrecord.policy.lifecycle.decay import faded
from onrecord.policy.lifecycle.expiry import UPKEEP, ended, returning, to_review
from onrecord.ports import Batch, Engine

_log = logging.getLogger("onrecord")
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Faded:
    """How many current records there were before and are after, the changes, and how many wait for review."""

    before: int = 0
    after: int = 0
    changes: tuple[Change, ...] = ()
    stale: int = 0
    faded: int = 0
    expired: int = 0


def fade(engine: Engine, *, limit: int, told: str, dry_run: bool = False, progress: Progress = quiet) -> Faded:
    """Archives and expires up to ``limit`` records of anybody; with ``dry_run`` it only says which. The changes are told of the
    tenant ``told`` alone, of others no more than their number."""
    before = after = stale = expired = 0
    done: list[Change] = []
    shown: list[Change] = []
    for tenant, subject in each_owner(engine, "owners, what fades", progress):
        reach = Reach(tenant, (subject,))
        epochs, now = engine.store.epochs(reach), engine.clock()
        rows = list(current_rows(engine, reach))
        changes = _decided(engine, rows, limit - len(done))
        before, stale = before + len(rows), stale + len(to_review([row for row, _ in rows], now))
        if changes and not dry_run:
            try:
                engine.store.apply(Batch(reach=reach, now=now, actor=UPKEEP, changes=changes, epochs=epochs))
            except StaleRead:  # somebody writes there now: the next run looks again
                changes = []
        after += len(rows) - len(changes)
        done += changes
        expired += sum(isinstance(change, Expire) for change in changes)
        shown += changes if tenant == told else []
    return Faded(before, after, tuple(shown), stale, len(done) - expired, expired)


def _decided(engine: Engine, rows: Sequence[tuple[Record, Usage]], limit: int) -> list[Change]:
    now = engine.clock()
    over = ended((record for record, _ in rows), now)
    ids = {change.id for change in over}
    gone = faded((row for row in rows if row[0].id not in ids), now, engine.policy, engine.vocabulary)
    return list(chain(over, gone))[: max(limit, 0)]


def everybody(engine: Engine) -> Iterator[tuple[str, str]]:
    """Tenant and subject of all who have records."""
    after: tuple[str, str] | None = None
    while page := engine.store.subjects(limit=_PAGE, after=after):
        yield from page
        after = page[-1]


def each_owner(engine: Engine, what: str, progress: Progress) -> Iterator[tuple[str, str]]:
    """The same, and how far through them it is."""
    yield from through(list(everybody(engine)), what, progress)


def current_rows(engine: Engine, reach: Reach) -> Iterator[tuple[Record, Usage]]:
    """The current records of a reach with their counters, in order of id."""
    view, after = View(reach=reach, every_scope=True), None
    while page := engine.store.select(view, limit=_PAGE, after=after):
        usage = engine.store.usage(reach, [record.id for record in page])
        yield from ((record, usage.get(record.id, Usage())) for record in page)
        after = page[-1].id


# -- and back


def looks_back(query: Query) -> bool:
    """Whether a question that found no record may bring back what faded: one about the present, of records."""
    view = query.view
    now = view.statuses == CURRENT and view.as_of is None and view.known_at is None
    return now and query.include is not Include.EPISODES


def archived(engine: Engine, query: Query) -> Query | None:
    """The question put to what is archived, or ``None`` if nothing is; that is known without reading a row."""
    view = replace(query.view, statuses=frozenset({Status.ARCHIVED}))
    if not engine.store.recent(view, Corpus.RECORDS, limit=1):
        return None
    return replace(query, view=view, include=Include.RECORDS, limit=engine.policy.return_limit)


def bring_back(engine: Engine, reach: Reach, records: Sequence[Record]) -> list[str]:
    """Ids of those of the records that are active again. Where nothing can be written, none are."""
    now, restored = engine.clock(), []
    for record in records:
        mine = Reach(reach.tenant, (record.subject,))
        rivals = engine.store.select(View(reach=mine, key=record.key, every_scope=True)) if record.key else []
        change = returning(record, engine.store.events(mine, record.id), rivals, now)
        if change is None:
            continue
        try:
            engine.store.apply(Batch(reach=mine, now=now, actor=UPKEEP, changes=[change]))
            engine.store.touch(mine, [record.id], now)
            restored.append(record.id)
        except StoreError as error:
            _log.warning("record %s was not brought back: %s", record.id, error)
    return restored
