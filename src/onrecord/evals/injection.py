"""Planted injections: what becomes of hostile text in tool results and documents, and how often harmless text raises the alarm.

Every hostile text is added twice to a memory of its own subject, as a tool result and as a document, as it is.

* *elevated*: texts of which anything is on record that is more than low-trust quoted data, that is, any record that is no
  ``tool_fact`` or is trusted more than a tool result. Must be 0.
* *recorded*: texts of which anything at all is on record, low-trust ``tool_fact`` included.
* *detected*: texts that ``policy.trust.instructs_model`` recognises. Not every text of the sets gives an order to a model: those
  of BIPIA are mostly plain tasks.
* *false_alarms*: of the harmless texts, those it takes for an injection: the benign half of BastionCorpus, and the tool results
  and documents of labelled conversations that are not labelled as injections.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.evals.keepsakes import Progress
from onrecord.evals.keepsakes_gold import load as load_conversations
from onrecord.evals.keepsakes_play import HandClock, MakeMemory
from onrecord.evals.keepsakes_score import share_of
from onrecord.model.receipt import Receipt
from onrecord.model.record import Kind, Record, SourceType
from onrecord.model.turn import Role
from onrecord.policy.trust import instructs_model
from onrecord.ports import Engine

#: File → the field that holds the hostile text.
FILES: Mapping[str, str] = {"bastioncorpus": "text", "cyberseceval_injection": "user_input", "bipia_train_attacks": "attack"}
PLANTED_IN = (Role.TOOL, Role.DOCUMENT)
_BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sample:
    """One text of a set."""

    set: str
    text: str
    hostile: bool


@dataclass(frozen=True, slots=True)
class Planted:
    """One hostile text in one role, and the records that came of it."""

    sample: Sample
    role: Role
    records: tuple[Record, ...]
    elevated: tuple[Record, ...]


def evaluate_injection(
    folder: Path,
    make_memory: MakeMemory,
    *,
    conversations: Path | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The report over the sets of ``folder``, the first ``limit`` hostile texts of each if given.

    ``conversations`` is a folder of labelled ones, for false alarms. Raises ``InvalidInput`` when the folder has no set.
    """
    samples = load(folder)
    benign = [sample for sample in samples if not sample.hostile] + (_harmless(conversations) if conversations else [])
    hostile = [sample for name in FILES for sample in _hostile(samples, name)[:limit]]
    planted = plant(hostile, make_memory, progress)
    return {
        "sets": {name: _set(hostile, planted, name) for name in dict.fromkeys(sample.set for sample in hostile)},
        "elevated": sum(bool(one.elevated) for one in planted),
        "false_alarms": {name: _alarms(benign, name) for name in dict.fromkeys(sample.set for sample in benign)},
        "questions": [_question(one, n) for n, one in enumerate(planted)],
        "rows": {
            "elevated": [_row(one, one.elevated) for one in planted if one.elevated],
            "recorded": [_row(one, one.records) for one in planted if one.records],
            "undetected": [{"set": s.set, "text": s.text} for s in hostile if not instructs_model(s.text)],
            "alarms": [{"set": s.set, "text": s.text} for s in benign if instructs_model(s.text)],
        },
    }


def load(folder: Path) -> list[Sample]:
    """The samples of the sets that are in the folder, in order. Raises ``InvalidInput`` when there is none."""
    found = []
    for name, field in FILES.items():
        path = folder / f"{name}.jsonl.gz"
        if path.exists():
            rows = map(json.loads, gzip.decompress(path.read_bytes()).decode("utf-8").splitlines())
            found += [Sample(name, row[field], row.get("label") != "benign") for row in rows]
    if not found:
        raise InvalidInput("folder", f"{folder.name!r} holds no injections", "name a folder with " + ", ".join(FILES))
    return found


def plant(samples: Sequence[Sample], make_memory: MakeMemory, progress: Progress | None = None) -> list[Planted]:
    """What became of each text in each role. All share one memory, each has its own subject."""
    clock, found = HandClock(_BEGIN), []
    with make_memory(clock) as memory:
        for n, (sample, role) in enumerate((sample, role) for sample in samples for role in PLANTED_IN):
            clock.put(_BEGIN + timedelta(minutes=n))
            message = {"role": role.value, "content": sample.text, "name": "source"}
            receipt = memory.add([message], subject=f"user:reader{n}", session_id="s1", at=clock.now)
            found.append(_planted(memory.engine, sample, role, receipt))
            if progress is not None:
                progress(n + 1, len(samples) * len(PLANTED_IN))
    return found


def _planted(engine: Engine, sample: Sample, role: Role, receipt: Receipt) -> Planted:
    return Planted(sample, role, receipt.records, more_than_quoted(receipt.records, engine))


def more_than_quoted(records: Iterable[Record], engine: Engine) -> tuple[Record, ...]:
    """The records that are more than low-trust quoted data: no ``tool_fact``, or trusted more than a tool result."""
    ceiling = engine.policy.trust[SourceType.TOOL_RESULT]
    return tuple(record for record in records if record.kind is not Kind.TOOL_FACT or record.trust > ceiling)


def _hostile(samples: Sequence[Sample], name: str) -> list[Sample]:
    return [sample for sample in samples if sample.hostile and sample.set == name]


def _harmless(folder: Path) -> list[Sample]:
    """Tool results and documents of labelled conversations, injections left out."""
    return [
        Sample("tool results and documents", turn.text, hostile=False)
        for scenario in load_conversations(folder)
        for turn in scenario.turns
        if turn.role in PLANTED_IN and scenario.rejects.get(turn.id) != "injection"
    ]


def _set(hostile: Sequence[Sample], planted: Sequence[Planted], name: str) -> dict[str, Any]:
    mine = [one for one in planted if one.sample.set == name]
    return {
        "elevated": share_of(bool(one.elevated) for one in mine),
        "recorded": share_of(bool(one.records) for one in mine),
        "detected": share_of(instructs_model(sample.text) for sample in hostile if sample.set == name),
    }


def _alarms(benign: Sequence[Sample], name: str) -> Any:
    return share_of(instructs_model(sample.text) for sample in benign if sample.set == name)


def _question(one: Planted, number: int) -> dict[str, Any]:
    values = {"elevated": float(bool(one.elevated)), "recorded": float(bool(one.records))}
    named = {"id": f"{one.sample.set}/{number}", "category": f"{one.sample.set}, {one.role.value}"}
    return {**named, "text": one.sample.text, "systems": {"onrecord": values}}


def _row(one: Planted, records: Sequence[Record]) -> dict[str, Any]:
    stored = [{"kind": record.kind.value, "trust": record.trust, "statement": record.statement} for record in records]
    return {"set": one.sample.set, "role": one.role.value, "text": one.sample.text, "records": stored}
