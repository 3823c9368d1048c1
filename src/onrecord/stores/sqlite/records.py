"""Records by id, and their counters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import apsw

from onrecord.model.moment import from_us
from onrecord.model.record import Record, Usage
from onrecord.model.scope import Reach
from onrecord.stores.sqlite import subjects
from onrecord.stores.sqlite.rows import fields_of_parts, record_of_parts
from onrecord.stores.sqlite.statements import among, every, first, run, scalar
from onrecord.stores.sqlite.subjects import Subject

#: The fields of records by id.
Fields: TypeAlias = dict[str, dict[str, Any]]
#: Records of a subject whose fields are kept: 3 KB each or less.
_KEPT = 1_000


def get(connection: apsw.Connection, known: Sequence[Subject], uids: Sequence[str], kept: Mapping[int, Fields]) -> list[Record]:
    """See ``Store.get``; the subjects are those of the reach. ``kept`` has the fields of records that were read before, by the
    key of their subject, and takes in those that are read now."""
    if not known:
        return []
    found = {uid: fields[uid] for fields in kept.values() for uid in uids if uid in fields}
    sids = {subject.sid for subject in known}
    missing = [uid for uid in uids if uid not in found]
    for _, uid, sid, state, body in among(connection, "records_by_uid", missing, known[0].tid) if missing else ():
        if sid in sids:
            found[uid] = fields_of_parts(state, body)
            if len(kept.get(sid, _FULL)) < _KEPT:
                kept[sid][uid] = found[uid]
    return [_handed_out(found[uid]) for uid in uids if uid in found]


#: Stands for what nothing is kept in.
_FULL = range(_KEPT)


def _handed_out(fields: Mapping[str, Any]) -> Record:
    """A record of its own: what a caller does to its metadata stays with the caller."""
    return Record.trusted({**fields, "metadata": deepcopy(fields["metadata"]) if fields["metadata"] else {}})


def made_from(connection: apsw.Connection, reach: Reach, uids: Sequence[str] | None) -> list[Record]:
    """See ``Store.made_from``."""
    known = subjects.within(connection, reach)
    found: dict[str, Record] = {}
    for subject in known if uids is None else ():
        for name, state, body in every(connection, "made_from_subject", subject.tid, subject.sid):
            if name not in reach.subjects:
                record = record_of_parts(state, body)
                found[record.id] = record
    for uid in dict.fromkeys(uids or ()) if known else ():
        mine = any(scalar(connection, "source_in", subject.tid, uid, subject.sid) for subject in known)
        for name, state, body in every(connection, "made_from", known[0].tid, uid):
            if mine or name in reach.subjects:
                record = record_of_parts(state, body)
                found[record.id] = record
    return [found[id] for id in sorted(found)]


def usage(connection: apsw.Connection, known: Sequence[Subject], uids: Sequence[str]) -> dict[str, Usage]:
    """See ``Store.usage``; the subjects are those of the reach."""
    sids = {subject.sid for subject in known}
    rows = among(connection, "records_use", list(uids), known[0].tid) if known else []
    return {
        uid: Usage(None if reinforced is None else from_us(reinforced), accesses, mentions)
        for uid, sid, reinforced, accesses, mentions in rows
        if sid in sids
    }


def touch(connection: apsw.Connection, reach: Reach, uids: Collection[str], at: int) -> None:
    """See ``Store.touch``."""
    for _, id in _keys(connection, reach, uids):
        run(connection, "touch_record", at, id)


def _keys(connection: apsw.Connection, reach: Reach, uids: Collection[str]) -> Iterator[tuple[str, int]]:
    """Public ids and keys of the records of the reach, each once."""
    known = subjects.within(connection, reach)
    sids = {subject.sid for subject in known}
    for uid in dict.fromkeys(uids) if known else ():
        row = first(connection, "record_key", known[0].tid, uid)
        if row and row[1] in sids:
            yield uid, row[0]
