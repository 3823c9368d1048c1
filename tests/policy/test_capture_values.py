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


@pytest.mark.parametrize(
    ("statement", "key", "value"),
    [
        ("Ravi is my manager.", "manager", "Ravi"),
        ("Ravi is my boss at Acme", "manager", "Ravi"),
        ("Helix is my favourite editor now", "favourite_editor", "Helix"),
        ("I report to Ravi.", "manager", "Ravi"),
        ("I'm based in Oslo these days.", "home_city", "Oslo"),
        ("My home is now in Porto.", "home_city", "Porto"),
        ("Mum is my emergency contact", "emergency_contact", "Mum"),
    ],
)
def test_what_is_somebodys_is_read_by_its_value_too(statement: str, key: str, value: str) -> None:
    assert key_of(statement, Vocabulary()) == key
    assert value_of(statement, key) == value


@pytest.mark.parametrize(
    "statement",
    [
        "This is my editor.",
        "He is my boss.",
        "Ravi was my manager.",
        "Ravi is no longer my manager.",
        "Is Ravi my boss?",
        "Blue is our team colour.",
        "English is my second language.",
        "My flat is in a mess.",
        "Honesty is my policy.",
    ],
)
def test_what_only_looks_as_if_it_were_somebodys_has_no_key(statement: str) -> None:
    assert key_of(statement, Vocabulary()) is None
