"""What happens again and again: dated statements that agree in all but their date give one general record beside the last one.

Its words are a source's without the date; the dates are kept in its metadata, so that none of them is lost.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from onrecord.model.change import Add, Archive, Change, Merge
from onrecord.model.moment import FOREVER
from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Record
from onrecord.model.scope import Origin
from onrecord.policy.address import subject_name
from onrecord.policy.consolidation.merge import DATED, may_merge
from onrecord.policy.consolidation.survive import faults
from onrecord.policy.defaults import Policy
from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.claim import claim_of
from onrecord.policy.temporal.phrases import Role, mentions

#: Where the times of a general record stand in its metadata, and where those of a session's record do.
FIELD, _RECAP = "recurs", "episode"
_BEFORE_TIME = re.compile(r"[\s,(]*(?:\b(?:on|in|at|am|im|um|en|el|le|à|the|this|last)\s+)*$", re.IGNORECASE)
#: A time of the day is what is said; a day, a week or a month only says when.
_HOURS = frozenset({"minute", "hour"})


@dataclass(frozen=True, slots=True)
class Recurrence:
    """One thing that happened on several days: its ``sources`` oldest first, and the general record, new or as it stands."""

    sources: tuple[Record, ...]
    general: Record
    known: Record | None


def recurrences(records: Sequence[Record], now: datetime, policy: Policy) -> list[Recurrence]:
    """What recurs: at least ``policy.promote_from`` days in as many sessions, or once more what is known to."""
    general = {record.id: record for record in records if FIELD in record.metadata}
    groups: dict[str, list[tuple[Record, str]]] = {}
    for record in records:
        if (words := _timeless(record)) and record.id not in general:
            groups.setdefault(_id(record, words), []).append((record, words))
    found = []
    for id, group in groups.items():
        group.sort(key=lambda item: (item[0].valid_from, item[0].id))
        known = general.get(id)
        if _recurs([record for record, _ in group], known, policy) and not _loses(group):
            made = _general(id, [record for record, _ in group], group[-1][1], known, now, policy)
            found.append(Recurrence(tuple(record for record, _ in group), made, known))
    return found


def promoted(found: Recurrence, run: str) -> list[Change]:
    """The changes: the general record is added or brought up to date, and all sources but the last are archived."""
    gone, made, known = found.sources[:-1], found.general, found.known
    times = made.metadata[FIELD]["times"]
    reason = f"“{made.statement}” was so on {times} days ({run})"
    first: Change = Add(record=made, reason=reason) if known is None else Merge(record=made, version=known.version, reason=reason)
    away = [Archive(id=r.id, version=r.version, reason=f"one of the days of {made.id} ({run})") for r in gone]
    return [first, *away]


def _recurs(group: Sequence[Record], known: Record | None, policy: Policy) -> bool:
    if known is not None:
        return len(group) > 1
    days = {record.valid_from.date() for record in group}
    sessions = {record.origin.thread or record.valid_from.date().isoformat() for record in group}
    return min(len(days), len(sessions)) >= policy.promote_from


def _loses(group: Sequence[tuple[Record, str]]) -> bool:
    """Whether anything but the dates would be lost."""
    return bool(faults(group[-1][1], [replace(record, statement=words) for record, words in group]))


def _timeless(record: Record) -> str:
    """The statement without its date; empty for one that has none, or is no single happening."""
    single = may_merge(record) and record.key is None and record.kind is not Kind.CONSTRAINT and not record.negation
    if not single or _RECAP in record.metadata or (record.expiry_basis is ExpiryBasis.STATED and record.kind not in DATED):
        return ""
    text = without_asides(record.statement)
    times = [when for when in mentions(text, record.said_at) if when.grain not in _HOURS]
    if not times or any(when.role is not Role.ON for when in times):
        return ""
    for when in reversed(times):
        begin, end = when.span
        text = _BEFORE_TIME.sub("", text[:begin]) + " " + text[end:]
    text = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split())).strip(" ,;:")
    return text[:1].upper() + text[1:] if re.search(r"\w{3}", text) else ""


def _id(record: Record, words: str) -> str:
    """The id of the general record: the same for all of its days."""
    claim = claim_of(words, subject_name(record.subject))
    where = [record.tenant, record.subject, record.scope, record.scope_ref, record.origin.agent, record.trust, record.qualifier]
    said = [*where, claim.head, sorted(claim.adjuncts)]
    return f"rec_general_{hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:26]}"


def _general(id: str, group: Sequence[Record], words: str, known: Record | None, now: datetime, policy: Policy) -> Record:
    last, gone = group[-1], group[:-1]
    kind = Kind.STATED_FACT if last.kind is Kind.EPISODE else last.kind
    span = policy.span(kind)
    return replace(
        last,
        id=id,
        origin=Origin(agent=last.origin.agent),
        kind=kind,
        cardinality=Cardinality.SINGLE,
        statement=words if words[-1:] in ".!?。" else f"{words}.",
        quote=last.quote or last.statement,
        confidence=min(record.confidence for record in group),
        trust=min(record.trust for record in group),
        valid_from=min(record.valid_from for record in (*group, *([known] if known else []))),
        valid_until=FOREVER if span >= FOREVER - now else now + span,
        expiry_basis=ExpiryBasis.DEFAULT,
        written_at=now,
        version=1,
        metadata={**(known.metadata if known else {}), FIELD: _times(group, known)},
        derived_from=tuple(dict.fromkeys([*(known.sources if known else ()), *_sources(gone), *last.sources])),
    )


def _times(group: Sequence[Record], known: Record | None) -> Mapping[str, Any]:
    told = known.metadata[FIELD]["dates"] if known else []
    dates = sorted({*told, *(record.valid_from.date().isoformat() for record in group)})
    return {"times": len(dates), "first": dates[0], "last": dates[-1], "dates": dates}


def _sources(records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        yield record.id
        yield from record.sources
