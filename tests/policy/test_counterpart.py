from __future__ import annotations

from typing import Any

import pytest

from onrecord.model.change import Add, Change, Flag, Merge, Supersede
from onrecord.model.record import Kind, Record, Source, SourceType
from onrecord.policy.capture.fields import corrects
from onrecord.policy.correction.beside import over
from onrecord.policy.language.again import says_again
from onrecord.policy.language.negation import is_negated
from onrecord.testing.deciding import DAY, HOUR, T0, decide, on_record, said

DOCUMENT = {"source": Source(SourceType.DOCUMENT, "doc"), "kind": Kind.TOOL_FACT, "author": "circular"}


def first(statement: str, **fields: Any) -> Record:
    return on_record(statement, quote=statement, negation=is_negated(statement), **fields)


def then(statement: str, *old: Record, after: Any = 20 * DAY, **fields: Any) -> tuple[Change, ...]:
    """What a rule-captured statement changes; the old ones are as far off as similarity can put them."""
    correction, named = corrects(statement, statement)
    shared: dict[str, Any] = {"quote": statement, "negation": is_negated(statement), "correction": correction, "corrects": named}
    return decide(said(statement, at=T0 + after, **(shared | fields)), *old, cosine=0.0).changes


# --- corrections


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The choir rehearses on Mondays in the chapel", "We changed the choir rehearsals to Wednesdays, still in the chapel"),
        ("I can approve hotel bills up to 150 EUR without asking", "My hotel approval is now at 120 EUR, no asking below that"),
        ("Keep the greenhouse at 18 degrees after sunset", "Actually the greenhouse should be 21 degrees after sunset"),
        ("Wir backen 20 Brote pro Tag", "Neuer Stand: 35 pro Tag statt 20"),
        ("The translations go through Bergmann Sprachen", "From today translations go to Ljubica Text instead, not Bergmann"),
        ("New members get 40 min", "New member slots come down to 30 min, says the trainer"),
    ],
)
def test_a_cue_a_common_topic_and_another_value_of_the_kind_are_a_correction(old: str, new: str) -> None:
    change = then(new, first(old))[0]
    assert isinstance(change, Supersede), change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("standby host = vm-3", "standby host = vm-8 now. vm-3 out of rotation"),
        ("retry budget 5 per job", "retry budget 9 per job now, was 5"),
        ("seed orders: thru okafor, front desk", "okafor retired, seed orders thru lindqvist now"),
        ("PRs target `trunk`", "trunk is dead. from now on PRs target `stable`"),
    ],
)
def test_a_statement_that_says_what_is_over_replaces_it(old: str, new: str) -> None:
    change = then(new, first(old))[0]
    assert isinstance(change, Supersede), change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The kiln fires at 980 degrees", "Actually the oven bakes at 220 degrees"),
        ("The attic radiator is 18 degrees", "Actually the cellar radiator is 12 degrees"),
        ("Bay 4 takes boats up to 9 m", "Bay 5 takes boats up to 7 m now"),
        ("Payments over 500 EUR need two signatures", "The picnic is now at 3 pm"),
        ("Oksana Petrenko signs the invoices for 430 seats", "Oksana Petrenko is now on holiday until 15 October"),
        ("On weekdays the blinds open at 7", "On weekends the blinds open at 9, that's changed"),
        ("Courts with floodlight cost 30 EUR", "Courts with no floodlight are now 22 EUR"),
        ("Fish comes in at gates 7 and 8", "Fish now comes in at gate 6 too"),
    ],
)
def test_a_correction_of_another_thing_or_situation_touches_nothing(old: str, new: str) -> None:
    changes = then(
        new,
        first(old, qualifier="on weekdays" if "weekdays" in old else None),
        qualifier="on weekends" if "weekends" in new else None,
    )
    assert [type(change) for change in changes] == [Add]


def test_a_new_statement_without_a_cue_stands_beside() -> None:
    assert isinstance(then("For the lobby get 2700 kelvin bulbs", first("The workshop wants 4000 kelvin bulbs"))[0], Add)


def test_another_figure_of_the_same_thing_days_later_is_news() -> None:
    old = first("Brevik pays 0.11 a word, that is their price")
    assert isinstance(then("For Brevik it is 0.125 a word, their price for everything", old)[0], Supersede)


def test_two_records_that_fit_alike_are_left_alone() -> None:
    one = first("The morning ferry to Skarv takes 40 cars", id="rec_a")
    two = first("The evening ferry to Skarv takes 60 cars", id="rec_b")
    assert isinstance(then("Actually the ferry to Skarv takes 50 cars", one, two)[0], Add)


def test_a_prohibition_is_flagged_rather_than_retired_by_what_says_less() -> None:
    old = first("Never send the sealed maps by ordinary mail, take Falk Couriers")
    assert isinstance(then("From today the sealed maps go with Orkan Couriers to the harbour", old)[0], Flag | Add)


def test_a_correction_leaves_the_sentences_it_does_not_speak_of() -> None:
    old = first("The main pump is P-7 since May. The spare key hangs in box 12, never lend it out.")
    changes = then("The main pump is P-9 now, P-7 is out", old)
    assert [type(change) for change in changes] == [Supersede, Add]
    rest = changes[1]
    assert isinstance(rest, Add)
    assert rest.record.statement == "The spare key hangs in box 12, never lend it out."
    assert rest.record.negation
    assert rest.record.derived_from == old.derived_from


def test_plain_words_of_a_person_correct_explicit_ones() -> None:
    old = first("The choir rehearses on Mondays in the chapel", confidence=0.95)
    assert isinstance(then("We changed the choir rehearsals to Wednesdays, in the chapel", old, confidence=0.7)[0], Supersede)


# --- contradictions


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Fees for the boathouse are due on the 1st", "The boathouse contract I have here says fees are due on the 5th"),
        ("Oat feed allows us 60 requests a minute per key", "oat feed gives us 40/min on one key, that's what I remember"),
        ("What the market takes in is split five ways", "We said the market money is split six ways, takes in or not"),
    ],
)
def test_another_voice_with_another_value_is_shown_beside_the_first(old: str, new: str) -> None:
    change = then(new, first(old), author="bo")[0]
    assert isinstance(change, Flag), change


def test_a_document_that_says_otherwise_is_shown_and_replaces_nothing() -> None:
    old = first("Demurrage at Holm is free for 90 min, shook hands on it")
    change = then("Holm terms: demurrage is free for 120 minutes per call.", old, after=HOUR, **DOCUMENT)[0]
    assert isinstance(change, Flag)


def test_a_slip_of_the_pen_in_a_code_is_shown() -> None:
    assert isinstance(then("bring it to locker KRK418B, like always", first("parcel locker, KRK481B, by the kiosk"))[0], Flag)


def test_what_somebody_else_denies_within_the_day_is_shown() -> None:
    old = first("Quiet hours begin at 22:00")
    assert isinstance(then("22 is not true. We settled on 23:30", old, after=HOUR, author="bo")[0], Flag)


# --- repetitions


def test_what_says_that_it_was_said_before_becomes_one_record_in_both_wordings() -> None:
    old = first("Never leave the loft ladder down, the toddler climbs it")
    change = then("Like I told you: no loft ladder left standing for the toddler", old)[0]
    assert isinstance(change, Merge)
    assert "Like I told you" in change.record.statement
    assert change.record.statement.startswith("Never leave")
    assert change.record.derived_from == ("turn_rec_old", "turn_rec_new")


def test_two_rules_that_differ_in_one_word_are_two_rules() -> None:
    old = first("No nuts in the staff kitchen")
    assert isinstance(then("No candles in the staff kitchen", old)[0], Add)


def test_a_repetition_with_another_polarity_is_none() -> None:
    old = first("Guests may use the loft ladder in the barn")
    assert not isinstance(then("Like I told you, never use the loft ladder in the barn", old)[0], Merge)


@pytest.mark.parametrize("text", ["as I said, no calls", "so again: no calls", "wie gesagt, keine Anrufe", "just a reminder"])
def test_a_repetition_says_itself(text: str) -> None:
    assert says_again(text)


@pytest.mark.parametrize("text", ["The choir is still on Mondays", "Never sing it again", "I called again today"])
def test_still_and_again_alone_repeat_nothing(text: str) -> None:
    assert not says_again(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [("Bergmann is out", "bergmann"), ("200 instead of 250", "250"), ("was 5", "5"), ("c'est fini avec Lambert", "lambert")],
)
def test_what_is_over_is_read_from_either_side(text: str, word: str) -> None:
    assert word in over(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Part 10 is in bay 0010.", "Part 1 is in bay 0001."),
        ("Part 12 lies in bay 0012.", "Part 21 lies in bay 0021."),
        ("crate 100 hangs on hook 1001", "crate 10 hangs on hook 1010"),
    ],
)
def test_things_whose_numbers_are_made_of_the_same_digits_are_no_conflict(old: str, new: str) -> None:
    assert isinstance(then(new, first(old))[0], Add)


def test_the_same_thing_under_a_code_with_two_digits_swapped_is_shown_as_a_conflict() -> None:
    assert isinstance(then("part 7 is in bay 0001", first("Part 7 is in bay 0010."))[0], Flag)


# --- read late


def late(statement: str, later: Record, **fields: Any) -> tuple[Change, ...]:
    """What a statement changes that was said ten days before ``later`` and is read after it."""
    return then(statement, later, after=-10 * DAY, **fields)


def test_what_somebody_else_contradicted_since_is_a_side_of_the_conflict_when_it_is_read() -> None:
    change = late(
        "Recycling goes out on Tuesdays at the corner", first("Recycling goes out on Thursdays at the corner", author="ben")
    )[0]
    assert isinstance(change, Flag), change


def test_what_was_corrected_since_is_history_when_it_is_read() -> None:
    later = first("Actually the greenhouse should be 21 degrees after sunset")
    change = late("Keep the greenhouse at 18 degrees after sunset", later)[0]
    assert isinstance(change, Add)
    assert change.record.superseded_by == later.id


def test_what_nothing_answered_since_is_a_fact_beside_it() -> None:
    change = late("The greenhouse has a new lock", first("Actually the greenhouse should be 21 degrees after sunset"))[0]
    assert isinstance(change, Add)
    assert change.record.current


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("In winter the horses are fed at 7 in the yard", "In summer the horses are now fed at 6 in the yard"),
        ("Winters the horses are fed at 7 in the yard", "From May till October the horses are now fed at 6 in the yard"),
    ],
)
def test_what_holds_in_another_season_retires_nothing(old: str, new: str) -> None:
    assert isinstance(then(new, first(old))[0], Add)


def test_a_month_of_change_is_no_season() -> None:
    change = then("Since May the horses are now fed at 6 in the yard", first("The horses are fed at 7 in the yard in winter"))[0]
    assert isinstance(change, Supersede | Flag)
