from __future__ import annotations

import pytest

from onrecord.memory import Memory
from onrecord.model.receipt import Result


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
