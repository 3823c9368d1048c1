"""What a ranking must beat: plain BM25 and plain vectors, over the same rows and the same questions, in the same run."""

from __future__ import annotations

from onrecord.model.query import Corpus, View
from onrecord.policy.language.text import query_terms
from onrecord.policy.recall.rank import bm25, ordered
from onrecord.ports import Engine


def by_words(engine: Engine, view: View, text: str, limit: int) -> list[str]:
    """Ids of turns by BM25 alone (k1, b and stemming as in the product), best first."""
    found = engine.store.lexical(view, Corpus.TURNS, query_terms(text))
    return ordered(bm25(found, engine.policy.bm25_k1, engine.policy.bm25_b))[:limit]


def by_vectors(engine: Engine, view: View, text: str, limit: int) -> list[str]:
    """Ids of turns by cosine alone, best first."""
    vector = engine.embedder.embed_query(text)
    found = engine.store.nearest(view, Corpus.TURNS, engine.embedder.name, vector, limit=limit)
    return [id for id, _ in found]
