"""LongMemEval-S (Wu et al. 2024, xiaowu0162/LongMemEval): every question has its own haystack of about fifty sittings.

Two traps: texts hold U+2028, so files are read by lines of the file; and sessions with evidence are called ``answer_...``, so
all are renamed by their place in the haystack. Questions ending in ``_abs`` cannot be answered.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.model.turn import Role

_OPENERS = {".gz": gzip.open, ".xz": lzma.open}


def load(folder: Path) -> Dataset:
    """The data set in a folder that holds ``questions.jsonl.gz`` and ``sessions.jsonl.xz``."""
    sessions = {entry["key"]: entry["turns"] for entry in _entries(folder / "sessions.jsonl.xz")}
    talks: dict[str, Talk] = {}
    questions = []
    for entry in _entries(folder / "questions.jsonl.gz"):
        talk, marked = _haystack(entry, sessions)
        talks[talk.id] = talk
        questions.append(_question(entry, talk, marked))
    return Dataset(name="longmemeval", talks=talks, questions=tuple(questions))


def _entries(path: Path) -> Iterator[Any]:
    with _OPENERS[path.suffix](path, "rb") as raw, io.TextIOWrapper(raw, "utf-8", newline="\n") as lines:  # type: ignore[operator]
        for line in lines:
            yield json.loads(line)


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


def _haystack(entry: Mapping[str, Any], sessions: Mapping[str, Sequence[Any]]) -> tuple[Talk, frozenset[str]]:
    """The talk, and the ids of its lines that are marked as evidence."""
    order = sorted(range(len(entry["haystack_dates"])), key=lambda n: _moment(entry["haystack_dates"][n]))
    lines: list[Line] = []
    marked: set[str] = set()
    for place, n in enumerate(order):
        session = f"{entry['question_id']}/s{place:03d}"
        begin = _moment(entry["haystack_dates"][n])
        for number, said in enumerate(sessions[entry["haystack_session_keys"][n]]):
            line = _line(session, number, said, begin)
            lines.append(line)
            if said.get("has_answer"):
                marked.add(line.id)
    return Talk(entry["question_id"], tuple(lines)), frozenset(marked)


def _line(session: str, number: int, said: Mapping[str, Any], begin: datetime) -> Line:
    return Line(
        id=f"{session}/{number}",
        session=session,
        at=begin + timedelta(seconds=30 * number),
        role=Role(said["role"]),
        author=said["role"],
        text=said["content"],
    )


def _question(entry: Mapping[str, Any], talk: Talk, marked: frozenset[str]) -> Question:
    abstain = entry["question_id"].endswith("_abs")
    gold = frozenset() if abstain else marked
    sessions = {line.id: line.session for line in talk.lines if line.id in gold}
    newest = max(sessions.values(), default="")
    update = entry["question_type"] == "knowledge-update" and len(set(sessions.values())) > 1
    return Question(
        id=entry["question_id"],
        talk=talk.id,
        text=entry["question"],
        category=entry["question_type"],
        at=_moment(entry["question_date"]),
        gold=gold,
        sessions=frozenset(sessions.values()),
        abstain=abstain,
        old=frozenset(id for id, session in sessions.items() if update and session != newest),
        new=frozenset(id for id, session in sessions.items() if update and session == newest),
        answer=str(entry["answer"]),
    )
