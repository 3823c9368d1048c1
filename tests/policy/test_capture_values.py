"""The value of a statement is the thing itself, without what else the sentence says."""

from __future__ import annotations

import pytest

from onrecord.memory import Memory
from onrecord.model.receipt import Result
from onrecord.policy.capture.key import key_of, value_of
from onrecord.policy.language.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("statement", "key", "value"),
    [
        ("My name is Ana Ruiz and I'm 34", "name", "Ana Ruiz"),
        ("I work at Acme as a data engineer", "employer", "Acme"),
        ("I now work at Globex.", "employer", "Globex"),
        ("Call me Bea.", "nickname", "Bea"),
        ("Please call me Annie instead.", "nickname", "Annie"),
    ],
)
def test_a_value_ends_where_the_sentence_goes_on(statement: str, key: str, value: str) -> None:
    found = key_of(statement, Vocabulary())
    assert (found, value_of(statement, found)) == (key, value)


@pytest.mark.parametrize("statement", ["Please never call me before nine.", "Call me after lunch.", "Don't call me Bob."])
def test_when_to_call_is_no_name_to_be_called(statement: str) -> None:
    assert key_of(statement, Vocabulary()) != "nickname"


def test_a_new_employer_said_plainly_replaces_the_old_one(memory: Memory) -> None:
    memory.add("I work at Acme.", user_id="ana")
    (item,) = memory.add("I now work at Globex.", user_id="ana").items
    assert item.result is Result.SUPERSEDED
    assert [record.value for record in memory.get_all(user_id="ana")] == ["Globex"]
