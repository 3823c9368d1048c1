"""What stands around a turn speaks for it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from onrecord.model.query import Posting, Postings
from onrecord.model.turn import Role, Turn
from onrecord.policy.recall.episode import episode_text, in_context, in_time_order, newest_first
from onrecord.policy.recall.question import understand
from onrecord.policy.weights import EpisodeWeights
from onrecord.testing.builders import NOW, a_turn

WEIGHTS = EpisodeWeights()
NOTHING = Postings.of(4, 5.0, ())


def parts(question: str, turns: list[Turn], scores: dict[str, float], words: Postings = NOTHING) -> dict[str, dict[str, float]]:
    by_id = {turn.id: turn for turn in turns}
    return in_context(understand(question, now=NOW), by_id, {id: scores.get(id, 0.0) for id in by_id}, words, WEIGHTS, 0.9, 0.4)


def test_the_unit_shows_day_and_author_in_the_speakers_own_zone() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=timezone(timedelta(hours=-7)))
    assert episode_text(a_turn(text="Hello.", at=late, author="Mel")) == "[8 May 2023] Mel: Hello."
    assert len(episode_text(a_turn(text="x" * 9_000))) == 1_500


def test_an_answer_gains_from_the_question_before_it() -> None:
    turns = [
        a_turn("q", "Did you go to Oslo?", seq=1, author="tom"),
        a_turn("a", "Yes, last summer!", seq=2),
        a_turn("x", "Nice.", seq=4),
    ]
    found = parts("Oslo trip", turns, {"q": 1.0})
    assert found["a"]["answered"] == WEIGHTS.answered
    assert "answered" not in found["x"]


def test_turns_of_other_threads_are_no_neighbours() -> None:
    turns = [a_turn("q", "Oslo?", seq=1), a_turn("a", "Yes!", seq=2, thread="other")]
    assert "answered" not in parts("Oslo", turns, {"q": 1.0})["a"]


def test_an_assistants_answer_does_not_gain_from_the_question_it_answers() -> None:
    turns = [a_turn("q", "What of Oslo?", seq=1), a_turn("a", "Oslo is …", seq=2, role=Role.ASSISTANT, author="assistant")]
    assert "answered" not in parts("Oslo", turns, {"q": 1.0})["a"]


def test_the_named_author_gains_unless_everybody_is_named() -> None:
    turns = [a_turn("a", "Hi.", seq=1, author="Caroline"), a_turn("b", "Hi.", seq=3, author="Mel")]
    found = parts("What did Caroline say?", turns, {})
    assert (found["a"].get("speaker"), found["b"].get("speaker")) == (WEIGHTS.speaker, None)
    assert "speaker" not in parts("What did Caroline and Mel say?", turns, {})["a"]


def test_the_asked_role_gains_where_both_speak() -> None:
    turns = [a_turn("u", "Hi.", seq=1), a_turn("s", "Hi.", seq=3, role=Role.ASSISTANT, author="assistant")]
    assert parts("What did you recommend?", turns, {})["s"]["voice"] == WEIGHTS.voice
    assert parts("Where are my shoes?", turns, {})["u"]["voice"] == WEIGHTS.voice
    assert "voice" not in parts("Where are my shoes?", turns[:1], {})["u"]


def test_a_sitting_lends_its_words_to_its_turns() -> None:
    turns = [a_turn("a", "x", seq=1), a_turn("b", "x", seq=5), a_turn("c", "x", seq=1, thread="other")]
    words = Postings.of(9, 5.0, (Posting("a", 5, (3,)), Posting("c", 5, (1,))))
    found = parts("zebra", turns, {}, words)
    assert found["b"]["sitting"] == found["a"]["sitting"] > found["c"]["sitting"]


def test_the_newest_figure_about_the_same_thing_goes_first() -> None:
    old = a_turn("old", "I own 3 road bikes", at=NOW)
    new = a_turn("new", "I own 4 road bikes now", at=NOW + timedelta(days=9))
    other = a_turn("other", "Tom has 7 cats", at=NOW + timedelta(days=20))
    turns = {turn.id: turn for turn in (old, new, other)}
    assert newest_first(["old", "other", "new"], turns, {"old": 1.0, "other": 0.9, "new": 0.8}) == ["new", "old", "other"]
    assert newest_first(["old", "new"], turns, {"old": 1.0, "new": 0.5}) == ["old", "new"]  # far weaker


def test_ids_that_are_no_turns_keep_their_place() -> None:
    old, new = a_turn("old", "3 road bikes"), a_turn("new", "4 road bikes", at=NOW + timedelta(days=1))
    order = newest_first(["old", "rec", "new"], {"old": old, "new": new}, {"old": 1.0, "new": 1.0, "rec": 1.0})
    assert order == ["new", "rec", "old"]


def test_a_turn_gains_from_what_its_author_said_right_before_and_after_what_stands_between() -> None:
    turns = [
        a_turn("before", "The kayak trip was cold.", seq=1),
        a_turn("between", "Oh dear.", seq=2, author="tom"),
        a_turn("after", "We turned back at noon.", seq=3),
        a_turn("far", "Dinner was good.", seq=7),
    ]
    found = parts("kayak trip", turns, {"before": 0.8})
    assert found["after"]["continued"] == WEIGHTS.continued * 0.8
    assert "continued" not in found["between"]
    assert "continued" not in found["far"]


def in_order(question: str, **days: int) -> list[str]:
    told = {id: NOW + timedelta(days=day) for id, day in days.items()}
    texts = dict.fromkeys(days, "Rowed the boat to the lighthouse") | {"other": "Baked bread at home"}
    scores = {id: 1.0 - n / 100 for n, id in enumerate(days)}
    return in_time_order(understand(question, now=NOW), list(days), told, texts, scores)


def test_the_first_and_the_last_time_put_the_leading_ones_in_order_of_time() -> None:
    days = {"b": 2, "a": 1, "other": 0, "d": 9, "c": 3, "sixth": -5}
    assert in_order("Which boat did I first row?", **days) == ["a", "b", "other", "c", "d", "sixth"]
    assert in_order("Which boat did I row the last time?", **days) == ["d", "c", "other", "b", "a", "sixth"]
    assert in_order("Which boat did I row?", **days) == list(days)
    assert in_order("Which boat did I row last month?", **days) == list(days)


def test_what_is_far_weaker_keeps_its_place_whatever_its_time() -> None:
    question = understand("When did I first row?", now=NOW)
    told = {"strong": NOW, "weak": NOW - timedelta(days=9)}
    texts = dict.fromkeys(told, "Rowed the boat")
    assert in_time_order(question, ["strong", "weak"], told, texts, {"strong": 1.0, "weak": 0.5}) == ["strong", "weak"]
    assert in_time_order(question, [], {}, {}, {}) == []
