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
from onrecord.policy.correction.kindred import kindred, reaching
from onrecord.policy.correction.parts import record_parts
from onrecord.policy.correction.reconcile import Neighbour, reconcile
from onrecord.policy.correction.resemblance import Comparison, resemblances
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


#: Words, values, keys, denials, cues, situations and parts, so that every kind of feature holds of some pair.
STATEMENTS = (
    *OTHERS,
    "My phone number is 0170 555.",
    "My phone number is now 0171 777, not 0170 555.",
    "No nuts in the kitchen, I'm allergic.",
    "No candles in the kitchen in winter, and the heating of the bedroom stays at 18 degrees.",
    "As I said, the meeting with Dr Adeyemi is on Thursdays at 16:00; call me on weekdays only.",
    "We've switched, the servers run in Dublin now. Backups are kept for 90 days. The retro moved to Mondays.",
    "I think part 10 is in bay A-0010, but maybe it is A-0001.",
    "Ich wohne jetzt in Hamburg.",
)
COSINES = st.floats(-0.2, 1.0)


@given(data=st.data(), floor=st.floats(0.01, 0.9))
def test_a_pair_that_is_left_out_is_less_likely_than_was_asked(data: st.DataObject, floor: float) -> None:
    new, *texts = data.draw(st.lists(st.sampled_from(STATEMENTS), min_size=2, max_size=7))
    candidate, record = said(new, data.draw(st.integers(0, 60)), data.draw(st.sampled_from(("Sam", "Ana"))))
    olds = [said(text)[1] for text in texts]
    wide = len(record_parts(record))
    cosines = [[[data.draw(COSINES) for _ in record_parts(old)] for _ in range(wide)] for old in olds]
    compared = Comparison(candidate, record, olds, cosines)
    likely = [[row.features for row in rows if weights().one.probability(row.features) >= floor] for rows in compared.close()]
    kept = [[row.features for row in rows] for rows in compared.close(reaching(floor))]
    assert all(features in here for wanted, here in zip(likely, kept, strict=True) for features in wanted)
    assert all(compared.promising({n}, reaching(floor)) for n, wanted in enumerate(likely) if wanted)


def test_what_has_nothing_in_common_is_not_read_closely() -> None:
    candidate, record = said("Our parrot learned to whistle.", 1)
    olds = [said(f"Item {n} of the list goes to shelf number {n}.")[1] for n in range(50)]
    compared = Comparison(candidate, record, olds, [((FAR,),)] * len(olds))
    assert [rows for rows in compared.close(reaching(0.1)) if rows] == []
