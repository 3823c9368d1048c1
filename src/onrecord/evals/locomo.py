"""LoCoMo (Maharana et al. 2024, snap-research/LoCoMo): ten long talks of two people, with evidence by message id.

Evidence strings can be compound or malformed: every ``D<session>:<line>`` in them counts, the rest is dropped, and so is
evidence that names no line. Category 5 asks about things that were never said and is reported apart.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.model.turn import Role

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")


def load(path: Path, *, captions: bool = False) -> Dataset:
    """The data set of ``locomo10.json.gz`` (or the plain file); ``audit_errors.json`` beside it marks faulty questions.

    With ``captions`` a shared picture's caption is a part of the message, as in the paper's own retrieval baseline.
    """
    samples = json.loads(_read(path))
    faulty = _faulty(path.with_name("audit_errors.json"))
    talks = {str(sample["sample_id"]): _talk(sample, captions) for sample in samples}
    questions = [q for n, sample in enumerate(samples) for q in _questions(sample, talks[sample["sample_id"]], n, faulty)]
    return Dataset(name="locomo", talks=talks, questions=tuple(questions), apart=frozenset({"adversarial"}))


def _read(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _faulty(path: Path) -> frozenset[str]:
    if not path.exists():
        return frozenset()
    return frozenset(str(entry["question_id"]) for entry in json.loads(path.read_text("utf-8")))


def _talk(sample: Mapping[str, Any], captions: bool) -> Talk:
    spoken = sample["conversation"]
    numbers = sorted(int(match[1]) for match in map(_SESSION.fullmatch, spoken) if match)
    lines = [line for number in numbers for line in _session(sample["sample_id"], spoken, number, captions)]
    return Talk(sample["sample_id"], tuple(lines))


def _session(talk: str, spoken: Mapping[str, Any], number: int, captions: bool) -> Iterator[Line]:
    begin = datetime.strptime(spoken[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    for n, said in enumerate(spoken[f"session_{number}"]):
        caption = said.get("blip_caption") if captions else None
        yield Line(
            id=f"{talk}/{said['dia_id']}",
            session=f"{talk}/D{number}",
            at=begin + timedelta(seconds=30 * n),
            role=Role.USER,
            author=said["speaker"],
            text=said["text"] + (f" [shares {caption}]" if caption else ""),
        )


def _questions(sample: Mapping[str, Any], talk: Talk, number: int, faulty: frozenset[str]) -> Iterator[Question]:
    known = {line.id: line.session for line in talk.lines}
    for n, asked in enumerate(sample["qa"]):
        cited = {f"{talk.id}/D{a}:{b}" for text in asked["evidence"] for a, b in _EVIDENCE.findall(text)}
        gold = frozenset(cited & known.keys())
        category = CATEGORIES[asked["category"]]
        yield Question(
            id=f"{talk.id}/q{n}",
            talk=talk.id,
            text=asked["question"],
            category=category,
            at=talk.lines[-1].at + timedelta(days=1),
            gold=gold,
            sessions=frozenset(known[id] for id in gold),
            abstain=category == "adversarial",
            faulty=f"locomo_{number}_qa{n}" in faulty,
            answer=str(asked.get("answer", "")),
        )
