"""Loaders, over small files that hold the traps of the real ones."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from onrecord.evals import beam, locomo, longmemeval
from onrecord.evals.dataset import Dataset
from onrecord.model.turn import Role


def write_lines(path: Path, rows: list[Any]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(lzma.compress(text) if path.suffix == ".xz" else gzip.compress(text))


def a_locomo(folder: Path) -> Path:
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "session_2_date_time": "9:05 am on 2 June, 2023",
            "session_2": [{"speaker": "Tom", "dia_id": "D2:1", "text": "A cat.", "blip_caption": "a photo of a cat"}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "Hi."},
                {"speaker": "Tom", "dia_id": "D1:2", "text": "Yo."},
            ],
        },
        "qa": [
            {"question": "Who?", "answer": 7, "evidence": ["D1:1; D2:1", "D", "D:1:2", "D9:9"], "category": 1},
            {"question": "What?", "answer": "x", "evidence": [], "category": 3},
            {"question": "Never said?", "adversarial_answer": "y", "evidence": ["D1:2"], "category": 5},
        ],
    }
    path = folder / "locomo10.json"
    path.write_text(json.dumps([sample]))
    (folder / "audit_errors.json").write_text(json.dumps([{"question_id": "locomo_0_qa1"}]))
    return path


def test_locomo_reads_every_shape_of_evidence_and_drops_what_names_no_line(tmp_path: Path) -> None:
    dataset = locomo.load(a_locomo(tmp_path))
    first, second, third = dataset.questions
    assert first.gold == {"conv-1/D1:1", "conv-1/D2:1"}
    assert first.sessions == {"conv-1/D1", "conv-1/D2"}
    assert (second.gold, second.faulty) == (frozenset(), True)
    assert (third.abstain, third.category in dataset.apart) == (True, True)
    assert dataset.scored == (first, third)


def test_locomo_lines_are_in_order_with_their_time(tmp_path: Path) -> None:
    lines = locomo.load(a_locomo(tmp_path)).talks["conv-1"].lines
    assert [line.id for line in lines] == ["conv-1/D1:1", "conv-1/D1:2", "conv-1/D2:1"]
    assert lines[0].at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert lines[2].text == "A cat."
    assert locomo.load(a_locomo(tmp_path), captions=True).talks["conv-1"].lines[2].text == "A cat. [shares a photo of a cat]"


def a_longmemeval(folder: Path) -> Dataset:
    turns = [{"role": "user", "content": "One\u2028two."}, {"role": "assistant", "content": "Ok."}]
    told = [{"role": "user", "content": "I ran 5 km.", "has_answer": True}]
    again = [{"role": "user", "content": "I ran 6 km.", "has_answer": True}]
    sessions = [("plain", turns), ("answer_1", told), ("answer_2", again)]
    write_lines(folder / "sessions.jsonl.xz", [{"key": k, "session_id": k, "turns": t} for k, t in sessions])
    question = {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "How far?",
        "question_date": "2023/06/25 (Sun) 13:22",
        "answer": 6,
        "haystack_dates": ["2023/05/03 (Wed) 10:00", "2023/05/01 (Mon) 10:00", "2023/05/02 (Tue) 10:00"],
        "haystack_session_ids": ["answer_2", "plain", "answer_1"],
        "haystack_session_keys": ["answer_2", "plain", "answer_1"],
    }
    write_lines(folder / "questions.jsonl.gz", [question, {**question, "question_id": "q2_abs"}])
    return longmemeval.load(folder)


def test_longmemeval_hides_which_sitting_holds_the_answer(tmp_path: Path) -> None:
    dataset = a_longmemeval(tmp_path)
    lines = dataset.talks["q1"].lines
    assert [line.session for line in lines] == ["q1/s000", "q1/s000", "q1/s001", "q1/s002"]
    assert lines[0].text == "One\u2028two."
    assert not any("answer" in line.id for line in lines)


def test_longmemeval_marks_evidence_and_both_sides_of_an_update(tmp_path: Path) -> None:
    question, unanswerable = a_longmemeval(tmp_path).questions
    assert question.gold == {"q1/s001/0", "q1/s002/0"}
    assert (sorted(question.old), sorted(question.new)) == (["q1/s001/0"], ["q1/s002/0"])
    assert question.answer == "6"
    assert (unanswerable.abstain, unanswerable.gold) == (True, frozenset())


def a_beam(folder: Path) -> Path:
    chat = [
        {"id": 0, "batch": 1, "role": "user", "time_anchor": "March-15-2024", "content": "I have 3 cards. ->-> 1,1"},
        {"id": 1, "batch": 1, "role": "assistant", "time_anchor": None, "content": "Fine."},
        {"id": 2, "batch": 2, "role": "user", "time_anchor": "April-2-2024", "content": "Now 4 (cards ->-> 5,14)"},
    ]
    write_lines(folder / "01_chat.jsonl.gz", chat)
    asked = [
        {
            "ability": "knowledge_update",
            "question": "How many?",
            "answer": "4",
            "gold_message_ids": [0, 1, 2, 2],
            "source_chat_ids": {"original_info": [0], "updated_info": [2, 2]},
        },
        {"ability": "abstention", "question": "Whose?", "ideal_response": "No information.", "gold_message_ids": []},
    ]
    (folder / "01_questions.json").write_text(json.dumps(asked))
    return folder


def test_beam_strips_the_place_in_the_plan_and_counts_user_messages(tmp_path: Path) -> None:
    dataset = beam.load(a_beam(tmp_path))
    lines = dataset.talks["01"].lines
    assert [line.text for line in lines] == ["I have 3 cards.", "Fine.", "Now 4 (cards)"]
    update, unanswerable = dataset.questions
    assert update.gold == {"01/0", "01/2"}
    assert (sorted(update.old), sorted(update.new)) == (["01/0"], ["01/2"])
    assert unanswerable.abstain
    assert beam.load(tmp_path, roles=()).questions[0].gold == {"01/0", "01/1", "01/2"}


@pytest.mark.data
def test_the_public_sets_have_the_known_sizes(data: Callable[[str], Path]) -> None:
    sets = [
        (locomo.load(data("locomo") / "locomo10.json.gz"), 10, 5_882, 1_986),
        (longmemeval.load(data("longmemeval_dev")), 98, 48_644, 98),
        (beam.load(data("beam_100k")), 10, 2_432, 200),
    ]
    for dataset, talks, lines, questions in sets:
        assert (len(dataset.talks), len(dataset.questions)) == (talks, questions)
        assert sum(len(talk.lines) for talk in dataset.talks.values()) == lines
        units = {line.id: line for talk in dataset.talks.values() for line in talk.lines}
        assert all(question.gold <= units.keys() for question in dataset.questions)
        assert not any("->->" in line.text for line in units.values())
        assert all(line.role in set(Role) for line in units.values())
