"""Full text: which rows of a subject hold a term, and how often.

What one question read is kept for the next (``Cache.holdings``): people ask again in the same words, and a common word of a large
subject takes far longer to read than to count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from onrecord.model.query import Corpus, Numbers
from onrecord.stores.sqlite.columns import Keys, Mask
from onrecord.stores.sqlite.rows import id_range
from onrecord.stores.sqlite.statements import among, every

#: Numbers of rows within their subject.
Seqs: TypeAlias = NDArray[np.int32]
#: What the index can hold: token characters in lower case. Anything else is no term and matches nothing.
_TERM = re.compile(r"[a-z0-9.\-_/@:'&+#\u0080-\U0010ffff]+")


#: Where more than one in so many rows is asked for, all are counted at once instead of being looked up.
_SPREAD = 8


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """The rows of a subject that hold a term, ascending; and of those that hold it more than once the places among them, and how
    often. Rows that were taken away since may still be named."""

    seqs: Seqs
    places: Seqs
    counts: Seqs

    @property
    def nbytes(self) -> int:
        """What it takes of memory, with its name."""
        return self.seqs.nbytes + self.places.nbytes + self.counts.nbytes + 600

    def counted(self, seqs: Keys) -> Numbers:
        """How often each of these rows holds the term."""
        if not len(self.seqs):
            return np.zeros(len(seqs), dtype=np.int64)
        if self.seqs[-1] < _SPREAD * len(seqs):
            return self._spread(max(int(self.seqs[-1]), int(seqs[-1])) + 1)[seqs]
        found = np.minimum(np.searchsorted(self.seqs, seqs), len(self.seqs) - 1)
        held: Numbers = (self.seqs[found] == seqs).astype(np.int64)
        if len(self.places) and len(seqs):
            again = np.minimum(np.searchsorted(self.places, found), len(self.places) - 1)
            more = (self.places[again] == found) & (held > 0)
            held[more] = self.counts[again[more]]
        return held

    def _spread(self, size: int) -> Numbers:
        """How often every row up to a number holds the term."""
        held = np.zeros(size, dtype=np.int64)
        held[self.seqs] = 1
        held[self.seqs[self.places]] = self.counts
        return held

    def among(self, shown: Mask) -> int:
        """How many of the rows are shown; ``shown`` goes by their numbers."""
        return int(np.count_nonzero(shown[self.seqs]))

    def add_to(self, scores: NDArray[np.float32], norms: NDArray[np.float32], weight: float, k1: float) -> None:
        """Adds the term's part of BM25 to ``scores``; ``norms`` are those of the rows, and both go by the rows' numbers."""
        parts = np.float32(weight * (k1 + 1.0)) / (norms[self.seqs] + np.float32(1.0))
        if len(self.places):
            rest = norms[self.seqs[self.places]]
            parts[self.places] = np.float32(weight * (k1 + 1.0)) * self.counts / (self.counts + rest)
        scores[self.seqs] += parts

    def upto(self, seq: int) -> Holding:
        """The rows up to one."""
        end = int(np.searchsorted(self.seqs, seq, side="right"))
        last = int(np.searchsorted(self.places, end))
        return self if end == len(self.seqs) else Holding(self.seqs[:end], self.places[:last], self.counts[:last])

    def renewed(self, first: int, fresh: Holding) -> Holding:
        """This with ``fresh`` in the place of the rows from ``first`` on."""
        old = self.upto(first - 1)
        places = np.concatenate([old.places, fresh.places + np.int32(len(old.seqs))])
        return Holding(np.concatenate([old.seqs, fresh.seqs]), places, np.concatenate([old.counts, fresh.counts]))


NONE = Holding(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32))


def question(terms: Sequence[str]) -> str:
    """What the full text is asked for rows that hold any of the terms; empty where it can hold none of them."""
    return " OR ".join(f'terms:"{term}"' for term in dict.fromkeys(terms) if _TERM.fullmatch(term))


def holdings(
    connection: apsw.Connection, corpus: Corpus, sid: int, terms: Sequence[str], first: int, last: int
) -> dict[str, Holding]:
    """For each of the terms the rows from ``first`` to ``last`` that hold it.

    They come as one text a term: fetching them row by row takes twice the time."""
    found = dict.fromkeys(terms, NONE)
    asked = [term for term in found if _TERM.fullmatch(term)]
    if not asked or last < first:
        return found
    base, _ = id_range(sid)
    listed = among(connection, f"{corpus}_holding", [f'terms:"{term}"' for term in asked], base, base + first, base + last)
    seqs = [np.fromstring(text or "", dtype=np.int32, sep=",") for (text,) in listed]
    more = _repeated(connection, corpus, asked, base + first, base + last) if any(map(len, seqs)) else {}
    for term, held in zip(asked, seqs, strict=True):
        again = more.get(term, [])
        places = np.searchsorted(held, np.array([key - base for key, _ in again], dtype=np.int32)).astype(np.int32)
        found[term] = Holding(held, places, np.array([count for _, count in again], dtype=np.int32))
    return found


def _repeated(
    connection: apsw.Connection, corpus: Corpus, asked: Sequence[str], first: int, last: int
) -> dict[str, list[tuple[int, int]]]:
    """Keys of the rows that hold a term more than once, in order, and how often, by term."""
    question = " OR ".join(f'"{term}"' for term in asked)
    found: dict[str, list[tuple[int, int]]] = {term: [] for term in asked}
    for key, text in every(connection, f"{corpus}_repeating", f"again:({question})", first, last):
        words = text.split(" ")
        for term in asked:
            if term in words:
                found[term].append((key, words.count(term) + 1))
    return found
