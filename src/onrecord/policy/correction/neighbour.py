"""Neighbour: a record that a candidate is compared with, and what is known of the two."""

from __future__ import annotations

from dataclasses import dataclass

from onrecord.model.record import Record
from onrecord.policy.correction.resemblance import Cosines


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A current record of the candidate's subject, and how near it is: a cosine, or the share of words in common, 0..1.

    ``meaning`` are the cosines of the embedder that the pair model was trained with, of the two and of their parts; empty where
    there is none. ``told`` are the words of the turns that the record rests on, where ``retold.rests_on_words`` asks for them."""

    record: Record
    cosine: float
    meaning: Cosines = ()
    told: tuple[str, ...] = ()
