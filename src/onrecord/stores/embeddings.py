"""The methods of the in-memory store by which one embedder follows another."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.ports import Unembedded
from onrecord.stores.attrition import is_shed
from onrecord.stores.batch import within
from onrecord.stores.guarded import Guarded
from onrecord.stores.vectors import unembedded


class Embeddings(Guarded):
    """Which rows have vectors of which model."""

    def unembedded(
        self, corpus: Corpus, model: str, *, limit: int, since: datetime | None = None, reach: Reach | None = None
    ) -> list[Unembedded]:
        """See ``Store.unembedded``."""
        with self._reading() as state:
            every = (row for row in _rows(state, corpus) if since is None or row.written_at >= since)
            rows = [row for row in every if (corpus, model, row.tenant, row.id) not in state.vectors]
            mine = [row for row in rows if reach is None or within(reach, row.tenant, row.subject)]
            oldest = sorted(mine, key=lambda row: (row.written_at, row.id, row.tenant))[:limit]
            return [unembedded(row) for row in oldest]

    def models(self, reach: Reach) -> dict[str, bool]:
        """See ``Store.models``."""
        with self._reading() as state:
            rows = [(c, row) for c in Corpus for row in _rows(state, c) if within(reach, row.tenant, row.subject)]
            held = {
                model: [(corpus, model, row.tenant, row.id) in state.vectors for corpus, row in rows]
                for model in sorted(state.dims)
            }
            return {model: all(each) for model, each in held.items() if any(each)}

    def behind(self, model: str) -> list[tuple[str, str]]:
        """See ``Store.behind``."""
        with self._reading() as state:
            others = {(key[0], *key[2:]) for key in state.vectors if key[1] != model}
            return sorted(
                {
                    (row.tenant, row.subject)
                    for corpus in Corpus
                    for row in _rows(state, corpus)
                    if (corpus, model, row.tenant, row.id) not in state.vectors or (corpus, row.tenant, row.id) in others
                }
            )

    def drop_vectors(self, reach: Reach, *, keep: str) -> int:
        """See ``Store.drop_vectors``."""
        with self._writing() as state:
            rows = ((corpus, row) for corpus in Corpus for row in _rows(state, corpus))
            mine = {(corpus, row.tenant, row.id) for corpus, row in rows if within(reach, row.tenant, row.subject)}
            gone = [key for key in state.vectors if key[1] != keep and (key[0], *key[2:]) in mine]
            for key in gone:
                del state.vectors[key]
            return len(gone)


def _rows(state: Any, corpus: Corpus) -> list[Any]:
    """The rows that may have vectors; each corpus is kept under its name."""
    return [row for row in getattr(state, corpus).values() if not is_shed(row)]
