"""Questions of experience whose first hits deny it: the other side is given a place, and nothing else moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.query import Corpus
from onrecord.model.trace import Scored
from onrecord.model.turn import Role
from onrecord.policy.recall.experience import with_other_side
from onrecord.policy.recall.question import understand
from onrecord.testing.builders import NOW, a_turn

ASKED = "Have I ever tested the contact form?"
DENIAL = "I've never tested the contact form."
TALK = [f"The contact form could be blue, says number {n}." for n in range(12)]
DONE = "After debugging all week my form tests passed fifty runs."


def order(question: str, texts: list[str], role: Role = Role.USER) -> list[str]:
    turns = {f"t{n:02}": a_turn(f"t{n:02}", text, role=role) for n, text in enumerate(texts)}
    ranked = [Scored(id, Corpus.TURNS, 1.0 - n / 100, 0.9) for n, id in enumerate(turns)]
    found = with_other_side(understand(question, now=NOW), ranked, turns)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    return [turns[one.id].text for one in found]


def test_what_tells_of_something_done_stands_right_behind_the_seventh_where_the_first_denies_it() -> None:
    found = order(ASKED, [DENIAL, *TALK, DONE])
    assert found.index(DONE) == 7
    assert [text for text in found if text != DONE] == [DENIAL, *TALK]


def test_of_many_only_three_are_moved() -> None:
    many = [f"I completed test run {n} of the form." for n in range(5)]
    assert order(ASKED, [DENIAL, *TALK, *many])[7:10] == many[:3]


def test_nothing_moves_where_nothing_is_denied_or_no_experience_is_asked_for() -> None:
    for question, first in (
        (ASKED, TALK[0]),
        ("Which colour has the contact form?", DENIAL),
        (ASKED, "I have never been to Rome."),
    ):
        assert order(question, [first, *TALK, DONE]) == [first, *TALK, DONE]


def test_an_assistants_words_are_no_experience_of_a_person() -> None:
    assert order(ASKED, [DENIAL, *TALK, DONE], Role.ASSISTANT) == [DENIAL, *TALK, DONE]


@given(st.lists(st.sampled_from([DENIAL, DONE, *TALK]), max_size=20), st.sampled_from([ASKED, "Did we test it?", "Where is it?"]))
def test_nothing_is_lost_and_the_first_seven_stay(texts: list[str], question: str) -> None:
    found = order(question, texts)
    assert sorted(found) == sorted(texts)
    assert found[:7] == texts[:7]
