from __future__ import annotations

import pytest

from onrecord.policy.correction.topic import Value, topic_of


@pytest.mark.parametrize(
    ("text", "kind", "normal"),
    [
        ("The sauna is 80 degrees", "°", "80"),
        ("Swimming lessons start at 9", "time", "t09:00"),
        ("Choir meets on Mondays", "weekday", "0"),
        ("Der Chor probt montags", "weekday", "0"),
        ("The boat slip is K-17", "code", "K-17"),
        ("Ask for Oksana at the desk", "name", "oksana"),
        ("The hall seats 430 guests", "#guest", "430"),
        ("The cap is 650", "", "650"),
        ("Le toit coûte 64 000 euros", "EUR", "64000"),
        ("The lease falls due on the 5th", "day", "5th"),
    ],
)
def test_a_value_has_the_kind_of_what_can_take_its_place(text: str, kind: str, normal: str) -> None:
    assert Value(kind, normal) in topic_of(text).values


@pytest.mark.parametrize("text", ["Three of us sing", "Once a week is enough", "Aisle 3 has tea", "Desk 3B is the printer's"])
def test_what_names_or_counts_in_passing_is_no_value(text: str) -> None:
    assert not topic_of(text).values


def test_words_of_talk_change_and_measure_make_no_topic() -> None:
    assert not topic_of("From now on it was changed to a new one, please tell everybody!").words


def test_a_rate_is_a_part_of_the_topic_in_every_language() -> None:
    assert topic_of("zwanzig Seiten pro Woche").words & topic_of("30 pages a week").words == {"per:week"}


def test_a_named_attribute_is_a_part_of_the_topic() -> None:
    assert "key:contact_hours" in topic_of("no calls before 10").words & topic_of("please ring before noon").words


def test_german_nouns_are_no_names() -> None:
    assert not topic_of("Die Probe ist in der Turnhalle", "de").values


def test_what_stands_before_a_word_is_kept_and_a_number_behind_it_is_its_label() -> None:
    topic = topic_of("The kitchen heating of bay 4 is off")
    assert topic.beside["heat"] == {"kitchen"}
    assert topic.labels["bay"] == "4"
