"""Full text over the rows of a view: all that match, or the best of them by BM25.

All rows that hold a word are scored, in single precision and as whole arrays, to find those that can be among the best; these are
counted and scored as ``policy.recall.rank`` does it. Nothing is left out, however common a word is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from onrecord.model.query import Best, Corpus, Numbers, Posting, Postings
from onrecord.model.record import Record
from onrecord.policy.language.text import terms as terms_of
from onrecord.policy.recall.rank import cut, idfs
from onrecord.stores.sketch import best_places
from onrecord.stores.sqlite.cache import Cache
from onrecord.stores.sqlite.columns import Keys
from onrecord.stores.sqlite.holding import Holding
from onrecord.stores.sqlite.part import Part
from onrecord.stores.sqlite.subjects import Subject

#: Of so many rows all that match are counted at once: that is faster than to find out first which can be among the best.
_WHOLE = 5_000
#: By how much a score in single precision may be wrong, as a share of it.
_SLACK = 1e-4


def lexical(
    connection: apsw.Connection,
    cache: Cache,
    corpus: Corpus,
    seen: Sequence[tuple[Subject, Part]],
    terms: Sequence[str],
    best: Best | None,
) -> Postings:
    """See ``Store.lexical``; what the view shows is given by subject."""
    parts = [part for _, part in seen]
    size, length = sum(part.size for part in parts), sum(part.length for part in parts)
    whole = Postings.of(size, length / size if size else 0.0)
    if any(part.then is not None for part in parts):
        found = [Postings.of(0, 0.0, _counted(part.then or (), terms)) for part in parts]
    else:
        held = [cache.holdings(connection, corpus, subject, terms) for subject, _ in seen]
        holding = sum((_holding(part, mine) for part, mine in zip(parts, held, strict=True)), np.zeros(len(terms), np.int64))
        if not holding.any():
            return whole
        whole = Postings(size, whole.mean_length, [], whole.lengths, np.zeros((0, len(terms)), np.int64), holding)
        found = [
            _postings(part, mine, _likely(connection, corpus, part, mine, whole, best))
            for part, mine in zip(parts, held, strict=True)
        ]
    together = _together(whole, [one for one in found if len(one.ids)])
    return together if best is None else cut(together, best)


def _holding(part: Part, held: Sequence[Holding]) -> Numbers:
    """How many rows of a part hold each term."""
    shown, _ = part.by_number
    return np.array([one.among(shown) for one in held], dtype=np.int64)


def _likely(
    connection: apsw.Connection, corpus: Corpus, part: Part, held: Sequence[Holding], whole: Postings, best: Best | None
) -> Keys:
    """Numbers of the rows of a part that can be among the best, ascending; all that match if there are few rows, or nothing is
    said of the best."""
    shown, lengths = part.by_number
    if best is None or len(shown) <= _WHOLE:
        matching = np.zeros(len(shown), dtype=np.bool_)
        for one in held:
            matching[one.seqs] = True
        return np.flatnonzero(matching & shown)
    scores = _scores(held, lengths, whole, best)
    scores *= shown
    likely = np.flatnonzero(scores >= _floor(scores, best.limit))
    named = part.keys_of(connection, corpus, list(best.also)) - (part.sid << 32)
    return np.union1d(likely, named[scores[named] > 0.0])


def _scores(held: Sequence[Holding], lengths: Numbers, whole: Postings, best: Best) -> NDArray[np.float32]:
    mean = whole.mean_length or 1.0
    norms = (best.k1 * (1.0 - best.b) + best.k1 * best.b / mean * lengths).astype(np.float32)
    scores = np.zeros(len(lengths), dtype=np.float32)
    for one, weight in zip(held, idfs(whole).tolist(), strict=True):
        one.add_to(scores, norms, weight, best.k1)
    return scores


def _floor(scores: NDArray[np.float32], limit: int) -> float:
    """What a row has to score to be among the best of ``limit``; more than nothing in any case."""
    if limit <= 0:
        return float("inf")
    least = float(scores[best_places(scores, limit)].min(initial=np.inf)) if len(scores) > limit else 0.0
    return max(least * (1.0 - _SLACK), float(np.finfo(np.float32).tiny))


def _postings(part: Part, held: Sequence[Holding], seqs: Keys) -> Postings:
    _, lengths = part.by_number
    _, places = part.rows.places(seqs + (part.sid << 32))
    counts = np.array([one.counted(seqs) for one in held], dtype=np.int64).reshape(len(held), len(seqs)).T
    return Postings(0, 0.0, part.rows["uid"][places].tolist(), lengths[seqs], counts)


def _counted(records: Iterable[Record], terms: Sequence[str]) -> Iterator[Posting]:
    """Postings of the records that hold any of the terms."""
    for record in records:
        held = terms_of(record.text)
        counts = tuple(held.count(term) for term in terms)
        if any(counts):
            yield Posting(record.id, len(held), counts)


def _together(whole: Postings, found: Sequence[Postings]) -> Postings:
    """The postings of several subjects as one."""
    if not found:
        return whole
    ids = [id for one in found for id in one.ids]
    lengths, counts = np.concatenate([one.lengths for one in found]), np.concatenate([one.counts for one in found])
    return Postings(whole.size, whole.mean_length, ids, lengths, counts, whole.held)
