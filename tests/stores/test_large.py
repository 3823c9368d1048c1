"""Subjects of so many vectors that they are indexed: the answers of comparing every one, whatever was written meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from onrecord.model.change import Edit, Erase
from onrecord.model.query import Corpus, View
from onrecord.ports import Vector
from onrecord.stores import turbo
from onrecord.stores.sketch import BitSketch, Sketch, best_places, sketch_for
from onrecord.stores.sqlite import SQLiteStore
from onrecord.stores.sqlite.matrix import Index
from onrecord.testing.builders import REACH, a_batch, a_record, adds

DIM, ROWS = 64, 2_500
HERE = View(reach=REACH)
TURBO = pytest.param(turbo.TurboSketch, marks=pytest.mark.skipif(not turbo.suits(DIM), reason="turbovec is not installed"))
SKETCHES = pytest.mark.parametrize("kind", [BitSketch, TURBO])


def spread(count: int, seed: int) -> Vector:
    """Vectors of length 1 around some centres, as texts on some subjects are."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((40, DIM), dtype=np.float32)
    found = centres[rng.integers(0, 40, count)] + 0.8 * rng.standard_normal((count, DIM), dtype=np.float32)
    rows: Vector = found / np.linalg.norm(found, axis=1, keepdims=True)
    return rows


@pytest.fixture(params=["numpy", "turbovec"])
def stores(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[SQLiteStore]]:
    """One that compares every vector, and one with an index, on the same file."""
    if request.param == "turbovec" and not turbo.suits(DIM):
        pytest.skip("turbovec is not installed")
    monkeypatch.setattr(turbo, "enabled", request.param == "turbovec")
    path = tmp_path / "memory.db"
    opened = [SQLiteStore(path, indexed_from=n) for n in (10**9, 100)]
    names = [f"r{n}" for n in range(ROWS)]
    records = [a_record(name, f"word{n}", metadata={"n": n}) for n, name in enumerate(names)]
    opened[0].apply(adds(*records, model="m", vectors=dict(zip(names, spread(ROWS, 1), strict=True))))
    yield opened
    for store in opened:
        store.close()


def nearest(store: SQLiteStore, query: Vector, *, view: View = HERE, limit: int = 10, also: tuple[str, ...] = ()) -> list[str]:
    return [id for id, _ in store.nearest(view, Corpus.RECORDS, "m", query, limit=limit, also=also)]


def test_an_index_names_the_rows_that_comparing_all_of_them_names(stores: list[SQLiteStore]) -> None:
    exact, indexed = stores
    for query in spread(20, 2):
        assert nearest(indexed, query, also=("r7", "r8")) == nearest(exact, query, also=("r7", "r8"))
        assert nearest(indexed, query, limit=0) == []
    assert any(isinstance(entry.value, Index) for entry in indexed._cache._entries.values())


def test_a_filter_that_leaves_a_few_far_rows_still_gets_them_all(stores: list[SQLiteStore]) -> None:
    exact, indexed = stores
    for query in spread(3, 3):
        far = [id for id, _ in exact.nearest(HERE, Corpus.RECORDS, "m", query, limit=ROWS)][-5:]
        view = View(reach=REACH, filters={"n": {"in": [int(id[1:]) for id in far]}})
        assert nearest(indexed, query, view=view) == nearest(exact, query, view=view) == far


def test_an_index_follows_every_write_of_another_store(stores: list[SQLiteStore]) -> None:
    exact, indexed = stores
    queries = spread(5, 4)

    def same() -> None:
        for query in queries:
            assert nearest(indexed, query, limit=20) == nearest(exact, query, limit=20)

    same()
    exact.apply(adds(a_record("new"), model="m", vectors={"new": queries[0]}))
    same()
    assert nearest(indexed, queries[0], limit=1) == ["new"]
    exact.apply(a_batch(Edit(reason="", id="new", fields={"statement": "Other words."}), Erase(reason="", id="r1")))
    same()
    assert "new" not in nearest(indexed, queries[0])
    exact.put_vectors(Corpus.RECORDS, REACH, "m", {"new": queries[1], "r2": queries[1]})
    same()
    gone = [f"r{n}" for n in range(3, ROWS // 5)]
    exact.apply(a_batch(*(Erase(reason="", id=id) for id in gone)))
    same()


def test_a_child_process_is_served_without_the_threads_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    if not turbo.suits(DIM):
        pytest.skip("turbovec is not installed")
    assert isinstance(sketch_for(DIM), turbo.TurboSketch)
    monkeypatch.setattr(turbo, "_process", [-1])
    assert isinstance(sketch_for(DIM), BitSketch)


@SKETCHES
def test_a_sketch_holds_most_of_the_nearest_and_nothing_that_is_not_shown(kind: type[Sketch]) -> None:
    rows, sketch = spread(20_000, 5), kind(DIM)  # type: ignore[call-arg]
    for part in np.array_split(rows, 7):
        sketch.add(part)
    assert len(sketch) == len(rows)
    shown = np.random.default_rng(6).random(len(rows)) < 0.5
    found = wanted = 0
    for query in spread(20, 7):
        likely = sketch.likely(query, shown, sketch.wide(10))
        assert shown[likely].all()
        cosines = np.where(shown, rows @ query, -2.0)
        found += len(set(np.argsort(-cosines)[:10].tolist()) & set(likely.tolist()))
        wanted += 10
    assert found >= 0.98 * wanted


def test_without_the_package_two_hundred_of_vectors_that_point_anywhere_are_held_too() -> None:
    rng = np.random.default_rng(10)
    rows = rng.standard_normal((30_000, 384), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sketch = BitSketch(384)
    sketch.add(rows)
    found = 0
    for query in rng.standard_normal((10, 384), dtype=np.float32):
        likely = sketch.likely(query, np.ones(len(rows), dtype=np.bool_), sketch.wide(200))
        found += len(set(np.argsort(-(rows @ query))[:200].tolist()) & set(likely.tolist()))
    assert found >= 0.98 * 2_000


@SKETCHES
def test_a_sketch_asked_for_more_than_is_shown_gives_all_of_it(kind: type[Sketch]) -> None:
    sketch = kind(DIM)  # type: ignore[call-arg]
    sketch.add(spread(50, 8))
    shown = np.arange(40) % 4 == 0  # ten rows came later than the question's snapshot
    assert sketch.likely(spread(1, 9)[0], shown, 30).tolist() == list(range(0, 40, 4))
    some = sketch.likely(spread(1, 9)[0], shown, 3).tolist()
    assert len(some) >= 3
    assert set(some) <= set(range(0, 40, 4))


@pytest.mark.parametrize("size", [1, 3, 40, 999, 5_000])
@pytest.mark.parametrize("count", [0, 1, 3, 40])
def test_the_best_places_are_those_of_a_sort_with_all_that_tie(size: int, count: int) -> None:
    scores = np.random.default_rng(size).integers(0, 200, size).astype(np.float32)
    least = np.sort(scores)[::-1][:count].min(initial=np.inf)
    expected = np.flatnonzero(scores >= least) if count < size else np.arange(size)
    assert best_places(scores, count).tolist() == (expected.tolist() if count else [])
