"""What a view shows, searched by either store, is what looking at every row by itself gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from onrecord.model.query import Best, Corpus, Posting, Postings, View
from onrecord.model.record import Kind, Record, Status
from onrecord.model.scope import Origin
from onrecord.policy.language.text import terms
from onrecord.policy.recall import rank
from onrecord.policy.visible import record_test
from onrecord.ports import Store
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, REACH, a_record, a_vector, adds

DAY = timedelta(days=1)
WORDS = "red blue green 東京 c++ the road".split()
TERMS = [term for word in WORDS for term in terms(word)]
STORES: dict[str, Callable[[], Store]] = {
    "in memory": InMemoryStore,
    "SQLite": lambda: SQLiteStore(":memory:"),
    "SQLite, indexed": lambda: SQLiteStore(":memory:", indexed_from=0),
}

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
rows: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    statement=texts,
    kind=st.sampled_from([Kind.DECISION, Kind.PREFERENCE]),
    key=st.sampled_from([None, "colour"]),
    status=st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED]),
    said_at=st.integers(0, 5).map(lambda n: NOW + n * DAY),
    origin=st.sampled_from([Origin(), Origin(thread="s")]),
    metadata=st.sampled_from([{}, {"topic": "x"}, {"topic": "y", "n": 3}]),
)
leaves = st.sampled_from([{"topic": "x"}, {"n": {"gte": 2}}, {"kind": "decision"}, {"topic": {"exists": False}}])
junctions = st.sampled_from(["AND", "OR", "NOT"])
filters = st.none() | st.recursive(
    leaves,
    lambda inner: st.builds(lambda word, some: {word: some}, junctions, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=4,
)
views: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    kinds=st.sampled_from([None, frozenset({Kind.DECISION})]),
    key=st.sampled_from([None, None, "colour"]),
    since=st.sampled_from([None, NOW + 2 * DAY]),
    origin=st.sampled_from([Origin(), Origin(), Origin(thread="s")]),
    filters=filters,
)
# Of length 1 to the last bit, so that every way to compare them gives the same.
vectors = st.sampled_from(
    [a_vector(1), a_vector(0, 1), a_vector(-1), a_vector(0.5, 0.5, 0.5, 0.5), a_vector(0.5, -0.5, 0.5, -0.5)]
)


@pytest.mark.parametrize("made", STORES)
@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    written=st.lists(st.tuples(rows, vectors), min_size=1, max_size=20),
    asked=st.lists(views, min_size=1, max_size=3),
    data=st.data(),
)
def test_what_is_found_in_a_view_is_what_looking_at_every_row_finds(
    made: str, written: Sequence[Any], asked: Sequence[Any], data: st.DataObject
) -> None:
    records = [a_record(f"r{n:02}", **fields) for n, (fields, _) in enumerate(written)]
    near = {record.id: vector for record, (_, vector) in zip(records, written, strict=True)}
    store = STORES[made]()
    store.apply(adds(*records, model="m", vectors=near))
    draw = data.draw
    for fields in asked:
        view = View(reach=REACH, **fields)
        shown = [record for record in records if record_test(view)(record)]
        limit, query = draw(st.integers(0, 6)), draw(vectors)
        also = draw(st.lists(st.sampled_from([*near, "no such"]), max_size=3))
        wanted = draw(st.lists(st.sampled_from(TERMS), min_size=1, max_size=4, unique=True))
        assert [record.id for record in store.select(view)] == [record.id for record in shown]
        assert store.recent(view, Corpus.RECORDS, limit=limit) == newest(shown)[:limit]
        assert store.nearest(view, Corpus.RECORDS, "m", query, limit=limit, also=also) == compared(
            shown, near, query, limit, also
        )
        best = Best(limit=limit, k1=0.9, b=0.75, also=also)
        whole = counted(shown, wanted)
        assert store.lexical(view, Corpus.RECORDS, wanted) == whole
        assert ranked(store.lexical(view, Corpus.RECORDS, wanted, best=best)) == first_of(whole, best)
    store.close()


def newest(shown: Sequence[Record]) -> list[str]:
    return [record.id for record in sorted(shown, key=lambda record: (record.said_at, record.id), reverse=True)]


def compared(
    shown: Sequence[Record], near: dict[str, Any], query: Any, limit: int, also: Sequence[str]
) -> list[tuple[str, float]]:
    def cosine(id: str) -> float:
        vector = near[id].astype(np.float64)
        return round(float(vector @ query / np.linalg.norm(vector) / np.linalg.norm(query)), 6)

    every = sorted(((record.id, cosine(record.id)) for record in shown), key=lambda row: (-row[1], row[0]))
    return every[:limit] + sorted(row for row in every[limit:] if row[0] in also)


def counted(shown: Sequence[Record], wanted: Sequence[str]) -> Postings:
    held = {record.id: terms(record.text) for record in shown}
    mean = sum(map(len, held.values())) / max(1, len(held))
    found = [Posting(id, len(words), tuple(words.count(term) for term in wanted)) for id, words in held.items()]
    return Postings.of(len(shown), mean, [row for row in found if any(row.counts)])


def ranked(found: Postings) -> dict[str, float]:
    return {id: round(score, 9) for id, score in rank.bm25(found, 0.9, 0.75).items()}


def first_of(whole: Postings, best: Best) -> dict[str, float]:
    scores = ranked(whole)
    first = sorted(scores, key=lambda id: (-scores[id], id))[: best.limit]
    return {id: score for id, score in scores.items() if id in first or id in best.also}
