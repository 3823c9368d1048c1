"""What is older than it is kept leaves the database, inside the transaction of the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import apsw

from onrecord.errors import StaleRead
from onrecord.model.change import Event
from onrecord.model.moment import as_utc, from_us, to_us
from onrecord.model.record import Record, Status
from onrecord.model.turn import Turn
from onrecord.policy.recall.episode import told
from onrecord.ports import Pruned
from onrecord.stores.codec import dumps, in_zone
from onrecord.stores.sqlite import account as account_of
from onrecord.stores.sqlite import history, journal
from onrecord.stores.sqlite.rows import full_text, record_of_parts
from onrecord.stores.sqlite.statements import every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject

#: Before every time.
_NEVER = -(2**63)
#: One page in so many may be free: to give each back and take it again with the next write costs more than it saves.
_SPARE = 10


def done_by(connection: apsw.Connection, tenant: str, actor: str) -> list[Event]:
    """See ``Store.done_by``."""
    rows = every(connection, "done_by", tenant, actor)
    records = dict.fromkeys(row[:3] for row in rows)
    told = {event.seq: event for name, sid, uid in records for event in history.of_record(connection, tenant, name, sid, uid)}
    return [told[seq] for *_, seq in rows]


def drop_turn_vectors(connection: apsw.Connection, before: int, limit: int) -> set[int]:
    """See ``Store.drop_turn_vectors``; the keys of the turns."""
    rows = every(connection, "old_turn_vectors", before, max(limit, 0))
    for sid, id in rows:
        run(connection, "drop_turn_vectors", sid, id)
        run(connection, "set_turn_model", None, id)
    for sid in {sid for sid, _ in rows}:
        run(connection, "take_purges", sid)
    return {id for _, id in rows}


def aged(connection: apsw.Connection, before: int, limit: int, after: Turn | None) -> list[Turn]:
    """See ``Store.aged``."""
    behind = (to_us(after.written_at), after.tenant, after.id) if after else (_NEVER, "", "")
    rows = every(connection, "aged_turns", before, *behind, max(limit, 0))
    return [turn for id, tenant in rows for turn in journal.by_ids(connection, tenant, [id])]


def shed(connection: apsw.Connection, known: Sequence[Subject], uids: Sequence[str], epochs: Mapping[str, int]) -> int:
    """See ``Store.shed``; the subjects are those of the reach."""
    moved = {subject.name: subject.epoch for subject in known}
    if any(moved.get(name, 0) != epoch for name, epoch in epochs.items()):
        raise StaleRead("a subject changed meanwhile: decide anew")
    sids = {subject.sid: subject for subject in known}
    gone = set[int]()
    for uid in dict.fromkeys(uids):
        id, sid = first(connection, "turn_key", known[0].tid if known else -1, uid) or (0, 0)
        if sid in sids and _shed(connection, id, sid):
            gone.add(id)
    for sid in {id >> 32 for id in gone}:
        run(connection, "take_purges", sid)
    return len(gone)


def _shed(connection: apsw.Connection, id: int, sid: int) -> bool:
    at, zone, author = first(connection, "told_of_turn", id) or (0, 0, "")
    index = full_text(told(in_zone(at, zone), author, ""))
    run(connection, "shed_turn", index.length, id)
    if not connection.changes():
        return False
    run(connection, "drop_turn_terms", id)
    run(connection, "add_turn_terms", id, index.terms, index.again)
    run(connection, "drop_turn_vectors", sid, id)
    run(connection, "drop_turn_sizes", id)
    return True


def out_of_recall(
    connection: apsw.Connection, before: Mapping[Status, datetime], limit: int, after: tuple[Record, datetime] | None
) -> list[tuple[Record, datetime]]:
    """See ``Store.out_of_recall``."""
    spans = dumps({status: to_us(as_utc(at, "before")) for status, at in before.items()})
    behind = (to_us(after[1]), after[0].tenant, after[0].id) if after else (_NEVER, "", "")
    rows = every(connection, "out_of_recall", spans, *behind, max(limit, 0))
    return [(record_of_parts(state, body), from_us(moved)) for _, _, moved, state, body in rows]


def prune(connection: apsw.Connection, traces: int, account: int, limit: int) -> tuple[Pruned, set[int]]:
    """See ``Store.prune``; and the keys of the subjects of which turns went."""
    most = max(limit, 0)
    old = every(connection, "old_traces", traces, most)
    for tid, uid in old:
        account_of.drop_trace(connection, tid, uid)
    verdicts = every(connection, "old_verdicts", account, most)
    for (vid,) in verdicts:
        run(connection, "drop_verdict_records", vid)
        run(connection, "drop_verdict", vid)
    run(connection, "drop_old_tombstones", account, most)
    tombstones = connection.changes()
    restatements = _join_restatements(connection, account, most)
    run(connection, "drop_silent_summaries", account, most)
    places = _drop_places(connection, account, most)
    told = Pruned(traces=len(old), verdicts=len(verdicts), tombstones=tombstones, restatements=restatements, places=len(places))
    return told, {sid for _, sid in places}


def _join_restatements(connection: apsw.Connection, before: int, most: int) -> int:
    rows = every(connection, "old_restatements", before, most)
    pairs: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for sid, uid, earlier, later in rows:
        pairs.setdefault((sid, uid), []).append((earlier, later))
    for (sid, uid), mine in pairs.items():
        history.join(connection, sid, uid, mine)
    return len(rows)


def _drop_places(connection: apsw.Connection, before: int, most: int) -> list[tuple[int, int]]:
    """Keys of the turns that went and of their subjects. Of a thread of which nothing is left nothing is known any more."""
    gone: list[tuple[int, int]] = []
    while len(gone) < most and (rows := every(connection, "old_places", before, most - len(gone))):
        for id, sid, thread, alone in rows:
            run(connection, "drop_turn", id)
            run(connection, "drop_turn_terms", id)
            run(connection, "drop_turn_vectors", sid, id)
            if alone and thread:
                run(connection, "drop_thread", sid, thread)
                run(connection, "orphan_forks", sid, thread)
            gone.append((id, sid))
    for sid in {sid for _, sid in gone}:
        run(connection, "take_purges", sid)
    return gone


def give_back(connection: apsw.Connection) -> bool:
    """Gives free pages at the end of the file back to the disk, but for some that are soon used again; whether there were any."""
    free = int(connection.pragma("freelist_count")) - int(connection.pragma("page_count")) // _SPARE
    if free > 0:
        connection.execute(f"PRAGMA incremental_vacuum({free})").fetchall()
    return free > 0


def size(connection: apsw.Connection) -> int:
    """See ``Store.size``."""
    return int(scalar(connection, "used_bytes"))
