"""Fits the relevance of turns for an embedder (``policy/recall/relevance.py``): bias, and what cosine and words weigh.

    python -m tools.fit_calibration --embedder nomic --locomo ../shared/data/locomo/locomo10.json.gz \
        [--beam ../shared/data/beam_100k --talks 2] [--longmemeval ../shared/data/longmemeval_dev]

For each question (every eighth of LoCoMo) the best hit in its own talk against the best hit of the same question in another talk:
logistic regression by Newton's method with an L2 penalty (C = 10), each set weighing the same. ``held out``: fitted on the other
sets, or on the other half of the talks where there is one set. Kept and refused are shares at the floor of .3.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tools.fit_tiers import CACHE, first_talks

from onrecord.build import open_embedder
from onrecord.evals import beam, locomo, longmemeval
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.dataset import Dataset, Question
from onrecord.evals.ingest import ingest, reach_of
from onrecord.evals.metrics import auroc
from onrecord.memory import Memory
from onrecord.model.query import Corpus, Include, Query, View
from onrecord.pipeline.retrieve import search
from onrecord.policy.recall.relevance import calibration
from onrecord.ports import Embedder, Engine

_EVERY = {"locomo": 8}
_C, _ROUNDS, _FLOOR = 10.0, 50, 0.3
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """One row a question: (1, cosine, share) of the best hit in its own talk, and in another."""

    name: str
    half: Floats
    own: Floats
    foreign: Floats

    def of(self, half: int) -> Rows:
        """Those of every other talk."""
        chosen = self.half == half
        return Rows(f"{self.name}, half {half}", self.half[chosen], self.own[chosen], self.foreign[chosen])


def rows(dataset: Dataset, embedder: Embedder) -> Rows:
    """The rows of the questions that can be answered."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder, "fit.db"), embedder=embedder) as memory:
        ingest(memory.engine, dataset)
        names = list(dataset.talks)
        asked = [one for one in dataset.scored if one.category not in dataset.apart][:: _EVERY.get(dataset.name, 1)]
        places = [names.index(one.talk) for one in asked]
        own = [_best(memory.engine, one, one.talk) for one in asked]
        foreign = [_best(memory.engine, one, names[(n + 1) % len(names)]) for one, n in zip(asked, places, strict=True)]
    return Rows(dataset.name, np.array(places) % 2, np.array(own), np.array(foreign))


def _best(engine: Engine, question: Question, talk: str) -> tuple[float, float, float]:
    view = View(reach=reach_of(talk), valid_at=question.at)
    query = Query(text=question.text, view=view, include=Include.EPISODES, limit=1, threshold=0.0, now=question.at)
    hits = search(engine, query).hits
    return (1.0, hits[0].parts.get("cosine", 0.0), min(hits[0].parts.get("bm25", 0.0), 1.0)) if hits else (1.0, 0.0, 0.0)


def fitted(sets: Sequence[Rows]) -> Floats:
    """(bias, cosine weight, lexical weight); the bias is not penalised."""
    x = np.concatenate([np.concatenate([one.own, one.foreign]) for one in sets])
    y = np.concatenate([np.repeat([1.0, 0.0], len(one.own)) for one in sets])
    total = sum(len(one.own) for one in sets)
    weight = np.concatenate([np.full(2 * len(one.own), total / len(sets) / len(one.own)) for one in sets])
    penalty, found = np.diag([0.0, 1.0 / _C, 1.0 / _C]), np.zeros(3)
    for _ in range(_ROUNDS):
        chance = 1.0 / (1.0 + np.exp(-x @ found))
        slope = x.T @ (weight * (chance - y)) + penalty @ found
        curve = (x * (weight * chance * (1.0 - chance))[:, None]).T @ x + penalty
        found = found - np.linalg.solve(curve, slope)
    return found


def judged(found: Floats, one: Rows) -> str:
    """How well a fit tells the two sides of a set apart."""
    own, foreign = (1.0 / (1.0 + np.exp(-side @ found)) for side in (one.own, one.foreign))
    share = f"kept {np.mean(own >= _FLOOR):.3f}  refused {np.mean(foreign < _FLOOR):.3f}"
    return f"AUROC {auroc(own.tolist(), foreign.tolist()):.3f}  {share}  ({len(own)} questions)"


def report(sets: Sequence[Rows], embedder: Embedder) -> Iterator[str]:
    """The fit, what ships, and how each does."""
    parts = list(sets) if len(sets) > 1 else [sets[0].of(0), sets[0].of(1)]
    whole, ships = fitted(sets), calibration(embedder.name, Corpus.TURNS)
    shipped = np.array([ships.bias, ships.cosine_weight, ships.lexical_weight])
    yield f"fitted: bias {whole[0]:.2f}, cosine {whole[1]:.2f}, words {whole[2]:.2f}; shipped: {shipped.tolist()}"
    for one in parts:
        yield f"{one.name:20} held out  {judged(fitted([other for other in parts if other is not one]), one)}"
        yield f"{'':20} shipped   {judged(shipped, one)}"


def main() -> None:
    """Prints the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--talks", type=int, help="only the first few of BEAM and LongMemEval")
    loaders: dict[str, Callable[[Path], Dataset]] = {"locomo": locomo.load, "beam": beam.load, "longmemeval": longmemeval.load}
    for name in loaders:
        parser.add_argument(f"--{name}", type=Path)
    given = parser.parse_args()
    embedder = CachedEmbedder(open_embedder(given.embedder), CACHE)
    datasets = [load(path) for name, load in loaders.items() if (path := getattr(given, name))]
    sets = [rows(one if one.name == "locomo" else first_talks(one, given.talks), embedder) for one in datasets]
    for line in report(sets, embedder):
        print(line)


if __name__ == "__main__":
    main()
