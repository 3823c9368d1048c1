"""Follow-up questions: what somebody says next in a dialogue, put to a memory that holds an earlier conversation.

Each question has a short thread before it, written for it, and the turns of the conversation that answer it. The conversation is
played into a memory as *keepsakes* are; the thread is not stored, since it is the dialogue at hand. A hit counts if it rests on
one of those turns. Questions in the style ``alone`` need nothing of their thread, and must not lose by it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from onrecord.errors import InvalidInput
from onrecord.evals.keepsakes_gold import Scenario, load
from onrecord.evals.keepsakes_play import DEPTH, HandClock, MakeMemory
from onrecord.evals.keepsakes_score import share_of
from onrecord.evals.rows import RowFile
from onrecord.memory import Memory
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.policy.recall.followup import follow_up

#: From a question to the text that is looked for.
Asking: TypeAlias = Callable[["FollowUp"], str]
#: Questions asked, questions in all.
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """One question. ``gold`` are the turns of its conversation that answer it, any of them; ``thread`` is what was said before,
    ``full`` the question as somebody would put it who had no thread to lean on: what building it could bring at best."""

    id: str
    conversation: str
    style: str
    thread: tuple[Turn, ...]
    ask: str
    full: str
    gold: frozenset[str]


ASKINGS: Mapping[str, Asking] = {
    "the message alone": lambda question: question.ask,
    "with the message before": lambda question: f"{question.thread[-1].text}\n{question.ask}",
    "with the exchange before": lambda question: "\n".join([*(turn.text for turn in question.thread[-2:]), question.ask]),
    "built from the thread": lambda question: follow_up(question.ask, question.thread).text,
    "written out by hand": lambda question: question.full,
}


def evaluate_followups(
    folder: Path, make_memory: MakeMemory, *, progress: Progress | None = None, rows: RowFile | None = None
) -> dict[str, Any]:
    """Rates for each half (a ``.json`` file of the folder) and each way of asking, those of each style for what was built, and
    a row for every question. Conversations whose questions are all in ``rows`` are not played again.

    Raises ``InvalidInput`` when the folder holds no questions, ``KeyError`` and ``ValueError`` for a file that is none.
    """
    halves = {path.stem: read(path) for path in sorted(folder.glob("*.json"))}
    total, kept = sum(len(questions) for _, questions in halves.values()), rows or RowFile(None, {})
    if not total:
        raise InvalidInput(
            "PATH", f"{folder} holds no follow-up questions", "name the folder that holds them, e.g. bench/followups"
        )
    for half, (conversations, questions) in halves.items():
        for name in dict.fromkeys(question.conversation for question in questions):
            there = kept.ids(half=half)
            asked = [question for question in questions if question.conversation == name and question.id not in there]
            for row in _ask(_scenario(conversations / f"{name}.json"), asked, make_memory) if asked else ():
                kept.add({"half": half, **row})
            if progress is not None:
                progress(len(kept.rows), total)
    reports = {half: _report([row for row in kept.rows if row["half"] == half]) for half in halves}
    return {**reports, "questions": kept.rows}


def read(path: Path) -> tuple[Path, list[FollowUp]]:
    """The folder of the conversations, and the questions, in order."""
    data = json.loads(path.read_text("utf-8"))
    return path.parent / data["conversations"], [_question(row) for row in data["questions"]]


def _question(row: Mapping[str, Any]) -> FollowUp:
    return FollowUp(
        id=row["id"],
        conversation=row["conversation"],
        style=row["style"],
        thread=tuple(_turn(row["id"], n, said) for n, said in enumerate(row["thread"], 1)),
        ask=row["ask"],
        full=row["full"],
        gold=frozenset(row["gold"]),
    )


def _turn(question: str, number: int, said: Mapping[str, str]) -> Turn:
    at = HandClock().now
    return Turn(
        id=f"{question}/{number}",
        tenant="eval",
        subject="thread:eval",
        origin=Origin(thread=question),
        role=Role(said["role"]),
        author=said["role"],
        text=said["text"],
        at=at,
        written_at=at,
        seq=number,
    )


def _scenario(path: Path) -> Scenario:
    (scenario,) = load(path.parent, only=[path.stem])
    return scenario


def _ask(scenario: Scenario, questions: Sequence[FollowUp], make_memory: MakeMemory) -> list[dict[str, Any]]:
    """A row for each question, once the conversation was played."""
    clock = HandClock()
    with make_memory(clock) as memory:
        turn_of, subjects = _play(scenario, memory, clock)
        clock.put(scenario.turns[-1].at + timedelta(days=1))
        return [_row(memory, question, turn_of, subjects) for question in questions]


def _play(scenario: Scenario, memory: Memory, clock: HandClock) -> tuple[dict[str, str], list[str]]:
    """The turns of the conversation by the ids they were stored under, and whose memory there is now."""
    turn_of: dict[str, str] = {}
    subjects = dict.fromkeys(turn.subject for turn in scenario.turns)
    for turn in scenario.turns:
        clock.put(turn.at)
        message = {"role": turn.role.value, "content": turn.text, "name": turn.author, "at": turn.at, "id": turn.id}
        receipt = memory.add([message], subject=turn.subject, session_id=turn.origin.thread)
        turn_of |= {stored.turn_id: turn.id for stored in receipt.turns if stored.turn_id}
        subjects |= dict.fromkeys(record.subject for record in receipt.records)
    return turn_of, list(subjects)


def _row(memory: Memory, question: FollowUp, turn_of: Mapping[str, str], subjects: Sequence[str]) -> dict[str, Any]:
    asked = {name: asking(question) for name, asking in ASKINGS.items()}
    ranks = {name: _rank(memory, text, question.gold, turn_of, subjects) for name, text in asked.items()}
    return {
        "id": question.id,
        "talk": question.conversation,
        "category": question.style,
        "style": question.style,
        "ask": question.ask,
        "gold": sorted(question.gold),
        "asked": asked,
        "rank": ranks,
        "systems": {name: _values(rank) for name, rank in ranks.items()},
    }


def _values(rank: int | None) -> dict[str, float]:
    return {
        "hit@1": float(rank == 1),
        "hit@5": float(rank is not None and rank <= 5),
        "MRR": 1 / rank if rank else 0.0,
    }


def _rank(memory: Memory, text: str, gold: frozenset[str], turn_of: Mapping[str, str], subjects: Sequence[str]) -> int | None:
    """The place, from 1, of the first hit that rests on a gold turn, among the first ``DEPTH``."""
    hits = memory.search(text, subject=subjects[0], subjects=subjects[1:], limit=DEPTH).hits
    return next((n for n, hit in enumerate(hits, 1) if gold & {turn_of[id] for id in hit.sources if id in turn_of}), None)


def _report(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    styles = dict.fromkeys(sorted(row["style"] for row in rows))
    ways = {way: _rates(rows, way) for way in ASKINGS}
    return {**ways, **{f"style {style}": _by_way([row for row in rows if row["style"] == style]) for style in styles}}


def _by_way(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {way: {"hit@5": _hits(rows, way, DEPTH)} for way in ASKINGS}


def _rates(rows: Sequence[Mapping[str, Any]], way: str) -> dict[str, Any]:
    return {f"hit@{k}": _hits(rows, way, k) for k in (1, DEPTH)}


def _hits(rows: Sequence[Mapping[str, Any]], way: str, k: int) -> dict[str, Any]:
    return dict(share_of(row["rank"][way] is not None and row["rank"][way] <= k for row in rows))
