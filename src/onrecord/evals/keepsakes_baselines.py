"""Two plain baselines for the probes of *keepsakes*: search over the raw turns of the probe's subject, by words or by vectors.

Every turn of any role counts, the five best are returned, and nothing is ever corrected. By words (BM25 with the usual k1 = 1.2,
b = 0.75) a turn needs one word in common; by vectors the five nearest always come back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from onrecord.evals.keepsakes_gold import Scenario
from onrecord.evals.keepsakes_play import DEPTH, Answer, Returned
from onrecord.model.turn import Turn
from onrecord.policy.language.text import query_terms, terms
from onrecord.ports import Embedder

#: Question, turns → one score a turn; 0 or less is no match.
Ranker: TypeAlias = Callable[[str, Sequence[Turn]], Sequence[float]]
_K1, _B = 1.2, 0.75


def answers(scenario: Scenario, ranker: Ranker) -> list[Answer]:
    """What a ranker gives back for every probe, from the turns said by then."""
    found = []
    for probe in scenario.probes:
        said = scenario.turns[: scenario.place(probe.after) + 1]
        own = [turn for turn in said if turn.subject == probe.subject]
        scores = ranker(probe.query, own) if own else []
        best = sorted(range(len(own)), key=lambda n: (-scores[n], n))[:DEPTH]
        found.append(Answer(probe, tuple(Returned((own[n].id,), own[n].text) for n in best if scores[n] > 0)))
    return found


def by_words(query: str, turns: Sequence[Turn]) -> list[float]:
    """BM25."""
    bags = [Counter(terms(turn.text)) for turn in turns]
    mean = sum(bag.total() for bag in bags) / len(bags) or 1.0
    scores = [0.0] * len(bags)
    for term in query_terms(query):
        holding = sum(term in bag for bag in bags)
        rarity = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
        for n, bag in enumerate(bags):
            scores[n] += rarity * bag[term] * (_K1 + 1) / (bag[term] + _K1 * (1 - _B + _B * bag.total() / mean))
    return scores


def by_vectors(embedder: Embedder) -> Ranker:
    """Cosine of an embedder. Vectors of turns are kept for the next question."""
    known: dict[str, Sequence[float]] = {}

    def rank(query: str, turns: Sequence[Turn]) -> list[float]:
        fresh = list(dict.fromkeys(turn.text for turn in turns if turn.text not in known))
        if fresh:
            known.update(zip(fresh, embedder.embed_documents(fresh), strict=True))
        asked = embedder.embed_query(query)
        return [1.0 + float(asked @ known[turn.text]) for turn in turns]

    return rank
