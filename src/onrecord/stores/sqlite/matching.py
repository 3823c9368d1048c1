"""Full text: which rows of a subject hold which terms, and how often."""

from __future__ import annotations

import re
from collections.abc import Sequence

import apsw
import numpy as np

from onrecord.model.query import Corpus, Numbers
from onrecord.stores.sqlite.cache import Keys
from onrecord.stores.sqlite.columns import Mask
from onrecord.stores.sqlite.rows import id_range
from onrecord.stores.sqlite.statements import among, every

#: What the index can hold: token characters in lower case. Anything else is no term and matches nothing.
_TERM = re.compile(r"[a-z0-9.\-_/@:'&+#\u0080-\U0010ffff]+")


class Matches:
    """The rows among ``keys`` that hold any of ``terms``."""

    def __init__(self, connection: apsw.Connection, corpus: Corpus, sid: int, keys: Keys, terms: Sequence[str]) -> None:
        self._connection, self._corpus, self._range = connection, corpus, id_range(sid)
        self._keys, self._terms = keys, terms
        self._asked = [(column, term) for column, term in enumerate(terms) if _TERM.fullmatch(term)]

    def counted(self) -> tuple[Keys, Numbers]:
        """The places of the matching rows among the keys, in order, and how often each holds each term."""
        found = self._holding() if len(self._keys) else {}
        held = np.zeros(len(self._keys), dtype=np.bool_)
        for holding in found.values():
            held[holding] = True
        rows = np.flatnonzero(held)
        counts = np.zeros((len(rows), len(self._terms)), dtype=np.int64)
        for column, holding in found.items():
            counts[np.searchsorted(rows, holding), column] = 1
        self._repeat(rows, counts)
        return rows, counts

    def _holding(self) -> dict[int, Keys]:
        """For each asked term, by its column, the places among the keys of the rows that hold it.

        The keys come as one text a term: fetching them row by row takes twice the time."""
        questions = [f'terms:"{term}"' for _, term in self._asked]
        listed = among(self._connection, f"{self._corpus}_holding", questions, *self._range)
        keys = [np.fromstring(text or "", dtype=np.int64, sep=",") for (text,) in listed]
        return {column: places(self._keys, held)[1] for (column, _), held in zip(self._asked, keys, strict=True)}

    def _repeat(self, rows: Keys, counts: Numbers) -> None:
        """Adds what stands more than once in a row."""
        question = " OR ".join(f'"{term}"' for term in dict.fromkeys(term for _, term in self._asked))
        if not len(rows):
            return
        repeating = every(self._connection, f"{self._corpus}_repeating", f"again:({question})", *self._range)
        here, found = places(self._keys[rows], np.array([key for key, _ in repeating], dtype=np.int64))
        again = [text.split(" ") for (_, text), shows in zip(repeating, here.tolist(), strict=True) if shows]
        for column, term in self._asked:
            counts[found, column] += np.array([words.count(term) for words in again], dtype=np.int64)


def places(known: Keys, keys: Keys) -> tuple[Mask, Keys]:
    """Which of ``keys`` are among the ``known`` (in order), and where those are there."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_), np.empty(0, dtype=np.int64)
    found = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    here: Mask = known[found] == keys
    return here, found[here]
