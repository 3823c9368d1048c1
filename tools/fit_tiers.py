"""Finds what an embedder's cosines weigh, and what a reranker does, on LoCoMo's categories 1-4, and how it holds elsewhere.

    python -m tools.fit_tiers ../shared/data/locomo/locomo10.json.gz [--embedder nomic] [--reranker nomic]

Candidates are gathered once for each question and ranked anew for each setting, by the shipped functions and weights of context.
``weight`` is ``Policy.vector_weight``; ``zero`` is the cosine that counts as nothing (0 is what ships). With a reranker it is
``Policy.rerank_weight``, ``Policy.rerank_depth``, and whether the question is put without the names of those who speak.
``left out``: the setting that is best for nine talks (R@10), on the tenth, for each of the ten. ``--talks`` takes the first few.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from onrecord.build import open_embedder
from onrecord.evals import locomo
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.dataset import Dataset, Question
from onrecord.evals.ingest import ingest, reach_of
from onrecord.evals.metrics import recall
from onrecord.memory import Memory
from onrecord.model.query import Corpus, Include, Query, View
from onrecord.model.turn import Turn
from onrecord.pipeline.candidates import Pool, pools, vectors, wordings
from onrecord.policy.defaults import Policy
from onrecord.policy.recall import rank
from onrecord.policy.recall.episode import episode_text, in_context
from onrecord.policy.recall.question import Question as Asked
from onrecord.policy.recall.question import understand
from onrecord.ports import Embedder, Engine

CACHE = Path("~/.cache/onrecord/evals").expanduser()
WEIGHTS = (0.5, 0.6, 0.7, 0.8)
#: "usual" is the middle cosine of the turns said last, for each question.
ZEROS: tuple[float | str, ...] = (0.0, 0.3, 0.45, 0.5, 0.55, 0.6, "usual")
RERANK_WEIGHTS, DEPTHS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.7), (20, 40)
#: So many hits are asked for that nearly all candidates are read.
_DEEP = 60
Setting = tuple[float | int | str, ...]
#: Recall at 5 and 10 of each question, by setting.
Found = Mapping[Setting, list[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its candidates, and how it is put to turns."""

    question: Question
    asked: Asked
    wording: str
    pool: Pool

    @property
    def turns(self) -> dict[str, Turn]:
        """The rows that were read."""
        return {id: row for id, row in self.pool.rows.items() if isinstance(row, Turn)}


def cases(engine: Engine, dataset: Dataset) -> Iterator[Case]:
    """Every question that counts, with its candidates."""
    for question in dataset.scored:
        if question.category in dataset.apart:
            continue
        asked = understand(question.text, now=question.at, vocabulary=engine.vocabulary)
        view = View(reach=reach_of(question.talk), valid_at=question.at)
        query = Query(text=question.text, view=view, include=Include.EPISODES, limit=_DEEP, now=question.at)
        texts = wordings(engine, query, asked)
        with engine.store.snapshot():
            (pool,) = pools(engine, query, asked, texts, vectors(engine, texts))
        yield Case(question, asked, texts[Corpus.TURNS], pool)


def scores(case: Case, policy: Policy, weight: float, zero: float | str = 0.0) -> dict[str, float]:
    """The ranking's score of each row, as the pipeline computes it."""
    least = case.pool.legs.usual if isinstance(zero, str) else zero
    near = {id: max(cosine - least, 0.0) for id, cosine in case.pool.legs.cosines.items()}
    fused = rank.fuse(case.pool.legs.shares, near, weight)
    turns = case.turns
    own = {id: fused.get(id, 0.0) for id in turns}
    parts = in_context(case.asked, turns, own, case.pool.legs.postings, policy.episodes, policy.bm25_k1, policy.bm25_b)
    return {id: own[id] + sum(parts[id].values()) for id in turns}


def fused_found(every: Sequence[Case], policy: Policy) -> Found:
    """What each weight and zero of the fusion finds."""
    return {
        (weight, zero): [_recalls(case, rank.ordered(scores(case, policy, weight, zero))) for case in every]
        for weight, zero in product(WEIGHTS, ZEROS)
    }


def reranked_found(every: Sequence[Case], policy: Policy, base: str, reranker: Embedder) -> Found:
    """What each weight and depth of the blend finds; its weight 0 is the ranking without it."""
    found: dict[Setting, list[tuple[float, float]]] = {}
    for case in every:
        own = scores(case, policy, rank.vector_weight(base, policy))
        order = rank.ordered(own)
        first = order[: max(DEPTHS)]
        matrix = reranker.embed_documents([episode_text(case.turns[id]) for id in first])
        for name, text in (("names", case.question.text), ("no names", case.wording)):
            opinions = (matrix @ reranker.embed_query(text)).tolist()
            for weight, depth in product(RERANK_WEIGHTS, DEPTHS):
                blended = rank.blend([own[id] for id in first[:depth]], opinions[:depth], weight)
                again = rank.ordered(dict(zip(first[:depth], blended, strict=True)))
                found.setdefault((weight, depth, name), []).append(_recalls(case, [*again, *order[depth:]]))
    return found


def _recalls(case: Case, order: Sequence[str]) -> tuple[float, float]:
    return recall(order, case.question.gold, 5), recall(order, case.question.gold, 10)


def report(every: Sequence[Case], found: Found) -> Iterator[str]:
    """A line for each setting, and one for settings chosen on the other talks."""
    talks = np.array([case.question.talk for case in every])
    multi = np.array([case.question.category == "multi-hop" for case in every])
    tables = {setting: np.array(rows) for setting, rows in found.items()}
    for setting, rows in tables.items():
        five, ten = rows.mean(axis=0)
        yield f"{' '.join(map(str, setting)):24} R@5 {five:.3f}  R@10 {ten:.3f}  multi-hop R@10 {rows[multi, 1].mean():.3f}"
    held = np.zeros((len(every), 2))
    chosen = []
    for talk in dict.fromkeys(talks):
        own = talks == talk
        best = max(tables, key=lambda setting: float(tables[setting][~own, 1].mean()))
        held[own] = tables[best][own]
        chosen.append(" ".join(map(str, best)))
    five, ten = held.mean(axis=0)
    yield f"{'left out':24} R@5 {five:.3f}  R@10 {ten:.3f}  multi-hop R@10 {held[multi, 1].mean():.3f}  ({'; '.join(chosen)})"


def first_talks(dataset: Dataset, count: int | None) -> Dataset:
    """The data set with its first talks alone."""
    talks = dict(list(dataset.talks.items())[:count])
    return replace(dataset, talks=talks, questions=tuple(one for one in dataset.questions if one.talk in talks))


def main() -> None:
    """Prints the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--reranker")
    parser.add_argument("--talks", type=int)
    given = parser.parse_args()
    make: Callable[[str], Embedder] = lambda choice: CachedEmbedder(open_embedder(choice), CACHE)  # noqa: E731
    dataset = first_talks(locomo.load(given.locomo), given.talks)
    embedder = make(given.embedder)
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder, "fit.db"), embedder=embedder) as memory:
        ingest(memory.engine, dataset)
        every, policy = list(cases(memory.engine, dataset)), memory.engine.policy
    found = reranked_found(every, policy, embedder.name, make(given.reranker)) if given.reranker else fused_found(every, policy)
    for line in report(every, found):
        print(line)


if __name__ == "__main__":
    main()
