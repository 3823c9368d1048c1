"""Threads, their summaries, and the working memory of runs in the database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import apsw

from onrecord.errors import NotFound
from onrecord.model.moment import as_utc, from_us, to_us
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.model.turn import Turn
from onrecord.stores.codec import dumps, stored, summary_json, summary_of
from onrecord.stores.sqlite import journal, subjects
from onrecord.stores.sqlite.statements import each, every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.threads import Mark, check_summary, copies, described, listed, marked, state_json, step_is_new


def put_summary(connection: apsw.Connection, reach: Reach, thread: str, summary: Summary, at: datetime, after: int) -> None:
    """See ``Store.put_summary``."""
    body, moment = summary_json(summary), to_us(as_utc(at, "at"))
    owner = _owner(connection, reach)
    covered = before = 0
    if owner is not None and thread:
        covered = scalar(connection, "last_seq_of", owner.tid, dumps(summary.covers), owner.sid, thread)
        before = _covered(connection, owner, thread)
    check_summary(covered, before, after)
    assert owner is not None
    run(connection, "set_summary", owner.sid, thread, covered, moment, body)


def summary(connection: apsw.Connection, reach: Reach, thread: str) -> Summary | None:
    """See ``Store.summary``."""
    owner = _owner(connection, reach)
    row = first(connection, "summary", owner.sid, thread) if owner else None
    return summary_of(row[0]) if row else None


def threads(connection: apsw.Connection, reach: Reach, archived: bool, limit: int, after: ThreadInfo | None) -> list[ThreadInfo]:
    """See ``Store.threads``."""
    found = [
        _info(connection, owner, reach.tenant, name, seq)
        for owner in subjects.within(connection, reach)
        for name, seq in every(connection, "thread_names", owner.sid)
    ]
    return listed(found, archived, limit, after)


def thread_info(connection: apsw.Connection, reach: Reach, thread: str) -> ThreadInfo | None:
    """See ``Store.thread_info``."""
    owner = _owner(connection, reach)
    last = scalar(connection, "last_seq", owner.sid, thread) if owner and thread else 0
    return _info(connection, owner, reach.tenant, thread, last) if owner and last else None


def set_thread(connection: apsw.Connection, reach: Reach, thread: str, title: str | None, archived: bool | None) -> ThreadInfo:
    """See ``Store.set_thread``."""
    owner = _owner(connection, reach)
    last = scalar(connection, "last_seq", owner.sid, thread) if owner and thread else 0
    if owner is None or not last:
        raise NotFound("thread", thread)
    _put_mark(connection, owner, thread, marked(_mark(connection, owner, thread), title, archived))
    return _info(connection, owner, reach.tenant, thread, last)


def fork(connection: apsw.Connection, reach: Reach, thread: str, new: str, upto: int) -> ThreadInfo:
    """See ``Store.fork``."""
    owner = _owner(connection, reach)
    mine = Reach(reach.tenant, reach.subjects[:1])
    source = journal.thread(connection, mine, thread, None)
    taken = owner is not None and scalar(connection, "last_seq", owner.sid, new) > 0
    made = copies(source, thread, new, upto, taken)
    assert owner is not None
    journal.append(connection, made)
    mark = Mark(_mark(connection, owner, thread).title, forked_from=thread, forked_upto=len(made))
    _put_mark(connection, owner, new, mark)
    return _info(connection, owner, reach.tenant, new, len(made))


def put_token_counts(connection: apsw.Connection, reach: Reach, counter: str, counts: Mapping[str, int]) -> None:
    """See ``Store.put_token_counts``."""
    for owner in subjects.within(connection, reach):
        each(connection, "set_turn_size", [(counter, tokens, owner.tid, uid, owner.sid) for uid, tokens in counts.items()])


def token_counts(connection: apsw.Connection, reach: Reach, thread: str, counter: str) -> dict[str, int]:
    """See ``Store.token_counts``."""
    found = (every(connection, "turn_sizes", owner.sid, thread, counter) for owner in subjects.within(connection, reach))
    return {uid: tokens for rows in found for uid, tokens in rows}


def archive_idle(connection: apsw.Connection, before: int, limit: int) -> list[ThreadInfo]:
    """See ``Store.archive_idle``; ``before`` is in microseconds."""
    done = []
    for tenant, subject, thread, seq in every(connection, "idle_threads", before, max(limit, 0)):
        owner = subjects.find(connection, tenant, subject)
        assert owner is not None
        _put_mark(connection, owner, thread, marked(_mark(connection, owner, thread), None, True))
        done.append(_info(connection, owner, tenant, thread, seq))
    return done


def put_checkpoint(
    connection: apsw.Connection,
    reach: Reach,
    name: str,
    step: int,
    state: Mapping[str, Any],
    status: RunStatus,
    at: datetime,
) -> None:
    """See ``Store.put_checkpoint``."""
    body, moment, word = state_json(state), to_us(as_utc(at, "at")), RunStatus(status)
    if step_is_new(checkpoint(connection, reach, name), name, step, body, word):
        owner = subjects.named(connection, reach.tenant, reach.subjects[0])
        run(connection, "set_checkpoint", owner.sid, name, step, word.value, moment, body)


def checkpoint(connection: apsw.Connection, reach: Reach, name: str) -> Checkpoint | None:
    """See ``Store.checkpoint``."""
    owner = _owner(connection, reach)
    row = first(connection, "checkpoint", owner.sid, name) if owner else None
    if row is None:
        return None
    step, state, status, at = row
    return Checkpoint(run=name, step=step, state=_state(state), status=RunStatus(status), at=from_us(at))


def drop_run(connection: apsw.Connection, reach: Reach, name: str) -> int:
    """See ``Store.drop_run``."""
    owner = _owner(connection, reach)
    return len(every(connection, "drop_checkpoint", owner.sid, name)) if owner else 0


_state = stored("state of a run")(json.loads)


def _owner(connection: apsw.Connection, reach: Reach) -> Subject | None:
    return subjects.find(connection, reach.tenant, reach.subjects[0])


def _covered(connection: apsw.Connection, owner: Subject, thread: str) -> int:
    return int(scalar(connection, "summary_upto", owner.sid, thread) or 0)


def _mark(connection: apsw.Connection, owner: Subject, thread: str) -> Mark:
    row = first(connection, "thread_mark", owner.sid, thread)
    return Mark(row[0], bool(row[1]), row[2], row[3]) if row else Mark()


def _put_mark(connection: apsw.Connection, owner: Subject, thread: str, mark: Mark) -> None:
    kept = (mark.title, int(mark.archived), mark.forked_from, mark.forked_upto)
    run(connection, "set_thread_mark", owner.sid, thread, *kept)


def _info(connection: apsw.Connection, owner: Subject, tenant: str, thread: str, seq: int) -> ThreadInfo:
    last = _turn(connection, owner, tenant, thread, seq)
    return described(last, _mark(connection, owner, thread), _covered(connection, owner, thread))


def _turn(connection: apsw.Connection, owner: Subject, tenant: str, thread: str, seq: int) -> Turn:
    id = scalar(connection, "thread_at", owner.sid, thread, seq)
    return journal.by_ids(connection, tenant, [id])[0]
