"""What a message of a thread asks, and when it asks it by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.turn import Role
from onrecord.policy.language.text import query_terms
from onrecord.policy.recall.followup import Built, follow_up
from onrecord.policy.recall.leaning import Lean, leaning
from onrecord.testing.builders import a_turn

NOW = datetime(2026, 3, 3, tzinfo=UTC)


def thread(*said: str, first: Role = Role.USER) -> list[Any]:
    """Turns in turn, the person's first."""
    roles = (first, Role.ASSISTANT if first is Role.USER else Role.USER)
    return [a_turn(f"t{n}", role=roles[n % 2], text=text, seq=n + 1) for n, text in enumerate(said)]


def words(built: Built) -> set[str]:
    return set(query_terms(built.text))


ALONE = [
    "Are we renewing the lease on the building?",
    "What does Tobias charge for the tall stove?",
    "and when does the ferry to Skye leave in winter?",
    "Does Ines still play the cello now that she moved?",
    "When did Carla buy herself the kayak?",
    "How long does it take to fire the big kiln?",
    "Is it safe to run the pump at night?",
    "What is the name of the dog that was found by the canal?",
    "What did the IT people say about the printer on Tuesday?",
    "Was ist der Code für die Garage im Hof?",
    "¿Cuándo abre la piscina municipal de Getafe?",
]


@pytest.mark.parametrize("message", ALONE)
def test_a_message_that_stands_alone_takes_nothing_from_its_thread(message: str) -> None:
    turns = thread("Which spelling does the mill want?", "British, and single quotation marks.")
    assert follow_up(message, turns) == Built(message)


@pytest.mark.parametrize("message", ["and his?", "the second one?", "why?", "and on Mondays?", "what about the other?"])
def test_where_nothing_was_said_before_the_message_is_all_there_is(message: str) -> None:
    assert follow_up(message, []) == Built(message)
    assert follow_up(message, thread(message)) == Built(message)


def test_a_pronoun_gets_the_name_it_stands_for() -> None:
    turns = thread("Who is on the desk this week?", "Ines is on the desk until Friday.")
    built = follow_up("may I call her on Sundays?", turns)
    assert built == Built("may I call Ines on Sundays?", ("t0", "t1"))


def test_a_possessive_alone_asks_the_question_before_of_the_other_person() -> None:
    built = follow_up("and his?", thread("What is the shoe size of Ines?", "It is 38. Bruno has another one."))
    assert {"shoe", "size"} <= words(built)


def test_somebody_who_was_only_called_by_what_they_are_is_found_too() -> None:
    built = follow_up("and on Sundays, what does she eat?", thread("what does my mother have for breakfast?", "Oatmeal."))
    assert {"mother", "sunday", "eat"} <= words(built)


def test_a_place_takes_the_place_of_the_place_before() -> None:
    built = follow_up("same for Bergen", thread("When does the shop in Oslo open?", "At nine."))
    assert "bergen" in words(built)
    assert "oslo" not in words(built)
    assert {"shop", "open"} <= words(built)


def test_what_has_the_same_preposition_changes_places() -> None:
    built = follow_up("and for the board?", thread("How do I lay out a report for the company?", "In bullets."))
    assert built.text == "How do I lay out a report for the board"


def test_a_day_takes_the_place_of_a_day() -> None:
    built = follow_up("And on Saturdays?", thread("how many loaves do we bake on a weekday", "42"))
    assert built.text == "how many loaves do we bake on Saturdays"


def test_what_follows_a_follow_up_is_built_from_what_that_meant() -> None:
    turns = thread("When does the shop in Oslo open?", "At nine.", "and in Bergen?", "At ten.")
    built = follow_up("and in Narvik?", turns)
    assert {"shop", "open", "narvik"} <= words(built)
    assert not {"oslo", "bergen"} & words(built)
    assert built.turns == ("t0", "t1", "t2", "t3")


@pytest.mark.parametrize(
    ("message", "wanted", "other"),
    [
        ("when is the second one?", "Sawtooth", "Lochsa"),
        ("And the first?", "Lochsa", "Sawtooth"),
        ("the latter?", "Sawtooth", "Lochsa"),
    ],
)
@pytest.mark.parametrize("answer", ["The Lochsa ride and the Sawtooth ride.", "1. Lochsa ride\n2. Sawtooth ride"])
def test_what_counts_to_a_place_means_what_was_listed_there(message: str, wanted: str, other: str, answer: str) -> None:
    built = follow_up(message, thread("Which rides have I planned?", answer))
    assert wanted in built.text
    assert other not in built.text


def test_a_place_that_nothing_was_listed_at_is_not_made_up() -> None:
    built = follow_up("and the fourth?", thread("Which rides have I planned?", "The Lochsa and the Sawtooth."))
    assert "ride" in words(built)


def test_another_source_is_asked_for_the_same_matter() -> None:
    turns = thread("How far do I cut the dose according to Dr. Okafor?", "By 40 %.")
    built = follow_up("and what does the nurse say?", turns)
    assert {"nurs", "cut", "dose"} <= words(built)
    assert "okafor" not in words(built)


@pytest.mark.parametrize("message", ["why?", "since when?", "und warum nicht?", "¿desde cuándo?", "pourquoi ?"])
def test_a_bare_question_word_asks_about_the_last_exchange(message: str) -> None:
    built = follow_up(message, thread("Do we still open on Mondays?", "No, the ovens rest then. Tuesday is next."))
    assert {"open", "monday", "oven"} <= words(built)
    assert "tuesday" not in words(built)


def test_german_fragments_and_pronouns_lean_too() -> None:
    turns = thread("Wo arbeitet Nele?", "Nele arbeitet in der Bibliothek.")
    assert "nele" in words(follow_up("und wann arbeitet sie dort?", turns))
    assert leaning("was ist mit Berlin?").lean is Lean.FRAGMENT


def test_tools_and_empty_turns_are_passed_over() -> None:
    turns = [
        *thread("When does the shop in Oslo open?", "At nine."),
        a_turn("t9", role=Role.TOOL, text="{'weather': 'rain'}", seq=3),
        a_turn("t10", role=Role.ASSISTANT, text=" ", seq=4),
    ]
    built = follow_up("and in Bergen?", turns)
    assert built.turns == ("t0", "t1")


def test_the_message_itself_at_the_end_of_the_thread_is_not_its_own_past() -> None:
    turns = thread("When does the shop in Oslo open?", "At nine.", "and in Bergen?")
    assert follow_up("and in Bergen?", turns) == follow_up("and in Bergen?", turns[:2])


def test_an_answer_nobody_asked_for_is_something_to_lean_on() -> None:
    built = follow_up("why is that?", thread("Your order of larch boards is late.", first=Role.ASSISTANT))
    assert {"larch", "board"} <= words(built)


@given(
    st.text(max_size=80) | st.sampled_from(["and his?", "the second?", "why?", "it?", "what about " * 30, *ALONE]),
    st.lists(st.tuples(st.sampled_from(list(Role)), st.text(max_size=60)), max_size=6),
)
def test_any_thread_gives_a_text_and_turns_that_are_its_own_in_order(message: str, said: list[tuple[Role, str]]) -> None:
    turns = [a_turn(f"t{n}", role=role, text=text, seq=n + 1) for n, (role, text) in enumerate(said)]
    built = follow_up(message, turns)
    ids = [turn.id for turn in turns]
    assert list(built.turns) == [id for id in ids if id in built.turns]
    assert built.turns or built.text == message
    assert follow_up(message, turns) == built


@given(
    st.lists(st.sampled_from("and the second one his her it that why Bergen Oslo open shop 2 ? , on Monday".split()), max_size=12)
)
def test_what_leans_says_what_it_lacks_and_keeps_its_own_names(parts: list[str]) -> None:
    message = " ".join(parts)
    built = follow_up(message, thread("Which ferry goes to Skye?", "The CalMac ferry."))
    if built.turns:
        assert leaning(message).lean is not Lean.ALONE
    assert {"Bergen", "Oslo"} & set(parts) <= {word.title() for word in built.text.split()} | set(parts) - {"Bergen", "Oslo"}
