"""Decay, ends, and what is left when a source goes: decided from data and a time alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.change import Event, EventType, Expire
from onrecord.model.record import ExpiryBasis, Kind, Record, Status, Usage
from onrecord.policy.defaults import Policy
from onrecord.policy.lifecycle.decay import faded, fades, retention, stretch
from onrecord.policy.lifecycle.expiry import UPKEEP, ended, renewal, returning, to_review
from onrecord.policy.lifecycle.lineage import rest
from onrecord.testing.builders import NOW, a_record

POLICY = Policy()
DAY = timedelta(days=1)
YEAR = 365 * DAY

usages = st.builds(
    Usage,
    last_reinforced_at=st.none() | st.integers(-900, 900).map(lambda n: NOW + n * DAY),
    access_count=st.integers(0, 40),
    mention_count=st.integers(1, 9),
)
records = st.builds(
    lambda kind, confidence, **fields: a_record(kind=kind, confidence=min(confidence, 0.6), **fields),
    st.sampled_from(Kind),
    st.floats(0, 1),
    negation=st.booleans(),
    pinned=st.booleans(),
    key=st.sampled_from([None, "name", "contact_channel"]),
    status=st.sampled_from(Status),
)
moments = st.integers(0, 4000).map(lambda n: NOW + n * DAY)


@given(records, usages, moments, st.integers(0, 2000))
def test_retention_lies_between_none_and_all_and_never_grows_with_time(r: Record, u: Usage, at: datetime, later: int) -> None:
    now, then = retention(r, u, at, POLICY), retention(r, u, at + later * DAY, POLICY)
    assert 0.0 <= then <= now <= 1.0


@given(records, usages, moments)
def test_use_never_makes_a_record_fade_faster(r: Record, u: Usage, at: datetime) -> None:
    used = replace(u, access_count=u.access_count + 1)
    assert retention(r, used, at, POLICY) >= retention(r, u, at, POLICY)
    assert 1.0 <= stretch(u, POLICY) <= stretch(used, POLICY) <= POLICY.half_life_stretch


@given(records, usages, moments)
def test_what_must_not_happen_and_what_is_pinned_never_fades(r: Record, u: Usage, at: datetime) -> None:
    if r.pinned or r.negation or r.kind is Kind.CONSTRAINT or r.status is not Status.ACTIVE:
        assert retention(r, u, at, POLICY) == 1.0
        assert faded([(r, u)], at, POLICY) == []


@given(records, usages, moments)
def test_exactly_what_kept_too_little_of_its_confidence_is_archived(r: Record, u: Usage, at: datetime) -> None:
    left = r.confidence * retention(r, u, at, POLICY)
    assert bool(faded([(r, u)], at, POLICY)) == (fades(r) and left <= POLICY.archive_below)


def test_half_of_a_preference_is_left_after_a_year_and_most_if_it_was_used() -> None:
    record, unused = a_record(kind=Kind.PREFERENCE), Usage()
    assert retention(record, unused, NOW + YEAR, POLICY) == pytest.approx(0.5)
    assert retention(record, Usage(access_count=10), NOW + YEAR, POLICY) == pytest.approx(0.5**0.2)
    assert retention(record, Usage(last_reinforced_at=NOW + YEAR), NOW + 2 * YEAR, POLICY) == pytest.approx(0.5)
    assert retention(replace(record, key="name"), unused, NOW + YEAR, POLICY) > 0.9


def test_a_plain_fact_that_nobody_used_is_archived_after_two_and_a_half_half_lives() -> None:
    record, days = a_record(kind=Kind.STATED_FACT, confidence=0.85), 180 * 2.5
    assert faded([(record, Usage())], NOW + (days - 5) * DAY, POLICY) == []
    (change,) = faded([(record, Usage())], NOW + (days + 5) * DAY, POLICY)
    assert (change.id, change.version) == (record.id, record.version)
    assert "18% is left" in change.reason or "17% is left" in change.reason


def ending(basis: ExpiryBasis, id: str = "r", **fields: Any) -> Record:
    return a_record(id, expiry_basis=basis, valid_until=NOW + DAY, **fields)


def test_a_stated_end_ends_and_a_default_one_asks() -> None:
    stated, default = ending(ExpiryBasis.STATED, "a"), ending(ExpiryBasis.DEFAULT, "b")
    both = [stated, default, replace(stated, id="c", status=Status.RETRACTED)]
    assert (ended(both, NOW), to_review(both, NOW)) == ([], [])
    assert [(type(change), change.id) for change in ended(both, NOW + DAY)] == [(Expire, "a")]
    assert [record.id for record in to_review(both, NOW + DAY)] == ["b"]


def test_what_holds_on_does_so_until_a_stated_time_or_for_another_lifespan() -> None:
    record = ending(ExpiryBasis.DEFAULT)
    assert renewal(record, None, NOW, POLICY).fields == {"valid_until": NOW + 2 * YEAR, "expiry_basis": ExpiryBasis.DEFAULT}
    assert renewal(record, NOW + DAY, NOW, POLICY).fields["expiry_basis"] is ExpiryBasis.STATED


def archived_by(actor: str, record: Record) -> list[Event]:
    who: dict[str, Any] = {
        "tenant": record.tenant,
        "subject": record.subject,
        "record_id": record.id,
        "actor": actor,
        "reason": "",
    }
    return [Event(seq=1, type=EventType.ARCHIVED, at=NOW, after=record, **who)]


def test_what_faded_comes_back_and_what_was_put_away_on_purpose_or_is_over_does_not() -> None:
    record = a_record(status=Status.ARCHIVED, key="contact_channel", value="email")
    faded_away = archived_by(UPKEEP, record)
    assert returning(record, faded_away, [], NOW) is not None
    assert returning(record, archived_by("caller", record), [], NOW) is None
    assert returning(replace(record, status=Status.RETRACTED), faded_away, [], NOW) is None
    over = replace(record, expiry_basis=ExpiryBasis.STATED, valid_until=NOW)
    assert returning(over, faded_away, [], NOW) is None
    rival = a_record("other", key="contact_channel", value="phone")
    assert returning(record, faded_away, [rival], NOW) is None
    elsewhere = replace(rival, qualifier="at work")
    assert returning(replace(record, qualifier="at home"), faded_away, [elsewhere], NOW) is not None


def states(*sources: tuple[str, ...]) -> list[Event]:
    made = [a_record(derived_from=of, version=n) for n, of in enumerate(sources, 1)]
    befores = [None, *made]
    who: dict[str, Any] = {"tenant": "acme", "subject": "user:ana", "record_id": "rec_1", "actor": "", "reason": "", "at": NOW}
    types = [EventType.ADDED, *[EventType.RESTATED] * len(made)]
    return [Event(seq=n, type=types[n], before=befores[n], after=after, **who) for n, after in enumerate(made)]


def test_what_is_left_is_the_state_before_what_is_gone_went_in() -> None:
    events = states(("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d"))
    record = events[-1].after
    assert record is not None
    left = rest(record, events, {"c"})
    assert left.record is not None
    assert (left.record.derived_from, left.record.version, left.reread) == (("a", "b"), 4, ("d",))
    assert rest(record, events, {"a"}) == rest(record, [], {"a"})
    assert (rest(record, events, {"a"}).record, rest(record, events, {"a"}).reread) == (None, ("b", "c", "d"))


@given(st.sets(st.sampled_from("abcd")))
def test_what_is_left_rests_on_nothing_that_is_gone_and_forgets_no_other_source(gone: set[str]) -> None:
    events = states(("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d"))
    record = events[-1].after
    assert record is not None
    left = rest(record, events, gone)
    kept = set(left.record.derived_from) if left.record else set()
    assert not kept & gone
    assert kept | set(left.reread) == set("abcd") - gone
