"""Turns in the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import apsw

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.policy.recall.episode import told
from onrecord.ports import Appended
from onrecord.stores.batch import check_turn
from onrecord.stores.codec import plain_turn
from onrecord.stores.sqlite import subjects
from onrecord.stores.sqlite.rows import Values, full_text, thread_name, turn_of, turn_values
from onrecord.stores.sqlite.statements import among, every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject


def append(connection: apsw.Connection, turns: Sequence[Turn]) -> list[Appended]:
    """See ``Store.append``."""
    touched: dict[tuple[str, str], Subject] = {}
    done = []
    for turn in turns:
        check_turn(turn)
        key = turn.tenant, turn.subject
        if key not in touched:
            touched[key] = subjects.named(connection, *key)
        done.append(_append(connection, touched[key], turn))
    subjects.save(connection, touched.values())
    return done


def _append(connection: apsw.Connection, subject: Subject, turn: Turn) -> Appended:
    thread = thread_name(turn.origin.thread)
    if turn.client_id is not None:
        for (id,) in every(connection, "turn_by_client", subject.sid, thread, turn.client_id):
            return Appended(_by_id(connection, turn.tenant, id), True)
    if first(connection, "turn_key", subject.tid, turn.id):
        raise InvalidInput("id", f"turn {turn.id} exists already", "let the system give the id")
    stored = plain_turn(replace(turn, seq=scalar(connection, "last_seq", subject.sid, thread) + 1))
    insert(connection, subject, stored)
    run(connection, "wake_thread", subject.sid, thread)
    return Appended(stored, False)


def insert(connection: apsw.Connection, subject: Subject, turn: Turn) -> None:
    """Writes a new turn as it is, with its full text. The caller saves the subject."""
    index, id = full_text(told(turn.at, turn.author, turn.text)), subject.next_turn()
    run(connection, "add_turn", *turn_values(turn, id, subject.tid, subject.sid, index.length))
    run(connection, "add_turn_terms", id, index.terms, index.again)
    subject.turn_epoch += 1


def of_client(connection: apsw.Connection, reach: Reach, thread: str | None, client_ids: Sequence[str]) -> list[Turn]:
    """See ``Store.of_client``."""
    if thread == "":  # that is how those of no thread are kept here, and no name of one
        return []
    owners, name = subjects.within(connection, reach), thread_name(thread)
    found = (every(connection, "turn_by_client", owner.sid, name, asked) for asked in client_ids for owner in owners)
    return by_ids(connection, reach.tenant, [id for rows in found for (id,) in rows])


def fail(connection: apsw.Connection, reach: Reach, uid: str, park_at: int) -> Turn:
    """See ``Store.fail_capture``."""
    for id, turn in _found(connection, reach.tenant, subjects.within(connection, reach), [uid]):
        tries = turn.tries + 1
        parked = turn.state is CaptureState.PENDING and tries >= park_at
        failed = replace(turn, tries=tries, state=CaptureState.PARKED if parked else turn.state)
        run(connection, "set_capture", failed.state.value, tries, id)
        return failed
    raise NotFound("turn", uid)


def get(connection: apsw.Connection, tenant: str, known: Sequence[Subject], uids: Sequence[str]) -> list[Turn]:
    """See ``Store.turns``; the subjects are those of the reach."""
    return [turn for _, turn in _found(connection, tenant, known, uids)]


def by_ids(connection: apsw.Connection, tenant: str, ids: Sequence[int]) -> list[Turn]:
    """Turns by key, in the order asked."""
    rows = among(connection, "turns_by_id", ids)
    return [turn_of(tenant, row) for row in rows]


def thread(connection: apsw.Connection, reach: Reach, name: str, last: int | None) -> list[Turn]:
    """See ``Store.thread``."""
    if not name:
        return []
    limit = -1 if last is None else max(last, 0)
    found: list[tuple[int, str, int]] = []
    for subject in subjects.within(connection, reach):
        rows = every(connection, "thread_keys", subject.sid, name, limit)
        found += [(seq, subject.name, id) for id, seq in rows]
    found.sort()
    kept = found if last is None else found[max(len(found) - last, 0) :]
    return by_ids(connection, reach.tenant, [id for _, _, id in kept])


def neighbours(
    connection: apsw.Connection, tenant: str, known: Sequence[Subject], uid: str, around: tuple[int, int]
) -> list[Turn]:
    """See ``Store.neighbours``; the subjects are those of the reach."""
    place = first(connection, "turn_number", known[0].tid, uid) if known else None
    if place is None or place[0] not in {subject.sid for subject in known}:
        return []
    sid, name, seq = place
    ids = [id for (id,) in every(connection, "thread_window", sid, name, seq - around[0], seq + around[1])]
    return by_ids(connection, tenant, ids)


def pending(connection: apsw.Connection, limit: int, reach: Reach | None) -> list[Turn]:
    """See ``Store.pending``."""
    if reach is not None:
        known = [subject.sid for subject in subjects.within(connection, reach)]
        found = among(connection, "pending_turns_within", known, max(limit, 0))
        return by_ids(connection, reach.tenant, [id for (id,) in found])
    rows = every(connection, "pending_turns", max(limit, 0))
    return [_by_id(connection, tenant, id) for id, tenant in rows]


def _by_id(connection: apsw.Connection, tenant: str, id: int) -> Turn:
    return by_ids(connection, tenant, [id])[0]


def _found(connection: apsw.Connection, tenant: str, known: Sequence[Subject], uids: Sequence[str]) -> list[tuple[int, Turn]]:
    """Keys and turns of these subjects, in the order asked."""
    if not known:
        return []
    sids = {subject.sid for subject in known}
    rows: Sequence[Values] = among(connection, "turns_by_uid", list(uids), known[0].tid)
    return [(row[0], turn_of(tenant, row)) for row in rows if row[1] in sids]
