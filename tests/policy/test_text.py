from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.language.text import query_terms, terms


def test_words_meet_across_case_accent_plural_and_tense() -> None:
    assert set(terms("CAFÉ painting")) == set(terms("cafe paintings"))


def test_a_name_with_signs_is_found_whole_and_in_parts() -> None:
    assert "c++" in terms("I write C++ daily")
    assert {"v2.3.1", "v2"} <= set(terms("pinned to v2.3.1"))
    assert "ana.b@x.org" in terms("mail ana.b@x.org")


def test_two_characters_from_the_middle_of_a_chinese_sentence_are_found() -> None:
    assert set(terms("咖啡")) <= set(terms("我每天早上喝咖啡不加糖"))


def test_a_possessive_is_the_word_itself() -> None:
    assert terms("Ana's")[-1] == terms("Ana")[0]


def test_stop_words_count_only_when_nothing_else_is_asked() -> None:
    assert query_terms("what is the colour of my car") == [*terms("colour"), *terms("car")]
    assert query_terms("who is it") == ["who", "is", "it"]
    assert query_terms("?!") == []


@given(st.text())
def test_any_text_gives_terms_that_are_short_folded_and_hold_no_blank(text: str) -> None:
    for term in terms(text):
        assert term
        assert len(term) <= 64
        assert not re.search(r"\s", term)


@given(st.text(), st.text())
def test_terms_do_not_depend_on_what_stands_on_another_line(first: str, second: str) -> None:
    assert terms(f"{first}\n{second}")[: len(terms(first))] == terms(first)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("ประชุมครั้งหน้าจัดที่กรุงเทพใกล้สถานี", "กรุงเทพ"),
        ("ກອງປະຊຸມຄັ້ງຕໍ່ໄປຢູ່ວຽງຈັນ", "ວຽງຈັນ"),
        ("កិច្ចប្រជុំលើកក្រោយនៅភ្នំពេញ", "ភ្នំពេញ"),
        ("နောက်အစည်းအဝေးကိုရန်ကုန်တွင်ကျင်းပမည်", "ရန်ကုန်"),
    ],
)
def test_a_word_in_a_script_without_blanks_is_found_by_its_pairs(sentence: str, word: str) -> None:
    asked = terms(word)
    assert len(asked) > 1
    assert set(asked) <= set(terms(sentence))
    assert all(len(term) == 2 for term in asked)


def test_latin_words_and_numbers_beside_such_a_script_stay_words() -> None:
    assert {"gen", "50"} <= set(terms("ซื้อgenราคา 50 บาท"))
