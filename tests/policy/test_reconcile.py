from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from onrecord.model.change import Add, Flag, Merge, Reinforce, Resolve, Retract, Supersede
from onrecord.model.record import Cardinality, Kind, Record, Source, SourceType, Status
from onrecord.model.verdict import Candidate
from onrecord.testing.deciding import DAY, HOUR, T0, decide, on_record, only, said


def channel(value: str, *, at: datetime = T0, **fields: Any) -> Candidate:
    return said(f"Prefers to be reached by {value}.", at=at, key="contact_channel", value=value, **fields)


def the_channel(value: str, **fields: Any) -> Record:
    return on_record(f"Prefers to be reached by {value}.", key="contact_channel", value=value, **fields)


# --- the table, row by row


def test_a_first_statement_is_added() -> None:
    change = only(decide(channel("email")))
    assert isinstance(change, Add)
    assert change.record.value == "email"


@pytest.mark.parametrize("again", ["email", "E-mail", "the email", "by e-mail", " EMAIL "])
def test_the_same_value_again_reinforces(again: str) -> None:
    old = the_channel("email")
    change = only(decide(channel(again, at=T0 + 10 * DAY), old))
    assert isinstance(change, Reinforce)
    assert change.id == old.id
    assert change.version == old.version
    assert change.sources == ("turn_rec_new",)
    assert change.valid_until is not None
    assert change.valid_until > old.valid_until


def test_two_situations_coexist() -> None:
    change = only(decide(channel("phone", at=T0 + 5 * DAY, qualifier="at work"), the_channel("email", qualifier="at home")))
    assert isinstance(change, Add)
    assert "both can be true" in change.reason


def test_an_exception_stands_beside_the_rule() -> None:
    change = only(decide(channel("phone", at=T0 + 5 * DAY, qualifier="on weekends"), the_channel("email")))
    assert isinstance(change, Add)


def test_news_after_a_day_supersedes() -> None:
    old = the_channel("email")
    change = only(decide(channel("phone", at=T0 + 2 * DAY), old))
    assert isinstance(change, Supersede)
    assert (change.old, change.version, change.record.value) == (old.id, old.version, "phone")
    assert "email" in change.reason
    assert "phone" in change.reason


def test_a_correction_cue_supersedes_within_the_day() -> None:
    change = only(decide(channel("phone", at=T0 + HOUR, correction=True), the_channel("email")))
    assert isinstance(change, Supersede)


def test_without_a_cue_the_same_day_is_a_conflict() -> None:
    change = only(decide(channel("phone", at=T0 + HOUR), the_channel("email")))
    assert isinstance(change, Flag)
    assert change.ids == ("rec_old",)
    assert change.record is not None


def test_a_day_to_the_minute_is_not_more_than_a_day() -> None:
    assert isinstance(only(decide(channel("phone", at=T0 + DAY), the_channel("email"))), Flag)


@pytest.mark.parametrize(
    "unsure",
    [
        {"confidence": 0.5},
        {"source": Source(SourceType.DOCUMENT, "doc"), "kind": Kind.TOOL_FACT},
        {"trust": 0.4},
    ],
)
def test_what_is_less_sure_never_supersedes(unsure: dict[str, Any]) -> None:
    change = only(decide(channel("phone", at=T0 + 9 * DAY, correction=True, **unsure), the_channel("email")))
    assert isinstance(change, Flag)
    assert "less sure" in change.reason


def test_a_little_less_confidence_is_still_sure() -> None:
    change = only(decide(channel("phone", at=T0 + 9 * DAY, confidence=0.75), the_channel("email", confidence=0.8)))
    assert isinstance(change, Supersede)


def test_what_was_said_earlier_is_added_as_history() -> None:
    old = the_channel("phone", at=T0 + 30 * DAY)
    change = only(decide(channel("email", at=T0), old))
    assert isinstance(change, Add)
    assert change.record.status is Status.SUPERSEDED
    assert change.record.superseded_by == old.id
    assert change.record.valid_until == old.valid_from


def test_multi_values_accumulate() -> None:
    old = on_record("Plays the oboe.", key="hobby", value="oboe", cardinality=Cardinality.MULTI)
    new = said("Collects stamps.", key="hobby", value="stamps", cardinality=Cardinality.MULTI, at=T0 + 3 * DAY)
    assert isinstance(only(decide(new, old)), Add)


def test_no_longer_retracts_that_value_alone() -> None:
    oboe = on_record("Plays the oboe.", id="rec_oboe", key="hobby", value="oboe", cardinality=Cardinality.MULTI)
    stamps = on_record("Collects stamps.", id="rec_stamps", key="hobby", value="stamps", cardinality=Cardinality.MULTI)
    new = said(
        "No longer plays the oboe.",
        key="hobby",
        value="oboe",
        cardinality=Cardinality.MULTI,
        negation=True,
        correction=True,
        at=T0 + HOUR,
    )
    change = only(decide(new, oboe, stamps))
    assert isinstance(change, Retract)
    assert change.id == "rec_oboe"


def test_the_same_words_without_a_key_reinforce() -> None:
    change = only(decide(said("The user prefers aisle seats.", at=T0 + DAY), on_record("I prefer aisle seats")))
    assert isinstance(change, Reinforce)


def test_fuller_words_merge_under_the_old_id() -> None:
    old = on_record("Works at Alder Works.")
    change = only(decide(said("Works at Alder Works as a planner.", at=T0 + DAY), old))
    assert isinstance(change, Merge)
    assert change.record.id == old.id
    assert change.record.statement == "Works at Alder Works as a planner."
    assert change.record.derived_from == ("turn_rec_old", "turn_rec_new")


def test_fewer_words_reinforce_the_fuller_record() -> None:
    old = on_record("Works at Alder Works as a planner.")
    assert isinstance(only(decide(said("Works at Alder Works.", at=T0 + DAY), old)), Reinforce)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Build 41 took 312 s", "Build 42 took 298 s"),
        ("Desk 3B is the user's", "Desk 3D is the colleague's"),
        ("Meter on 1 May: 4120", "Meter on 1 June: 4388"),
        ("Works at Alder Works as a planner", "Administers the Alder Works wiki"),
        ("Administers the Alder Works wiki", "Asked Alder Works for an audit"),
        ("Ana manages Bo", "Bo manages Ana"),
        ("The station ST-0417 reports in feet", "The station ST-0471 reports in feet"),
        ("Lived in Porto", "Lives in Porto"),
    ],
)
def test_near_sentences_that_differ_in_what_counts_are_both_kept(old: str, new: str) -> None:
    change = only(decide(said(new, at=T0 + 9 * DAY), on_record(old), cosine=1.0))
    assert isinstance(change, Add)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Uploads from the lab are permitted", "Uploads from the lab are not permitted"),
        ("The rent is 900 EUR", "The rent is 950 EUR"),
        ("The gate is open on Sundays", "The gate is closed on Sundays"),
    ],
)
def test_plainly_the_same_attribute_is_a_conflict_within_the_day_and_news_after(old: str, new: str) -> None:
    first = on_record(old)
    assert isinstance(only(decide(said(new, at=T0 + HOUR, negation="not" in new), first)), Flag)
    assert isinstance(only(decide(said(new, at=T0 + 3 * DAY, negation="not" in new), first)), Supersede)


def test_a_correction_that_names_its_target_supersedes_it_and_nothing_else() -> None:
    datum = on_record("The datum correction for Brennhaven is 0.37 m", id="rec_a")
    other = on_record("The datum correction for Kellersund is 0.37 m", id="rec_b")
    new = said("Use 0.41 m at Brennhaven", correction=True, corrects="Brennhaven", at=T0 + HOUR)
    change = only(decide(new, datum, other))
    assert isinstance(change, Supersede)
    assert change.old == "rec_a"


def test_a_correction_that_could_mean_two_is_flagged_with_both() -> None:
    one = on_record("The Brennhaven gauge is in feet", id="rec_a")
    two = on_record("The Brennhaven datum is 0.37 m", id="rec_b")
    new = said("Brennhaven is in metres", correction=True, corrects="Brennhaven", at=T0 + HOUR)
    change = only(decide(new, one, two))
    assert isinstance(change, Flag)
    assert change.ids == ("rec_a", "rec_b")


def test_a_correction_that_points_elsewhere_is_no_cue_for_this_record() -> None:
    change = only(decide(channel("phone", at=T0 + HOUR, correction=True, corrects="fax"), the_channel("email")))
    assert isinstance(change, Flag)


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RETRACTED, Status.ARCHIVED])
def test_what_is_not_current_is_no_neighbour(status: Status) -> None:
    assert isinstance(only(decide(channel("phone", at=T0 + 2 * DAY), the_channel("email", status=status))), Add)


def test_another_subject_is_no_neighbour() -> None:
    assert isinstance(only(decide(channel("email"), the_channel("email", subject="user:bo"))), Add)


def test_similarity_below_the_floor_nominates_nothing() -> None:
    old = on_record("I prefer aisle seats")
    assert isinstance(only(decide(said("Prefers aisle seats.", at=T0 + DAY), old, cosine=0.3)), Add)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The grocery cap is 700 EUR a month", "We agreed, the cap for groceries is 820 EUR now"),
        ("The mezzanine belt takes parcels up to 24 kg each", "New motor! Mezzanine parcels up to 30 kg"),
        ("Milk costs 2 EUR at the corner shop", "Milk at the corner shop is 3 EUR these days"),
    ],
)
def test_another_setting_of_the_same_thing_is_news_later_and_a_conflict_before(old: str, new: str) -> None:
    first = on_record(old)
    assert isinstance(only(decide(said(new, at=T0 + 9 * DAY), first)), Supersede)
    assert isinstance(only(decide(said(new, at=T0 + HOUR), first)), Flag)
    assert isinstance(only(decide(said(new, at=T0 + HOUR, correction=True), first)), Supersede)


def test_another_setting_in_other_words_that_does_not_call_itself_news_is_a_conflict() -> None:
    old = on_record("Milk costs 2 EUR at the corner shop")
    assert isinstance(only(decide(said("Milk at the corner shop is 3 EUR", at=T0 + 9 * DAY), old)), Flag)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The bedroom heating is 18 degrees at night", "The kitchen heating is 20 degrees at night"),
        ("The fridge must stay at 4 degrees", "The freezer must stay at -18 degrees"),
        ("Dock 4 takes trucks up to 3.2 m", "Dock 5 takes trucks up to 3.5 m"),
        ("Aisle 3 has tea", "Aisle 4 has tea"),
        ("Milk costs 2 EUR", "Bread costs 3 EUR"),
        ("The parcel locker is WAW118K", "The bike locker is WAW181K"),
    ],
)
def test_a_setting_of_another_thing_is_another_fact_even_with_a_cue(old: str, new: str) -> None:
    assert isinstance(only(decide(said(new, at=T0 + 9 * DAY, correction=True), on_record(old))), Add)


@pytest.mark.parametrize("doubt", ["I think it's phone", "phone, if I remember right", "ich glaube, per Telefon", "たぶん電話"])
def test_what_is_doubted_replaces_nothing(doubt: str) -> None:
    new = said(doubt, key="contact_channel", value="phone", at=T0 + 9 * DAY, correction=True)
    assert isinstance(only(decide(new, the_channel("email"))), Flag)


def test_a_correction_of_the_old_number_names_nothing_in_particular() -> None:
    new = said(
        "Recycling is on Thursday, forget the old day.",
        key="bin_day",
        value="Thursday",
        correction=True,
        corrects="old date",
        at=T0 + HOUR,
    )
    old = on_record("Recycling is on Tuesday.", key="bin_day", value="Tuesday")
    assert isinstance(only(decide(new, old)), Supersede)


# --- polarity under one key


def test_two_prohibitions_of_different_things_hold_together() -> None:
    old = on_record("Don't email me.", key="contact_channel", value="email", negation=True)
    new = said("Don't call me.", key="contact_channel", value="phone", negation=True, at=T0 + 2 * DAY)
    assert isinstance(only(decide(new, old)), Add)


def test_a_wish_and_a_prohibition_of_another_thing_hold_together() -> None:
    old = on_record("Don't email me.", key="contact_channel", value="email", negation=True)
    assert isinstance(only(decide(channel("phone", at=T0 + 2 * DAY), old)), Add)


def test_a_prohibition_with_another_number_is_news() -> None:
    old = on_record("No calls before 10:00.", key="contact_hours", value="before 10:00", negation=True)
    new = said("No calls before 16:00.", key="contact_hours", value="before 16:00", negation=True, at=T0 + 40 * DAY)
    assert isinstance(only(decide(new, old)), Supersede)


def test_the_opposite_of_the_same_value_is_a_conflict_and_later_news() -> None:
    old = on_record("Store credit is fine.", key="refund_method", value="store credit")
    new = said("No store credit.", key="refund_method", value="store credit", negation=True, at=T0 + HOUR)
    assert isinstance(only(decide(new, old)), Flag)
    assert isinstance(only(decide(replace(new, said_at=T0 + 3 * DAY), old)), Supersede)


# --- trust


def test_a_persons_own_words_take_the_place_of_the_same_from_a_tool() -> None:
    tool = the_channel("email", source=Source(SourceType.TOOL_RESULT, "crm"), kind=Kind.TOOL_FACT)
    change = only(decide(channel("email", at=T0 + DAY), tool))
    assert isinstance(change, Supersede)
    assert change.record.trust == 1.0
    assert change.record.derived_from == ("turn_rec_new",)


def test_a_tool_that_agrees_makes_nobody_surer() -> None:
    old = the_channel("email", confidence=0.6)
    new = channel("email", at=T0 + DAY, confidence=1.0, source=Source(SourceType.TOOL_RESULT, "crm"), kind=Kind.TOOL_FACT)
    change = only(decide(new, old))
    assert isinstance(change, Reinforce)
    assert change.confidence == 0.0
    assert change.valid_until is None


def test_fewer_words_of_a_person_leave_the_fuller_ones_of_a_tool_in_place() -> None:
    tool = on_record("Works at Alder Works as a planner.", source=Source(SourceType.TOOL_RESULT, "crm"), kind=Kind.TOOL_FACT)
    assert isinstance(only(decide(said("Works at Alder Works.", at=T0 + DAY), tool)), Reinforce)


def test_fuller_words_of_a_person_take_the_place_of_a_guess() -> None:
    guess = on_record(
        "Works at Alder Works.", source=Source(SourceType.MODEL_INFERENCE, "run"), kind=Kind.MODEL_INFERENCE, confidence=0.6
    )
    change = only(decide(said("Works at Alder Works as a planner.", at=T0 + DAY), guess))
    assert isinstance(change, Supersede)
    assert change.record.confidence == 0.8


def test_a_merge_keeps_the_kind() -> None:
    rule = on_record("Never ring before ten.", kind=Kind.CONSTRAINT, negation=True)
    change = only(
        decide(said("Never ring before ten, the baby sleeps.", kind=Kind.STATED_FACT, negation=True, at=T0 + DAY), rule)
    )
    assert isinstance(change, Merge)
    assert change.record.kind is Kind.CONSTRAINT


def test_less_trusted_words_never_reword_a_record() -> None:
    old = on_record("Works at Alder Works.")
    new = said("Works at Alder Works as a planner.", source=Source(SourceType.DOCUMENT, "doc"), kind=Kind.TOOL_FACT, at=T0 + DAY)
    assert isinstance(only(decide(new, old)), Add)


# --- conflicts


def conflict() -> tuple[Record, Record]:
    tuesday = on_record("Recycling goes out on Tuesday.", id="rec_a", key="bin_day", value="Tuesday", status=Status.CONFLICTED)
    thursday = on_record("Recycling goes out on Thursday.", id="rec_b", key="bin_day", value="Thursday", status=Status.CONFLICTED)
    return replace(tuesday, conflicts_with=("rec_b",)), replace(thursday, conflicts_with=("rec_a",))


def test_a_correction_for_one_side_settles_the_conflict() -> None:
    new = said("It is Thursday after all.", key="bin_day", value="Thursday", correction=True, at=T0 + 2 * DAY)
    first, second = decide(new, *conflict()).changes
    assert isinstance(first, Reinforce)
    assert isinstance(second, Resolve)
    assert (second.keep, second.drop) == ("rec_b", ("rec_a",))


def test_a_mere_restatement_leaves_the_conflict_open() -> None:
    new = said("Recycling is on Thursday.", key="bin_day", value="Thursday", at=T0 + HOUR)
    assert isinstance(only(decide(new, *conflict())), Reinforce)


def test_a_third_value_later_takes_the_place_of_both_sides() -> None:
    new = said("Recycling is on Friday now.", key="bin_day", value="Friday", at=T0 + 30 * DAY)
    first, second = decide(new, *conflict()).changes
    assert isinstance(first, Supersede)
    assert isinstance(second, Resolve)
    assert {first.old, *second.drop} == {"rec_a", "rec_b"}
