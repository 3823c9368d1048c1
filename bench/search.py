"""How long one search takes without embedding the question: the whole of it, with ranking and its trace, and the store's parts.

    python -m bench.search [--subjects 100] [--records 1000] [--rounds 500] [--large FILE] [--numpy]

Random vectors of length 1, words by Zipf's law, questions of five words; one subject's records among those of all.

With ``--large`` also one subject of a million records, in a file that is written on the first run (ten minutes, 2.7 GB) and kept.
Its nearest vectors are found beside a plain product of the matrix of them all (1.5 GB) with the question, and it is told how many
of the nearest are found. ``--numpy`` leaves the package turbovec aside.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
from bench.data import DIM, MODEL, NOW, a_record, reach, unit_vectors, words
from bench.large import EVEN, LIKE_TEXT, large_store, vectors_like_text
from bench.parts import Parts
from numpy.typing import NDArray

from onrecord.build import build
from onrecord.model.change import Add
from onrecord.model.query import Best, Corpus, Include, Query, View
from onrecord.pipeline import retrieve
from onrecord.policy.defaults import Policy
from onrecord.policy.language.text import query_terms
from onrecord.ports import Batch, Engine, Store
from onrecord.stores import turbo
from onrecord.stores.sqlite import SQLiteStore
from onrecord.stores.vectors import unpack

T = TypeVar("T")
#: Milliseconds by the clock and of the processor, by part.
Times: TypeAlias = dict[str, list[tuple[float, float]]]
POLICY = Policy()
#: Bytes kept in memory for the large subject: more than its columns, index and the words asked take.
LARGE_CACHE = 1 << 30
#: How many of the nearest are asked for: as few as one reads, and as many as a search looks at.
WANTED = (10, POLICY.candidate_limit)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subjects", type=int, default=100)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--large", type=Path, help="file of the one large subject, written if it is not there")
    parser.add_argument("--large-records", type=int, default=1_000_000)
    parser.add_argument("--large-rounds", type=int, default=50)
    parser.add_argument("--numpy", action="store_true", help="without the package turbovec")
    options = parser.parse_args()
    if options.numpy:
        turbo.enabled = False
    if options.subjects:
        small(options.subjects, options.records, options.rounds)
    if options.large:
        large(options.large, options.large_records, options.large_rounds)


def small(subjects: int, records: int, rounds: int) -> None:
    """The table of many subjects."""
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder, "bench.db"), synchronous="NORMAL")
        rng = np.random.default_rng(1)
        seconds = fill(store, subjects, records, rng)
        rows = subjects * records
        print(f"{rows:,} records of {subjects} subjects written in {seconds:.1f} s ({rows / seconds:,.0f}/s)\n")
        report(measured(store, rounds, subjects, rng))
        by_part(store, rounds, rng)
        store.close()


def fill(store: Store, subjects: int, records: int, rng: np.random.Generator) -> float:
    """Writes the records, a subject at a time; the seconds it took."""
    start = time.perf_counter()
    for n in range(subjects):
        said = [NOW - timedelta(hours=k) for k in range(records)]
        made = [a_record(f"user:{n}", f"rec_{n}_{k}", at, words(12, rng)) for k, at in enumerate(said)]
        changes = [Add(reason="bench", record=record) for record in made]
        vectors = dict(zip((record.id for record in made), unit_vectors(records, rng), strict=True))
        store.apply(Batch(reach=reach(n), now=NOW, actor="bench", changes=changes, model=MODEL, vectors=vectors))
    return time.perf_counter() - start


def measured(store: Store, rounds: int, subjects: int, rng: np.random.Generator) -> Times:
    """Milliseconds of every part in every round, of one subject that is warm, and of all in turn that are not."""
    times: Times = {}
    asked = Prepared(MODEL)
    engine = build(store=store, embedder=asked)
    warm, plain = View(reach=reach(0)), unit_vectors(1000, rng)
    for n in range(rounds):
        question, vector = query_terms(words(5, rng)), unit_vectors(1, rng)[0]
        parts(store, warm, question, MODEL, vector, times, "warm")
        whole(engine, asked, warm, question, vector, times)
        clock(times, "numpy matvec of 1000 x 384 and top 50", lambda vector=vector: np.argpartition(plain @ vector, -50)[-50:])  # type: ignore[misc]
        if n < subjects - 1:
            parts(store, View(reach=reach(n + 1)), question, MODEL, vector, times, "first of a subject")
    return times


def by_part(store: Store, rounds: int, rng: np.random.Generator) -> None:
    """What each part of a whole search costs; new questions of the subject that is warm."""
    asked, parts = Prepared(MODEL), Parts()
    engine = build(store=store, embedder=asked)
    with parts.watched():
        search = parts.timed("the rest", retrieve.search)
        for _ in range(rounds):
            asked.vector = unit_vectors(1, rng)[0]
            text = " ".join(query_terms(words(5, rng)))
            search(engine, Query(text=text, view=View(reach=reach(0)), include=Include.RECORDS, now=NOW))
    parts.report(rounds)


def whole(
    engine: Engine, asked: Prepared, view: View, question: Sequence[str], vector: NDArray[np.float32], times: Times
) -> None:
    """One search from question to hits."""
    asked.vector = vector
    query = Query(text=" ".join(question), view=view, include=Include.RECORDS, now=NOW)
    clock(times, "warm: whole search with its trace", lambda: retrieve.search(engine, query))


class Prepared:
    """An embedder that was asked before: it hands out the vector it was given."""

    dim = DIM

    def __init__(self, name: str) -> None:
        self.name, self.vector = name, np.ones(DIM, dtype=np.float32)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector, once for each text."""
        return np.tile(self.vector, (len(texts), 1))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector."""
        return self.vector


def parts(store: Store, view: View, terms: list[str], model: str, vector: NDArray[np.float32], times: Times, label: str) -> None:
    """The legs of one search and the rows of its hits, each timed and together."""
    clock(times, f"{label}: store, all", lambda: _legs(store, view, terms, model, vector, times, label))


def _legs(store: Store, view: View, terms: list[str], model: str, vector: NDArray[np.float32], times: Times, label: str) -> None:
    limit = POLICY.candidate_limit
    clock(times, f"{label}: recent 20", lambda: store.recent(view, Corpus.RECORDS, limit=20))
    near = clock(times, f"{label}: nearest {limit}", lambda: store.nearest(view, Corpus.RECORDS, model, vector, limit=limit))
    best = Best(limit=limit, k1=POLICY.bm25_k1, b=POLICY.bm25_b, also=[id for id, _ in near])
    clock(times, f"{label}: lexical, best {limit}", lambda: store.lexical(view, Corpus.RECORDS, terms, best=best))
    clock(times, f"{label}: get 10", lambda: store.get(view.reach, [id for id, _ in near[:10]]))


def clock(times: Times, name: str, call: Callable[[], T]) -> T:
    """Runs ``call`` and notes its milliseconds, by the clock and of the processor."""
    start, busy = time.perf_counter(), time.thread_time()
    answer = call()
    times.setdefault(name, []).append(((time.perf_counter() - start) * 1000, (time.thread_time() - busy) * 1000))
    return answer


def report(times: Times) -> None:
    """The table."""
    print(f"{'part':<46} {'p50 ms':>9} {'p99 ms':>9} {'p50 CPU':>9}")
    for name, found in times.items():
        (middle, cpu), (worst, _) = np.percentile(found, [50, 99], axis=0)
        print(f"{name:<46} {middle:>9.3f} {worst:>9.3f} {cpu:>9.3f}")


# -- one large subject


def large(path: Path, records: int, rounds: int) -> None:
    """The tables of the one large subject."""
    store = large_store(path, records, cache_bytes=LARGE_CACHE)
    times: Times = {}
    view, rng = View(reach=reach(0)), np.random.default_rng(2)
    by = "turbovec" if turbo.suits(DIM) else "numpy"
    print(f"\none subject of {records:,} records, its vectors sketched by {by}; first of all:")
    clock(times, "columns read", lambda: store.recent(view, Corpus.RECORDS, limit=1))
    clock(times, "vectors read", lambda: store.nearest(view, Corpus.RECORDS, LIKE_TEXT, vectors_like_text(1, rng)[0], limit=1))
    report(times)
    print(f"kept in memory: {store.cached_bytes >> 20} MB; of the process: {_peak()} MB at the most\n")
    report(_searched(store, view, rounds, rng))
    print(f"kept in memory: {store.cached_bytes >> 20} MB; of the process: {_peak()} MB at the most\n")
    _compared(store, view, rounds, rng)
    store.close()


def _searched(store: SQLiteStore, view: View, rounds: int, rng: np.random.Generator) -> Times:
    times: Times = {}
    asked = Prepared(LIKE_TEXT)
    engine = build(store=store, embedder=asked)
    for _ in range(rounds):
        question, vector = query_terms(words(5, rng)), vectors_like_text(1, rng)[0]
        parts(store, view, question, LIKE_TEXT, vector, times, "new words")
        parts(store, view, question, LIKE_TEXT, vector, times, "warm")
        whole(engine, asked, view, question, vector, times)
        keyed = View(reach=view.reach, key="attribute_7")
        clock(times, "records of a key", lambda keyed=keyed: store.select(keyed, limit=20))  # type: ignore[misc]
    return times


def _compared(store: SQLiteStore, view: View, rounds: int, rng: np.random.Generator) -> None:
    """The nearest by the index beside a product of the whole matrix, question by question."""
    for model, make in ((LIKE_TEXT, vectors_like_text), (EVEN, unit_vectors)):
        matrix, times, found = _matrix(store, model), Times(), dict.fromkeys(WANTED, 0)
        store.nearest(view, Corpus.RECORDS, model, make(1, rng)[0], limit=1)
        for vector in make(rounds, rng):
            cosines = clock(times, f"{model}: numpy matvec of {len(matrix):,} x {DIM}", lambda v=vector, m=matrix: m @ v)  # type: ignore[misc]
            for limit in WANTED:
                near = clock(
                    times,
                    f"{model}: nearest {limit}",
                    lambda v=vector, n=limit, m=model: store.nearest(view, Corpus.RECORDS, m, v, limit=n),  # type: ignore[misc]
                )
                exact = {f"rec_{place}" for place in np.argpartition(cosines, -limit)[-limit:]}
                found[limit] += len(exact & {id for id, _ in near})
        report(times)
        print(", ".join(f"recall@{limit} {count / (limit * rounds):.4f}" for limit, count in found.items()), "\n")


def _matrix(store: SQLiteStore, model: str) -> NDArray[np.float32]:
    """All vectors of the subject, in the order of their records."""
    query = "SELECT v FROM record_vector WHERE mid = (SELECT mid FROM model WHERE name = ?) AND sid = 1 ORDER BY id"
    with store._db.read() as connection:
        return unpack([v for (v,) in connection.execute(query, (model,))], DIM)


def _peak() -> int:
    """Megabytes that the process held at the most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
