"""Whether the derived indexes agree with the rows, and making them agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from onrecord.errors import StoreError
from onrecord.model.document import told_below
from onrecord.model.query import Corpus
from onrecord.policy.language.text import TERMS_VERSION
from onrecord.policy.recall.episode import EPISODE_LIMIT, told
from onrecord.ports import Health, Unembedded
from onrecord.stores.codec import in_zone
from onrecord.stores.sqlite.rows import FullText, full_text, record_of_parts
from onrecord.stores.sqlite.statements import every, run, scalar, stream
from onrecord.stores.sqlite.vectors import model_named


def unembedded(connection: apsw.Connection, corpus: Corpus, model: str, limit: int, since: int | None = None) -> list[Unembedded]:
    """See ``Store.unembedded``."""
    known = model_named(connection, model)
    mid, most = known.mid if known else -1, max(limit, 0)
    last = [None, *(other for (other,) in every(connection, "other_models", mid))]
    rows = [row for other in last for row in every(connection, f"unembedded_{corpus}", mid, other, most, since)]
    oldest = sorted(rows, key=lambda row: row[:3])[:most]
    return [_unembedded(corpus, *row[1:]) for row in oldest]


def _unembedded(corpus: Corpus, uid: str, tenant: str, subject: str, *words: Any) -> Unembedded:
    if corpus is Corpus.TURNS:
        at, zone, author, text = words
        return Unembedded(tenant, subject, uid, told(in_zone(at, zone), author, text)[:EPISODE_LIMIT])
    if corpus is Corpus.PASSAGES:
        return Unembedded(tenant, subject, uid, told_below(*words)[:EPISODE_LIMIT])
    record = record_of_parts(*words)
    return Unembedded(tenant, subject, uid, record.text, record.version)


def check(connection: apsw.Connection) -> Health:
    """See ``Store.check``."""
    counts = dict(every(connection, "count_rows")) | dict(every(connection, "count_vectors"))
    orphans = every(connection, "count_orphans")
    faults = [f"{count} {what}" for what, count in orphans if count]
    contents = [(now, held) for _, _, now, held in _contents(connection)]
    if damaged := sum(now is None for now, _ in contents):
        faults.append(f"{damaged} rows that cannot be read")
    if wrong := sum(now is not None and held.terms is not None and now != held for now, held in contents):
        faults.append(f"{wrong} rows whose full text is not that of their words")
    return Health(counts, (*faults, *_damage(connection)))


def repair(connection: apsw.Connection) -> None:
    """Rebuilds full text and lengths from the rows, and drops what no row owns."""
    run(connection, "rebuild_terms")
    run(connection, "drop_lost_rows")
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


def _damage(connection: apsw.Connection) -> Iterator[str]:
    """What SQLite finds wrong with the file, its full-text indexes included."""
    for (finding,) in connection.execute("PRAGMA integrity_check(5)").fetchall():
        if finding != "ok":
            yield f"the database is damaged: {finding}"
