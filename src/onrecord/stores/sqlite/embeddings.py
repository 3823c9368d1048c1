"""Which rows have vectors of which model, and what it takes that one embedder follows another."""

from __future__ import annotations

from typing import Any

import apsw

from onrecord.model.document import told_below
from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.policy.recall.episode import EPISODE_LIMIT, told
from onrecord.ports import Unembedded
from onrecord.stores.codec import in_zone
from onrecord.stores.sqlite import subjects
from onrecord.stores.sqlite.rows import id_range, record_of_parts
from onrecord.stores.sqlite.statements import every, run, scalar
from onrecord.stores.sqlite.vectors import model_named


def unembedded(
    connection: apsw.Connection, corpus: Corpus, model: str, limit: int, since: int | None, reach: Reach | None
) -> list[Unembedded]:
    """See ``Store.unembedded``."""
    known = model_named(connection, model)
    mid, most = known.mid if known else -1, max(limit, 0)
    if reach is None:
        last = [None, *(other for (other,) in every(connection, "other_models", mid))]
        rows = [row for other in last for row in every(connection, f"unembedded_{corpus}", mid, other, most, since)]
    else:
        ranges = [id_range(subject.sid) for subject in subjects.within(connection, reach)]
        rows = [row for ends in ranges for row in every(connection, f"unembedded_{corpus}_of", mid, *ends, most, since)]
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


def models(connection: apsw.Connection, reach: Reach) -> dict[str, bool]:
    """See ``Store.models``."""
    owners = subjects.within(connection, reach)
    found: dict[str, bool] = {}
    for mid, name in every(connection, "models"):
        if any(scalar(connection, "has_vectors", owner.sid, mid) for owner in owners):
            found[name] = not any(scalar(connection, "lacks_vectors", owner.sid, mid, *id_range(owner.sid)) for owner in owners)
    return found


def behind(connection: apsw.Connection, model: str) -> list[tuple[str, str]]:
    """See ``Store.behind``."""
    known = model_named(connection, model)
    return [(tenant, name) for tenant, name in every(connection, "behind", known.mid if known else -1)]


def drop(connection: apsw.Connection, reach: Reach, keep: str) -> int:
    """See ``Store.drop_vectors``."""
    known, gone = model_named(connection, keep), 0
    mid = known.mid if known else -1
    owners = subjects.within(connection, reach)
    for owner in owners:
        dropped = 0
        for corpus in ("record", "turn", "passage"):
            run(connection, f"drop_other_{corpus}_vectors", owner.sid, mid)
            dropped += connection.changes()
            run(connection, f"forget_{corpus}_model", *id_range(owner.sid), mid)
        owner.purges += dropped > 0
        gone += dropped
    subjects.save(connection, owners)
    return gone
