"""BEAM, 100K tier (Tavakoli et al. 2025, mohammadtavakoli78/BEAM): ten chats with an assistant, questions of ten abilities.

User messages end in ``->-> 1,1``, their place in the plan that the chat was written from: it is stripped. A chat has
three to five batches, each one sitting with a date. Units are user messages, the evidence of nearly every ability; gold
messages of the assistant's are left out of the counts then.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.model.turn import Role

_PLACE = re.compile(r"\s*->->\s*(?:\d+,\s*\d+|N/A)?")


def load(folder: Path, *, roles: tuple[Role, ...] = (Role.USER,)) -> Dataset:
    """The data set in a folder of ``NN_chat.jsonl.gz`` and ``NN_questions.json``."""
    talks: dict[str, Talk] = {}
    questions: list[Question] = []
    for path in sorted(folder.glob("*_questions.json")):
        name = path.name.split("_")[0]
        talk = Talk(name, tuple(_lines(name, folder / f"{name}_chat.jsonl.gz")))
        talks[name] = talk
        questions += _questions(talk, json.loads(path.read_text("utf-8")), roles)
    return Dataset(name="beam", talks=talks, questions=tuple(questions), roles=roles)


def _lines(talk: str, path: Path) -> Iterator[Line]:
    begin, batch = datetime(2024, 1, 1, tzinfo=UTC), 0
    messages = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n") if line]
    for message in messages:
        anchor = message.get("time_anchor")
        if message["batch"] != batch:
            batch = message["batch"]
            begin = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC) if anchor else begin + timedelta(days=1)
        yield Line(
            id=f"{talk}/{message['id']}",
            session=f"{talk}/b{batch}",
            at=begin + timedelta(seconds=30 * message["id"]),
            role=Role(message["role"]),
            author=message["role"],
            text=_PLACE.sub("", message["content"]),
        )


def _questions(talk: Talk, entries: Sequence[Mapping[str, Any]], roles: tuple[Role, ...]) -> Iterator[Question]:
    units = {line.id: line.session for line in talk.lines if not roles or line.role in roles}
    for n, entry in enumerate(entries):
        gold = _ids(talk, entry["gold_message_ids"], units)
        old, new = _sides(entry, talk, units)
        yield Question(
            id=f"{talk.id}/q{n}",
            talk=talk.id,
            text=entry["question"],
            category=entry["ability"],
            at=talk.lines[-1].at + timedelta(days=1),
            gold=gold,
            sessions=frozenset(units[id] for id in gold),
            abstain=entry["ability"] == "abstention",
            old=old,
            new=new,
            answer=str(entry.get("answer") or entry.get("ideal_answer") or entry.get("ideal_response") or ""),
        )


def _ids(talk: Talk, numbers: Sequence[int], units: Mapping[str, str]) -> frozenset[str]:
    return frozenset(id for id in (f"{talk.id}/{number}" for number in numbers) if id in units)


def _sides(entry: Mapping[str, Any], talk: Talk, units: Mapping[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """The older and the newer side, for updates and contradictions; empty for the rest, or where both are one message."""
    sources = entry.get("source_chat_ids")
    if not isinstance(sources, Mapping):
        return frozenset(), frozenset()
    old = _ids(talk, sources.get("original_info") or sources.get("first_statement") or (), units)
    new = _ids(talk, sources.get("updated_info") or sources.get("second_statement") or (), units)
    return (old - new, new) if old - new and new else (frozenset(), frozenset())
