"""Amend: what a person or caller does to records by hand, through the same changes as everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onrecord.errors import EmbedderError, NotFound
from onrecord.model.change import Change, Edit
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.policy.polarity import is_negated
from onrecord.policy.redact import redact, redact_json
from onrecord.policy.transition import EDITABLE
from onrecord.ports import Batch, Engine, Vector


def amend(engine: Engine, reach: Reach, edit: Edit, *, actor: str = "caller") -> Record:
    """The record after the edit, its indexes moved with it. Raises ``NotFound``, ``InvalidInput``, ``VersionConflict``."""
    before = _read(engine, reach, edit.id)
    edit = replace(edit, version=before.version if edit.version is None else edit.version, fields=_clean(edit))
    known = {name: value for name, value in edit.fields.items() if name in EDITABLE}
    vectors = _vectors(engine, before, replace(before, **known))
    batch = Batch(
        reach=reach, now=engine.clock(), actor=actor, changes=[edit], model=engine.embedder.name, vectors=vectors
    )
    engine.store.apply(batch)
    return _read(engine, reach, edit.id)


def erase(engine: Engine, reach: Reach, changes: Sequence[Change], *, actor: str = "caller") -> None:
    """Applies erasures in one transaction. Raises ``NotFound``; then nothing was erased."""
    engine.store.apply(Batch(reach=reach, now=engine.clock(), actor=actor, changes=changes))


def _read(engine: Engine, reach: Reach, id: str) -> Record:
    for record in engine.store.get(reach, [id]):
        return record
    raise NotFound("record", id)


def _clean(edit: Edit) -> dict[str, object]:
    """The fields without secrets; new words bring their own polarity unless the caller gives one."""
    fields = dict(redact_json(dict(edit.fields))[0])
    statement = fields.get("statement")
    if isinstance(statement, str):
        fields["statement"] = redact(statement).text
        fields.setdefault("negation", is_negated(statement))
    return fields


def _vectors(engine: Engine, before: Record, after: Record) -> dict[str, Vector]:
    if after.text == before.text:
        return {}
    try:
        return {after.id: engine.embedder.embed_documents([after.text])[0]}
    except EmbedderError:
        return {}
