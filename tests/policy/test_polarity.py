from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.language.polarity import difference, is_negated, same_facts, says_more, signature

NEGATED = """
I don't like cinnamon
I don’t like cinnamon
I no longer take sugar
I do not want calls before nine
isn't a vegetarian
I can not stand mushrooms
I cannot stand mushrooms
can't stand mushrooms
She loathes mushrooms
isn't keen on mushrooms
would rather not eat mushrooms
Uploads from the lab are not permitted
Smoking is forbidden here
nobody opens the door by voice
Please don't force-push a branch somebody else has checked out
never npm in this repo, it's pnpm only
whole dollars, no cents
nothing over 3.2 m high goes in there
Never a Tuesday, I'm afraid
when I speak, don't interrupt with corrections
tall trucks stay out of dock 4
anything commercial stays away from Gil
rewriting history is off the table
three bullets max and zero adjectives
I avoid gluten
I quit smoking
without nuts, please
neither tea nor coffee
dont email me
Dr Tarrant does NOT see under-12s
Ich esse kein Fleisch
Bitte nicht vor 10 anrufen
Ich hasse Kaffee
No me gusta el café
Nunca como carne
café sin azúcar para mí
Je ne mange pas de viande
pas de viande
Je déteste le café
ローマ字は使わないでください
コーヒーは飲みません
コーヒーが嫌いです
我不吃辣
别给我打电话
"""
PLAIN = """
Not only tea but also coffee
no problem, call me at 9
I can't wait to see Lisbon
why not call me at nine
Not until 9
The shop is not open until 9
Doesn't dislike early trains
never refuses tea
used to hate olives
No, use my office
on weekends those blinds open at 9, not before
new patients get 40 min, not a minute less
the signatory is Petra, nobody else can sign
fresh stuff at doors 7 and 8, nowhere else
at most 40 percent
no more than 40 percent
It's cold, isn't it?
Call me if the train isn't running
He moved because nobody called him
I like tea, not coffee
Don't forget to call Ana
don't worry, the door is open
I don't mind dogs
order no. 5 is here
whether or not it rains, water the plants
It's not uncommon
Coffee isn't forbidden
not bad at all
Non-smoking room please
sans-serif fonts in reports
ground floor only
She prefers tea
nicht nur Tee, sondern auch Kaffee
kein Problem, ruf mich um 9 an
Ich mag Tee
no solo té, también café
me gusta el té
pas seulement du thé
pas de problème, appelle à 9h
J'aime le thé
問題ありません
9時に行かなければならない
すみません、明日来ます
コーヒーは嫌いではない
我喜欢不同的茶
特别喜欢茶
"""


@pytest.mark.parametrize("text", NEGATED.strip().splitlines())
def test_it_says_that_something_is_not_so_or_must_not_be(text: str) -> None:
    assert is_negated(text)


@pytest.mark.parametrize("text", PLAIN.strip().splitlines())
def test_it_only_looks_negative(text: str) -> None:
    assert not is_negated(text)


SAME = """
I prefer aisle seats | The user prefers aisle seats.
My favourite tea is oolong | favourite tea: oolong
Call at 10am | call at 10:00
at most thirty-five kilos | at most 35 kg
It costs €40 | it costs 40 euros
The exam is on 20 June | the exam is on June 20th
She is baking bread | She bakes bread
I never eat meat | I don't eat meat
The repo is owned by Ana | Ana owns the repo
Mum lives in Porto | my mother lives in Porto
A kid is playing | A child is playing
ローマ字を使います | ローマ字を使います。
"""
OTHER = """
Ana manages Bo | Bo manages Ana
Bo is managed by Ana | Bo manages Ana
Build 41 took 312 s | Build 42 took 312 s
The locker is WAW118K | The locker is WAW181K
Meet on 3 May | Meet on 4 May
The limit is 24 kg | The limit is 24 g
call at 10am | call at 10pm
Uploads are permitted | Uploads are not permitted
Uploads are permitted | Uploads are never permitted
The gate is open | The gate is closed
Send it before lunch | Send it after lunch
Likes cinnamon | Hates cinnamon
It allows retries | It forbids retries
Lived in Porto | Lives in Porto
Works at Alder | Works at Alder Bank
likes cooking | likes cooks
I have a dog | I have dogs
The train from Lisbon to Porto | The train from Porto to Lisbon
Ana's dog bit Bo | Bo's dog bit Ana
tea with milk | tea without milk
See https://a.example/x | See https://a.example/y
Most people agree | All people agree
She may move to Porto | She moves to Porto
私は茶が好きです | 私は茶が嫌いです
"""


def pairs(table: str) -> list[list[str]]:
    return [line.split(" | ") for line in table.strip().splitlines()]


@pytest.mark.parametrize(("a", "b"), pairs(SAME))
def test_the_same_claim_in_other_dress(a: str, b: str) -> None:
    assert same_facts(a, b)
    assert same_facts(b, a)


@pytest.mark.parametrize(("a", "b"), pairs(OTHER))
def test_another_claim_in_nearly_the_same_words(a: str, b: str) -> None:
    assert not same_facts(a, b)
    assert not says_more(a, b)
    assert not says_more(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Works at Alder as a planner", "Works at Alder"),
        ("Rex is a labrador, born in May", "Rex is a labrador"),
        ("Has a dog and a cat", "Has a dog"),
    ],
)
def test_more_is_said(a: str, b: str) -> None:
    assert says_more(a, b)
    assert not says_more(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Likes tea shops", "Likes tea"),
        ("Eats meat only on Sundays", "Eats meat"),
        ("Drinks coffee, but not after noon", "Drinks coffee"),
        ("Works at Alder unless Bo is away", "Works at Alder"),
        ("The gate is open on Sundays", "The gate is open"),
        ("Likes Bo's dog", "Likes Bo"),
    ],
)
def test_what_narrows_does_not_say_more(a: str, b: str) -> None:
    assert not says_more(a, b)


@pytest.mark.parametrize(
    ("a", "b", "what"),
    [
        ("Uploads are permitted", "Uploads are not permitted", "polarity"),
        ("The gate is open", "The gate is closed", "antonym"),
        ("The rent is 900 EUR", "The rent is 950 EUR", "number"),
        ("The rent is due on 1 May", "The rent is due on 5 May", None),
        ("Aisle 3 has tea", "Aisle 4 has tea", None),
        ("Build 41 took 312 s", "Build 42 took 298 s", None),
        ("The gate is open", "The gate is open", None),
        ("Ana likes tea", "Bo likes tea", None),
    ],
)
def test_what_two_sentences_differ_in(a: str, b: str, what: str | None) -> None:
    assert difference(a, b) == what
    assert difference(b, a) == what


def test_a_signature_names_what_must_not_get_lost() -> None:
    found = signature("Ask Dalia at 10am on 21 March 2026 about KB-311, at most 35 kilos, never by https://x.example/a")
    assert found.names == {"dalia"}
    assert found.numbers == {"t10:00", "35kg"}
    assert found.dates == {"d2026-03-21"}
    assert found.codes == {"KB-311"}
    assert found.urls == {"https://x.example/a"}
    assert found.negated


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(a: str, b: str) -> None:
    assert same_facts(a, b) == same_facts(b, a)
    assert difference(a, b) == difference(b, a)
    assert not (says_more(a, b) and says_more(b, a))
    assert not (says_more(a, b) and same_facts(a, b))


@given(st.text())
def test_a_sentence_with_words_is_the_same_as_itself(text: str) -> None:
    assert same_facts(text, text) == bool(signature(text).frame)


@pytest.mark.data
def test_negated_copies_of_public_sentences_are_never_the_same(data: Callable[[str], Path]) -> None:
    taken_for_same = []
    lines = gzip.decompress(data("components/cannot_negation.jsonl.gz").read_bytes()).decode().splitlines()
    for row in map(json.loads, lines):
        a, b = row.get("premise") or row["sentence"], row.get("hypothesis") or row["negated"]
        if row.get("label", "1") == "1" and a.strip() != b.strip() and same_facts(a, b):
            taken_for_same.append(b)
    # a typing error in the set: it lacks a verb and negates nothing
    assert taken_for_same == ["It oldest African-American Baptist Church in Eden."]
