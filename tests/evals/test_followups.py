"""Follow-up questions are read, asked in every way, and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.evals.followups import ASKINGS, evaluate_followups, read
from onrecord.evals.keepsakes_gold import load
from onrecord.memory import Memory
from onrecord.policy.recall.leaning import Lean, leaning
from onrecord.ports import Clock
from onrecord.providers.embed.hashing import HashingEmbedder

KEPT = Path(__file__).parents[2] / "bench" / "followups"
CONVERSATIONS = Path(__file__).parent / "data" / "keepsakes"


def fresh(clock: Clock) -> Memory:
    return Memory(":memory:", embedder=HashingEmbedder(), clock=clock)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """One question of each kind about the greenhouse."""
    thread = [{"role": "user", "text": "When does the greenhouse open?"}, {"role": "assistant", "text": "At seven."}]
    asked: list[dict[str, Any]] = [
        {
            "id": "q1",
            "style": "bare",
            "ask": "who runs the misting there?",
            "full": "How often does the misting run in winter in the greenhouse?",
            "gold": ["t009"],
        },
        {
            "id": "q2",
            "style": "alone",
            "ask": "Who was Napoleon's dentist?",
            "full": "Who was Napoleon's dentist?",
            "gold": ["t001"],
        },
    ]
    rows = [{**row, "conversation": "greenhouse", "thread": thread} for row in asked]
    (tmp_path / "one.json").write_text(json.dumps({"conversations": str(CONVERSATIONS), "questions": rows}), "utf-8")
    return tmp_path


def test_each_way_of_asking_is_counted_for_each_half_and_style(questions: Path) -> None:
    found = evaluate_followups(questions, fresh)
    assert set(found) == {"one", "questions"}
    assert found["one"]["written out by hand"]["hit@5"] == {"rate": 0.5, "n": 1, "of": 2}
    assert found["one"]["style alone"]["built from the thread"]["hit@5"]["n"] == 0
    (first, second) = found["questions"]
    assert set(first["rank"]) == set(ASKINGS)
    assert first["asked"]["the message alone"] == "who runs the misting there?"
    assert "greenhouse" in first["asked"]["built from the thread"]
    assert second["asked"]["built from the thread"] == second["ask"]


def test_progress_counts_questions(questions: Path) -> None:
    seen: list[tuple[int, int]] = []
    evaluate_followups(questions, fresh, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 2)]


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="follow-up"):
        evaluate_followups(tmp_path, fresh)


def test_the_questions_that_are_kept_name_turns_of_their_conversations() -> None:
    halves = {path.stem: read(path) for path in sorted(KEPT.glob("*.json"))}
    assert set(halves) == {"look", "held"}
    assert sum(len(questions) for _, questions in halves.values()) >= 60
    assert not set.intersection(*({q.conversation for q in questions} for _, questions in halves.values()))
    for folder, questions in halves.values():
        for question in questions:
            place = folder / f"{question.conversation}.json"
            (scenario,) = load(place.parent, only=[place.stem])
            assert question.gold
            assert question.gold <= {turn.id for turn in scenario.turns}


def test_what_is_kept_as_standing_alone_is_read_so() -> None:
    alone = [question.ask for path in KEPT.glob("*.json") for question in read(path)[1] if question.style == "alone"]
    assert len(alone) >= 10
    assert {leaning(ask).lean for ask in alone} == {Lean.ALONE}
