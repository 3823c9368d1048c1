"""One subject of a million records, for ``bench.search``: written once, and kept where the caller says.

The rows go into the tables by the statements that the store itself uses, many at a time and without events: through ``apply`` it
would take a quarter of an hour. ``SQLiteStore.check`` finds nothing wrong with the file.

Every record has two vectors. Those of ``LIKE_TEXT`` are spread as sentences are: their directions weigh about as those of
all-MiniLM-L6-v2 do over 64,000 turns of conversations (participation ratio of the variances 97 of 384, mean of length .32). Those
of ``EVEN`` point anywhere: nothing is harder to tell apart with few bits.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from bench.data import DIM, NOW, VOCABULARY, ZIPF, a_record, reach, unit_vectors
from numpy.typing import NDArray

from onrecord.model.moment import to_us
from onrecord.model.record import Record
from onrecord.stores.sqlite import SQLiteStore, subjects
from onrecord.stores.sqlite.rows import full_text, record_parts, record_values
from onrecord.stores.sqlite.statements import each, scalar
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.sqlite.vectors import model_named
from onrecord.stores.vectors import pack

LIKE_TEXT, EVEN = "like-text", "even"
#: Records written in one transaction, and those that bear a key: one in so many, of so many keys.
_CHUNK, _KEYED, _KEYS = 20_000, 50, 200
#: The variance along a direction falls with its number to this power; the share of the mean in the length of a vector.
_FALL, _MEAN = 0.72, 0.32
_WEIGHTS = np.sqrt(np.arange(1, DIM + 1, dtype=np.float32) ** -_FALL)


def large_store(path: Path, records: int, **options: Any) -> SQLiteStore:
    """The store of one subject of ``records`` records in the file at ``path``, which is filled up if it holds fewer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    store = SQLiteStore(path, synchronous="NORMAL", **options)
    with store._db.read() as connection:
        known = subjects.find(connection, reach(0).tenant, reach(0).subjects[0])
    have, start = known.records if known else 0, time.perf_counter()
    for begin in range(have, records, _CHUNK):
        with store._db.write() as connection:
            _fill(connection, begin, min(begin + _CHUNK, records))
        print(f"\r{begin + _CHUNK:,} of {records:,} records", end="", file=sys.stderr)
    if have < records:
        print(f"\r{records - have:,} records written in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return store


def vectors_like_text(count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Vectors of length 1 whose directions weigh as those of sentences."""
    found: NDArray[np.float32] = rng.standard_normal((count, DIM), dtype=np.float32) * _WEIGHTS
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found = found @ _rotation() * np.float32(np.sqrt(1 - _MEAN**2)) + np.float32(_MEAN / np.sqrt(DIM))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def _rotation() -> NDArray[np.float32]:
    """Turns the axes, so that no single number of a vector stands out."""
    turned, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((DIM, DIM)))
    return turned.astype(np.float32)


def _fill(connection: apsw.Connection, begin: int, end: int) -> None:
    rng = np.random.default_rng([begin, end])
    subject = subjects.named(connection, reach(0).tenant, reach(0).subjects[0])
    subject.epoch, subject.vector_epoch = subject.epoch + 1, subject.vector_epoch + 1
    records = dict(zip((subject.next_record() for _ in range(begin, end)), _records(begin, end, rng), strict=True))
    _add_records(connection, subject, records)
    for name, made in ((EVEN, unit_vectors(end - begin, rng)), (LIKE_TEXT, vectors_like_text(end - begin, rng))):
        known = model_named(connection, name)
        mid = known.mid if known else scalar(connection, "add_model", name, DIM)
        rows = [(subject.sid, mid, id, subject.vector_epoch, pack(v)) for id, v in zip(records, made, strict=True)]
        each(connection, "set_record_vector", rows)
    each(connection, "set_record_model", [(mid, id) for id in records])
    subjects.save(connection, [subject])


def _records(begin: int, end: int, rng: np.random.Generator) -> Iterator[Record]:
    drawn = rng.choice(VOCABULARY, (end - begin, 12), p=ZIPF)
    for n, chosen in enumerate(drawn.tolist(), begin):
        key = f"attribute_{n // _KEYED % _KEYS}" if n % _KEYED == 0 else None
        yield a_record("user:0", f"rec_{n}", NOW - timedelta(minutes=n), " ".join(f"w{word}" for word in chosen), key)


def _add_records(connection: apsw.Connection, subject: Subject, records: dict[int, Record]) -> None:
    indexes = {id: full_text(record.text) for id, record in records.items()}
    parts = {id: record_parts(record) for id, record in records.items()}
    moved = to_us(NOW)
    rows = [
        (*record_values(record, subject.epoch, moved, indexes[id].length, parts[id][0]), id, subject.tid, subject.sid, record.id)
        for id, record in records.items()
    ]
    each(connection, "add_record", rows)
    each(connection, "add_record_text", [(id, body) for id, (_, body) in parts.items()])
    each(connection, "add_record_terms", [(id, index.terms, index.again) for id, index in indexes.items()])
    each(connection, "add_record_use", [(id, None, 1) for id in records])
