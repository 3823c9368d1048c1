"""Retrieve: a question becomes hits, with a trace of how.

    Query → candidates (key lookup, words, vectors, recency) → fused scores → boosts and context → selection → Hits

Each corpus (records, turns) gives a pool of candidates; the pools are measured by the same peaks and ranked together. The
rows are narrowed by the view before any cut. The numbers come from ``policy``; the pools from ``pipeline.candidates``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onrecord.errors import StoreBusy
from onrecord.model.query import Corpus, Query
from onrecord.model.record import Record
from onrecord.model.trace import Drop, Hit, Scored, Trace
from onrecord.model.turn import Turn
from onrecord.pipeline.candidates import Pool, vectors
from onrecord.pipeline.candidates import pools as candidates
from onrecord.pipeline.fate import Judged, judge
from onrecord.policy import rank
from onrecord.policy.episode import in_context, newest_first
from onrecord.policy.mask import masked
from onrecord.policy.question import Question, understand
from onrecord.policy.relevance import Calibration, calibration, relevance
from onrecord.policy.select import Rules, Selection, select
from onrecord.policy.visible import is_stale
from onrecord.ports import Engine

_NEIGHBOURS = 1
_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first, and the trace that explains them, which is stored."""

    hits: tuple[Hit, ...]
    trace: Trace


def search(engine: Engine, query: Query) -> Found:
    """What is on record about the question, at most ``query.limit`` hits; nothing if nothing is relevant enough.

    When the embedder fails the search goes on by words, and the trace names no embedder. Raises ``StoreError``.
    """
    question = understand(query.text, now=query.now, vocabulary=engine.vocabulary)
    near = vectors(engine, query, question)
    embedder = engine.embedder.name if near else ""
    calibrated = calibration(embedder)
    with engine.store.snapshot():
        pools = candidates(engine, query, question, near)
        ranked = [one for pool in pools for one in _scored(engine, query, question, pool, calibrated)]
        ranked.sort(key=lambda one: (-one.score, one.id))
        floor, tail = (calibrated.floor, calibrated.tail) if query.threshold is None else (query.threshold,) * 2
        rules = Rules(limit=query.limit, floor=floor, tail=tail, conflicts=_conflicts(pools), told_by=_told_by(pools))
        selection, judged = _selected(engine, query, question, pools, ranked, rules)
        hits = tuple(_hits(engine, query, pools, selection, judged))
    trace = _trace(engine, query, question, embedder, floor, selection)
    _keep(engine, trace)
    return Found(hits, trace)


# -- rank


def _scored(engine: Engine, query: Query, question: Question, pool: Pool, calibrated: Calibration) -> Iterator[Scored]:
    extras = _boosts(engine, query, pool) if pool.legs.corpus is Corpus.RECORDS else _context(engine, question, pool)
    legs = pool.legs
    for id, (score, parts) in extras.items():
        cosine, share = legs.cosines.get(id, 0.0), legs.shares.get(id, 0.0)
        sure = max(relevance(cosine, min(share, 1.0), calibrated), legs.certain.get(id, 0.0))
        every = {"bm25": share, "cosine": cosine, "fused": pool.fused[id], **parts}
        yield Scored(id, legs.corpus, score, sure, {name: value for name, value in every.items() if value})


_Extras = dict[str, tuple[float, dict[str, float]]]


def _keep(engine: Engine, trace: Trace) -> None:
    """Stores the trace. Reading never waits for another writer: if the database is held, this answer goes without one."""
    try:
        engine.store.put_trace(trace)
    except StoreBusy:
        _log.warning("trace %s was not kept: the database is held by another writer", trace.id)


def _boosts(engine: Engine, query: Query, pool: Pool) -> _Extras:
    """Scores of records: the fused one and the key's, with the bounded boosts on top; and the parts they are made of."""
    policy = engine.policy
    usage = engine.store.usage(query.view.reach, list(pool.rows))
    found: _Extras = {}
    for id, row in pool.rows.items():
        assert isinstance(row, Record)
        keyed = pool.legs.keyed.get(id, 0.0)
        fresh = rank.freshness((query.now - row.said_at).total_seconds() / 86_400.0, policy)
        used = rank.reinforcement(usage[id].access_count if id in usage else 0, policy)
        factor = rank.boost(fresh, used, row.confidence, policy)
        parts = {"key": keyed, "freshness": fresh, "reinforcement": used, "confidence": row.confidence, "boost": factor}
        found[id] = ((pool.fused[id] + keyed) * factor, parts)
    return found


def _context(engine: Engine, question: Question, pool: Pool) -> _Extras:
    """Scores of turns: the fused one and what the context adds, brought back to the range of records' scores."""
    turns = {id: row for id, row in pool.rows.items() if isinstance(row, Turn)}
    policy, scale = engine.policy, 1.0 + engine.policy.episodes.most / 2.0
    parts = in_context(question, turns, pool.fused, pool.legs.postings, policy.episodes, policy.bm25_k1, policy.bm25_b)
    return {id: ((pool.fused[id] + sum(parts[id].values())) / scale, parts[id]) for id in turns}


# -- select


def _conflicts(pools: Sequence[Pool]) -> dict[str, tuple[str, ...]]:
    rows = (row for pool in pools for row in pool.rows.values())
    return {row.id: row.conflicts_with for row in rows if isinstance(row, Record) and row.conflicts_with}


def _told_by(pools: Sequence[Pool]) -> dict[str, set[str]]:
    """For each turn that candidates among the records were made from, those records."""
    found: dict[str, set[str]] = {}
    for row in (row for pool in pools for row in pool.rows.values() if isinstance(row, Record)):
        for source in row.derived_from or (row.source.ref,):
            found.setdefault(source, set()).add(row.id)
    return found


def _selected(
    engine: Engine, query: Query, question: Question, pools: Sequence[Pool], ranked: Sequence[Scored], rules: Rules
) -> tuple[Selection, dict[str, Judged]]:
    """The selection, and what became of the turns in it. Turns whose facts no longer hold are barred, and others move up."""
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    texts = {id: row.text for id, row in rows.items()}
    judged: dict[str, Judged] = {}
    while True:
        selection = select(ranked, texts, rules)
        turns = [row for one in selection.kept if isinstance(row := rows[one.id], Turn)]
        news = judge(engine, query.view, [turn for turn in turns if turn.id not in judged])
        judged |= news
        barred: dict[str, Drop] = {id: fate.drop for id, fate in news.items() if fate.drop is not None}
        if not barred:
            return _in_order_of_news(question, selection, {turn.id: turn for turn in turns}), judged
        rules = replace(rules, barred={**rules.barred, **barred})


def _in_order_of_news(question: Question, selection: Selection, turns: Mapping[str, Turn]) -> Selection:
    if not (question.figure and question.newest):
        return selection
    kept = {scored.id: scored for scored in selection.kept}
    order = newest_first(list(kept), turns, {id: scored.score for id, scored in kept.items()})
    return replace(selection, kept=tuple(kept[id] for id in order))


def _hits(
    engine: Engine, query: Query, pools: Sequence[Pool], selection: Selection, judged: Mapping[str, Judged]
) -> Iterable[Hit]:
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    for scored in selection.kept:
        row = masked(rows[scored.id])
        hit = Hit(id=scored.id, score=scored.score, relevance=scored.relevance, parts=scored.parts)
        if isinstance(row, Record):
            stale = is_stale(row, query.view.as_of or query.now)
            yield replace(hit, record=row, stale=stale, conflicts_with=row.conflicts_with, trust=row.trust)
        else:
            around = engine.store.neighbours(query.view.reach, row.id, _NEIGHBOURS)
            beside = tuple(masked(turn) for turn in around if turn.id != row.id)
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
