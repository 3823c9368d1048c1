"""Fits the weights of a turn's context (``policy/weights.py``) on LoCoMo's categories 1-4, leaving out one talk at a time.

    python -m tools.fit_context ../shared/data/locomo/locomo10.json.gz

For each talk: coordinate ascent on R@10 of the nine others, from the shipped weights, tested on the one left out. Printed beside
what the shipped weights, which serve other sets too, and those fitted on all ten reach on the same candidates; each plain, and
without the questions whose key an audit found faulty. What a part adds is proportional to its weight, so candidates are gathered
once and every weighing is one product.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tools.fit_tiers import CACHE, Case, cases, first_talks

from onrecord.build import open_embedder
from onrecord.evals import locomo
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.ingest import ingest
from onrecord.memory import Memory
from onrecord.policy.defaults import Policy
from onrecord.policy.recall.episode import in_context
from onrecord.policy.weights import EpisodeWeights

NAMES = tuple(field.name for field in fields(EpisodeWeights))
#: What is tried of a weight, beside what it is; at most so many rounds.
_STEPS, _ROUNDS = (-0.2, -0.1, -0.05, 0.05, 0.1, 0.2), 4
_K = 10
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Table:
    """All questions: their talk and kind, the fused scores of their candidates, what each part adds at a weight of 1 (by
    question, candidate and part), and which candidates are evidence. ``wanted`` counts the evidence of a question."""

    talks: NDArray[np.str_]
    multi: NDArray[np.bool_]
    faulty: NDArray[np.bool_]
    own: NDArray[np.float64]
    parts: NDArray[np.float64]
    gold: NDArray[np.bool_]
    wanted: NDArray[np.int64]

    def recalls(self, weights: Weights, k: int = _K) -> NDArray[np.float64]:
        """Recall at ``k`` of every question."""
        scores = self.own + self.parts @ weights
        first = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        found: NDArray[np.float64] = np.take_along_axis(self.gold, first, axis=1).sum(axis=1) / self.wanted
        return found

    def among(self, rows: NDArray[np.bool_]) -> Table:
        """Some of the questions."""
        return Table(*(getattr(self, field.name)[rows] for field in fields(self)))


def table(every: Sequence[Case], policy: Policy) -> Table:
    """The table of all questions. Places without a candidate score nothing at all."""
    most = max(len(case.turns) for case in every)
    own, parts = np.full((len(every), most), -1e9), np.zeros((len(every), most, len(NAMES)))
    gold = np.zeros((len(every), most), np.bool_)
    for n, case in enumerate(every):
        ids = sorted(case.turns)  # ties go by id
        own[n, : len(ids)] = [case.pool.fused[id] for id in ids]
        gold[n, : len(ids)] = [id in case.question.gold for id in ids]
        parts[n, : len(ids)] = _parts(case, ids, policy)
    return Table(
        np.array([case.question.talk for case in every]),
        np.array([case.question.category == "multi-hop" for case in every]),
        np.array([case.question.faulty for case in every]),
        own,
        parts,
        gold,
        np.array([len(case.question.gold) for case in every]),
    )


def _parts(case: Case, ids: Sequence[str], policy: Policy) -> NDArray[np.float64]:
    none = EpisodeWeights(**dict.fromkeys(NAMES, 0.0))
    found = np.zeros((len(ids), len(NAMES)))
    for column, name in enumerate(NAMES):
        one = replace(none, **{name: 1.0})
        added = in_context(case.asked, case.turns, case.pool.fused, case.pool.legs.postings, one, policy.bm25_k1, policy.bm25_b)
        found[:, column] = [sum(added[id].values()) for id in ids]
    return found


def fitted(rows: Table, start: Weights) -> Weights:
    """The weights that coordinate ascent from ``start`` finds: each in turn is set to what gives the best mean recall."""
    best, weights = float(rows.recalls(start).mean()), start
    for _ in range(_ROUNDS):
        before = best
        for column in range(len(NAMES)):
            for step in _STEPS:
                tried = weights.copy()
                tried[column] += step
                reached = float(rows.recalls(tried).mean())
                if reached > best + 1e-9:
                    best, weights = reached, tried
        if best == before:
            break
    return weights


def line(name: str, rows: Table, five: NDArray[np.float64], ten: NDArray[np.float64]) -> str:
    """One row of the report."""
    sound = ~rows.faulty
    return (
        f"{name:14} R@5 {five.mean():.3f}  R@10 {ten.mean():.3f}  multi-hop R@10 {ten[rows.multi].mean():.3f}  "
        f"faulty keys left out: {five[sound].mean():.3f} / {ten[sound].mean():.3f} / {ten[sound & rows.multi].mean():.3f}"
    )


def report(rows: Table, shipped: Weights) -> None:
    """Prints the three lines, and the weights of each fit."""
    left = np.zeros((2, len(rows.talks)))
    for talk in dict.fromkeys(rows.talks.tolist()):
        own = rows.talks == talk
        weights = fitted(rows.among(~own), shipped)
        left[:, own] = [rows.among(own).recalls(weights, k) for k in (5, _K)]
        print(
            f"without {talk:8}", ", ".join(f"{name} {value:.2f}" for name, value in zip(NAMES, weights, strict=True)), flush=True
        )
    print(line("left out", rows, *left))
    print(line("shipped", rows, rows.recalls(shipped, 5), rows.recalls(shipped)))
    print(line("fitted on all", rows, *(rows.recalls(fitted(rows, shipped), k) for k in (5, _K))))


def main() -> None:
    """Prints the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--talks", type=int)
    given = parser.parse_args()
    dataset = first_talks(locomo.load(given.locomo), given.talks)
    embedder = CachedEmbedder(open_embedder(given.embedder), CACHE)
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder, "fit.db"), embedder=embedder) as memory:
        ingest(memory.engine, dataset)
        policy = memory.engine.policy
        rows = table(list(cases(memory.engine, dataset)), policy)
    report(rows, np.array([getattr(policy.episodes, name) for name in NAMES]))


if __name__ == "__main__":
    main()
