"""Rerank: the first rows of a ranking are looked at again by a model that reads few texts well."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from onrecord.errors import RerankerError
from onrecord.model.query import Query
from onrecord.model.record import Record
from onrecord.model.trace import Scored
from onrecord.model.turn import Turn
from onrecord.policy.recall.episode import episode_text
from onrecord.policy.recall.rank import blend
from onrecord.ports import Engine

_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True)
class Reranked:
    """The ranking, best first, and for the trace who looked again, and why that failed if it did."""

    ranked: Sequence[Scored]
    reranker: str = ""
    fault: str = ""


def rerank(engine: Engine, query: Query, ranked: Sequence[Scored], rows: Mapping[str, Record | Turn]) -> Reranked:
    """The ranking with the first rows in the order of both opinions, if the query asks for it; relevance stays what it was.

    When the reranker fails the order stays as it is.
    """
    if not query.rerank or engine.reranker is None or not query.text.strip():
        return Reranked(ranked)
    policy, name = engine.policy, engine.reranker.name
    first, rest = ranked[: policy.rerank_depth], ranked[policy.rerank_depth :]
    try:
        opinions = engine.reranker.scores(query.text, [_text(rows[one.id]) for one in first])
    except RerankerError as error:
        _log.warning("the order stands without the reranker: %s", error)
        return Reranked(ranked, name, str(error))
    scores = blend([one.score for one in first], opinions, policy.rerank_weight)
    moved = [
        replace(one, score=score, parts={**one.parts, "rerank": opinion})
        for one, score, opinion in zip(first, scores, opinions, strict=True)
    ]
    return Reranked([*sorted(moved, key=lambda one: (-one.score, one.id)), *rest], name)


def _text(row: Record | Turn) -> str:
    return row.text if isinstance(row, Record) else episode_text(row)
