"""Understanding a question by its words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.recall.question import (
    Aim,
    Asks,
    Order,
    Question,
    Voice,
    names,
    names_author,
    quotes,
    understand,
    windows,
    without_names,
)

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)


def asked(text: str) -> Question:
    return understand(text, now=NOW)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Who plays the cello?", Asks.WHO),
        ("When did Ana move?", Asks.WHEN),
        ("What time is the call?", Asks.WHEN),
        ("Where does she live?", Asks.WHERE),
        ("How many bikes do I own?", Asks.COUNT),
        ("What is the total cost of both?", Asks.COUNT),
        ("Which are the order of events, list them", Asks.LIST),
        ("Any tips for my kitchen?", Asks.PREFERENCE),
        ("Does Tom like tea?", Asks.YES_NO),
        ("blue notebook", Asks.OTHER),
    ],
)
def test_the_type_of_a_question(text: str, asks: Asks) -> None:
    assert asked(text).asks is asks


def test_whose_words_are_meant() -> None:
    assert asked("What did you recommend for dinner?").voice is Voice.ASSISTANT
    assert asked("Remind me of the hostel you mentioned").voice is Voice.ASSISTANT
    assert asked("Can you recommend a film for me?").voice is Voice.PERSON  # a request of today
    assert asked("Where do I keep my shoes?").voice is Voice.PERSON
    assert asked("Where does Caroline live?").voice is Voice.ANY


def test_names_are_words_with_a_capital_without_stop_words() -> None:
    assert names("When did Zoë's friend O'Brien meet Ana? I forgot") == {"zoe", "o'brien", "ana"}
    assert names("what is up") == frozenset()


def test_an_author_is_named_by_any_part_in_any_case() -> None:
    assert names_author(asked("what does caroline like"), "Caroline")
    assert names_author(asked("What does Ana think?"), "Ana Lima")
    assert not names_author(asked("What does Ana think?"), "Tom")


def test_names_of_those_who_speak_are_taken_out() -> None:
    assert without_names("What did Ana's sister tell Tom in Oslo?", ["Ana Lima", "Tom"]) == "What did sister tell in Oslo?"
    assert without_names("When will Will come?", ["Will"]) == "When will come?"
    assert without_names("Ana", ["Ana"]) == "Ana"


def test_a_span_of_time_ends_a_few_days_after_it() -> None:
    (window,) = asked("What did we say in February?").windows
    assert window.holds(datetime(2026, 2, 10, tzinfo=UTC))
    assert window.holds(datetime(2026, 3, 3, tzinfo=UTC))  # told later
    assert not window.holds(datetime(2026, 3, 10, tzinfo=UTC))
    assert not window.holds(datetime(2026, 1, 31, tzinfo=UTC))


def test_what_recurs_or_lies_ahead_points_at_no_span() -> None:
    assert asked("What do I do every day?").windows == ()
    assert asked("What is planned for tomorrow?").windows == ()


def test_since_reaches_up_to_now() -> None:
    (window,) = asked("What changed since 1 March 2026?").windows
    assert window.holds(NOW - timedelta(hours=1))
    assert not window.holds(datetime(2026, 2, 27, tzinfo=UTC))


def test_a_question_about_a_state_of_today_wants_the_newest_figure() -> None:
    today, story = asked("How many bikes do I have?"), asked("How many bikes did I own before 2020?")
    assert (today.figure, today.newest) == (True, True)
    assert story.newest is False


def test_keys_come_from_the_vocabulary() -> None:
    question = understand("What is my favourite colour?", now=NOW, vocabulary=Vocabulary())
    assert "favourite_colour" in question.keys


@given(st.text(max_size=80))
def test_any_text_is_a_question(text: str) -> None:
    assert understand(text, now=NOW, vocabulary=Vocabulary()).text == text


@pytest.mark.parametrize("text", ["", '"', "*", "AND OR NOT", "C++", "v2.3.1", "🙂", "京都", "NEAR(a, b)", "a:b -c ^d"])
def test_signs_of_query_languages_mean_nothing(text: str) -> None:
    assert isinstance(asked(text).terms, tuple)


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("Where does she live?", Aim.STATE),
        ("Has she moved to Munich?", Aim.STATE),
        ("Have we agreed on a date?", Aim.STATE),
        ("When did she run the race?", Aim.STORY),
        ("How was the concert last night?", Aim.STORY),
        ("What did you recommend for dinner?", Aim.SAID),
        ("What did I ask about the garden?", Aim.SAID),
        ("Remind me of our conversation about lamps", Aim.SAID),
    ],
)
def test_a_question_aims_at_what_is_so_at_what_happened_or_at_what_was_said(text: str, aim: Aim) -> None:
    assert understand(text, now=NOW).aim is aim


def test_a_question_in_the_words_of_what_was_said_quotes_it() -> None:
    said = "Hi! Please send the key to reception, when you leave."
    assert quotes("send the KEY to reception when you leave?", said)
    assert not quotes("send the key to reception before you leave", said)
    assert not quotes("the key", said)


def test_a_question_may_ask_for_records_of_a_kind() -> None:
    def kinds(text: str) -> set[str]:
        return set(understand(text, now=NOW).kinds)

    assert kinds("What did I decide last month?") == kinds("Which decisions were made?") == {"decision"}
    assert kinds("What do I prefer?") == {"preference"}
    assert kinds("What are the rules?") == {"constraint"}
    assert kinds("Where is the key?") == set()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("When did I first row to the lighthouse?", Order.FIRST),
        ("Where did Ana originally keep the boat?", Order.FIRST),
        ("When was the last time I saw the dentist?", Order.LAST),
        ("What did Ana most recently paint?", Order.LAST),
        ("When did we last talk about the roof?", Order.LAST),
        ("What did we say last month?", None),
        ("What is the first name of the plumber?", None),
    ],
)
def test_which_of_several_times_is_meant(text: str, order: Order | None) -> None:
    assert understand(text, now=NOW).order is order


def test_a_question_of_how_something_changed_wants_the_newer_figure() -> None:
    assert understand("Did I switch to more water in the morning, or less?", now=NOW).news
    assert understand("How many cups do I drink?", now=NOW).news
    assert not understand("What did Ana suggest to change?", now=NOW).news


def test_a_month_without_a_year_lies_behind_also_after_before() -> None:
    asked = datetime(2026, 6, 17, tzinfo=UTC)
    (before,) = windows("What did she say before October?", asked)
    assert before.end == datetime(2025, 10, 1, tzinfo=UTC)
    (since,) = windows("What did she say since March?", asked)
    assert since.start == datetime(2026, 3, 1, tzinfo=UTC)


def test_a_log_that_was_pasted_in_points_at_a_few_spans_alone() -> None:
    log = "\n".join(f"On {day} May 2024 the pump stopped." for day in range(1, 29))
    assert len(windows(log, datetime(2026, 6, 17, tzinfo=UTC))) == 5
