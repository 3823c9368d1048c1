"""What the benchmarks of search write: records of words by Zipf's law with random vectors of length 1."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from onrecord.model.record import ExpiryBasis, Kind, Record, Source, SourceType
from onrecord.model.scope import Reach, Scope

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DIM, MODEL, VOCABULARY = 384, "random", 20_000
ZIPF = 1 / np.arange(1, VOCABULARY + 1)
ZIPF /= ZIPF.sum()


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


def a_record(subject: str, id: str, said: datetime, text: str, key: str | None = None) -> Record:
    """A record of these words."""
    return Record(
        id=id,
        tenant="bench",
        subject=subject,
        scope=Scope.USER,
        kind=Kind.STATED_FACT,
        statement=text,
        key=key,
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
