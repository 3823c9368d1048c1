"""Which records become one, and which never do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.change import Change
from onrecord.model.record import Kind, Record, Status, Usage
from onrecord.policy.consolidation.keys import joined_keys
from onrecord.policy.consolidation.merge import Proposal, refused, same_fact
from onrecord.policy.consolidation.plan import consolidate
from onrecord.policy.defaults import Policy
from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.claim import claim_of, same_claim
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.policy.transition import steps
from onrecord.testing.builders import a_record

NOW = datetime(2026, 5, 1, tzinfo=UTC)
POLICY = Policy()

SAME = [
    ("I live at 12 Quay Street in Leeds.", "As I said, I live in Leeds at twelve Quay Street."),
    ("My dentist is Doctor Okafor.", "Just to remind you, my dentist is Doctor Okafor"),
    ("Wie gesagt, ich wohne in Bergen.", "Ich wohne in Bergen."),
    ("The red van is parked in bay 9.", "The red van is parked in bay nine, by the way"),
    ("I do not eat walnuts.", "Please remember that I do not eat walnuts."),
    ("Her flight leaves at 9:30 from Gate B4.", "Her flight leaves from Gate B4 at 09:30."),
]
APART = [
    ("I live at 12 Quay Street.", "I live at 14 Quay Street."),
    ("I eat fish.", "I don't eat fish."),
    ("I eat fish.", "I eat fish on Fridays."),
    ("I eat fish.", "I eat fish tacos."),
    ("I have a cat.", "I have cats."),
    ("Moved from Oslo to Bergen.", "Moved from Bergen to Oslo."),
    ("Bo sold the boat to Ana.", "Ana sold the boat to Bo."),
    ("Likes red tea.", "Likes green tea."),
    ("Works with Ada.", "Works without Ada."),
    ("The dog chases the cat.", "The cat chases the dog."),
    ("Call me before 10.", "Call me after 10."),
    ("The key of the shed is blue.", "The key of the house is blue."),
    ("The lights are on.", "The lights are off."),
    ("Remember to water the ferns.", "Waters the ferns."),
    ("Always locks the gate.", "Locks the gate."),
    ("Rents a flat on Quay Street.", "Rents a bike on Quay Street."),
    ("Meter on 1 May: 4120.", "Meter on 1 June: 4388."),
    ("Drives from the house in Oslo to the house in Bergen.", "Drives from the house in Bergen to the house in Oslo."),
]


def rec(statement: str, id: str = "a", **fields: Any) -> Record:
    return a_record(id, statement, **{"kind": Kind.STATED_FACT, **fields})


@pytest.mark.parametrize(("one", "other"), SAME)
def test_restatements_are_one_fact(one: str, other: str) -> None:
    assert same_fact(rec(one), rec(other, "b"))
    assert same_fact(rec(other), rec(one, "b"))


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_differs_in_what_counts_is_not_one_fact(one: str, other: str) -> None:
    assert not same_fact(rec(one), rec(other, "b"))
    assert not same_fact(rec(other), rec(one, "b"))
    assert consolidate([(rec(one), Usage()), (rec(other, "b"), Usage())], NOW, POLICY).changes == []


@pytest.mark.parametrize(
    "fields",
    [
        {"qualifier": "in winter"},
        {"trust": 0.4},
        {"scope_ref": "other"},
        {"subject": "user:bob"},
        {"negation": True},
        {"kind": Kind.CONSTRAINT},
        {"metadata": {"room": "b3"}},
        {"key": "city", "value": "Leeds"},
    ],
)
def test_what_is_beside_the_words_must_agree_too(fields: dict[str, Any]) -> None:
    first = rec(SAME[0][0], metadata={"room": "b2"}, key="home", value="Quay Street")
    assert same_fact(first, replace(first, id="b"))
    assert not same_fact(first, replace(first, id="b", **fields))


def test_what_binds_is_merged_with_the_very_same_only() -> None:
    rule = rec("Never call the office", kind=Kind.CONSTRAINT, negation=True)
    more = replace(rule, id="b", statement="Never call the office, because the line is shared")
    again = replace(rule, id="c", statement="Please remember: never call the office")
    assert not same_fact(rule, more)
    assert same_fact(rule, again)
    fact = rec("The office is closed", "a")
    assert same_fact(fact, replace(fact, id="b", statement="The office is closed, because the line is shared"))


def test_a_merge_that_loses_changes_or_makes_up_something_is_refused_whoever_proposes_it() -> None:
    one, two = rec("The blue boat has 42 seats, says Ada."), rec("The blue boat has 42 seats and no toilet.", "b")
    whole = "The blue boat has 42 seats and no toilet, says Ada."
    assert refused(Proposal(one, (two,), whole)) == ""
    for statement in (
        "The blue boat has seats and no toilet, says Ada.",  # a number is dropped
        "The blue boat has 24 seats and no toilet, says Ada.",  # turned round
        "The blue boat of Bertram has 42 seats and no toilet, says Ada.",  # a name that no source has
        "The blue boat has 42 seats and a toilet, says Ada.",  # a denial is lost
        "The boat has 42 seats and no toilet, says Ada.",  # a word is dropped
    ):
        assert refused(Proposal(one, (two,), statement)), statement
        plan = consolidate([(one, Usage()), (two, Usage())], NOW, POLICY, proposed=[Proposal(one, (two,), statement)])
        assert (plan.changes, len(plan.refused)) == ([], 1)
    plan = consolidate([(one, Usage()), (two, Usage())], NOW, POLICY, proposed=[Proposal(one, (two,), whole)])
    assert plan.merged == 1


def test_the_record_that_is_used_most_stays() -> None:
    rows = [(rec("Parks in bay 9.", id), Usage(access_count=uses)) for id, uses in (("a", 1), ("b", 7), ("c", 0))]
    plan = consolidate(rows, NOW, POLICY)
    after = performed([row[0] for row in rows], plan.changes)
    assert {id for id, record in after.items() if record.current} == {"b"}
    assert set(after["b"].derived_from) == {"turn_1", "a", "c"}


def test_keys_are_joined_under_the_one_that_is_known_or_most_used() -> None:
    assert joined(*[(key, "Said.") for key in ("wifi_password", "password_of_wifi", "wifi_password")]) == {
        "password_of_wifi": "wifi_password"
    }
    assert joined(("favorite_color", "Said."), ("favourite_colour", "Said.")) == {"favorite_color": "favourite_colour"}
    assert joined(*[(key, "Said.") for key in ("home_address", "work_address", "wifi_password", "wifi_name")]) == {}


def joined(*said: tuple[str, str]) -> Mapping[str, str]:
    return joined_keys([a_record(f"r{n}", text, key=key, value=text.split()[-1]) for n, (key, text) in enumerate(said)], DEFAULT)


def test_keys_of_other_words_are_joined_where_what_tells_the_one_is_said_beside_the_other() -> None:
    car = "The car is insured with Helvia."
    assert joined(("insurance_company", car), ("insurance_of_car", "Polaris pays for dents.")) == {
        "insurance_company": "insurance_of_car"
    }
    assert joined(("dentist", "The child's dentist is Abara."), ("dentist_of_child", "Quist does fillings.")) == {
        "dentist_of_child": "dentist"
    }
    for apart in (
        [("dentist", "The dentist is Abara."), ("dentist_of_child", "The dentist is Quist.")],
        [("insurance_company", car), ("insurance_company", "Helvia."), ("insurance_of_car", "Polaris.")],
        [("insurance_of_house", "The house and the car are with Helvia."), ("insurance_of_car", "Polaris.")],
        [("insurance_company", car), ("insurance_of_car", "The car has policy 4711.")],
        [("car_colour", "The car is red."), ("insurance_of_car", "Polaris.")],
        [("boat_name", "The boat is the Petrel."), ("boat", "A blue sloop.")],
        [("doctor", "Of child and cat: Abara."), ("doctor_of_child", "Quist."), ("doctor_of_cat", "Varga.")],
    ):
        assert joined(*apart) == {}


def test_of_several_values_that_come_under_one_key_the_last_holds_alone() -> None:
    keys = ("bay_for_parking", "parking_bay", "bay_for_parking", "parking_bay")
    rows = [
        rec(f"Parks in bay {n}.", f"r{n}", key=key, value=f"bay {n}", said_at=NOW - timedelta(days=90 - 10 * n))
        for n, key in enumerate(keys)
    ]
    plan = consolidate([(row, Usage()) for row in rows], NOW, POLICY)
    after = performed(rows, plan.changes)
    assert {id for id, record in after.items() if record.current} == {"r3"}
    assert {record.status for id, record in after.items() if id != "r3"} == {Status.SUPERSEDED}


def test_values_of_one_key_said_within_a_day_are_shown_until_a_later_one_settles_them() -> None:
    hours = {"a": 0, "b": 5, "c": 24 * 9}
    rows = [
        rec(f"Parks in bay {id}.", id, key=key, value=f"bay {id}", said_at=NOW - timedelta(days=20) + timedelta(hours=hours[id]))
        for id, key in zip("abc", ("bay_for_parking", "parking_bay", "parking_bay"), strict=True)
    ]
    shown = performed(rows[:2], consolidate([(row, Usage()) for row in rows[:2]], NOW, POLICY).changes)
    assert {record.status for record in shown.values()} == {Status.CONFLICTED}
    after = performed(rows, consolidate([(row, Usage()) for row in rows], NOW, POLICY).changes)
    assert {id for id, record in after.items() if record.current} == {"c"}


_WORDS = st.sampled_from("tea boat red blue Ada Leeds 12 14 not likes sells in from old the a quay".split())
_TEXTS = st.lists(_WORDS, min_size=2, max_size=6).map(" ".join)
_ASIDES = st.sampled_from(["{}", "As I said, {}", "{}, by the way", "Just to remind you, {}", "{}."])


def performed(records: list[Record], changes: list[Change]) -> dict[str, Record]:
    rows: dict[str, Record | None] = {record.id: record for record in records}
    for change in changes:
        for step in steps(change, rows.get):
            rows[step.record_id] = step.after
    return {id: record for id, record in rows.items() if record is not None}


@given(st.lists(st.tuples(_TEXTS, _ASIDES), max_size=12))
def test_a_plan_leaves_nothing_to_plan_and_every_claim_of_before(said: list[tuple[str, str]]) -> None:
    records = [rec(aside.format(text), f"r{n:02d}") for n, (text, aside) in enumerate(said)]
    after = performed(records, consolidate([(record, Usage()) for record in records], NOW, POLICY).changes)
    left = [record for record in after.values() if record.current]
    assert consolidate([(record, Usage()) for record in left], NOW, POLICY).changes == []
    for record in records:
        assert any(set(without_asides(record.statement).casefold().rstrip(".").split()) <= words(other) for other in left)


def words(record: Record) -> set[str]:
    return set(without_asides(record.statement).casefold().replace(".", " ").split())


@given(_TEXTS, _ASIDES, _ASIDES)
def test_an_aside_is_no_part_of_a_claim(text: str, one: str, other: str) -> None:
    assert same_claim(claim_of(one.format(text)), claim_of(other.format(text))) or not claim_of(text).head


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(0, 5))
def test_no_more_than_the_limit_goes(values: list[int], limit: int) -> None:
    rows = [(rec(f"Parks in bay {value}.", f"r{n:02d}"), Usage()) for n, value in enumerate(values)]
    plan = consolidate(rows, NOW, POLICY, limit=limit)
    assert plan.merged == min(limit, len(values) - len(set(values)))
    after = performed([row[0] for row in rows], plan.changes)
    assert sum(record.status is Status.ARCHIVED for record in after.values()) == plan.merged


def test_dated_readings_are_kept_each() -> None:
    rows = []
    for n, (month, value) in enumerate((("May", 4120), ("June", 4388), ("July", 4388), ("August", 4401))):
        at = NOW + n * timedelta(days=31)
        rows.append((rec(f"Meter on 1 {month}: {value}", f"r{n}", kind=Kind.TOOL_FACT, valid_from=at, said_at=at), Usage()))
    assert consolidate(rows, NOW, POLICY).changes == []
