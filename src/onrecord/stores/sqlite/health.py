"""Whether the derived indexes agree with the rows, and making them agree."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from onrecord.errors import StoreError
from onrecord.model.document import told_below
from onrecord.policy.language.text import TERMS_VERSION
from onrecord.policy.recall.episode import told
from onrecord.ports import Health
from onrecord.stores.codec import in_zone
from onrecord.stores.sqlite.rows import FullText, Values, full_text, record_of_parts, record_values
from onrecord.stores.sqlite.statements import every, run, scalar, stream


def check(connection: apsw.Connection) -> Health:
    """See ``Store.check``."""
    counts = dict(every(connection, "count_rows")) | dict(every(connection, "count_vectors"))
    orphans = [*every(connection, "count_orphans"), *every(connection, "count_misfiled")]
    faults = [f"{count} {what}" for what, count in orphans if count]
    contents = [(now, held) for _, _, now, held in _contents(connection)]
    if damaged := sum(now is None for now, _ in contents):
        faults.append(f"{damaged} rows that cannot be read")
    if wrong := sum(now is not None and held.terms is not None and now != held for now, held in contents):
        faults.append(f"{wrong} rows whose full text is not that of their words")
    if wrong := sum(1 for _ in _misfiled(connection)):
        faults.append(f"{wrong} records that are filed wrongly")
    return Health(counts, (*faults, *damage(connection)))


def repair(connection: apsw.Connection) -> None:
    """Makes what follows from the rows anew: full text, lengths, columns, indexes, numbers; and drops what no row owns."""
    run(connection, "rebuild_terms")
    run(connection, "drop_lost_rows")
    run(connection, "file_anew")
    for id, values in list(_misfiled(connection)):
        run(connection, "set_record", *values, id)
    reindex(connection)


def outdated(connection: apsw.Connection) -> bool:
    """Whether an older version of ``policy.text`` made the full text."""
    return bool(scalar(connection, "terms_version") < TERMS_VERSION)


def reindex(connection: apsw.Connection) -> None:
    """Makes the full text of every row anew whose words give another one now."""
    for table, id, index in [(table, id, now) for table, id, now, held in _contents(connection) if now and now != held]:
        run(connection, f"set_{table}_length", index.length, id)
        run(connection, f"drop_{table}_terms", id)
        run(connection, f"add_{table}_terms", id, index.terms, index.again)
    run(connection, "set_terms_version", TERMS_VERSION)
    run(connection, "renew_subjects")


def _contents(connection: apsw.Connection) -> Iterator[tuple[str, int, FullText | None, FullText]]:
    """Table, key, full text as it should be (``None`` of a row that is damaged) and as it is, of every row."""
    for id, length, state, body, held, again in stream(connection, "record_contents"):
        yield "record", id, _text_of_record(state, body), FullText(held, again, length)
    for id, length, at, zone, author, text, held, again in stream(connection, "turn_contents"):
        yield "turn", id, full_text(told(in_zone(at, zone), author, text)), FullText(held, again, length)
    for id, length, heading, text, held, again in stream(connection, "passage_contents"):
        yield "passage", id, full_text(told_below(heading, text)), FullText(held, again, length)


def _text_of_record(state: str, body: str) -> FullText | None:
    try:
        return full_text(record_of_parts(state, body).text)
    except StoreError:
        return None


def _misfiled(connection: apsw.Connection) -> Iterator[tuple[int, Values]]:
    """Keys of the records whose columns are not what their words and state say, with what they should be."""
    for id, body, moved, rev, *held in stream(connection, "record_columns_held"):
        try:
            record = record_of_parts(held[-1], body)
        except StoreError:
            continue
        values = record_values(record, rev, moved, held[6], held[-1])
        if values != (rev, *held):
            yield id, values


def damage(connection: apsw.Connection) -> Iterator[str]:
    """What SQLite finds wrong with the file, its full-text indexes included."""
    for (finding,) in connection.execute("PRAGMA integrity_check(5)").fetchall():
        if finding != "ok":
            yield f"the database is damaged: {finding}"
