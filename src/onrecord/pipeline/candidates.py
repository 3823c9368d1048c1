"""Candidates: the rows of one corpus that may answer a question, gathered from every leg, within the view."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from onrecord.errors import EmbedderError
from onrecord.model.query import Best, Corpus, Include, Postings, Query, View
from onrecord.model.record import Record
from onrecord.model.turn import Turn
from onrecord.policy.address import subject_name
from onrecord.policy.language.text import query_terms
from onrecord.policy.recall import rank
from onrecord.policy.recall.question import TOLD_LATER, Question, without_names
from onrecord.policy.visible import record_test
from onrecord.ports import Engine, Vector

#: Rows said last that are looked at whatever they say, and rows of each span of time that a question points at.
_RECENT, _IN_WINDOW = 20, 100
#: Rows that it takes to tell what is usual.
_SAMPLE = 5
#: Keys read from the words of a question that are looked up, and what a record under the first of them gains.
_KEYS, _KEY_SHARE = 3, 0.3
#: Rows that are read beyond twice the limit, best fused score first. LoCoMo's recall at 10 is .768 with 80 turns, .783 with 160.
_RECORDS_READ, _TURNS_READ = 5, 120
#: Relevance of what the caller's own key names, and at the least of what a key that is read from the question names, or of
#: records of a kind and a time that it asks for.
_NAMED, _MEANT = 1.0, 0.5
_CORPORA = {
    Include.RECORDS: (Corpus.RECORDS,),
    Include.EPISODES: (Corpus.TURNS,),
    Include.BOTH: (Corpus.RECORDS, Corpus.TURNS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Legs:
    """What each leg says about the rows of one corpus, before any of them is read.

    ``shares`` are BM25 scores by what a row that holds every term once scores. ``keyed`` is what a key adds to the score of a
    record, ``certain`` the relevance that it has for its key alone. ``usual`` is the middle one of the cosines of the rows said
    last, whatever they say: how near the question is to anything here. With few rows it is not known, and 0.
    """

    corpus: Corpus
    postings: Postings
    shares: Mapping[str, float]
    cosines: Mapping[str, float]
    keyed: Mapping[str, float]
    certain: Mapping[str, float]
    usual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The candidates of one corpus: their rows and fused scores, by id."""

    legs: Legs
    rows: Mapping[str, Record | Turn]
    fused: Mapping[str, float]


def wordings(engine: Engine, query: Query, question: Question) -> dict[Corpus, str]:
    """The question as it is put to each corpus that is asked for.

    Turns are compared with it without the names of those who speak in them. Each turn bears its author's name, so that a name
    pulls in whatever its owner said; the author counts by itself. Records are compared with it without the name of their one
    subject: it is about nothing else, and they say "I".
    """
    texts = dict.fromkeys(_CORPORA[query.include], query.text)
    if not question.names:
        return texts
    if Corpus.TURNS in texts:
        recent = engine.store.recent(query.view, Corpus.TURNS, limit=_RECENT)
        authors = {turn.author for turn in engine.store.turns(query.view.reach, recent)}
        texts[Corpus.TURNS] = without_names(query.text, authors)
    if Corpus.RECORDS in texts and len(query.view.reach.subjects) == 1:
        texts[Corpus.RECORDS] = without_names(query.text, [subject_name(query.view.reach.subjects[0])])
    return texts


def vectors(engine: Engine, texts: Mapping[Corpus, str]) -> dict[Corpus, Vector]:
    """The vector of the question for each corpus; empty if the embedder fails, or there is no text."""
    try:
        made = {text: engine.embedder.embed_query(text) for text in dict.fromkeys(texts.values()) if text.strip()}
    except EmbedderError:
        return {}
    return {corpus: made[text] for corpus, text in texts.items() if text in made}


def pools(
    engine: Engine, query: Query, question: Question, texts: Mapping[Corpus, str], near: Mapping[Corpus, Vector]
) -> list[Pool]:
    """The candidates of each corpus that is asked for; scores of all of them are measured by the same peaks."""
    every = [_legs(engine, query.view, question, corpus, text, near.get(corpus)) for corpus, text in texts.items()]
    name, policy = engine.embedder.name, engine.policy
    weight, nearness = rank.vector_weight(name, policy), [rank.nearness(legs.cosines, name, policy) for legs in every]
    peaks = (
        max((max(legs.shares.values(), default=0.0) for legs in every), default=0.0),
        max((max(cosines.values(), default=0.0) for cosines in nearness), default=0.0),
    )
    fused = [rank.fuse(legs.shares, cosines, weight, peaks) for legs, cosines in zip(every, nearness, strict=True)]
    return [_pool(engine, query, legs, scores) for legs, scores in zip(every, fused, strict=True)]


def _legs(engine: Engine, view: View, question: Question, corpus: Corpus, text: str, vector: Vector | None) -> Legs:
    policy = engine.policy
    # Turns hold their authors' names, so there the whole question's words count.
    terms = question.terms if corpus is Corpus.TURNS or text == question.text else tuple(query_terms(text))
    keyed, certain = _keyed(engine, view, question) if corpus is Corpus.RECORDS else ({}, {})
    spanned = _spanned(engine, view, question, corpus)
    if corpus is Corpus.RECORDS:  # what was said in the time that is asked for gains as much as a turn does
        keyed |= {id: keyed.get(id, 0.0) + policy.episodes.window for id in spanned}
        certain |= {id: max(certain.get(id, 0.0), _MEANT) for id in _of_kind(engine, view, question)}
    recent = engine.store.recent(view, corpus, limit=_RECENT)
    cosines = dict.fromkeys((*keyed, *recent, *spanned), 0.0)
    cosines |= _near(engine, view, corpus, vector, policy.candidate_limit, cosines)
    best = Best(limit=policy.candidate_limit, k1=policy.bm25_k1, b=policy.bm25_b, also=cosines.keys())
    postings = engine.store.lexical(view, corpus, terms, best=best) if terms else Postings.of(0, 0.0)
    shares = rank.shares(postings, len(terms), policy.bm25_k1, policy.bm25_b)
    others = shares.keys() - cosines.keys()
    cosines |= dict.fromkeys(others, 0.0) | _near(engine, view, corpus, vector, 0, others)
    usual = median([cosines[id] for id in recent]) if len(recent) >= _SAMPLE else 0.0
    return Legs(corpus=corpus, postings=postings, shares=shares, cosines=cosines, keyed=keyed, certain=certain, usual=usual)


def _near(
    engine: Engine, view: View, corpus: Corpus, vector: Vector | None, limit: int, also: Collection[str]
) -> dict[str, float]:
    """Cosines of the nearest rows, and of those named that have a vector."""
    if vector is None or not (limit or also):
        return {}
    return dict(engine.store.nearest(view, corpus, engine.embedder.name, vector, limit=limit, also=also))


def _pool(engine: Engine, query: Query, legs: Legs, fused: Mapping[str, float]) -> Pool:
    """The rows worth reading. Boosts move a record's score little; the context of a turn may move it a lot."""
    spare = _RECORDS_READ if legs.corpus is Corpus.RECORDS else _TURNS_READ
    chosen = {*rank.ordered(fused, 2 * query.limit + spare), *legs.keyed}
    rows = _rows(engine, query.view, legs.corpus, sorted(chosen))
    return Pool(legs=legs, rows=rows, fused={id: fused.get(id, 0.0) for id in rows})


def _rows(engine: Engine, view: View, corpus: Corpus, ids: Sequence[str]) -> dict[str, Record | Turn]:
    if corpus is Corpus.TURNS:
        return {turn.id: turn for turn in engine.store.turns(view.reach, ids)}
    if view.known_at is not None:  # the records as they stood then: only a view rolls them back
        past = {record.id: record for record in engine.store.select(view)}
        return {id: past[id] for id in ids if id in past}
    found: dict[str, Record | Turn] = {record.id: record for record in engine.store.get(view.reach, ids)}
    # The other sides of conflicts come along, whatever they say.
    sides = {side for row in found.values() if isinstance(row, Record) for side in row.conflicts_with} - found.keys()
    shows = record_test(view)
    others = engine.store.get(view.reach, sorted(sides)) if sides else []
    return {**found, **{record.id: record for record in others if shows(record)}}


def _keyed(engine: Engine, view: View, question: Question) -> tuple[dict[str, float], dict[str, float]]:
    """What their keys add to the scores of records, and the relevance they give, by id."""
    limit = engine.policy.candidate_limit
    if view.key is not None:
        ids = [record.id for record in engine.store.select(view, limit=limit)]
        return dict.fromkeys(ids, _KEY_SHARE), dict.fromkeys(ids, _NAMED)
    gains: dict[str, float] = {}
    certain: dict[str, float] = {}
    for place, key in enumerate(question.keys[:_KEYS]):
        for record in engine.store.select(replace(view, key=key), limit=limit):
            gains.setdefault(record.id, _KEY_SHARE / (1 + place))
            if place == 0:
                certain[record.id] = _MEANT
    return gains, certain


def _of_kind(engine: Engine, view: View, question: Question) -> list[str]:
    """Ids of the records of the kind that is asked for in the time that is asked for: they answer whatever their words are."""
    kinds = question.kinds if view.kinds is None else question.kinds & view.kinds
    return _spanned(engine, replace(view, kinds=kinds), question, Corpus.RECORDS) if kinds else []


def _spanned(engine: Engine, view: View, question: Question, corpus: Corpus) -> list[str]:
    """Ids of the rows said last in each span of time that the question points at."""
    ids: list[str] = []
    for window in question.windows:
        since = max(view.since, window.start) if view.since else window.start
        told = window.end + TOLD_LATER
        until = min(view.until, told) if view.until else told
        ids += engine.store.recent(replace(view, since=since, until=until), corpus, limit=_IN_WINDOW)
    return ids
