"""The parts of a statement, and what of a record is left when one of them is corrected."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.correction.parts import parts_of, record_parts, said_parts
from onrecord.policy.correction.remainder import remainder
from onrecord.testing.deciding import on_record, said

TWO = "The kiln is fired on Fridays at 7. Glazes are kept in cupboard 12."


def test_a_statement_of_two_sentences_has_two_parts() -> None:
    assert parts_of(TWO) == ("The kiln is fired on Fridays at 7.", "Glazes are kept in cupboard 12.")


def test_a_long_sentence_is_taken_apart_at_its_clauses_and_a_short_one_is_not() -> None:
    long = (
        "The stall by the pump was always ours on market days, but they have moved the whole lot of us since the flood, "
        "so you will find us at number 23 by the chapel"
    )
    assert len(parts_of(long)) == 3
    assert parts_of("We meet at six, so come early") == ("We meet at six, so come early",)


@given(st.text(max_size=400))
def test_any_text_has_parts_and_their_words_are_its_own(text: str) -> None:
    parts = parts_of(text)
    assert parts
    for part in parts:
        assert set(re.findall(r"\w+", part)) <= set(re.findall(r"\w+", text))


def test_the_whole_comes_first_and_a_part_has_its_own_polarity_and_cue() -> None:
    text = "No lorries in the yard before nine. The gate code is now 4711."
    record = on_record(text, quote=text, negation=True)
    whole, first, second = record_parts(record)
    assert whole is record
    assert (first.negation, second.negation) == (True, False)
    spoken = said_parts(said(text, quote=text, correction=True), record)
    assert [candidate.correction for candidate, _ in spoken] == [True, False, True]


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (TWO, "The kiln is now fired on Mondays at 7.", "Glazes are kept in cupboard 12."),
        (TWO, "Glazes moved to cupboard 3.", "The kiln is fired on Fridays at 7."),
    ],
)
def test_what_a_correction_does_not_speak_of_stays(old: str, new: str, left: str) -> None:
    rest = remainder(on_record(old, quote=old), on_record(new))
    assert rest is not None
    assert (rest.statement, rest.quote) == (left, left)


def test_the_part_that_is_known_to_be_meant_goes_even_if_they_share_no_word() -> None:
    record = on_record(TWO, quote=TWO)
    part = record_parts(record)[1]
    rest = remainder(record, on_record("From now on we burn on Mondays."), part)
    assert rest is not None
    assert rest.statement == "Glazes are kept in cupboard 12."


def test_no_part_that_gives_the_old_value_again_is_left() -> None:
    text = "The kiln is fired on Fridays at 7. So whoever wants a place tells me before 7 on Fridays."
    record = on_record(text, quote=text)
    assert remainder(record, on_record("The kiln is now fired on Mondays at 8."), record_parts(record)[1]) is None


def test_a_correction_leaves_what_a_short_sentence_says_beside_it() -> None:
    old = on_record("The greenhouse opens at seven, and only members may carry keys.")
    rest = remainder(old, on_record("From now on we open at eight."))
    assert rest is not None
    assert rest.statement == "only members may carry keys."


def test_a_half_that_leans_on_the_other_goes_with_it() -> None:
    old = on_record("The greenhouse opens at seven, and closes late.")
    assert remainder(old, on_record("From now on the greenhouse opens at eight.")) is None
