"""What context adds to the score of a turn. Fitted on LoCoMo, BEAM and LongMemEval: see docs/decisions/0004-ranking.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeWeights:
    """Each weighs a number 0..1 that is added to the turn's own fused score, which is 0..1 too."""

    answered: float = 0.35  # × the score of the turn before, between people, where it asks something
    following: float = 0.25  # × the score of the turn after
    continued: float = 0.10  # × the best score of what the same author said right before and after what stands between
    sitting_words: float = 0.15  # × BM25 of the whole sitting, as a share of the best sitting's
    sitting_best: float = 0.20  # × the best score of a turn in the sitting
    speaker: float = 0.50  # the question names the author
    voice: float = 0.40  # the question asks for words of this role ("I ...", "you said ...")
    self_told: float = 0.30  # the question is about the asker, and the turn speaks of its author ("I", "my")
    figure: float = 0.15  # the question asks for a number or a time, and the turn holds one
    asking: float = -0.10  # between people, a turn that ends in a question seldom tells
    window: float = 0.15  # said in the time that the question points at

    @property
    def most(self) -> float:
        """What all of them together can add."""
        shares = self.answered + self.following + self.continued + self.sitting_words + self.sitting_best
        return shares + self.speaker + self.voice + self.self_told + self.figure + self.window


@dataclass(frozen=True, slots=True, kw_only=True)
class BondFloors:
    """How likely the pair model must find it, 0..1, before a new statement is bound to an older one.

    ``one``: that both are of one attribute of one thing, and ``lead``: by how much more than of the next best. Then ``bond``:
    that the new one takes the place of the old or stands against it, ``unsaid``: the same where no word says that something
    changed, and ``again``: that it says the same again.
    """

    one: float
    lead: float
    bond: float
    unsaid: float
    again: float
