"""How relevant a hit is in absolute terms, for the threshold: scores of one query say which is best, not whether it is any good.

The chance that a row answers the question, from its cosine and from how much of the question's words it holds: a logistic
function, fitted for each embedder.

How the figures were fitted: for each question of LongMemEval dev, BEAM and LoCoMo (every eighth) the best hit in its own talk
against the best hit of the same question in another talk; logistic regression (C = 10), each set weighing the same. Held out
by set, AUROC is .909 / .933 / .991 for MiniLM and .850 / .835 / .945 for words alone; ``floor`` keeps .95 / .89 / .99 of the
answerable questions and refuses .73 / .83 / .90 of the others. A row that belongs to an answer leans on its context and is
often weak by itself (a tenth of them are below .03), so the floor is for the best hit, ``tail`` for the others.

For nomic-embed-text-v1.5 ``tools/fit_calibration.py`` fitted turns on every eighth question of LoCoMo alone, as the other sets
take it too long to embed. Fitted on every other talk and tested on the rest, AUROC is .945 / .934; .91 of the answerable
questions are kept and .83 / .69 of the others refused. The default, for embedders that nobody calibrated, would refuse .12.

Records have the slopes of turns and a bias of their own: they are few and chosen, so that one answers more likely before anything
is compared. ``tools/fit_relevance.py`` scans it (docs/decisions/0006-recall-of-statements.md). For nomic words in common weigh a
third of that as well: between a record and a question that wants silence they tell little, and this embedder has seen them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from onrecord.model.query import Corpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """``relevance = 1 / (1 + exp(-(bias + cosine_weight · cosine + lexical_weight · share)))``.

    If no hit reaches ``floor`` nothing is returned; the others must reach ``tail``. By as much as a question is nearer than
    ``usual`` to whatever is here, its cosines count less: one in German is near everything in German.
    """

    bias: float
    cosine_weight: float
    lexical_weight: float
    floor: float
    tail: float
    usual: float = 1.0


#: By a prefix of the embedder's name; ``""`` is a search by words alone.
_TURNS: Mapping[str, Calibration] = {
    "all-MiniLM-L6-v2": Calibration(bias=-7.3, cosine_weight=12.6, lexical_weight=4.9, floor=0.3, tail=0.03),
    "nomic-embed-text-v1.5": Calibration(bias=-11.9, cosine_weight=14.9, lexical_weight=7.6, floor=0.3, tail=0.03),
    "": Calibration(bias=-2.9, cosine_weight=0.0, lexical_weight=6.5, floor=0.3, tail=0.1),
}
_RECORDS: Mapping[str, Calibration] = {
    "all-MiniLM-L6-v2": Calibration(bias=-4.45, cosine_weight=12.6, lexical_weight=4.9, floor=0.3, tail=0.15, usual=0.1),
    "nomic-embed-text-v1.5": Calibration(bias=-10.2, cosine_weight=14.9, lexical_weight=2.5, floor=0.3, tail=0.15, usual=0.53),
    "": Calibration(bias=-2.9, cosine_weight=0.0, lexical_weight=6.5, floor=0.3, tail=0.1),
}
#: Passages go by the figures of turns: both are text that answers by what it says, and nobody chose them one by one. A weak
#: passage costs as much as ten turns, so behind the best one more is asked than of a turn.
_PASSAGES = {name: replace(one, tail=max(one.tail, 0.15)) for name, one in _TURNS.items()}
CALIBRATIONS: Mapping[Corpus, Mapping[str, Calibration]] = {
    Corpus.TURNS: _TURNS,
    Corpus.RECORDS: _RECORDS,
    Corpus.PASSAGES: _PASSAGES,
}
#: An embedder that nobody calibrated: half of the question's words are enough by themselves, and so is a cosine of .5.
DEFAULT = Calibration(bias=-3.5, cosine_weight=4.0, lexical_weight=5.0, floor=0.15, tail=0.05)


def calibration(embedder: str, corpus: Corpus = Corpus.TURNS) -> Calibration:
    """The calibration of an embedder for a corpus, by the embedder's name; of words alone for ``""``."""
    known = CALIBRATIONS[corpus]
    if not embedder:
        return known[""]
    return next((value for name, value in known.items() if name and embedder.startswith(name)), DEFAULT)


def relevance(cosine: float, share: float, calibrated: Calibration, usual: float = 0.0) -> float:
    """0..1, growing with both: the cosine, and the share (0..1) of the question's words by weight that the row holds.

    ``usual`` is how near the question is to whatever is here.
    """
    cosine -= max(usual - calibrated.usual, 0.0)
    z = calibrated.bias + calibrated.cosine_weight * cosine + calibrated.lexical_weight * share
    return 1.0 / (1.0 + math.exp(-max(min(z, 60.0), -60.0)))
