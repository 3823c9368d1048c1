"""Retrieval metrics, as the papers of the data sets define them. Rankings are ids, best first, without repeats."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Sequence


def recall(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the gold ids among the first ``k``: |gold ∩ top k| / |gold|. Raises ``ValueError`` without gold."""
    return len(_wanted(gold) & set(ranking[:k])) / len(set(gold))


def any_of(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if at least one gold id is among the first ``k``, else 0 (``recall_any@k`` of LongMemEval)."""
    return float(not _wanted(gold).isdisjoint(ranking[:k]))


def all_of(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if every gold id is among the first ``k``, else 0 (``recall_all@k`` of LongMemEval)."""
    return float(_wanted(gold) <= set(ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], gold: Collection[str]) -> float:
    """1 / rank of the first gold id, 0 if there is none. Its mean over questions is the MRR."""
    wanted = _wanted(gold)
    return next((1.0 / rank for rank, id in enumerate(ranking, 1) if id in wanted), 0.0)


def ndcg(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """nDCG with binary relevance and discount 1 / log2(rank + 1) (Järvelin and Kekäläinen 2002)."""
    wanted = _wanted(gold)
    gain = sum(1.0 / math.log2(rank + 1) for rank, id in enumerate(ranking[:k], 1) if id in wanted)
    return gain / sum(1.0 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))


def ndcg_official(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """nDCG as LongMemEval's own script computes it (``eval_utils.py``): rank 1 without, rank r with discount 1 / log2(r).

    Ranks 1 and 2 weigh alike that way, so it is never lower than the standard one for a single gold id.
    """
    wanted = _wanted(gold)
    gain = sum(_official(rank) for rank, id in enumerate(ranking[:k], 1) if id in wanted)
    return gain / sum(_official(rank) for rank in range(1, min(k, len(wanted)) + 1))


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The chance that a positive scores above a negative, ties counting a half (Mann and Whitney's U / (m n)).

    Raises ``ValueError`` if either is empty.
    """
    if not positives or not negatives:
        raise ValueError("AUROC needs both positives and negatives")
    scored = sorted([(score, 1) for score in positives] + [(score, 0) for score in negatives])
    ranks, at = 0.0, 0
    while at < len(scored):
        end = next((n for n in range(at, len(scored)) if scored[n][0] != scored[at][0]), len(scored))
        ranks += sum(label for _, label in scored[at:end]) * (at + 1 + end) / 2
        at = end
    m = len(positives)
    return (ranks - m * (m + 1) / 2) / (m * len(negatives))


def token_f1(answer: str, gold: str) -> float:
    """The harmonic mean of precision and recall over words, as SQuAD's script does it (Rajpurkar et al. 2016).

    Case, punctuation and the articles are passed over. Two texts without a word agree; one without does not.
    """
    mine, wanted = _words(answer), _words(gold)
    if not mine or not wanted:
        return float(mine == wanted)
    shared = sum((Counter(mine) & Counter(wanted)).values())
    return 2.0 * shared / (len(mine) + len(wanted))


def contains(answer: str, gold: str) -> float:
    """1 if every word of ``gold`` stands in the answer, as often and in any order, else 0; words as ``token_f1`` has them.

    Raises ``ValueError`` for a gold answer without a word."""
    wanted = Counter(_words(gold))
    if not wanted:
        raise ValueError("an answer key without words is contained in everything")
    return float(not wanted - Counter(_words(answer)))


def _wanted(gold: Collection[str]) -> frozenset[str]:
    if not gold:
        raise ValueError("a question without gold ids has no recall")
    return frozenset(gold)


def _official(rank: int) -> float:
    return 1.0 if rank == 1 else 1.0 / math.log2(rank)


def _words(text: str) -> list[str]:
    plain = "".join(" " if c in string.punctuation else c for c in text.casefold())
    return [word for word in re.sub(r"\b(?:a|an|the)\b", " ", plain).split() if word]
