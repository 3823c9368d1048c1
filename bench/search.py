"""How long one search takes without embedding the question: the whole of it, with ranking and its trace, and the store's part.

    python -m bench.search [--subjects 100] [--records 1000] [--rounds 500]

Random vectors of length 1, words by Zipf's law, questions of five words; one subject's records among those of all.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from onrecord.build import build
from onrecord.model.change import Add
from onrecord.model.query import Corpus, Include, Query, View
from onrecord.model.record import ExpiryBasis, Kind, Record, Source, SourceType
from onrecord.model.scope import Reach, Scope
from onrecord.pipeline import retrieve
from onrecord.policy.language.text import query_terms
from onrecord.ports import Batch, Store
from onrecord.stores.sqlite import SQLiteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)
T = TypeVar("T")
#: Milliseconds by the clock and of the processor, by part.
Times: TypeAlias = dict[str, list[tuple[float, float]]]
DIM, MODEL, VOCABULARY = 384, "random", 20_000
ZIPF = 1 / np.arange(1, VOCABULARY + 1)
ZIPF /= ZIPF.sum()


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=100)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder, "bench.db"), synchronous="NORMAL")
        rng = np.random.default_rng(1)
        seconds = fill(store, options.subjects, options.records, rng)
        rows = options.subjects * options.records
        print(f"{rows:,} records of {options.subjects} subjects written in {seconds:.1f} s ({rows / seconds:,.0f}/s)\n")
        report(measured(store, options.rounds, options.subjects, rng))
        store.close()


def fill(store: Store, subjects: int, records: int, rng: np.random.Generator) -> float:
    """Writes the records, a subject at a time; the seconds it took."""
    start = time.perf_counter()
    for n in range(subjects):
        made = [a_record(f"user:{n}", f"rec_{n}_{k}", NOW - timedelta(hours=k), rng) for k in range(records)]
        changes = [Add(reason="bench", record=record) for record in made]
        vectors = dict(zip((record.id for record in made), unit_vectors(records, rng), strict=True))
        store.apply(Batch(reach=reach(n), now=NOW, actor="bench", changes=changes, model=MODEL, vectors=vectors))
    return time.perf_counter() - start


def measured(store: Store, rounds: int, subjects: int, rng: np.random.Generator) -> Times:
    """Milliseconds of every part in every round, of one subject that is warm, and of all in turn that are not."""
    times: Times = {}
    asked = Prepared()
    engine = build(store=store, embedder=asked)
    warm, plain = View(reach=reach(0)), unit_vectors(1000, rng)
    for n in range(rounds):
        question, vector = query_terms(words(5, rng)), unit_vectors(1, rng)[0]
        search(store, warm, question, vector, times, "warm")
        asked.vector = vector
        whole = Query(text=" ".join(question), view=warm, include=Include.RECORDS, now=NOW)
        clock(times, "warm: whole search with its trace", lambda whole=whole: retrieve.search(engine, whole))  # type: ignore[misc]
        clock(times, "numpy matvec of 1000 x 384 and top 50", lambda vector=vector: np.argpartition(plain @ vector, -50)[-50:])  # type: ignore[misc]
        if n < subjects - 1:
            search(store, View(reach=reach(n + 1)), question, vector, times, "first of a subject")
    return times


class Prepared:
    """An embedder that was asked before: it hands out the vector it was given."""

    name, dim = MODEL, DIM

    def __init__(self) -> None:
        self.vector = np.ones(DIM, dtype=np.float32)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector, once for each text."""
        return np.tile(self.vector, (len(texts), 1))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector."""
        return self.vector


def search(store: Store, view: View, terms: list[str], vector: NDArray[np.float32], times: Times, label: str) -> None:
    """One search, its parts and the whole timed."""
    clock(times, f"{label}: store, all three", lambda: _search(store, view, terms, vector, times, label))


def _search(store: Store, view: View, terms: list[str], vector: NDArray[np.float32], times: Times, label: str) -> None:
    postings = clock(times, f"{label}: lexical", lambda: store.lexical(view, Corpus.RECORDS, terms))
    top = postings.ids[:50]
    near = clock(times, f"{label}: nearest", lambda: store.nearest(view, Corpus.RECORDS, MODEL, vector, limit=50, also=top))
    clock(times, f"{label}: get 10", lambda: store.get(view.reach, [id for id, _ in near[:10]]))


def clock(times: Times, name: str, call: Callable[[], T]) -> T:
    """Runs ``call`` and notes its milliseconds, by the clock and of the processor."""
    start, busy = time.perf_counter(), time.thread_time()
    answer = call()
    times.setdefault(name, []).append(((time.perf_counter() - start) * 1000, (time.thread_time() - busy) * 1000))
    return answer


def report(times: Times) -> None:
    """The table."""
    print(f"{'part':<42} {'p50 ms':>8} {'p99 ms':>8} {'p50 CPU':>8}")
    for name, found in times.items():
        (middle, cpu), (worst, _) = np.percentile(found, [50, 99], axis=0)
        print(f"{name:<42} {middle:>8.3f} {worst:>8.3f} {cpu:>8.3f}")
    search, plain = (
        np.median(times[name], axis=0)[0] for name in ("warm: store, all three", "numpy matvec of 1000 x 384 and top 50")
    )
    print(f"\nstore, all three / plain matvec: {search / plain:.1f}")


def reach(n: int) -> Reach:
    """The reach of the subject ``n``."""
    return Reach("bench", (f"user:{n}",))


def words(count: int, rng: np.random.Generator) -> str:
    """Words by Zipf's law."""
    return " ".join(f"w{n}" for n in rng.choice(VOCABULARY, count, p=ZIPF))


def unit_vectors(count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Random vectors of length 1."""
    found = rng.standard_normal((count, DIM), dtype=np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def a_record(subject: str, id: str, said: datetime, rng: np.random.Generator) -> Record:
    """A record of twelve words."""
    return Record(
        id=id,
        tenant="bench",
        subject=subject,
        scope=Scope.USER,
        kind=Kind.STATED_FACT,
        statement=words(12, rng),
        source=Source(SourceType.USER_MESSAGE, "turn_1"),
        author="bench",
        confidence=0.9,
        trust=1.0,
        valid_from=said,
        valid_until=NOW.replace(year=2028),
        expiry_basis=ExpiryBasis.DEFAULT,
        said_at=said,
        written_at=said,
    )


if __name__ == "__main__":
    main()
