"""What is said again without its key, in words of one of the sources of the record that has it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.change import Add, Change, Merge, Reinforce, Resolve, Supersede
from onrecord.model.record import Kind, Record, Source, SourceType
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.correction.retold import rests_on_words
from onrecord.testing.deciding import DAY, HOUR, T0, decide, on_record, only, said

FIRST = "The printer for letters is Falcon 9."
OTHER = "Letters come out of the printer Falcon 9."


def the_printer(**fields: Any) -> Record:
    return on_record(FIRST, **({"key": "office_printer", "value": "Falcon 9"} | fields))


def told(*words: str) -> dict[str, tuple[str, ...]]:
    return {"rec_old": (FIRST, *words)}


def again(words: str, *sources: str, old: Record | None = None, **fields: Any) -> list[Change]:
    new = said(words, at=T0 + 9 * DAY, **fields)
    return list(decide(new, old or the_printer(), cosine=0.3, told=told(*sources)).changes)


@pytest.mark.parametrize("words", [OTHER, f"As I said, {OTHER[0].lower()}{OTHER[1:]}", f"And {OTHER[0].lower()}{OTHER[1:]}"])
def test_words_of_a_source_said_again_without_the_key_are_one_more_source(words: str) -> None:
    (change,) = again(words, OTHER)
    assert isinstance(change, Reinforce)
    assert change.id == "rec_old"
    assert change.sources == ("turn_rec_new",)


def test_a_source_and_a_statement_may_say_beside_that_they_were_said_before() -> None:
    aside = f"{OTHER} I told you before, I think."
    for words, source in ((OTHER, aside), (aside, OTHER), (aside, aside)):
        (change,) = again(words, source)
        assert isinstance(change, Reinforce)
    for words in (f"{OTHER} I told you, not any more.", f"{OTHER} I told you about Bo before."):
        assert not any(isinstance(change, Reinforce) for change in again(words, OTHER))


def test_the_words_of_the_record_itself_need_no_source() -> None:
    (change,) = again("By the way, the printer for letters is Falcon 9.")
    assert isinstance(change, Reinforce)


def test_words_that_no_source_has_stand_alone() -> None:
    (change,) = again(OTHER)
    assert isinstance(change, Add)


@pytest.mark.parametrize(
    "words",
    [
        "Letters come out of the printer Falcon 8.",
        "Letters never come out of the printer Falcon 9.",
        "Letters come out of the printer Falcon 9 in colour.",
        "Letters come out of the printer Falcon 9. The landlord plays chess.",
        "Falcon 9 comes out of the printer letters.",
    ],
)
def test_another_value_a_denial_and_whatever_says_more_stand_alone(words: str) -> None:
    negation = "never" in words
    assert not any(isinstance(change, (Reinforce, Merge)) for change in again(words, OTHER, negation=negation))


def test_another_situation_stands_alone() -> None:
    (change,) = again(OTHER, OTHER, qualifier="at home")
    assert isinstance(change, Add)


def test_a_source_with_the_value_from_before_an_edit_counts_for_nothing() -> None:
    edited = replace(the_printer(), statement="The printer for letters is Kestrel 7.", value="Kestrel 7")
    (change,) = again(OTHER, OTHER, old=edited)
    assert isinstance(change, Add)


def test_a_source_that_says_several_things_counts_for_nothing() -> None:
    both = f"{OTHER} The landlord plays chess every Sunday."
    assert not any(isinstance(change, Reinforce) for change in again(both, both))


def test_the_words_of_a_document_do_not_make_a_persons_record_surer() -> None:
    (change,) = again(OTHER, OTHER, kind=Kind.TOOL_FACT, source=Source(SourceType.DOCUMENT, "doc"), confidence=0.99)
    assert isinstance(change, Reinforce)
    assert change.confidence == 0.0


# --- and when another value comes


def kestrel(**fields: Any) -> Candidate:
    given: dict[str, Any] = {"at": T0 + 30 * DAY, "key": "office_printer", "value": "Kestrel 7"}
    return said("Kestrel 7 is the printer with the good paper.", **given | fields)


def beside(statement: str, **fields: Any) -> Record:
    return on_record(statement, id="rec_bare", **({"at": T0 + 5 * DAY} | fields))


def test_another_value_takes_the_place_of_the_record_and_of_what_says_the_same_without_a_key() -> None:
    replaced, also = decide(kestrel(), the_printer(), beside(OTHER), told=told(OTHER)).changes
    assert isinstance(replaced, Supersede)
    assert isinstance(also, Resolve)
    assert (replaced.old, also.keep, also.drop) == ("rec_old", "rec_new", ("rec_bare",))
    assert "without a key" in also.reason


@pytest.mark.parametrize(
    "bare",
    [
        beside("Falcon 9 leaks ink."),
        beside("Letters come out of the printer Falcon 9 in colour."),
        beside("Letters come out of the printer Falcon 9. The landlord plays chess."),
        beside("Letters come out of the printer Falcon 8."),
        beside(OTHER, qualifier="at home"),
        beside(OTHER, negation=True),
        beside(OTHER, pinned=True),
        beside(OTHER, at=T0 + 40 * DAY),
        beside(OTHER, key="spare_printer", value="Falcon 9"),
        beside(OTHER, subject="user:bo"),
    ],
)
def test_it_takes_the_place_of_nothing_else(bare: Record) -> None:
    change = only(decide(kestrel(), the_printer(), bare, told=told(OTHER)))
    assert isinstance(change, Supersede)
    assert change.old == "rec_old"


def test_what_is_flagged_retires_nothing() -> None:
    changes = decide(kestrel(at=T0 + 6 * HOUR), the_printer(), beside(OTHER, at=T0 + HOUR), told=told(OTHER)).changes
    assert not any(isinstance(change, (Supersede, Resolve)) for change in changes)


def test_sources_are_asked_for_where_the_value_is_given_or_the_key_is_the_same() -> None:
    old = the_printer()
    assert rests_on_words(said(OTHER), old)
    assert rests_on_words(kestrel(), old)
    assert not rests_on_words(said("Letters come out of the printer."), old)
    assert not rests_on_words(kestrel(key="spare_printer"), old)
    assert rests_on_words(said(OTHER, act=Act.FORGET), old)  # what is to be forgotten is named in the words in which it was told
    assert not rests_on_words(said(OTHER), the_printer(key=None, value=None))


_FRAMES = ("{} treats the knee", "The knee is for {}", "{} never treats the knee", "The physio is {} at work", "{} left {}")
_VALUES = ("Kaveh", "Beatrix", "Ana Bo", "Ana", "bay 17", "bay 42")


@given(st.sampled_from(_FRAMES), st.sampled_from(_FRAMES), st.sampled_from(_VALUES), st.sampled_from(_VALUES), st.booleans())
def test_only_the_very_claim_of_a_source_with_the_value_is_said_again(
    one: str, two: str, value: str, other: str, denied: bool
) -> None:
    words, source = one.format(value, value), two.format(other, other)
    old = on_record("X is who it is.", key="physio", value=other)
    changes = decide(said(words, at=T0 + 9 * DAY, negation=denied), old, cosine=0.3, told={"rec_old": (source,)}).changes
    joined = any(isinstance(change, (Reinforce, Merge)) for change in changes)
    assert joined == (words == source and not denied)
