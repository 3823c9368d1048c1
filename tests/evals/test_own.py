"""Conversations of one's own: what may stand in the file, and what is said of what may not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from onrecord.build import build
from onrecord.errors import InvalidInput
from onrecord.evals.labelling import Labelling, begin, conversation_of
from onrecord.evals.own import load, message_line, question_line, read
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder

HELLO = {"role": "user", "content": "I joined a rowing club in Leith."}
DENTIST = {"role": "user", "content": "My dentist moved to Granton."}
ASKED = {"question": "Which club did I join?", "answers": ["m1"]}


def written(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def test_messages_and_questions_stand_in_one_file(tmp_path: Path) -> None:
    dataset = load(written(tmp_path, HELLO, DENTIST, ASKED, {**ASKED, "question": "And my dog?", "answers": []}))
    assert [line.id for line in dataset.talks["1"].lines] == ["m1", "m2"]
    first, second = dataset.questions
    assert (first.id, sorted(first.gold), first.abstain, first.category) == ("q3", ["m1"], False, "question")
    assert (second.gold, second.abstain) == (frozenset(), True)
    assert first.at > dataset.talks["1"].lines[-1].at


def test_every_field_is_read(tmp_path: Path) -> None:
    said = {**HELLO, "id": "a", "name": "ana", "at": "2026-03-03T09:00:00+01:00", "session": "s", "conversation": "c"}
    asked = {**ASKED, "answers": ["a"], "id": "x", "at": "2026-04-01T00:00:00+00:00", "category": "clubs", "answer": "rowing"}
    dataset = load(written(tmp_path, said, {**asked, "conversation": "c"}))
    (line,), (question,) = dataset.talks["c"].lines, dataset.questions
    assert (line.author, line.session, line.at) == ("ana", "s", datetime(2026, 3, 3, 8, tzinfo=UTC))
    assert (question.id, question.category, question.answer) == ("x", "clubs", "rowing")
    assert question.at == datetime(2026, 4, 1, tzinfo=UTC)
    assert question.sessions == {"s"}


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    dataset = load(written(tmp_path, HELLO, {**DENTIST, "at": "2026-05-01T10:00:00+00:00"}, ASKED))
    lines = [message_line(talk.id, line) for talk in dataset.talks.values() for line in talk.lines]
    again = load(written(tmp_path, *lines, *map(question_line, dataset.questions)))
    assert again.talks == dataset.talks
    assert again.questions == dataset.questions


def test_a_list_of_messages_and_a_chat_export_are_read_too(tmp_path: Path) -> None:
    for whole in ([HELLO, DENTIST], {"messages": [HELLO, DENTIST]}):
        (tmp_path / "chat.json").write_text(json.dumps(whole, indent=1), "utf-8")
        assert [line.text for line in read(tmp_path / "chat.json").talks["1"].lines] == [HELLO["content"], DENTIST["content"]]


def test_an_export_of_a_memory_is_read(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        memory.add("I joined a rowing club in Leith.", user_id="ana", session_id="s1")
        memory.remember("Ana rows.", user_id="ana")
        memory.export_to(tmp_path / "export.jsonl")
    talk = read(tmp_path / "export.jsonl").talks["user:ana"]
    assert ("s1", "I joined a rowing club in Leith.") in [(line.session, line.text) for line in talk.lines]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["{"], "own.jsonl line 1: is not JSON"),
        (["[]", "3"], "own.jsonl line 1: is a list"),
        ([{"text": "hi"}], "own.jsonl line 1: is neither a message nor a question"),
        ([{"role": "robot", "content": "hi"}], "own.jsonl line 1, role: is 'robot'"),
        ([{**HELLO, "at": "noon"}], "own.jsonl line 1, at: 'noon' is no time"),
        ([{**HELLO, "at": "2026-03-03T09:00"}], "own.jsonl line 1, at: has no time zone"),
        ([{**HELLO, "session": 3}], "own.jsonl line 1, session: is a int"),
        ([{**HELLO, "id": "a"}, {**DENTIST, "id": "a"}], "own.jsonl line 2, id: 'a' names two messages"),
        ([HELLO, {"question": "Who?"}], "own.jsonl line 2, answers: is missing"),
        ([HELLO, {"question": "Who?", "answers": "m1"}], "own.jsonl line 2, answers: is no list of ids"),
        ([HELLO, {"question": "Who?", "answers": ["m9"]}], "own.jsonl line 2, answers: 'm9' is no message of '1'"),
        ([HELLO, {**ASKED, "gold": 1}], "own.jsonl line 2, gold: is no field of a question"),
        ([HELLO, {**ASKED, "question": " "}], "own.jsonl line 2, question: is empty"),
        ([HELLO, {**ASKED, "at": "2026-03-03"}], "own.jsonl line 2, at: has no time zone"),
        ([HELLO, {**ASKED, "at": "soon"}], "own.jsonl line 2, at: 'soon' is no time"),
        ([HELLO, {**ASKED, "conversation": "x"}], "own.jsonl line 2, conversation: 'x' has no message"),
        ([HELLO, {**DENTIST, "conversation": "b"}, ASKED], "own.jsonl line 3, conversation: is missing"),
        ([HELLO, {**ASKED, "id": "q"}, {**ASKED, "id": "q"}], "own.jsonl, id: 'q' names two questions"),
        ([HELLO], "own.jsonl: holds no question"),
        ([ASKED], "own.jsonl: holds no message"),
    ],
)
def test_what_is_off_is_named_with_its_line_and_field(tmp_path: Path, rows: list[Any], said: str) -> None:
    with pytest.raises(InvalidInput) as error:
        load(written(tmp_path, *rows))
    assert str(error.value).startswith(said)
    assert error.value.fix


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="is not UTF-8 at byte 0"):
        load(tmp_path / "own.jsonl")
    with pytest.raises(InvalidInput, match="can't be read"):
        load(tmp_path / "nothing.jsonl")


def sitting(folder: Path) -> tuple[Path, Labelling]:
    (folder / "chat.json").write_text(json.dumps([HELLO, DENTIST]), "utf-8")
    dataset = begin(folder / "own.jsonl", folder / "chat.json")
    engine = build(":memory:", embedder=HashingEmbedder())
    return folder / "own.jsonl", Labelling(folder / "own.jsonl", dataset, conversation_of(dataset, None), engine)


def test_a_search_suggests_what_may_answer(tmp_path: Path) -> None:
    _, labelling = sitting(tmp_path)
    assert labelling.suggested("Where is my dentist?")[0].text == DENTIST["content"]


def test_answers_are_chosen_by_number_or_id_and_nothing_else(tmp_path: Path) -> None:
    _, labelling = sitting(tmp_path)
    shown = labelling.suggested("Where is my dentist?")
    assert labelling.chosen("1", shown) == {"m2"}
    assert labelling.chosen("m1, m2", shown) == {"m1", "m2"}
    assert labelling.chosen("0", shown) == frozenset()
    for typed in ("99", "x", "0 1", "-1"):
        with pytest.raises(InvalidInput):
            labelling.chosen(typed, shown)


def test_labels_are_in_the_file_as_soon_as_they_are_written(tmp_path: Path) -> None:
    file, labelling = sitting(tmp_path)
    labelling.write("Which club?", ["m1"], "clubs")
    labelling.write("Which dog?", [], "pets")
    assert [(question.id, question.gold, question.category) for question in load(file).questions] == [
        ("q1", {"m1"}, "clubs"),
        ("q2", frozenset(), "pets"),
    ]
    assert (labelling.labelled.questions, labelling.labelled.unanswerable, labelling.labelled.total) == (2, 1, 2)


def test_a_file_is_gone_on_with_and_never_made_twice(tmp_path: Path) -> None:
    file, labelling = sitting(tmp_path)
    labelling.write("Which club?", ["m1"], "clubs")
    again = begin(file, None)
    assert len(again.questions) == 1
    with pytest.raises(InvalidInput, match="both there"):
        begin(file, tmp_path / "chat.json")


def test_one_of_several_conversations_has_to_be_named(tmp_path: Path) -> None:
    dataset = read(written(tmp_path, HELLO, {**DENTIST, "conversation": "b"}))
    assert conversation_of(dataset, "b").lines[0].text == DENTIST["content"]
    for named in (None, "c"):
        with pytest.raises(InvalidInput, match="--conversation"):
            conversation_of(dataset, named)
