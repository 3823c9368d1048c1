"""Runs a retrieval benchmark against a whole memory: ingest, ask, compare. The shipped configuration is used as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from onrecord.evals.baselines import by_vectors, by_words
from onrecord.evals.dataset import Dataset, Question
from onrecord.evals.ingest import ingest, reach_of
from onrecord.model.query import Include, Query, View
from onrecord.model.trace import Hit
from onrecord.pipeline.retrieve import Found, search
from onrecord.policy.recall.select import rolled_up
from onrecord.ports import Engine

#: What is being done, steps done, steps in all.
Progress = Callable[[str, int, int], None]
#: Where units are the lines of some roles alone, more hits are asked for, and those of other roles are passed over.
_ROLE_MARGIN = 3
#: How deep plain rankings go, so that enough units and sittings are among them.
_DEPTH = 200

OURS, WORDS, VECTORS = "onrecord", "bm25", "vectors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question: the ranking of each system, ids best first; of the sittings likewise.

    ``relevance`` is that of the best hit, ``foreign`` what the best hit had when another talk was asked the same; ``ms`` is the
    time of the whole search, with the embedding of the question. ``tokens`` are those of the texts of the first hits, as many as
    were asked for.
    """

    question: Question
    rankings: Mapping[str, tuple[str, ...]]
    sessions: Mapping[str, tuple[str, ...]]
    relevance: float
    foreign: float | None
    ms: float
    tokens: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of one run. ``limits`` are the k of recall@k; times are in milliseconds, and depend on the machine."""

    dataset: str
    include: Include
    embedder: str
    limits: tuple[int, ...]
    turns: int
    ms_per_turn: float
    rows: tuple[Row, ...]
    apart: frozenset[str] = field(default=frozenset())


def evaluate(
    dataset: Dataset,
    engine: Engine,
    *,
    include: Include = Include.EPISODES,
    limits: Sequence[int] = (5, 10),
    baselines: bool = True,
    foreign: bool = True,
    done: Collection[str] = (),
    keep: Callable[[Row], None] | None = None,
    progress: Progress | None = None,
) -> Report:
    """The report of every question of ``dataset`` against ``engine``, which must hold an empty store; a reranker is used.

    With records among what is included, turns are captured too, and a record counts as the lines it rests on. ``foreign`` asks
    each question of another talk as well, for how well an answer can be told from none. Questions whose ids are ``done`` are
    passed over, and so are talks that no other question needs; each row is given to ``keep`` as it comes.
    """
    tick = progress or (lambda what, done, total: None)
    began = perf_counter()
    asker = _Asker(engine, dataset, include, max(limits), baselines)
    left = [question for question in dataset.questions if question.id not in done]
    part, capture = asker.needed(left), include is not Include.EPISODES
    turns = ingest(engine, part, capture=capture, progress=lambda at, total: tick("take in", at, total))
    per_turn = (perf_counter() - began) * 1000 / max(turns, 1)
    rows = []
    for at, question in enumerate(left, len(dataset.questions) - len(left) + 1):
        rows.append(asker.row(question, foreign))
        if keep is not None:
            keep(rows[-1])
        tick("ask", at, len(dataset.questions))
    return Report(
        dataset=dataset.name,
        include=include,
        embedder=engine.embedder.name,
        limits=tuple(limits),
        turns=sum(len(talk.lines) for talk in dataset.talks.values()),
        ms_per_turn=per_turn,
        rows=tuple(rows),
        apart=dataset.apart,
    )


class _Asker:
    def __init__(self, engine: Engine, dataset: Dataset, include: Include, limit: int, baselines: bool) -> None:
        self.engine, self.dataset, self.include, self.limit, self.baselines = engine, dataset, include, limit, baselines

    def row(self, question: Question, foreign: bool) -> Row:
        talk = self.dataset.talks[question.talk]
        text_of = {line.id: line.text for line in talk.lines}
        session_of = {line.id: line.session for line in talk.lines}
        units = {line.id for line in talk.lines if not self.dataset.roles or line.role in self.dataset.roles}
        began = perf_counter()
        found = self._search(question, question.talk)
        ms = (perf_counter() - began) * 1000
        rankings = {OURS: tuple(id for id in _lines(found.hits) if id in units)}
        scored = [(id, one.score) for one in found.trace.candidates for id in _sources(found, one.id) if id in session_of]
        sessions = {OURS: tuple(rolled_up(scored, session_of))}
        for name, ranking in self._plain(question) if self.baselines else ():
            rankings[name] = tuple(id for id in ranking if id in units)
            sessions[name] = tuple(dict.fromkeys(session_of[id] for id in ranking))
        shown = {name: [text_of[id] for id in ranking[: self.limit]] for name, ranking in rankings.items() if name != OURS}
        shown[OURS] = [hit.text for hit in found.hits[: self.limit]]
        return Row(
            question=question,
            rankings=rankings,
            sessions=sessions,
            relevance=_best(found),
            foreign=_best(self._search(question, self.other(question.talk))) if foreign and question.gold else None,
            ms=ms,
            tokens={name: sum(map(self.engine.tokens.count, texts)) for name, texts in shown.items()},
        )

    def needed(self, questions: Sequence[Question]) -> Dataset:
        """The set with the talks alone that these questions are asked of."""
        names = {talk for one in questions for talk in (one.talk, self.other(one.talk))}
        return replace(self.dataset, talks={name: talk for name, talk in self.dataset.talks.items() if name in names})

    def other(self, talk: str) -> str:
        """The talk that questions of this one are asked of, to see what comes where there is no answer."""
        names = list(self.dataset.talks)
        return names[(names.index(talk) + 1) % len(names)]

    def _search(self, question: Question, talk: str) -> Found:
        limit = self.limit * (_ROLE_MARGIN if self.dataset.roles else 1)
        view = View(reach=reach_of(talk), valid_at=question.at)
        again = self.engine.reranker is not None
        query = Query(
            text=question.text, view=view, include=self.include, limit=limit, threshold=0.0, now=question.at, rerank=again
        )
        return search(self.engine, query)

    def _plain(self, question: Question) -> Iterator[tuple[str, list[str]]]:
        view = View(reach=reach_of(question.talk))
        yield WORDS, by_words(self.engine, view, question.text, _DEPTH)
        yield VECTORS, by_vectors(self.engine, view, question.text, _DEPTH)


def _best(found: Found) -> float:
    return max((hit.relevance for hit in found.hits), default=0.0)


def _lines(hits: Sequence[Hit]) -> list[str]:
    """The lines that hits rest on, in order, each once."""
    return list(dict.fromkeys(id for hit in hits for id in hit.sources))


def _sources(found: Found, id: str) -> Sequence[str]:
    return next((hit.sources for hit in found.hits if hit.id == id), (id,))
