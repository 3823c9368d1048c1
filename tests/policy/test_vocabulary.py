from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import InvalidInput
from onrecord.model.record import KEY, Cardinality, Kind
from onrecord.policy.language.vocabulary import Attribute, Vocabulary, snake_case

VOCABULARY = Vocabulary()

CUES = """
how should I contact Ana? | contact_channel
what's the best way to reach her? | contact_channel
reach me by text | contact_channel
when can I call him? | contact_hours
what is my favourite tram line now? | favourite_tram_line
my favorite color is teal | favourite_colour
what's her diet? | diet
does he have any allergies? | allergy
I'm allergic to nuts | allergy
where does he live? | home_city
where do parcels go? | address
who is my boss? | manager
what's the deadline? | deadline
how do I run the tests? | test_command
which branch do PRs target? | branch
window seat or aisle seat? | seat
what pronouns does Kim use? | pronouns
when is her birthday? | birthday
which time zone is he in? | timezone
who signs off refunds? | approver
wie heißt mein Hund? | pet
¿cuál es mi correo? | email
quelle est mon adresse ? | address
住所は？ | address
アレルギーはありますか | allergy
"""


@pytest.mark.parametrize(("text", "key"), [line.split(" | ") for line in CUES.strip().splitlines()])
def test_words_lead_to_a_key(text: str, key: str) -> None:
    assert VOCABULARY.attribute_of(text)[0] == key


@pytest.mark.parametrize("text", ["", "hello there", "what happened in Lisbon?", "the gate was shut"])
def test_no_cue_no_key(text: str) -> None:
    assert VOCABULARY.attribute_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "money onto my card, like I told you last week",
        "somebody rang on the phone while the voice spoke on",
        "the Ontario branch wants invoices of its own",
    ],
)
def test_the_name_of_a_key_in_a_story_is_a_word_like_any_other(text: str) -> None:
    assert not {"like", "phone", "tone", "branch"} & set(VOCABULARY.attribute_of(text))


@pytest.mark.parametrize(
    ("text", "key"),
    [("her dog chewed the cable of the lamp again", "pet"), ("for the record, the deadline is Friday", "deadline")],
)
def test_the_name_of_a_key_counts_when_it_is_owned_or_given_a_value(text: str, key: str) -> None:
    assert key in VOCABULARY.attribute_of(text)


def test_a_longer_cue_comes_first() -> None:
    assert VOCABULARY.attribute_of("what email address should I use for the deadline")[:1] == ["email"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("preferred_contact", "contact_channel"),
        ("Preferred Contact", "contact_channel"),
        ("favorite_color", "favourite_colour"),
        ("timeZone", "timezone"),
        ("e-mail", "email"),
        ("Site Roadmap", "site_roadmap"),
        ("site-roadmap", "site_roadmap"),
        ("site_roadmap", "site_roadmap"),
        ("café", "cafe"),
    ],
)
def test_names_of_one_thing_are_one_key(name: str, key: str) -> None:
    assert VOCABULARY.canonical(name) == key


@pytest.mark.parametrize("name", ["", "  ", "住所", "---", "123"])
def test_a_name_that_makes_no_key_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        VOCABULARY.canonical(name)


def test_cardinality_kind_and_identity() -> None:
    assert VOCABULARY.cardinality("contact_channel") is Cardinality.SINGLE
    assert VOCABULARY.cardinality("allergies") is Cardinality.MULTI
    assert VOCABULARY.cardinality("something_else") is Cardinality.SINGLE
    assert VOCABULARY.kind("diet") is Kind.CONSTRAINT
    assert VOCABULARY.kind("favourite_tea") is Kind.PREFERENCE
    assert VOCABULARY.is_identity("birthday")
    assert not VOCABULARY.is_identity("contact_channel")
    assert not VOCABULARY.is_identity(None)


def test_there_are_enough_and_none_twice() -> None:
    assert len(VOCABULARY.keys) >= 60
    aliases = [snake_case(alias) for key in VOCABULARY.keys for alias in VOCABULARY.get(key).aliases]  # type: ignore[union-attr]
    assert len(aliases) == len(set(aliases))
    assert not set(aliases) & set(VOCABULARY.keys)


def test_a_caller_adds_attributes() -> None:
    mine = VOCABULARY.with_attributes(Attribute("desk", ("seat_number",), Cardinality.SINGLE, cues=("where do I sit",)))
    assert mine.attribute_of("where do I sit?")[0] == "desk"
    assert mine.canonical("Seat Number") == "desk"
    assert "desk" not in VOCABULARY.keys


def test_a_caller_replaces_an_attribute() -> None:
    mine = VOCABULARY.with_attributes(Attribute("pet", (), Cardinality.SINGLE))
    assert mine.cardinality("pet") is Cardinality.SINGLE
    assert mine.canonical("dog") == "dog"


def test_a_key_that_is_no_key_is_refused() -> None:
    with pytest.raises(InvalidInput):
        VOCABULARY.with_attributes(Attribute("Not A Key"))


@given(st.text())
def test_any_name_gives_a_key_or_is_refused(name: str) -> None:
    try:
        key = VOCABULARY.canonical(name)
    except InvalidInput:
        return
    assert KEY.fullmatch(key)
    assert VOCABULARY.canonical(key) == key


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    found = VOCABULARY.attribute_of(text)
    assert len(found) == len(set(found))
    assert all(KEY.fullmatch(key) for key in found)
