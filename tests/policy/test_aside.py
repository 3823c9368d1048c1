"""Words about the telling are told from words that say something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.polarity import same_facts

FACT = "I play the oboe"


@pytest.mark.parametrize(
    "told",
    [
        "{}. Nothing new there.",
        "Nothing new there: {}",
        "{}. I told you before, I think.",
        "As I said, {}. That hasn't changed.",
        "{}; same as always",
        "{}. As usual.",
        "{}. Thanks!",
        "{}. You know that already.",
        "{}. Nichts Neues da.",
        "{}. Nada nuevo.",
        "{}. Rien de nouveau là.",
        "By the way, {}. Just saying.",
    ],
)
def test_what_is_said_about_the_telling_makes_no_other_fact(told: str) -> None:
    assert without_asides(told.format(FACT)) == FACT
    assert same_facts(told.format(FACT), f"{FACT}.")


@pytest.mark.parametrize(
    "said",
    [
        f"{FACT}. Not always.",
        f"{FACT}. It has changed.",
        f"{FACT}. Nothing else.",
        f"{FACT}. No longer.",
        f"{FACT}. Never again.",
        f"{FACT}. I told you about Bo before.",
        "Keep it the same.",
        "As usual.",
        "Thanks!",
        "We have no news there.",
        "I thank Bo. You know that song.",
    ],
)
def test_what_says_something_of_its_own_stays(said: str) -> None:
    assert without_asides(said) == said


@given(
    st.lists(st.sampled_from([FACT, "as i said", "thanks", ".", " ", ", ", "– ", "nothing new", "and"]), max_size=400).map(
        "".join
    )
)
def test_something_is_left_of_anything_and_nothing_is_added(text: str) -> None:
    left = without_asides(text)
    assert left in text
    assert bool(left) == bool(text.strip())
