"""The first thing a newcomer sees: real output, plain when piped, within 100 columns, and of every kind it promises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from rich.cells import cell_len

from onrecord.cli.demo import Play, play
from onrecord.cli.script import QUESTIONS, SITTINGS
from onrecord.model.receipt import Result

Run: TypeAlias = Callable[..., Any]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """The demo, played once."""
    return play(str(tmp_path_factory.mktemp("demo") / "demo.db"))


def test_every_outcome_it_promises_really_happens(shown: Play) -> None:
    outcomes = {item.result for exchange in shown.exchanges for item in exchange.receipt.items}
    assert outcomes >= set(Result) - {Result.MERGED}


def test_what_the_assistant_a_tool_and_the_weather_say_is_kept_from_the_record(shown: Play) -> None:
    kept = " ".join(item.record.statement for e in shown.exchanges for item in e.receipt.items if item.record)
    assert not any(word in kept for word in ("the sea", "eve@", "weather", "tired", "lottery"))


def test_a_card_number_is_nowhere_in_what_is_stored(shown: Play) -> None:
    assert not any("4111" in exchange.stored for exchange in shown.exchanges)


def test_the_newer_home_is_the_answer_and_nonsense_has_none(shown: Play) -> None:
    home, *_, nonsense = shown.answers
    assert "Porto" in home.hits[0].text
    assert not any("Lisbon" in hit.text for hit in home.hits)
    assert nonsense.hits == ()


def test_every_question_but_the_last_is_answered(shown: Play) -> None:
    assert [bool(answer.hits) for answer in shown.answers] == [True] * (len(QUESTIONS) - 1) + [False]


def test_the_context_holds_what_must_not_happen(shown: Play) -> None:
    assert any("before 9" in str(message["content"]) for message in shown.context.messages)


def test_the_story_goes_back_to_the_words_and_on_to_the_answer(shown: Play) -> None:
    assert shown.story is not None
    assert [turn.origin.thread for turn in shown.story.turns] == [SITTINGS[-1].thread]
    assert shown.story.verdicts
    assert shown.answers[0].trace_id in [trace.id for trace in shown.story.traces]


def test_the_page_is_plain_and_fits_when_piped(run: Run) -> None:
    page = run("demo")
    assert (page.code, page.err) == (0, "")
    assert "\x1b" not in page.out
    assert max(map(cell_len, page.out.splitlines())) <= 100
    for word in ("kept", "refused", "corrected", "restated", "conflict", "forgotten", "Asked", "Sent to the model", "Why"):
        assert word in page.out


def test_a_narrow_terminal_loses_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    narrow = "".join(run("demo").out.split())
    assert all("".join(question.split()) in narrow for question in QUESTIONS)


def test_the_demo_as_json(run: Run) -> None:
    told = run("demo", "--json").json()
    assert [answer["question"] for answer in told["answers"]] == list(QUESTIONS)
    assert told["exchanges"][0]["receipt"]["turns"][0]["result"] == "stored"


def test_it_leaves_nothing_behind_unless_it_is_kept(run: Run, home: Path) -> None:
    run("demo")
    assert list(home.iterdir()) == []
    assert "--db kept.db" in run("demo", "--keep", "kept.db").out
    assert run("list", "--db", "kept.db", "--user", "ana").code == 0
    assert run("demo", "--keep", "kept.db").err.startswith("error: --keep: kept.db exists")
