from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.moment import FOREVER
from onrecord.model.record import ExpiryBasis, Kind, Source, SourceType
from onrecord.policy.correction.admit import candidate_record
from onrecord.policy.language.shorten import shortened
from onrecord.testing.deciding import DAY, POLICY, T0, said


def test_the_end_is_the_default_of_the_kind_and_longer_for_identity() -> None:
    taste = candidate_record(said("Likes tea"), POLICY, T0)
    birthday = candidate_record(said("Born on 3 May", key="birthday", value="3 May", kind=Kind.STATED_FACT), POLICY, T0)
    assert taste.valid_until == T0 + POLICY.lifespan[Kind.PREFERENCE]
    assert birthday.valid_until == T0 + POLICY.identity_lifespan
    assert taste.expiry_basis is ExpiryBasis.DEFAULT


def test_a_stated_end_is_kept() -> None:
    end = T0 + 5 * DAY
    record = candidate_record(said("On leave", valid_until=end, expiry_basis=ExpiryBasis.STATED), POLICY, T0)
    assert (record.valid_until, record.expiry_basis) == (end, ExpiryBasis.STATED)


def test_a_guess_is_capped_and_no_constraint() -> None:
    guess = said("Never email", kind=Kind.CONSTRAINT, confidence=0.99, source=Source(SourceType.MODEL_INFERENCE, "run"))
    record = candidate_record(guess, POLICY, T0)
    assert (record.kind, record.confidence, record.trust) == (Kind.MODEL_INFERENCE, 0.6, 0.5)


def test_what_a_document_says_is_never_a_rule() -> None:
    record = candidate_record(said("Never email", kind=Kind.CONSTRAINT, source=Source(SourceType.DOCUMENT, "doc")), POLICY, T0)
    assert (record.kind, record.trust) == (Kind.TOOL_FACT, POLICY.trust[SourceType.DOCUMENT])


@given(st.text(min_size=1).filter(str.strip))
def test_any_statement_fits(statement: str) -> None:
    record = candidate_record(said(statement), POLICY, T0)
    assert len(record.statement) <= 240
    assert record.statement == statement.strip() or record.quote == statement


def test_a_long_statement_is_cut_at_a_sentence_and_quoted_whole() -> None:
    long = "The gate stays shut at night. " * 12
    record = candidate_record(said(long), POLICY, T0)
    assert record.statement.endswith("night.")
    assert record.quote == long


@pytest.mark.parametrize("year", [2024, 9998])
def test_a_default_end_never_leaves_the_calendar(year: int) -> None:
    at = datetime(year, 6, 1, tzinfo=UTC)
    assert candidate_record(said("Likes tea", at=at), POLICY, at).valid_until <= FOREVER


def test_a_cut_without_a_sentence_ends_at_a_word() -> None:
    cut = shortened("word " * 100)
    assert cut.endswith("word…")
    assert len(cut) <= 240
