"""Questions are answered by a model behind a real server, scored, and what went wrong is told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.providers.loopback import Loopback, Reply

from onrecord.build import open_reader
from onrecord.errors import ModelUnavailable
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.evals.ingest import TENANT, ingest
from onrecord.evals.metrics import contains
from onrecord.evals.qa import PROMPTS, Answering, Given, evaluate_qa, fault, prompt, report
from onrecord.evals.ways import OURS, VECTORS, WHOLE, WINDOW, WORDS, Shown, Ways
from onrecord.memory import Memory
from onrecord.model.turn import Role
from onrecord.ports import Usage
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock

pytest.importorskip("httpx2")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = ("I joined a rowing club in Leith.", "My dentist moved to Granton.", "We saw a heron by the canal.")
DOCS = Path(__file__).parents[2] / "docs" / "evaluation.md"


class Scholar(Loopback):
    """Answers questions from ``answers``, and judges that whatever holds a word of ``right`` is right."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[str, Any] = {}
        self.right: tuple[str, ...] = ()
        self.asked: list[str] = []

    def reply(self, path: str, body: dict[str, Any]) -> Reply:
        said = body["messages"][1]["content"]
        self.asked.append(said)
        if '"right answer"' in said:
            content: Any = {"correct": any(word in json.loads(said)["answer"] for word in self.right)}
        else:
            content = next(
                (given for question, given in self.answers.items() if question in said), {"known": False, "answer": ""}
            )
        spoken = content if isinstance(content, str) else json.dumps(content)
        usage = {"prompt_tokens": 100, "completion_tokens": 7}
        return 200, {}, {"choices": [{"message": {"content": spoken}}], "usage": usage}


@pytest.fixture
def scholar() -> Iterator[Scholar]:
    server = Scholar()
    yield server
    server.close()


def question(id: str, text: str, answer: str, *gold: str, category: str = "plain", abstain: bool = False) -> Question:
    at = NOON + timedelta(days=3)
    return Question(id=id, talk="t", text=text, category=category, at=at, gold=frozenset(gold), abstain=abstain, answer=answer)


CLUB = question("q1", "Which club?", "a rowing club", "l0")
DENTIST = question("q2", "Where is the dentist?", "Granton", "l1")
DOG = question("q3", "What is the dog called?", "", abstain=True, category="never said")


def a_dataset(*questions: Question) -> Dataset:
    lines = [
        Line(id=f"l{n}", session="s", at=NOON + timedelta(minutes=n), role=Role.USER, author="ana", text=text)
        for n, text in enumerate(SAID)
    ]
    return Dataset(name="tiny", talks={"t": Talk("t", tuple(lines))}, questions=questions)


def answered(
    scholar: Scholar, dataset: Dataset, *, judge: bool = False, systems: tuple[str, ...] = (OURS,), done: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    model = open_reader(f"{scholar.url}/v1#scholar")
    rows: list[dict[str, Any]] = []
    clock = SteppingClock(NOON)
    with Memory(":memory:", tenant=TENANT, embedder=HashingEmbedder(), clock=clock) as memory:
        answering = Answering(model, model if judge else None, 2_000)
        evaluate_qa(dataset, memory, clock, answering, systems=systems, done=done, keep=rows.append)
    return rows


def test_an_answer_with_every_word_of_the_key_is_right(scholar: Scholar) -> None:
    scholar.answers = {"Which club?": {"known": True, "answer": "She joined the rowing club"}}
    (row,) = answered(scholar, a_dataset(CLUB))
    assert row["systems"][OURS]["right"] == 1.0
    assert row["systems"][OURS]["F1"] == pytest.approx(2 * 2 / (4 + 2))  # "the" and "a" count for nothing
    assert row["usage"][OURS] == [1, 100, 0, 7]
    assert "rowing club in Leith" in scholar.asked[0]
    assert scholar.asked[0].endswith('{"question": "Which club?", "asked": "2026-03-04 12:00"}')


def test_what_was_shown_and_not_used_is_told_from_what_was_not_found(scholar: Scholar) -> None:
    scholar.answers = {"Which club?": {"known": True, "answer": "chess"}}
    (row,) = answered(scholar, a_dataset(CLUB), systems=(WHOLE,))
    assert (row["faults"][WHOLE], row["systems"][WHOLE]["right"]) == ("not used", 0.0)
    given = Given(False, "", Usage())
    assert fault(CLUB, given, Shown(frozenset(), 0, "")) == "not retrieved"
    assert fault(CLUB, given, Shown(frozenset(), 0, "", rested=frozenset({"l0"}))) == "not used"
    assert fault(replace(CLUB, gold=frozenset()), given, Shown(frozenset(), 0, "")) == "no evidence"


def test_silence_is_right_where_nothing_was_said_and_an_answer_is_made_up(scholar: Scholar) -> None:
    silent, made_up = answered(scholar, a_dataset(DOG)), []
    scholar.answers = {"the dog called": {"known": True, "answer": "Rex"}}
    made_up = answered(scholar, a_dataset(DOG))
    assert silent[0]["systems"][OURS]["right"] == 1.0
    assert "F1" not in silent[0]["systems"][OURS]
    assert made_up[0]["faults"][OURS] == "made up"


def test_a_judge_is_asked_where_there_is_something_to_judge(scholar: Scholar) -> None:
    scholar.answers = {"Which club?": {"known": True, "answer": "one for rowers"}}
    scholar.right = ("rowers",)
    club, dentist, dog = answered(scholar, a_dataset(CLUB, DENTIST, DOG), judge=True)
    assert [row["systems"][OURS]["right"] for row in (club, dentist, dog)] == [1.0, 0.0, 1.0]
    assert [row["usage"][OURS][0] for row in (club, dentist, dog)] == [2, 1, 1]


def test_a_judge_that_cannot_be_read_leaves_it_to_the_words(scholar: Scholar) -> None:
    scholar.answers = {"Which club?": {"known": True, "answer": "a rowing club"}}
    judge = Scholar()
    judge.due = [(200, {}, {"choices": [{"message": {"content": "hm"}}]})] * 8
    rows: list[dict[str, Any]] = []
    clock = SteppingClock(NOON)
    with Memory(":memory:", tenant=TENANT, embedder=HashingEmbedder(), clock=clock) as memory:
        models = Answering(open_reader(f"{scholar.url}/v1#a"), open_reader(f"{judge.url}/v1#b"))
        evaluate_qa(a_dataset(CLUB), memory, clock, models, systems=(OURS,), keep=rows.append)
    judge.close()
    assert (rows[0]["unjudged"], rows[0]["systems"][OURS]["right"]) == ([OURS], 1.0)


def test_an_answer_that_cannot_be_read_is_counted_as_such(scholar: Scholar) -> None:
    scholar.answers = {"Which club?": "I would rather not say"}
    (row,) = answered(scholar, a_dataset(CLUB))
    assert row["faults"][OURS] == "unusable"


def test_a_model_that_is_away_ends_the_run_and_what_was_answered_stays(scholar: Scholar) -> None:
    scholar.answers = {"Which club?": {"known": True, "answer": "rowing club"}}
    rows: list[dict[str, Any]] = []
    clock = SteppingClock(NOON)
    model = open_reader(f"{scholar.url}/v1#scholar")

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        scholar.due = [(401, {}, {})]

    with (
        Memory(":memory:", tenant=TENANT, embedder=HashingEmbedder(), clock=clock) as memory,
        pytest.raises(ModelUnavailable),
    ):
        evaluate_qa(a_dataset(CLUB, DENTIST), memory, clock, Answering(model), systems=(OURS,), keep=keep)
    assert [row["id"] for row in rows] == ["q1"]
    assert [row["id"] for row in answered(scholar, a_dataset(CLUB, DENTIST), done=("q1",))] == ["q2"]


def test_the_report_counts_what_went_wrong_and_leaves_apart_what_the_set_does(scholar: Scholar) -> None:
    scholar.answers = {
        "Which club?": {"known": True, "answer": "a rowing club"},
        "the dog called": {"known": True, "answer": "Rex"},
    }
    rows = answered(scholar, a_dataset(CLUB, DENTIST, DOG), systems=(OURS, WORDS))
    found = report(rows, apart=["never said"], seed=1)
    assert set(found["classes"]) == {"all", "plain", "never said"}
    assert (found["classes"]["all"][OURS]["n"], found["classes"]["all"][OURS]["right"]) == (2, 0.5)
    assert found["classes"]["never said"][WORDS]["faults"]["made up"] == 1
    assert found["usage"] == {"calls": 6, "given": 600, "cached": 0, "written": 42}


def test_questions_without_a_key_are_not_asked(scholar: Scholar) -> None:
    assert answered(scholar, a_dataset(replace(CLUB, answer=" "))) == []


def test_every_way_shows_within_its_tokens(scholar: Scholar) -> None:
    dataset = a_dataset(CLUB)
    with Memory(":memory:", tenant=TENANT, embedder=HashingEmbedder(), clock=SteppingClock(NOON)) as memory:
        ingest(memory.engine, dataset, capture=True)
        ways = Ways(memory, dataset)
        shown = {way: ways.shown(way, CLUB, 400) for way in (OURS, WORDS, VECTORS, WINDOW, WHOLE)}
        small = ways.shown(WINDOW, CLUB, 45)
    assert all("rowing club" in one.text for one in shown.values())
    assert all(one.tokens <= 400 for one in shown.values())
    assert "l2" in small.lines
    assert "l0" not in small.lines


def test_containment_by_hand() -> None:
    assert contains("On 7 May, 2023.", "7 May 2023") == 1.0
    assert contains("May 7", "7 May 2023") == 0.0
    assert contains("two", "two two") == 0.0
    with pytest.raises(ValueError):
        contains("x", "?!")


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompts_are_published_word_for_word(name: str) -> None:
    text = " ".join(DOCS.read_text("utf-8").replace("\n> ", "\n").replace("\n>\n", "\n\n").split())
    assert prompt(name).tag in text
    assert " ".join(prompt(name).text.split()) in text
