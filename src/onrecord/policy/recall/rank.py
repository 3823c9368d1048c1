"""Scores: BM25 over the rows of one view, its convex fusion with cosines, and bounded boosts. Pure; ties go by id.

BM25 is Robertson and Zaragoza 2009 with the non-negative idf of Lucene, ``ln(1 + (N - df + .5) / (df + .5))``. Fusion is the
convex combination of Bruch et al. 2023 (TM2C2) with the theoretical minimum of both scores, 0, in place of the smallest one
seen: scores then do not depend on how many candidates were looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from onrecord.model.query import Best, Postings
from onrecord.policy.defaults import Policy

#: Scores that differ less are equal: a sum of floats depends on what is summed beside it.
_DECIMALS = 9


def idfs(postings: Postings) -> NDArray[np.float64]:
    """The weight of each asked term, by its rarity among the rows of the view; never negative."""
    holding = postings.holding
    weights: NDArray[np.float64] = np.log1p((postings.size - holding + 0.5) / (holding + 0.5))
    return weights


def bm25(postings: Postings, k1: float, b: float) -> dict[str, float]:
    """The BM25 score of each matching row, by id; always above 0."""
    return _named(postings, _scores(postings, idfs(postings), k1, b))


def cut(postings: Postings, best: Best) -> Postings:
    """The best of the matching rows, equal ones in order of id, and those named; all of them if there are no more."""
    if len(postings.ids) <= best.limit:
        return postings
    scores = _scores(postings, idfs(postings), best.k1, best.b).round(_DECIMALS)
    least = np.partition(scores, -best.limit)[-best.limit] if best.limit > 0 else np.inf
    chosen, ids, named = set(np.flatnonzero(scores > least).tolist()), postings.ids, set(best.also)
    equal = sorted(np.flatnonzero(scores == least).tolist(), key=ids.__getitem__)
    chosen.update(equal[: max(best.limit - len(chosen), 0)], (place for place, id in enumerate(ids) if id in named))
    return postings.at(sorted(chosen))


def shares(postings: Postings, asked: int, k1: float, b: float) -> dict[str, float]:
    """BM25 scores as shares of what a row of mean length scores that holds each of the ``asked`` terms once.

    An absolute measure: about 1 where all is there, a little above where terms come often. ``asked`` may be more than the
    terms counted; those that no row holds count as the rarest.
    """
    if not len(postings.ids):
        return {}
    weights = idfs(postings)
    absent = math.log1p((postings.size + 0.5) / 0.5) * (asked - len(weights))
    return _named(postings, _scores(postings, weights, k1, b) / (float(weights.sum()) + absent))


def _scores(postings: Postings, weights: NDArray[np.float64], k1: float, b: float) -> NDArray[np.float64]:
    norms = k1 * (1.0 - b + b * postings.lengths / (postings.mean_length or 1.0))
    held = postings.counts > 0  # with k1 = 0 a term that is not there would be nothing divided by nothing
    parts = np.divide(postings.counts * (k1 + 1.0), postings.counts + norms[:, None], out=np.zeros(held.shape), where=held)
    scores: NDArray[np.float64] = parts @ weights
    return scores


def _named(postings: Postings, scores: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(postings.ids, scores.tolist(), strict=True))


def fuse(
    lexical: Mapping[str, float], cosines: Mapping[str, float], weight: float, peaks: tuple[float, float] | None = None
) -> dict[str, float]:
    """``weight`` × cosine + (1 - ``weight``) × BM25 of every row in either, each as a share of its best; missing is 0.

    ``peaks`` are the best BM25 and cosine to measure by, where rows of several corpora are ranked together. If one of the two
    is 0 the other score counts in full, so that a search without vectors has scores of the same range.
    """
    words, near = peaks or (max(lexical.values(), default=0.0), max(cosines.values(), default=0.0))
    share = weight if words > 0.0 and near > 0.0 else float(near > 0.0)
    by_near, by_words = share / near if near > 0.0 else 0.0, (1.0 - share) / words if words > 0.0 else 0.0
    held = lexical.get
    fused = {id: by_words * held(id, 0.0) + (by_near * cosine if cosine > 0.0 else 0.0) for id, cosine in cosines.items()}
    return fused | {id: by_words * lexical[id] for id in lexical.keys() - cosines.keys()}


def vector_weight(embedder: str, policy: Policy) -> float:
    """What the cosines of an embedder weigh in the fusion."""
    return _by_name(policy.vector_weights, embedder, policy.vector_weight)


def nearness(cosines: Mapping[str, float], embedder: str, policy: Policy) -> Mapping[str, float]:
    """The cosines as the fusion takes them: by how much they lie above what unrelated texts have with this embedder.

    Where that is far from 0, cosines as they are differ too little from each other to tell rows apart beside BM25. What is not
    above 0 counts nothing there.
    """
    zero = _by_name(policy.cosine_zeros, embedder, 0.0)
    return cosines if zero == 0.0 else {id: cosine - zero for id, cosine in cosines.items()}


def _by_name(table: Mapping[str, float], embedder: str, other: float) -> float:
    """What a table holds for an embedder, by the longest beginning of its name."""
    known = [prefix for prefix in table if embedder.startswith(prefix)]
    return table[max(known, key=len)] if known else other


def blend(scores: Sequence[float], opinions: Sequence[float], weight: float) -> list[float]:
    """``scores`` moved towards the order of ``opinions`` of the same rows, within the span that they had.

    Both are stretched to 0..1 (a column of equal numbers is 0), mixed by ``weight`` of the opinions, and put back between the
    least and the largest of ``scores``: so the rows stay above those that stood below all of them.
    """
    own, other = _stretched(scores), _stretched(opinions)
    mixed = (1.0 - weight) * own + weight * other
    least, most = min(scores, default=0.0), max(scores, default=0.0)
    return [float(value) for value in least + (most - least) * _stretched(mixed)]


def _stretched(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    column = np.asarray(values, np.float64)
    span = float(np.ptp(column)) if len(column) else 0.0
    return np.zeros(len(column)) if span <= 0.0 else (column - column.min()) / span


def freshness(days: float, policy: Policy) -> float:
    """1 for what was said now, a half after ``freshness_days``: 1 / (1 + days / 60)."""
    return 1.0 / (1.0 + max(days, 0.0) / policy.freshness_days)


def reinforcement(accesses: int, policy: Policy) -> float:
    """How often a record was used, 0..1: min(accesses / 10, 1)."""
    return min(accesses / policy.reinforcement_cap, 1.0)


def boost(fresh: float, reinforced: float, confidence: float, policy: Policy) -> float:
    """The factor that all boosts together put on a score, within ``1 ± boost_span``: it breaks ties, relevance decides."""
    total = policy.freshness_weight + policy.reinforcement_weight + policy.confidence_weight
    if total <= 0.0:
        return 1.0
    weighed = policy.freshness_weight * _unit(fresh) + policy.reinforcement_weight * _unit(reinforced)
    share = (weighed + policy.confidence_weight * _unit(confidence)) / total
    return 1.0 + policy.boost_span * (2.0 * share - 1.0)


def _unit(value: float) -> float:
    """``value``, or the nearer end of 0..1."""
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else value


def ordered(scores: Mapping[str, float], limit: int | None = None) -> list[str]:
    """Ids, best score first; equal scores in order of id. The first ``limit``, if that is given."""
    if limit is not None and 0 < limit < len(scores):  # ids take longer to sort than numbers
        least = sorted(scores.values(), reverse=True)[limit - 1]
        return ordered({id: score for id, score in scores.items() if score >= least})[:limit]
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)  # equal ones stay as they are, also in reverse
