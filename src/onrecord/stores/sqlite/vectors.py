"""Vectors in the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import apsw

from onrecord.model.query import Corpus
from onrecord.ports import UNSEEN, Vector
from onrecord.stores.sqlite.statements import first, run, scalar
from onrecord.stores.sqlite.subjects import Subject
from onrecord.stores.vectors import dimension, pack

NO_BYTES: Mapping[str, bytes] = MappingProxyType({})


class Model(NamedTuple):
    """An embedder as the database knows it."""

    mid: int
    dim: int


def model_named(connection: apsw.Connection, name: str) -> Model | None:
    """The embedder of that name, or ``None`` if no vector of it was ever set."""
    row = first(connection, "model", name)
    return Model(*row) if row else None


def put(
    connection: apsw.Connection,
    corpus: Corpus,
    model: str,
    vectors: Mapping[str, Vector],
    subjects: Iterable[Subject],
    versions: Mapping[str, int] = UNSEEN,
    raw: Mapping[str, bytes] = NO_BYTES,
) -> None:
    """Sets vectors of the rows of ``subjects`` (all of one tenant) that are there, and moves their ``vector_epoch``; of those in
    ``raw`` these very bytes.

    Records that are not at the version of ``versions`` are passed over. The caller saves the subjects."""
    if not vectors:
        return
    known = _known(connection, model, vectors)
    owners = {subject.sid: subject for subject in subjects}
    tid = next((subject.tid for subject in owners.values()), -1)
    moved = {sid: subject.vector_epoch + 1 for sid, subject in owners.items()}
    for uid, vector in vectors.items():
        id, sid = first(connection, f"{_one(corpus)}_key", tid, uid) or (0, 0)
        if sid in owners and not (corpus is Corpus.RECORDS and _moved(connection, id, versions.get(uid))):
            owners[sid].vector_epoch = moved[sid]
            run(connection, f"set_{_one(corpus)}_vector", sid, known.mid, id, moved[sid], raw.get(uid) or pack(vector))
            run(connection, f"set_{_one(corpus)}_model", known.mid, id)


def _moved(connection: apsw.Connection, id: int, version: int | None) -> bool:
    return version is not None and scalar(connection, "record_version", id) != version


def _known(connection: apsw.Connection, name: str, vectors: Mapping[str, Vector]) -> Model:
    model = model_named(connection, name)
    dim = dimension(name, vectors, model.dim if model else None)
    return model or Model(scalar(connection, "add_model", name, dim), dim)


def _one(corpus: Corpus) -> str:
    return str(corpus).removesuffix("s")
