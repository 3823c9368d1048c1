"""Questions of one's own are answered by a model behind a real server, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.providers.loopback import Loopback, Reply

pytest.importorskip("httpx2")

Run: TypeAlias = Callable[..., Any]


class Rower(Loopback):
    """Knows one answer, whatever is asked."""

    def reply(self, path: str, body: dict[str, Any]) -> Reply:
        content = json.dumps({"known": True, "answer": "a rowing club"})
        return 200, {}, {"choices": [{"message": {"content": content}}]}


@pytest.fixture
def rower() -> Iterator[Rower]:
    server = Rower()
    yield server
    server.close()


@pytest.fixture
def own(home: Path) -> Path:
    rows = [
        {"role": "user", "content": "I joined a rowing club in Leith."},
        {"role": "user", "content": "My dentist moved to Granton."},
        {"question": "Which club did I join?", "answers": ["m1"], "answer": "rowing club"},
        {"question": "Where is my dentist?", "answers": ["m2"], "answer": "Granton"},
    ]
    path = home / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def test_ways_are_answered_side_by_side_and_an_interrupted_run_goes_on(run: Run, own: Path, rower: Rower, home: Path) -> None:
    reader = f"{rower.url}/v1#rower"
    words = ("eval", "qa", "own", own.name, "--reader", reader, "--system", "onrecord", "--system", "window", "--cache", "c")
    found = run(*words, "--rows", "r.jsonl", "--json").json()
    assert found["classes"]["all"]["onrecord"]["right"] == 0.5
    assert found["classes"]["all"]["sliding window"]["faults"]["not used"] == 1
    assert len(rower.requests) == 4
    kept = (home / "r.jsonl").read_text("utf-8").splitlines()
    (home / "r.jsonl").write_text("\n".join(kept[:2]) + "\n", "utf-8")
    shown = run(*words, "--rows", "r.jsonl", "--write", "qa.md")
    assert len(rower.requests) == 6
    assert "1 not used" in shown.out
    assert "| all | 2 | onrecord | 0.500" in (home / "qa.md").read_text("utf-8")


def test_without_a_model_it_says_which_is_wanted(run: Run, own: Path) -> None:
    failed = run("eval", "qa", "own", own.name, "--cache", "c")
    assert (failed.code, failed.err.startswith("error: --reader: is missing")) == (2, True)


def test_questions_without_an_answer_in_words_are_no_questions_to_answer(run: Run, home: Path) -> None:
    rows = [{"role": "user", "content": "I row."}, {"question": "Do I row?", "answers": ["m1"]}]
    (home / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    failed = run("eval", "qa", "own", "own.jsonl", "--reader", "http://127.0.0.1:9/v1#x", "--cache", "c")
    assert "no question of own with an answer in words" in failed.err
