"""Vectors as stores keep and compare them: half precision at rest, single precision and length 1 at work."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from onrecord.errors import EmbedderMismatch, InvalidInput
from onrecord.model.document import Passage
from onrecord.model.record import Record
from onrecord.model.turn import Turn
from onrecord.policy.recall.episode import EPISODE_LIMIT, searchable
from onrecord.ports import Unembedded, Vector

#: Cosines are rounded to this many decimals, so that equal texts tie whatever order a sum was taken in.
DECIMALS = 6


def pack(vector: Vector) -> bytes:
    """The bytes of a vector in half precision."""
    return np.asarray(vector, dtype="<f2").tobytes()


def unpack(blobs: Sequence[bytes], dim: int) -> Vector:
    """The vectors of ``pack``, one a row, each of length 1 (or 0)."""
    rows: Vector = np.frombuffer(b"".join(blobs), dtype="<f2").reshape(len(blobs), dim).astype(np.float32)
    rows /= _lengths(rows)
    return rows


def unit(vector: Vector) -> Vector:
    """A vector of length 1 in the same direction."""
    flat: Vector = np.asarray(vector, dtype=np.float32).reshape(-1)
    length = float(np.sqrt(flat @ flat))
    return flat / np.float32(length or 1.0)


def dimension(model: str, vectors: Mapping[str, Vector], known: int | None) -> int:
    """The one dimension of all ``vectors``. Raises ``EmbedderMismatch`` if they differ, or differ from ``known``."""
    if not model:
        raise InvalidInput("model", "is missing", "name the embedder that made the vectors")
    for vector in vectors.values():
        shape = np.shape(vector)
        if len(shape) != 1 or not shape[0] or (known is not None and shape[0] != known):
            raise EmbedderMismatch(
                f"vectors of {model!r} have dimension {known}, not shape {shape}: name the new model otherwise, and reembed"
            )
        known = shape[0]
    return known or 0


def outdated(row: Record | Turn | Passage, versions: Mapping[str, int]) -> bool:
    """Whether a vector was made of an older version of ``row``. The words of turns and passages never change."""
    return isinstance(row, Record) and versions.get(row.id, row.version) != row.version


def unembedded(row: Record | Turn | Passage) -> Unembedded:
    """A row that lacks a vector, with the text to make it of."""
    version = row.version if isinstance(row, Record) else 0
    return Unembedded(row.tenant, row.subject, row.id, searchable(row)[:EPISODE_LIMIT], version)


def ranked(ids: Sequence[str], cosines: Vector, limit: int, also: Collection[str]) -> list[tuple[str, float]]:
    """The ``limit`` best of ``ids``, ties by id, then those named in ``also`` that are not among them, by id."""
    scores = cosines.astype(np.float64).round(DECIMALS)
    best = sorted(sorted(_top(ids, scores, limit)), key=itemgetter(1), reverse=True)[: max(limit, 0)]
    return best + _named(ids, scores, set(also) - {id for id, _ in best})


def _top(ids: Sequence[str], scores: NDArray[np.float64], limit: int) -> list[tuple[str, float]]:
    """At least the ``limit`` best, with all that tie with the last of them."""
    if limit <= 0 or not len(ids):
        return []
    floor = np.partition(scores, -limit)[-limit] if limit < len(ids) else -np.inf
    return [(ids[i], float(scores[i])) for i in np.flatnonzero(scores >= floor).tolist()]


def _named(ids: Sequence[str], scores: NDArray[np.float64], wanted: set[str]) -> list[tuple[str, float]]:
    if not wanted:
        return []
    return sorted((id, score) for id, score in zip(ids, scores.tolist(), strict=True) if id in wanted)


def _lengths(rows: Vector) -> Vector:
    lengths: Vector = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    lengths[lengths == 0] = 1.0
    return lengths
