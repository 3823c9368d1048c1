"""The pair model: which old record a new statement is of one attribute with, and what it never does."""

from __future__ import annotations

import math
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.change import Add, Change, Flag, Merge, Reinforce, Supersede
from onrecord.model.record import Record
from onrecord.model.verdict import Candidate
from onrecord.policy.capture.propose import propose
from onrecord.policy.correction.admit import candidate_record
from onrecord.policy.correction.bonds import weights
from onrecord.policy.correction.kindred import kindred
from onrecord.policy.correction.reconcile import Neighbour, reconcile
from onrecord.policy.correction.resemblance import resemblances
from onrecord.policy.defaults import Policy
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.testing.builders import a_turn

POLICY = Policy(personal_subjects=False)
THEN = datetime(2026, 1, 5, 10, tzinfo=UTC)
#: What else is on record, and how near it is to anything.
OTHERS = ("The retro is on Fridays.", "Ines signs the invoices.", "Backups are kept for 30 days.")
FAR = 0.12


def said(text: str, days: int = 0, author: str = "Sam") -> tuple[Candidate, Record]:
    at = THEN + timedelta(days=days)
    id = f"turn_{zlib.crc32(f'{text}{days}'.encode())}"
    turn = a_turn(id, text, subject="project:atlas", author=author, at=at, written_at=at)
    candidate = propose(turn, [], POLICY, DEFAULT)[0]
    return candidate, candidate_record(candidate, POLICY, at)


def decided(old: str, new: str, cosine: float, *, days: int = 30, author: str = "Sam") -> tuple[Change, ...]:
    candidate, record = said(new, days, author)
    near = [Neighbour(said(text)[1], 0.0, ((FAR,),)) for text in OTHERS]
    near.append(Neighbour(said(old)[1], cosine, ((cosine,),)))
    return reconcile(candidate, record, near, POLICY).changes


@pytest.mark.parametrize(
    ("old", "new", "cosine"),
    [
        ("We host everything in Frankfurt.", "We've switched, the servers run in Dublin now.", 0.55),
        ("The set goes in a 7.5-tonner.", "Change of plan, the lorry is an 18-tonner from now on.", 0.5),
    ],
)
def test_news_in_other_words_takes_the_place_of_what_it_is_news_of(old: str, new: str, cosine: float) -> None:
    changes = decided(old, new, cosine)
    assert isinstance(changes[0], Supersede)
    assert changes[0].old == said(old)[1].id


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We host everything in Frankfurt.", "We also host the archive in Dublin now."),
        ("Log retention is 30 days.", "In staging log retention is now 7 days, prod stays as is."),
        ("My GP is Dr Pell.", "Dr Pell moved into the flat next door."),
    ],
)
def test_what_adds_or_holds_elsewhere_retires_nothing(old: str, new: str) -> None:
    assert all(isinstance(change, Add | Flag) for change in decided(old, new, 0.6))


def test_without_a_cosine_of_the_known_embedder_nothing_is_named() -> None:
    candidate, record = said("We've switched, the servers run in Dublin now.", 30)
    assert kindred(candidate, record, [(said("We host everything in Frankfurt.")[1], ())], POLICY.kindred, POLICY) is None


def test_of_two_that_are_as_likely_neither_is_meant() -> None:
    candidate, record = said("We've switched, the servers run in Dublin now.", 30)
    twins = [(said(f"We host {thing} in Frankfurt.")[1], ((0.55,),)) for thing in ("the shop", "the blog")]
    assert kindred(candidate, record, twins, POLICY.kindred, POLICY) is None


@given(a=st.integers(2, 90), b=st.integers(2, 90), cosine=st.floats(0, 1))
def test_two_figures_are_never_made_one_record(a: int, b: int, cosine: float) -> None:
    if a != b:
        changes = decided(f"Backups are kept for {a} weeks.", f"As I said, we hold on to the dumps for {b} weeks.", cosine)
        assert not any(isinstance(change, Merge | Reinforce) for change in changes)


@given(text=st.text(min_size=1, max_size=80), cosine=st.floats(-1, 1))
def test_features_are_the_same_and_finite_for_any_words(text: str, cosine: float) -> None:
    candidate, record = said("We've switched, the servers run in Dublin now.", 30)
    old = said(f"x {text}")[1] if text.strip() else said("x")[1]
    ((row, *_),) = resemblances(candidate, record, [old], [((cosine,),)])
    assert set(row.features) == set(weights().one.named)
    assert all(math.isfinite(value) for value in row.features.values())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The hindwings are ferruginous-brown.", "The hindwings are yellow-pink."),
        ("The boy is wading through the blue ocean", "A boy is standing in the cold water"),
        ("A girl in white is dancing", "The dancer is dancing in front of the sound equipment"),
    ],
)
def test_sentences_that_are_merely_alike_stay_two_records_however_near_they_are(old: str, new: str) -> None:
    assert all(isinstance(change, Add | Flag) for change in decided(old, new, 1.0, days=0))
