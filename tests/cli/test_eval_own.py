"""Questions are labelled by hand or by a pipe, and the file they make is measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Run: TypeAlias = Callable[..., Any]
SAID = ("I joined a rowing club in Leith.", "My dentist moved to Granton.", "We saw a heron by the canal.")


@pytest.fixture
def chat(home: Path) -> Path:
    path = home / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": text} for text in SAID]), "utf-8")
    return path


def test_what_is_piped_in_is_labelled_and_can_be_measured(program: Run, chat: Path, home: Path) -> None:
    typed = "Which club did I join?\n1\nWhat is my dog called?\n0\nWhat bird was it?\n/heron canal\nm3\nNever mind?\n\n\n"
    shown = program("eval", "label", "own.jsonl", "--from", chat.name, "--cache", "c", "--json", stdin=typed.encode())
    assert shown.code == 0
    assert json.loads(shown.out) == {"file": "own.jsonl", "questions": 3, "unanswerable": 1, "total": 3}
    assert "I joined a rowing club in Leith." in shown.err
    assert "left out" in shown.err
    rows = [json.loads(line) for line in (home / "own.jsonl").read_text("utf-8").splitlines()]
    assert [row["answers"] for row in rows if "question" in row] == [["m1"], [], ["m3"]]
    found = program("eval", "own", "own.jsonl", "--include", "episodes", "--cache", "c", "--json").json()
    assert (found[0]["dataset"], found[0]["questions"]) == ("own", 3)
    assert found[0]["classes"]["all"]["onrecord"]["R@5"] == 1.0
    assert "its own unanswerable questions" in found[0]["abstention"]


def test_a_word_that_is_no_answer_is_told_and_asked_again(program: Run, chat: Path, home: Path) -> None:
    typed = "Which club did I join?\nthe first\n1\n"
    shown = program("eval", "label", "own.jsonl", "--from", chat.name, "--cache", "c", stdin=typed.encode())
    assert "'the' is neither a number that is shown nor an id" in shown.err
    assert "1 written" in shown.out
    again = program("eval", "label", "own.jsonl", "--cache", "c", "--json", stdin=b"")
    assert again.json()["total"] == 1


def test_a_file_that_is_off_is_named_by_line_and_field(run: Run, home: Path) -> None:
    (home / "own.jsonl").write_text('{"role": "user", "content": "hi", "at": "noon"}\n', "utf-8")
    failed = run("eval", "own", "own.jsonl", "--cache", "c")
    assert (failed.code, failed.err.startswith("error: own.jsonl line 1, at: 'noon' is no time")) == (2, True)
