"""The same words with another value: of one thing they clash, of several they stand beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.memory import Memory
from onrecord.model.record import Status
from onrecord.policy.correction.revalued import revalued
from onrecord.policy.correction.several import of_several
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.deciding import DAY, T0

#: Said within one conversation, without a word that the first was wrong.
CLASHES = [
    ("My locker is number 14.", "My locker is number 41."),
    ("The locker is 14.", "The locker is 41."),
    ("The clinic opens at eight.", "The clinic opens at nine."),
    ("The shop closes at 6 pm.", "The shop closes at 7 pm."),
    ("The wedding is in Ludlow.", "The wedding is in Malvern."),
    ("The office code of the project is Falcon.", "The office code of the project is Heron."),
    ("The deadline is Friday.", "The deadline is Monday."),
    ("Our meeting room is the Oak room.", "Our meeting room is the Elm room."),
    ("The wifi is called Birch.", "The wifi is called Pine."),
    ("My flat is on the second floor.", "My flat is on the fourth floor."),
    ("The password hint is maple.", "The password hint is walnut."),
    ("The keeper of the keys is Ana.", "The keeper of the keys is Ben."),
    ("I was born in Tromso.", "I was born in Bergen."),
    ("The budget is 500 euros.", "The budget is 800 euros."),
]
#: Of several things, several times, or of one of many.
SEVERAL = [
    ("Locker 0 belongs to crew 0.", "Locker 1 belongs to crew 1."),
    ("Locker 0-1 belongs to crew 0.", "Locker 0-2 belongs to crew 0."),
    ("Room 1 has 10 seats.", "Room 2 has 20 seats."),
    ("My daughter is called Ida.", "My daughter is called Mia."),
    ("My son is 4 years old.", "My daughter is 6 years old."),
    ("I have a dog called Rex.", "I have a dog called Bruno."),
    ("I am allergic to nuts.", "I am allergic to eggs."),
    ("The clinic opens at eight on Mondays.", "The clinic opens at nine on Saturdays."),
    ("The clinic opens at eight.", "The clinic closes at nine."),
    ("The clinic opens at eight.", "The clinic opens at nine on Saturdays."),
    ("We open at 8 in summer.", "We open at 9 in winter."),
    ("The museum is closed on Mondays.", "The museum is closed on Tuesdays."),
    ("Gate 4 opens at 8.", "Gate 5 opens at 9."),
    ("The red team meets at 9.", "The blue team meets at 10."),
    ("The budget for food is 500 euros.", "The budget for travel is 800 euros."),
    ("The first exam is on Monday.", "The second exam is on Friday."),
    ("The next bus is at 8.", "The next bus is at 9."),
    ("One of my brothers is called Tim.", "One of my brothers is called Jon."),
    ("Mum's number is 14.", "Dad's number is 41."),
    ("I speak French.", "I speak Dutch."),
    ("I play the piano.", "I play tennis."),
    ("I own a house in Leeds.", "I own a house in York."),
    ("I have been to Rome.", "I have been to Oslo."),
    ("I know Ana.", "I know Ben."),
    ("There is parking at the cottage.", "There is parking at the hall."),
    ("The order has 3 lamps.", "The order has 5 chairs."),
    ("The wedding is in Ludlow.", "The wedding is in Ludlow Castle."),
    ("The wedding was on Monday.", "The wedding was on Friday."),
    ("The boat is blue.", "The boat is old."),
]


def states(folder: Path, *said: str, days: float = 0.0) -> list[tuple[str, Status]]:
    """What is on record after each was said five minutes, or so many days, after the one before."""
    clock = SteppingClock(T0)
    with Memory(folder / "memory.db", clock=clock) as memory:
        for n, text in enumerate(said):
            clock.now = T0 + n * (DAY * days or DAY / 288)
            memory.add(text, user_id="ana", session_id="talk")
        return sorted((record.statement, record.status) for record in memory.get_all(user_id="ana"))


@pytest.mark.parametrize(("old", "new"), CLASHES)
def test_the_same_words_with_another_value_are_never_kept_as_two_truths(old: str, new: str, tmp_path: Path) -> None:
    assert revalued(old, new)
    assert states(tmp_path, old, new) == sorted([(old, Status.CONFLICTED), (new, Status.CONFLICTED)])


@pytest.mark.parametrize(("old", "new"), SEVERAL)
def test_what_can_be_several_is_never_in_conflict(old: str, new: str, tmp_path: Path) -> None:
    assert not revalued(old, new)
    for name in "abc":
        (tmp_path / name).mkdir()
    alone = states(tmp_path / "a", old) + states(tmp_path / "b", new)
    assert states(tmp_path / "c", old, new) == sorted(alone)


@pytest.mark.parametrize("cue", ["Sorry, ", "Correction: ", "Actually, "])
def test_a_word_of_correction_puts_the_first_in_the_past(cue: str, tmp_path: Path) -> None:
    new = f"{cue}my locker is number 41."
    held = states(tmp_path, "My locker is number 14.", new)
    assert [status for _, status in held] == [Status.ACTIVE]
    assert "41" in held[0][0]


def test_days_later_the_later_one_holds(tmp_path: Path) -> None:
    assert states(tmp_path, "My locker is number 14.", "My locker is number 41.", days=20) == [
        ("My locker is number 41.", Status.ACTIVE)
    ]


def test_a_third_value_joins_the_conflict_and_a_correction_ends_it(tmp_path: Path) -> None:
    three = [f"The clinic opens at {hour}." for hour in ("eight", "nine", "ten")]
    (tmp_path / "a").mkdir()
    assert states(tmp_path / "a", *three) == sorted((text, Status.CONFLICTED) for text in three)
    last = "Correction: the clinic opens at eleven."
    assert states(tmp_path, *three, last) == [(last, Status.ACTIVE)]


def test_a_doubt_takes_nothing_back(tmp_path: Path) -> None:
    held = states(tmp_path, "The clinic opens at eight.", "Maybe the clinic opens at nine.")
    assert [status for _, status in held] == [Status.CONFLICTED] * 2


@given(st.sampled_from(CLASHES + SEVERAL))
def test_it_is_the_same_both_ways(pair: tuple[str, str]) -> None:
    assert revalued(*pair) == revalued(*reversed(pair))
    assert of_several(*pair) == of_several(*reversed(pair))


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_statement_gives_another_value_of_itself(one: str, two: str) -> None:
    assert not revalued(one, one)
    assert revalued(one, two) == revalued(two, one)
