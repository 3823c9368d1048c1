"""Retrieve: a question becomes hits, with a trace of how.

    Query → key lookup + words + vectors + recency → fused scores → boosts and context → threshold, cap, conflicts → Hits

Each corpus (records, turns) gives a pool of candidates; the pools are measured by the same peaks and ranked together. The
rows are narrowed by the view before any cut. Nothing here decides: numbers come from ``policy``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from onrecord.errors import EmbedderError
from onrecord.model.query import Corpus, Include, Postings, Query, View
from onrecord.model.record import Record
from onrecord.model.trace import Drop, Hit, Scored, Trace
from onrecord.model.turn import Turn
from onrecord.pipeline.fate import Judged, judge
from onrecord.policy import rank
from onrecord.policy.episode import in_context
from onrecord.policy.question import Question, understand
from onrecord.policy.relevance import Calibration, calibration, relevance
from onrecord.policy.select import Selection, select
from onrecord.policy.visible import is_stale
from onrecord.policy.weights import EpisodeWeights
from onrecord.ports import Engine, Vector

#: Rows said last that are looked at whatever they say, and rows of the time a question points at.
_RECENT, _IN_WINDOW = 20, 100
#: Keys read from the words of a question that are looked up, and what a hit under the first of them gains.
_KEYS, _KEY_SHARE = 3, 0.3
_NEIGHBOURS = 1


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first, and the trace that explains them, which is stored."""

    hits: tuple[Hit, ...]
    trace: Trace


def search(engine: Engine, query: Query) -> Found:
    """What is on record about the question, at most ``query.limit`` hits; nothing if nothing is relevant enough.

    When the embedder fails the search goes on by words, and the trace names no embedder. Raises ``StoreError``.
    """
    question = understand(query.text, vocabulary=engine.vocabulary)
    vector = _vector(engine, query.text)
    embedder = engine.embedder.name if vector is not None else ""
    calibrated = calibration(embedder)
    pools = [_pool(engine, query, question, corpus, vector) for corpus in _corpora(query.include)]
    ranked = _ranked(engine, query, question, pools, calibrated)
    threshold = query.threshold if query.threshold is not None else calibrated.floor
    selection, judged = _selected(engine, query, pools, ranked, threshold)
    trace = _trace(engine, query, question, embedder, threshold, selection)
    engine.store.put_trace(trace)
    return Found(tuple(_hits(engine, query, pools, selection, judged)), trace)


@dataclass(frozen=True, slots=True)
class _Pool:
    """The candidates of one corpus. ``shares`` are BM25 scores as shares of what the question could reach at the most."""

    corpus: Corpus
    postings: Postings
    shares: Mapping[str, float]
    cosines: Mapping[str, float]
    keyed: Mapping[str, float]
    rows: Mapping[str, Record | Turn]


def _corpora(include: Include) -> tuple[Corpus, ...]:
    chosen = {Include.RECORDS: (Corpus.RECORDS,), Include.EPISODES: (Corpus.TURNS,)}
    return chosen.get(include, (Corpus.RECORDS, Corpus.TURNS))


def _vector(engine: Engine, text: str) -> Vector | None:
    if not text.strip():
        return None
    try:
        return engine.embedder.embed_query(text)
    except EmbedderError:
        return None


# -- candidates


def _pool(engine: Engine, query: Query, question: Question, corpus: Corpus, vector: Vector | None) -> _Pool:
    store, policy, view = engine.store, engine.policy, query.view
    postings = store.lexical(view, corpus, question.terms) if question.terms else Postings(0, 0.0, ())
    top = rank.ceiling(postings, len(question.terms), policy.bm25_k1)
    shares = {id: score / top for id, score in rank.bm25(postings, policy.bm25_k1, policy.bm25_b).items()}
    keyed = _keyed(engine, view, question) if corpus is Corpus.RECORDS else {}
    named = [*rank.ordered(shares)[: policy.candidate_limit], *keyed, *_recent(engine, view, question, corpus)]
    cosines = {}
    if vector is not None:
        name, limit = engine.embedder.name, policy.candidate_limit
        cosines = dict(store.nearest(view, corpus, name, vector, limit=limit, also=set(named)))
    ids = sorted({*named, *cosines})
    found = store.get(view.reach, ids) if corpus is Corpus.RECORDS else store.turns(view.reach, ids)
    rows: dict[str, Record | Turn] = {row.id: row for row in found}
    return _Pool(corpus, postings, {id: shares[id] for id in rows if id in shares}, cosines, keyed, rows)


def _keyed(engine: Engine, view: View, question: Question) -> dict[str, float]:
    """Records under the keys that are asked for, by id: 1 for the key the caller named, less for those read from the words."""
    found: dict[str, float] = {}
    if view.key is not None:
        return {record.id: 1.0 for record in engine.store.select(view, limit=engine.policy.candidate_limit)}
    for place, key in enumerate(question.keys[:_KEYS]):
        for record in engine.store.select(replace(view, key=key), limit=engine.policy.candidate_limit):
            found.setdefault(record.id, _KEY_SHARE / (1 + place))
    return found


def _recent(engine: Engine, view: View, question: Question, corpus: Corpus) -> list[str]:
    ids = engine.store.recent(view, corpus, limit=_RECENT)
    if question.window is None:
        return ids
    since = max(filter(None, (view.since, question.window.start)))
    until = min(filter(None, (view.until, question.window.end)))
    return ids + engine.store.recent(replace(view, since=since, until=until), corpus, limit=_IN_WINDOW)


# -- rank


def _ranked(engine: Engine, query: Query, question: Question, pools: Sequence[_Pool], calibrated: Calibration) -> list[Scored]:
    peaks = (
        max((share for pool in pools for share in pool.shares.values()), default=0.0),
        max((cosine for pool in pools for cosine in pool.cosines.values()), default=0.0),
    )
    scored = [one for pool in pools for one in _scored(engine, query, question, pool, peaks, calibrated)]
    return sorted(scored, key=lambda one: (-one.score, one.id))


def _scored(
    engine: Engine, query: Query, question: Question, pool: _Pool, peaks: tuple[float, float], calibrated: Calibration
) -> Iterable[Scored]:
    fused = {**dict.fromkeys(pool.rows, 0.0), **rank.fuse(pool.shares, pool.cosines, engine.policy.vector_weight, peaks)}
    fused = {id: score for id, score in fused.items() if id in pool.rows}
    extras = _record_parts(engine, query, pool) if pool.corpus is Corpus.RECORDS else _turn_parts(engine, question, pool, fused)
    for id, score in fused.items():
        share, cosine = pool.shares.get(id, 0.0), pool.cosines.get(id, 0.0)
        parts = {"bm25": share, "cosine": cosine, "fused": score, **extras[id]}
        certain = 1.0 if query.view.key is not None and id in pool.keyed else relevance(cosine, share, calibrated)
        yield Scored(id, pool.corpus, _total(score, extras[id], pool.corpus), certain, parts)


def _total(fused: float, extras: Mapping[str, float], corpus: Corpus) -> float:
    if corpus is Corpus.RECORDS:
        return (fused + extras.get("key", 0.0)) * extras["boost"]
    return (fused + sum(extras.values())) / (1.0 + EpisodeWeights().most / 2.0)


def _record_parts(engine: Engine, query: Query, pool: _Pool) -> dict[str, dict[str, float]]:
    usage = engine.store.usage(query.view.reach, list(pool.rows))
    found = {}
    for id, row in pool.rows.items():
        assert isinstance(row, Record)
        fresh = rank.freshness(_days(query.now, row.said_at), engine.policy)
        used = rank.reinforcement(usage[id].access_count if id in usage else 0, engine.policy)
        factor = rank.boost(fresh, used, row.confidence, engine.policy)
        parts = {"freshness": fresh, "reinforcement": used, "confidence": row.confidence, "boost": factor}
        found[id] = {**parts, "key": pool.keyed[id]} if id in pool.keyed else parts
    return found


def _turn_parts(engine: Engine, question: Question, pool: _Pool, fused: Mapping[str, float]) -> dict[str, dict[str, float]]:
    turns = {id: row for id, row in pool.rows.items() if isinstance(row, Turn)}
    policy = engine.policy
    return in_context(question, turns, fused, pool.postings, EpisodeWeights(), policy.bm25_k1, policy.bm25_b)


def _days(now: datetime, then: datetime) -> float:
    return (now - then).total_seconds() / 86_400.0


# -- select


def _selected(
    engine: Engine, query: Query, pools: Sequence[_Pool], ranked: Sequence[Scored], threshold: float
) -> tuple[Selection, dict[str, Judged]]:
    """The selection, and what became of the turns in it. Turns whose facts no longer hold are barred, and others move up."""
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    texts = {id: row.text for id, row in rows.items()}
    conflicts = {id: row.conflicts_with for id, row in rows.items() if isinstance(row, Record) and row.conflicts_with}
    judged: dict[str, Judged] = {}
    barred: dict[str, Drop] = {}
    while True:
        selection = select(ranked, texts, limit=query.limit, threshold=threshold, barred=barred, conflicts=conflicts)
        fresh = [rows[one.id] for one in selection.kept if one.corpus is Corpus.TURNS and one.id not in judged]
        news = judge(engine, query.view, [row for row in fresh if isinstance(row, Turn)])
        judged |= news
        out = {id: fate.drop for id, fate in news.items() if fate.drop is not None}
        if not out:
            return selection, judged
        barred |= out


def _hits(
    engine: Engine, query: Query, pools: Sequence[_Pool], selection: Selection, judged: Mapping[str, Judged]
) -> Iterable[Hit]:
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    for scored in selection.kept:
        row = rows[scored.id]
        hit = Hit(id=scored.id, score=scored.score, relevance=scored.relevance, parts=scored.parts)
        if isinstance(row, Record):
            stale = is_stale(row, query.view.as_of or query.now)
            yield replace(hit, record=row, stale=stale, conflicts_with=row.conflicts_with, trust=row.trust)
        else:
            around = engine.store.neighbours(query.view.reach, row.id, _NEIGHBOURS)
            beside = tuple(turn for turn in around if turn.id != row.id)
            fate = judged[row.id]
            yield replace(hit, turn=row, neighbours=beside, fate=fate.fate, trust=fate.trust)


def _trace(engine: Engine, query: Query, question: Question, embedder: str, threshold: float, selection: Selection) -> Trace:
    return Trace(
        id=engine.ids("trace"),
        tenant=query.view.reach.tenant,
        subjects=query.view.reach.subjects,
        origin=query.view.origin,
        at=query.now,
        query=query.text,
        terms=question.terms,
        embedder=embedder,
        threshold=threshold,
        candidates=selection.candidates[: engine.policy.trace_limit],
        returned=tuple(scored.id for scored in selection.kept),
    )
