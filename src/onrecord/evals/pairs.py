"""Sentence pairs: does reconcile merge what differs, and does it see what is the same?

Each pair is put as the worst case: ``a`` is on record, ``b`` comes a minute later without a key, and similarity nominates it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.model.change import Merge, Reinforce
from onrecord.model.record import Kind, Source, SourceType
from onrecord.model.scope import Scope
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.neighbour import Neighbour
from onrecord.policy.correction.reconcile import candidate_record, reconcile
from onrecord.policy.defaults import Policy
from onrecord.policy.language.polarity import is_negated

_POLICY = Policy()
_THEN = datetime(2026, 1, 1, tzinfo=UTC)
#: "Negations" of the set that negate nothing: besides copies, one that lost its verb.
_SPOILT = frozenset({"It oldest African-American Baptist Church in Eden."})
#: Relatedness from which an entailment of SICK is a paraphrase rather than a weaker statement.
_PARAPHRASE = 4.5


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences, the set they come from, and how they relate: ``same``, ``weaker`` (one follows), ``other``, ``opposed``,
    ``spoilt`` (a fault of the set)."""

    a: str
    b: str
    source: str
    label: str


def evaluate_pairs(folder: Path) -> dict[str, Any]:
    """Counts over the pair sets in ``folder``: ``sick``, ``cannot_negation``, ``mrpc`` (``.jsonl.gz``); absent ones are left out.

    For each set and label: ``pairs``, and ``merged``, the number that came out as one record (reinforced or merged). ``opposed``
    pairs merged are faults, listed in ``faults`` and summed up in ``merged_opposed``; of ``same`` ones the share is recall.
    ``questions`` has a row for each pair.
    """
    counts: dict[str, dict[str, int]] = {}
    faults: list[tuple[str, str]] = []
    rows: list[dict[str, Any]] = []
    for pair in pairs(folder):
        row = counts.setdefault(f"{pair.source} {pair.label}", {"pairs": 0, "merged": 0})
        merged = becomes_one(pair.a, pair.b)
        row["pairs"] += 1
        row["merged"] += merged
        rows.append(_row(pair, f"{pair.source}/{len(rows)}", merged))
        if merged and pair.label == "opposed":
            faults.append((pair.a, pair.b))
    return {"sets": counts, "merged_opposed": len(faults), "faults": faults, "questions": rows}


def _row(pair: Pair, id: str, merged: bool) -> dict[str, Any]:
    values = {"onrecord": {"merged": float(merged)}}
    return {"id": id, "category": f"{pair.source} {pair.label}", "a": pair.a, "b": pair.b, "systems": values}


def becomes_one(a: str, b: str) -> bool:
    """Whether ``b``, said a minute after ``a`` of the same subject and nominated with cosine 1, ends in the same record."""
    old = _candidate("rec_a", a, _THEN)
    new = _candidate("rec_b", b, _THEN + timedelta(minutes=1))
    near = Neighbour(candidate_record(old, _POLICY, old.said_at), 1.0, ((1.0,),))
    decision = reconcile(new, candidate_record(new, _POLICY, new.said_at), [near], _POLICY)
    return any(isinstance(change, (Reinforce, Merge)) for change in decision.changes)


def pairs(folder: Path) -> Iterator[Pair]:
    """The labelled pairs of the sets that are in ``folder``."""
    for name, read in (("sick", _sick), ("cannot_negation", _cannot), ("mrpc", _mrpc)):
        path = folder / f"{name}.jsonl.gz"
        if path.exists():
            yield from read(_rows(path))


def _sick(rows: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    for row in rows:
        label = {"CONTRADICTION": "opposed", "NEUTRAL": "other"}.get(row["label"])
        if label is None:
            label = "same" if row["relatedness"] >= _PARAPHRASE else "weaker"
        yield Pair(row["a"], row["b"], "sick", label)


def _cannot(rows: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    for row in rows:
        if "label" in row:
            yield Pair(row["premise"], row["hypothesis"], "cannot_negation", "opposed" if str(row["label"]) == "1" else "weaker")
        else:
            a, b = row["sentence"], row["negated"]
            yield Pair(a, b, "cannot_negation", "spoilt" if a.strip() == b.strip() or b in _SPOILT else "opposed")


def _mrpc(rows: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    for row in rows:
        quality = next(str(value) for name, value in row.items() if name.endswith("Quality"))
        yield Pair(row["#1 String"], row["#2 String"], "mrpc", "same" if quality == "1" else "other")


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8-sig") as lines:
        for line in lines:
            yield json.loads(line)


def _candidate(id: str, statement: str, said_at: datetime) -> Candidate:
    return Candidate(
        id=id,
        tenant="t",
        subject="user:x",
        scope=Scope.USER,
        kind=Kind.STATED_FACT,
        statement=statement,
        negation=is_negated(statement),
        source=Source(SourceType.USER_MESSAGE, f"turn_{id}"),
        author="x",
        said_at=said_at,
        valid_from=said_at,
    )
