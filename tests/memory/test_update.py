from __future__ import annotations

from datetime import timedelta

import pytest

from onrecord.memory import Memory
from onrecord.model.receipt import Result
from onrecord.model.record import SourceType
from onrecord.providers.scripted import SteppingClock


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("I live in Oslo.", "Oslo"),
        ("The flat in Rome is home.", "Rome"),
        ("Home is by the sea.", None),
        ("I work at Acme.", None),
    ],
)
def test_new_words_bring_their_own_value_or_none(memory: Memory, statement: str, value: str | None) -> None:
    (record,) = memory.remember("I live in Rome.", user_id="ana", key="home_city", value="Rome").records
    edited = memory.update(record.id, statement, user_id="ana")
    assert (edited.key, edited.value) == ("home_city", value)


def test_a_value_that_is_named_with_the_words_is_taken_as_it_is(memory: Memory) -> None:
    (record,) = memory.remember("I live in Rome.", user_id="ana", key="home_city", value="Rome").records
    assert memory.update(record.id, "I live in Oslo.", user_id="ana", value="Oslo, Norway").value == "Oslo, Norway"


def test_after_an_edit_the_old_value_is_news_and_no_restatement(memory: Memory) -> None:
    (record,) = memory.remember("I live in Rome.", user_id="ana", key="home_city", value="Rome").records
    memory.update(record.id, "I live in Oslo.", user_id="ana")
    (item,) = memory.add("I moved to Rome.", user_id="ana").items
    assert item.result is Result.SUPERSEDED


def test_edited_words_are_said_now_by_whose_memory_it_is(memory: Memory, clock: SteppingClock) -> None:
    said = {"role": "user", "name": "Ben", "content": "Our office has moved to Hamar."}
    (record,) = memory.add(said, subject="team:ops", infer=False).records
    clock.now += timedelta(days=3)
    edited = memory.update(record.id, "Our office has moved to Hamar, next to the mill.", subject="team:ops")
    assert (record.author, edited.author, edited.source.type) == ("Ben", "caller", SourceType.HUMAN_EDIT)
    assert edited.said_at - record.said_at >= timedelta(days=3)
    (mine,) = memory.remember("I live in Rome.", user_id="ana").records
    assert memory.update(mine.id, "I live in Oslo.", user_id="ana").author == "ana"


def test_an_edit_that_says_nothing_new_leaves_who_said_it_and_when(memory: Memory, clock: SteppingClock) -> None:
    (record,) = memory.add(
        {"role": "user", "name": "Ben", "content": "We meet on Mondays."}, subject="team:ops", infer=False
    ).records
    clock.now += timedelta(days=3)
    edited = memory.update(record.id, subject="team:ops", pinned=True, metadata={"seen": True})
    assert (edited.author, edited.said_at, edited.source) == (record.author, record.said_at, record.source)


def test_what_was_said_before_an_edit_and_arrives_after_it_corrects_nothing(memory: Memory, clock: SteppingClock) -> None:
    (record,) = memory.remember("I live in Rome.", user_id="ana", key="home_city", value="Rome").records
    clock.now += timedelta(days=9)
    memory.update(record.id, "I live in Oslo.", user_id="ana")
    memory.add("Actually, I live in Turin now.", user_id="ana", at=clock.now - timedelta(days=5))
    (current,) = memory.get_all(user_id="ana", filters={"key": "home_city"})
    assert current.value == "Oslo"
