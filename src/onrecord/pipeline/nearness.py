"""Nearness: the cosines by which a new statement and its parts are compared with what is on record, part by part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from onrecord.errors import EmbedderError
from onrecord.model.record import Record
from onrecord.policy.correction.parts import part_texts
from onrecord.policy.correction.resemblance import Cosines
from onrecord.ports import Engine


def cosines(engine: Engine, new: Record, olds: Mapping[str, Record], whole: Mapping[str, float]) -> dict[str, Cosines]:
    """For each of ``olds`` of which the cosine is known in ``whole``: that alone, and for the nearest ones those of all parts.

    The texts of the parts are embedded in one batch; if the embedder fails, or there are none, the wholes have to do.
    """
    known: dict[str, Cosines] = {id: [[whole[id]]] for id in olds if id in whole}
    nearest = sorted(known, key=lambda id: (-whole[id], id))[: engine.policy.parts_limit]
    mine = part_texts(new)
    theirs = {id: part_texts(olds[id]) for id in nearest}
    if len(mine) == 1 and all(len(texts) == 1 for texts in theirs.values()):
        return known
    every = list(dict.fromkeys([*mine, *(text for texts in theirs.values() for text in texts)]))
    try:
        rows = dict(zip(every, engine.embedder.embed_documents(every), strict=True))
    except EmbedderError:
        return known
    left = np.stack([rows[text] for text in mine])
    return known | {id: (left @ np.stack([rows[text] for text in texts]).T).tolist() for id, texts in theirs.items()}
