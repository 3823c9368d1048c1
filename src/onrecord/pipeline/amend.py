"""Amend: what a person or caller does to records by hand, through the same changes as everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from types import NoneType
from typing import Any

from onrecord.errors import EmbedderError, InvalidInput, NotFound
from onrecord.model.blank import blank
from onrecord.model.change import Change, Edit, Erase
from onrecord.model.moment import check_order
from onrecord.model.query import View
from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Record
from onrecord.model.scope import Reach, Scope
from onrecord.pipeline.consolidate import merged_into
from onrecord.pipeline.reembed import follow
from onrecord.policy.capture.key import key_of, value_of
from onrecord.policy.dialogue.messages import checked_text
from onrecord.policy.language.polarity import is_negated
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.secrecy.beside import given_away
from onrecord.policy.secrecy.mask import masked
from onrecord.policy.secrecy.redact import redact, redact_json
from onrecord.policy.transition import EDITABLE
from onrecord.ports import Batch, Engine, Vector

_SPAN = ("valid_from", "valid_until")


def amend(engine: Engine, reach: Reach, edit: Edit, *, actor: str = "caller") -> Record:
    """The record after the edit, its indexes moved with it. Raises ``NotFound``, ``InvalidInput``, ``VersionConflict``."""
    before, now = _read(engine, reach, edit.id), engine.clock()
    version = before.version if edit.version is None else edit.version
    fields = _clean(engine, before, edit)
    edit = replace(edit, version=version, fields=fields, author=edit.author or _editor(before, actor), said_at=now)
    known = {name: value for name, value in edit.fields.items() if name in EDITABLE}
    after = replace(before, **known)
    moved = [name for name in _SPAN if name in known]
    if moved:
        check_order(after.valid_from, after.valid_until, _SPAN, moved[-1])
    done = _applied(engine, reach, edit, actor, _vectors(engine, before, after))
    follow(engine, reach)
    return done


def erase(engine: Engine, reach: Reach, ids: Sequence[str], *, actor: str = "caller") -> None:
    """Erases records, and what was merged into them, in one transaction. Raises ``NotFound``; then nothing was erased."""
    merged = [row.id for row in merged_into(engine, engine.store.get(reach, ids))]
    changes = [Erase(id=id, reason="deleted by the caller") for id in dict.fromkeys((*ids, *merged))]
    engine.store.apply(Batch(reach=reach, now=engine.clock(), actor=actor, changes=changes))


def erase_all(engine: Engine, view: View) -> int:
    """How many records of the view were erased, in one transaction; what others erase meanwhile is passed over."""
    ids = [record.id for record in engine.store.select(view)]
    while True:
        try:
            erase(engine, view.reach, ids)
        except NotFound:
            ids = [record.id for record in engine.store.get(view.reach, ids)]
        else:
            return len(ids)


def _applied(engine: Engine, reach: Reach, change: Change, actor: str, vectors: Mapping[str, Vector]) -> Record:
    batch = Batch(reach=reach, now=engine.clock(), actor=actor, changes=[change], model=engine.embedder.name, vectors=vectors)
    (event,) = engine.store.apply(batch)
    assert event.after is not None  # and so the answer needs no second read, which could fail after the change is done
    return masked(event.after)


def _read(engine: Engine, reach: Reach, id: str) -> Record:
    for record in engine.store.get(reach, [id]):
        return masked(record)
    raise NotFound("record", id)


def _editor(record: Record, actor: str) -> str:
    """Who says what an edited record says: the person whose memory it is, as with what is remembered on purpose."""
    kind, _, name = record.subject.partition(":")
    return name if kind == "user" else actor


def _clean(engine: Engine, before: Record, edit: Edit) -> dict[str, Any]:
    """The fields typed and without secrets; new words bring their own polarity and value unless the caller gives one. Metadata is
    merged by name, and a name that is given as ``None`` goes."""
    typed = {name: _typed(name, value) for name, value in edit.fields.items()}
    whole = {name: typed.get(name, getattr(before, name)) for name in ("statement", "key", "value")}
    secret = given_away(**whole)
    fields = {name: _redacted(secret.concealed(value)) for name, value in typed.items()}
    if "metadata" in fields:
        given = fields["metadata"]
        fields["metadata"] = {
            name: value for name, value in {**before.metadata, **given}.items() if given.get(name, 0) is not None
        }
    statement = fields.get("statement")
    if statement is not None:
        if blank(statement):
            raise InvalidInput("statement", "is empty", "say in one sentence what is to be remembered")
        fields.setdefault("negation", is_negated(statement))
        fields.setdefault("value", _value(statement, fields.get("key", before.key), before.value, engine.vocabulary))
    return fields


def _value(statement: str, key: str | None, old: str | None, vocabulary: Vocabulary) -> str | None:
    """The value under ``key`` in new words: what they say it is, the old one if it stands in them, or none."""
    told = key_of(statement, vocabulary)
    read = value_of(statement, key) if told is None or key is None or told == vocabulary.canonical(key) else None
    return read or (old if old and old.casefold() in statement.casefold() else None)


_ENUMS: Mapping[str, type[StrEnum]] = {"kind": Kind, "cardinality": Cardinality, "scope": Scope, "expiry_basis": ExpiryBasis}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "statement": (str,),
    "key": (str, NoneType),
    "value": (str, NoneType),
    "qualifier": (str, NoneType),
    "scope_ref": (str, NoneType),
    "language": (str,),
    "negation": (bool,),
    "pinned": (bool,),
    "confidence": (int, float),
    "valid_from": (datetime,),
    "valid_until": (datetime,),
    "metadata": (Mapping,),
}


def _typed(name: str, value: Any) -> Any:
    """``value`` as the record holds it. Raises ``InvalidInput`` for another type."""
    if name in _ENUMS:
        try:
            return _ENUMS[name](value)
        except ValueError:
            raise InvalidInput(name, f"is {value!r}", "use one of " + ", ".join(_ENUMS[name])) from None
    wanted = _TYPES.get(name)
    if wanted is None:
        return value  # not editable: the transition refuses it by name
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise InvalidInput(name, f"is a {type(value).__name__}", f"pass a {wanted[0].__name__}")
    if isinstance(value, str):
        return checked_text(value, name)
    return value


def _redacted(value: Any) -> Any:
    if type(value) is str:
        return redact(value).text
    return redact_json(value)[0] if isinstance(value, Mapping) else value


def _vectors(engine: Engine, before: Record, after: Record) -> dict[str, Vector]:
    if after.text == before.text:
        return {}
    try:
        return {after.id: engine.embedder.embed_documents([after.text])[0]}
    except EmbedderError:
        return {}
