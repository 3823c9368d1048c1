"""Probable misses: what was said again, or corrected, after a search that had left it out."""

from __future__ import annotations

from datetime import timedelta

import pytest

from onrecord import InvalidInput, Memory
from onrecord.model.scope import Reach
from onrecord.providers.scripted import SteppingClock

SEATS = "Remember that I prefer window seats on trains."
ASKED = "Book me something to Lyon for Friday, please."


def missed(memory: Memory, question: str, later: str, *, thread: str = "s") -> list[tuple[str, str, str, bool]]:
    """Record, question, later turn, and whether it corrected, of every miss after a question and what was said next."""
    session = memory.session(thread, user_id="ana")
    session.context(question)
    session.add([question, {"role": "assistant", "content": "Booked: seat 61, on the aisle."}])
    session.add(later)
    found = memory.misses(user_id="ana")
    return [(miss.record.statement, miss.trace.query, miss.turn.text, miss.corrected) for miss in found]


@pytest.mark.parametrize(
    "later",
    [
        "I prefer window seats on trains.",
        "As I said, I prefer window seats on trains.",
        "I already told you: window seats on trains.",
    ],
)
def test_what_is_said_again_after_a_search_that_left_it_out_is_a_miss(memory: Memory, later: str) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    assert missed(memory, ASKED, later) == [(SEATS, ASKED, later, False)]
    (miss,) = memory.misses(user_id="ana")
    assert miss.why


def test_a_correction_after_such_a_search_is_listed_as_one(memory: Memory) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    later = "Actually, I prefer aisle seats on trains now."
    assert missed(memory, ASKED, later) == [(SEATS, ASKED, later, True)]


def test_what_the_search_returned_was_not_missed(memory: Memory) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    question = "Do I prefer window seats on trains?"
    assert memory.search(question, user_id="ana").hits
    assert missed(memory, question, "I prefer window seats on trains.") == []


def test_what_came_on_record_after_the_search_was_not_missed(memory: Memory) -> None:
    session = memory.session("s", user_id="ana")
    session.context(ASKED)
    session.add([ASKED, SEATS])
    session.add("I prefer window seats on trains.")
    assert memory.misses(user_id="ana") == []


def test_a_search_in_another_thread_or_long_before_is_none_of_this_turn(memory: Memory, clock: SteppingClock) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    memory.session("other", user_id="ana").context(ASKED)
    memory.search(ASKED, user_id="ana")
    clock.now += timedelta(days=2)
    memory.session("s", user_id="ana").add("I prefer window seats on trains.")
    assert memory.misses(user_id="ana") == []


def test_words_of_an_assistant_repeat_nothing(memory: Memory) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    session = memory.session("s", user_id="ana")
    session.context(ASKED)
    session.add([ASKED, {"role": "assistant", "content": "You prefer window seats on trains."}])
    assert memory.misses(user_id="ana") == []


def test_a_number_or_a_not_that_differs_is_no_reminder(memory: Memory) -> None:
    memory.add("Remember that the shuttle leaves at 07:40 from gate 12.", user_id="ana", session_id="before")
    for later in ("It says the shuttle leaves at 08:10 from gate 12.", "Did not the shuttle leave from gate 12?"):
        assert missed(memory, "Plan my Friday.", later, thread=later[:6]) == []


def test_nobody_sees_the_misses_of_another(memory: Memory) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    assert missed(memory, ASKED, "I prefer window seats on trains.")
    assert memory.misses(user_id="bo") == []


def test_since_and_limit_narrow_the_list_and_are_checked(memory: Memory, clock: SteppingClock) -> None:
    memory.add(SEATS, user_id="ana", session_id="before")
    assert missed(memory, ASKED, "I prefer window seats on trains.")
    assert memory.misses(user_id="ana", since=clock.now + timedelta(days=1)) == []
    with pytest.raises(InvalidInput, match="limit"):
        memory.misses(user_id="ana", limit=0)
    with pytest.raises(InvalidInput, match="since"):
        memory.misses(user_id="ana", since="last week")  # type: ignore[arg-type]


def test_an_erased_record_leaves_no_miss_and_no_words_in_the_trace(memory: Memory) -> None:
    record = memory.add(SEATS, user_id="ana", session_id="before").records[0]
    session = memory.session("s", user_id="ana")
    session.add(["Which seats do I prefer on trains?", {"role": "assistant", "content": "The window seats."}])
    trace = session.search("and on buses, do I prefer window seats there?").trace
    memory.delete(record.id, user_id="ana")
    assert memory.misses(user_id="ana") == []
    left = memory.engine.store.trace(Reach("default", ("user:ana",)), trace.id)
    assert left is not None
    assert (left.query, left.message) == ("", "")
