"""Retrieve: a question becomes hits, with a trace of how.

    Query → candidates (key lookup, words, vectors, recency) → fused scores → boosts and context → rerank → selection → Hits

Each corpus (records, turns) gives a pool of candidates; the pools are measured by the same peaks and ranked together. The
rows are narrowed by the view before any cut. The numbers come from ``policy``; the pools from ``pipeline.candidates``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from onrecord.errors import StoreError
from onrecord.model.query import Corpus, Include, Query
from onrecord.model.record import Kind, Record, Status
from onrecord.model.trace import Drop, Hit, Period, Scored, Standing, Trace
from onrecord.model.turn import Turn
from onrecord.pipeline.asking import Asked, understood
from onrecord.pipeline.candidates import Pool
from onrecord.pipeline.candidates import pools as candidates
from onrecord.pipeline.fading import archived, bring_back, looks_back
from onrecord.pipeline.fate import Judged, judge
from onrecord.pipeline.reembed import seeing
from onrecord.pipeline.rerank import Reranked, rerank
from onrecord.policy.defaults import Policy
from onrecord.policy.lifecycle.echo import withheld
from onrecord.policy.recall import rank
from onrecord.policy.recall.episode import in_context, in_time_order, newest_first
from onrecord.policy.recall.experience import with_other_side
from onrecord.policy.recall.question import Aim, Question, quotes
from onrecord.policy.recall.relevance import Calibration, calibration, relevance
from onrecord.policy.recall.select import Rules, Selection, choose
from onrecord.policy.recall.standing import answers
from onrecord.policy.secrecy.mask import masked
from onrecord.policy.visible import is_stale
from onrecord.ports import Engine

#: More than any relevance.
_NEVER = 2.0
_log = logging.getLogger("onrecord")
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first, and the trace that explains them, which is stored."""

    hits: tuple[Hit, ...]
    trace: Trace


def search(engine: Engine, query: Query) -> Found:
    """What is on record about the question, at most ``query.limit`` hits; nothing if nothing is relevant enough.

    When the embedder fails the search goes on by words, and the trace names no embedder. Where no record answers a question about
    the present, what faded is looked at too, and what answers comes back for good. Raises ``StoreError``.
    """
    engine = seeing(engine, query.view.reach)
    asked = understood(engine, query)
    with engine.store.snapshot():
        found = _look(engine, query, asked)
        old = _faded(engine, query, asked) if looks_back(query) and not any(hit.record for hit in found.hits) else []
    if old and bring_back(engine, query.view.reach, old):
        with engine.store.snapshot():
            found = _look(engine, query, asked)
    _keep(engine, found.trace)
    return found


def _faded(engine: Engine, query: Query, asked: Asked) -> list[Record]:
    """What answers among that which faded."""
    old = archived(engine, query)
    return [hit.record for hit in _look(engine, old, asked.of(Corpus.RECORDS)).hits if hit.record] if old else []


def _look(engine: Engine, query: Query, asked: Asked) -> Found:
    """The answer of one snapshot, which the caller holds."""
    question, calibrated = asked.question, {corpus: calibration(asked.embedder, corpus) for corpus in asked.texts}
    pools = candidates(engine, query, question, asked.texts, asked.near)
    ranked = [one for pool in pools for one in _scored(engine, query, question, pool, pools, calibrated[pool.legs.corpus])]
    ranked.sort(key=lambda one: (-one.score, one.id))
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    again = rerank(engine, query, ranked, rows)
    ranked = with_other_side(question, again.ranked, {id: row for id, row in rows.items() if isinstance(row, Turn)})
    rules = _rules(query, pools, ranked, calibrated, engine.policy.fill_floor)
    selection, judged = _selected(engine, query, question, pools, ranked, rules)
    hits = tuple(_hits(engine, query, pools, selection, judged))
    return Found(hits, _trace(engine, query, asked, rules.floor, selection, again))


# -- rank


def _scored(
    engine: Engine, query: Query, question: Question, pool: Pool, pools: Sequence[Pool], calibrated: Calibration
) -> Iterator[Scored]:
    records = pool.legs.corpus is Corpus.RECORDS
    extras = _boosts(engine, query, question, pool) if records else _context(engine, question, pool)
    legs, told = pool.legs, [other for other in pools if records and other.legs.corpus is Corpus.TURNS]
    for id, (score, parts) in extras.items():
        cosine, share = legs.cosines.get(id, 0.0), legs.shares.get(id, 0.0)
        row, near, held = pool.rows[id], cosine, share
        if told and isinstance(row, Record):
            near, held = _with_sources(row, cosine, share, told, engine.policy)
        sure = max(relevance(near, min(held, 1.0), calibrated, legs.usual), legs.certain.get(id, 0.0))
        every = {"bm25": share, "cosine": cosine, "fused": pool.fused[id], **parts}
        yield Scored(id, legs.corpus, score, sure, {name: value for name, value in every.items() if value})


def _with_sources(record: Record, cosine: float, share: float, told: Sequence[Pool], policy: Policy) -> tuple[float, float]:
    """The best cosine and share of a record and of the turns it was made from, where those are among the ``told`` and say little
    else: a statement is short, and what was said around it tells what it is about."""
    for pool in told:
        for ref in record.sources:
            turn = pool.rows.get(ref)
            if turn is not None and len(record.statement) >= policy.lending_share * len(turn.text):
                cosine = max(cosine, pool.legs.cosines.get(ref, 0.0))
                share = max(share, pool.legs.shares.get(ref, 0.0))
    return cosine, share


_Extras = dict[str, tuple[float, dict[str, float]]]


def _keep(engine: Engine, trace: Trace) -> None:
    """Stores the trace. Where nothing can be written (another writer, a full disk, a file to be read only) it answers without."""
    try:
        engine.store.put_trace(trace)
    except StoreError as error:
        _log.warning("trace %s was not kept: %s", trace.id, error)


def _boosts(engine: Engine, query: Query, question: Question, pool: Pool) -> _Extras:
    """Scores of records: the fused one, the key's and that of the time asked about, with the bounded boosts on top; and the parts
    they are made of."""
    policy = engine.policy
    usage = engine.store.usage(query.view.reach, list(pool.rows))
    found: _Extras = {}
    for id, row in pool.rows.items():
        assert isinstance(row, Record)
        keyed = pool.legs.keyed.get(id, 0.0)
        fresh = rank.freshness((query.now - row.said_at).total_seconds() / 86_400.0, policy)
        used = rank.reinforcement(usage[id].access_count if id in usage else 0, policy)
        factor = rank.boost(fresh, used, row.confidence, policy)
        window = policy.episodes.window * any(one.holds(row.said_at) or one.spans(row.valid_from) for one in question.windows)
        parts = {
            "key": keyed,
            "window": window,
            "freshness": fresh,
            "reinforcement": used,
            "confidence": row.confidence,
            "boost": factor,
            "usual": pool.legs.usual,
        }
        found[id] = ((pool.fused[id] + keyed + window) * factor, parts)
    return found


def _context(engine: Engine, question: Question, pool: Pool) -> _Extras:
    """Scores of turns: the fused one and what the context adds, brought back to the range of records' scores."""
    turns = {id: row for id, row in pool.rows.items() if isinstance(row, Turn)}
    policy, scale = engine.policy, 1.0 + engine.policy.episodes.most / 2.0
    parts = in_context(question, turns, pool.fused, pool.legs.postings, policy.episodes, policy.bm25_k1, policy.bm25_b)
    return {id: ((pool.fused[id] + sum(parts[id].values())) / scale, parts[id]) for id in turns}


# -- select


def _rules(
    query: Query, pools: Sequence[Pool], ranked: Sequence[Scored], calibrated: Mapping[Corpus, Calibration], fill_floor: float
) -> Rules:
    """What the selection keeps to: the caller's threshold for all, or what each corpus was calibrated to."""
    bounds: dict[str, tuple[float, float]] = {}
    if query.threshold is None:
        each = {corpus: (one.floor, one.tail) for corpus, one in calibrated.items()}
        if query.fill and Corpus.TURNS in each:
            each[Corpus.TURNS] = (fill_floor, 0.0)
        bounds = {one.id: each[one.corpus] for one in ranked}
    asked = min(one.floor for one in calibrated.values()) if query.threshold is None else query.threshold
    return Rules(
        limit=query.limit,
        floor=asked,
        tail=asked,
        bounds=bounds,
        barred=dict.fromkeys(query.built_from, Drop.IN_DIALOGUE),
        conflicts=_conflicts(pools),
        told_by=_told_by(pools),
    )


def _conflicts(pools: Sequence[Pool]) -> dict[str, tuple[str, ...]]:
    rows = (row for pool in pools for row in pool.rows.values())
    return {row.id: row.conflicts_with for row in rows if isinstance(row, Record) and row.conflicts_with}


def _told_by(pools: Sequence[Pool]) -> dict[str, set[str]]:
    """For each turn that candidates among the records were made from, those records."""
    found: dict[str, set[str]] = {}
    for row in (row for pool in pools for row in pool.rows.values() if isinstance(row, Record) and row.kind is not Kind.EPISODE):
        for source in row.sources:
            found.setdefault(source, set()).add(row.id)
    return found


def _aim(query: Query, question: Question) -> Aim:
    """What is wanted. Who asks for episodes alone, or for history, wants what was said; who asks as of a day, what was so."""
    history = Status.SUPERSEDED in query.view.statuses and query.view.as_of is None
    if history or query.include is Include.EPISODES:
        return Aim.SAID
    return question.aim if query.view.as_of is None else Aim.STOOD


def _selected(
    engine: Engine, query: Query, question: Question, pools: Sequence[Pool], ranked: Sequence[Scored], rules: Rules
) -> tuple[Selection, dict[str, Judged]]:
    """The selection, and what became of the turns in it: some are barred, some come behind, and others move up.

    Turns are judged as they come up, since most never do: first those that would answer alone, then those that are kept.
    """
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    texts, aim = {id: row.text for id, row in rows.items()}, _aim(query, question)
    aims = {id: Aim.SAID if isinstance(row, Turn) and quotes(query.text, row.text) else aim for id, row in rows.items()}
    judged: dict[str, Judged] = {}
    due = {} if aim is Aim.SAID else _answering(ranked, rows, rules)
    while True:
        news = judge(engine, query.view, list(due.values()))
        judged |= news
        rules = _after(news, query, aims, engine.policy, rules)
        ranked = _weighed(news, aims, engine.policy, ranked)
        chosen = choose(ranked, texts, rules)
        turns = {id: row for id in chosen.kept if isinstance(row := rows[id], Turn)}
        due = {id: turn for id, turn in turns.items() if id not in judged}
        if not due:
            selection = chosen.selection()
            return _in_time_order(question, _in_order_of_news(question, selection, turns), rows), judged


def _answering(ranked: Sequence[Scored], rows: Mapping[str, Record | Turn], rules: Rules) -> dict[str, Turn]:
    """The turns that would answer alone: whether there is an answer at all hangs on what they are."""
    found = {one.id: rows[one.id] for one in ranked if one.relevance >= rules.floor_of(one.id) > 0.0}
    return {id: row for id, row in found.items() if isinstance(row, Turn)}


def _after(news: Mapping[str, Judged], query: Query, aims: Mapping[str, Aim], policy: Policy, rules: Rules) -> Rules:
    """The rules with what is now known about turns: which are barred, and which answer only together with others.

    ``aims`` say what is wanted of each: what is asked for in a turn's own words is what was said.
    """
    barred: dict[str, Drop] = {}
    bounds: dict[str, tuple[float, float]] = {}
    for id, one in news.items():
        stands, floor, tail = one.fate.standing, rules.floor_of(id), rules.tail_of(id)
        if one.drop is not None:
            barred[id] = one.drop
        elif not answers(aims[id], stands):
            bounds[id] = (_NEVER, 0.0 if query.fill else floor)
        elif query.threshold is None and stands in (Standing.LIGHT, Standing.TOLD) and aims[id] is not Aim.SAID:
            bounds[id] = (policy.light_floor, tail)
    return replace(rules, barred={**rules.barred, **barred}, bounds={**rules.bounds, **bounds})


def _weighed(news: Mapping[str, Judged], aims: Mapping[str, Aim], policy: Policy, ranked: Sequence[Scored]) -> Sequence[Scored]:
    """The ranking with the scores of turns that are no answer lowered."""
    behind = {id for id, one in news.items() if not answers(aims[id], one.fate.standing)}
    if not behind:
        return ranked
    weight = policy.history_weight
    lowered = [
        replace(one, score=one.score * weight, parts={**one.parts, "standing": weight}) if one.id in behind else one
        for one in ranked
    ]
    return sorted(lowered, key=lambda one: (-one.score, one.id))


def _in_order_of_news(question: Question, selection: Selection, turns: Mapping[str, Turn]) -> Selection:
    if not question.news:
        return selection
    kept = {scored.id: scored for scored in selection.kept}
    order = newest_first(list(kept), turns, {id: scored.score for id, scored in kept.items()})
    return replace(selection, kept=tuple(kept[id] for id in order))


def _in_time_order(question: Question, selection: Selection, rows: Mapping[str, Record | Turn]) -> Selection:
    kept = {scored.id: scored for scored in selection.kept}
    told = {id: row.said_at if isinstance(row, Record) else row.at for id in kept for row in [rows[id]]}
    texts = {id: rows[id].text for id in kept}
    order = in_time_order(question, list(kept), told, texts, {id: scored.score for id, scored in kept.items()})
    return replace(selection, kept=tuple(kept[id] for id in order))


def _hits(
    engine: Engine, query: Query, pools: Sequence[Pool], selection: Selection, judged: Mapping[str, Judged]
) -> Iterable[Hit]:
    rows = {id: row for pool in pools for id, row in pool.rows.items()}
    for scored in selection.kept:
        row = masked(rows[scored.id])
        make = partial(Hit, id=scored.id, score=scored.score, relevance=scored.relevance, parts=scored.parts)
        if isinstance(row, Record):
            stale = is_stale(row, query.view.as_of or query.now)
            yield make(record=row, stale=stale, conflicts_with=row.conflicts_with, trust=row.trust)
        else:
            around = engine.store.neighbours(query.view.reach, row.id, query.around) if query.around else ()
            beside = tuple(masked(withheld(turn)) for turn in around if turn.id != row.id)
            fate = judged[row.id]
            yield make(turn=row, neighbours=beside, fate=fate.fate, trust=fate.trust)


def _rounded(one: Scored) -> Scored:
    """A candidate as it is kept: nobody reads the digits behind the sixth, and there are many numbers."""
    parts = {name: round(value, _DIGITS) for name, value in one.parts.items()}
    return replace(one, score=round(one.score, _DIGITS), relevance=round(one.relevance, _DIGITS), parts=parts)


def _trace(engine: Engine, query: Query, asked: Asked, threshold: float, selection: Selection, again: Reranked) -> Trace:
    return Trace(
        id=engine.ids("trace"),
        tenant=query.view.reach.tenant,
        subjects=query.view.reach.subjects,
        origin=replace(query.view.origin, thread=query.view.origin.thread or query.thread),
        at=query.now,
        query=query.text,
        terms=asked.question.terms,
        embedder=asked.embedder,
        threshold=threshold,
        candidates=tuple(map(_rounded, selection.candidates[: engine.policy.trace_limit])),
        returned=tuple(scored.id for scored in selection.kept),
        message=query.message,
        built_from=query.built_from,
        periods=tuple(Period(window.start, window.end) for window in asked.question.windows),
        reranker=again.reranker,
        rerank_fault=again.fault,
    )
