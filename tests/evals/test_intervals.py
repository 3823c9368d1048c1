"""Intervals: against values worked out by hand, and against what they promise."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.evals import intervals as module
from onrecord.evals.intervals import Units, auroc_interval, intervals, proportion, student


def test_students_quantiles_are_those_of_the_tables() -> None:
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 10: 2.228, 29: 2.045, 10_000: 1.960}
    assert {freedom: round(student(0.975, freedom), 3) for freedom in table} == table


def test_wilsons_interval_is_that_of_his_formula() -> None:
    assert proportion(0, 256) == pytest.approx((0.0, 0.0148), abs=5e-4)  # 0 of 256: up to z² / (n + z²)
    assert proportion(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-4)  # Newcombe 1998, method 3
    assert proportion(1, 1) == pytest.approx((0.2065, 1.0), abs=5e-4)
    with pytest.raises(ValueError):
        proportion(0, 0)


def test_conversations_are_drawn_where_there_are_enough_of_them() -> None:
    assert Units.of_questions(list("aabbccddee")).name == "conversations"
    assert Units.of_questions(list("aabbccddee")).count == 5
    assert Units.of_questions(list("aabbccdd")).name == "questions"  # four conversations
    assert Units.of_questions(list("abcdefgh")).count == 8  # each question its own


def test_one_question_has_no_interval() -> None:
    assert intervals({"x": [1.0]}, ["a"], seed=1) == {}
    assert auroc_interval([1.0], [], (["a"], []), seed=1) is None


def test_the_same_seed_gives_the_same_interval() -> None:
    values, talks = {"x": [n / 17 for n in range(30)]}, list(range(30))
    assert intervals(values, talks, seed=3) == intervals(values, talks, seed=3)
    assert intervals(values, talks, seed=3) != intervals(values, talks, seed=4)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.integers(0, 99))
def test_an_interval_lies_within_the_values(values: list[float], seed: int) -> None:
    talks = [n // 3 for n in range(len(values))]
    low, high = intervals({"x": values}, talks, seed=seed)["x"]
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_conversations_that_differ_widen_it() -> None:
    """Twenty answers each of six talks: all right or all wrong tells as much as six questions, and no more."""
    alike = [float(n % 2) for n in range(120)]
    apart = [float(n // 20 % 2) for n in range(120)]
    talks = [n // 20 for n in range(120)]
    narrow, wide = (intervals({"x": values}, talks, seed=1)["x"] for values in (alike, apart))
    assert wide[1] - wide[0] > 5 * (narrow[1] - narrow[0] + 0.01)


def held(talks: int, monkeypatch: pytest.MonkeyPatch) -> float:
    """How often an interval holds the truth, two thirds, over sets of so many talks of thirty questions, some talks harder."""
    monkeypatch.setattr(module, "ROUNDS", 400)
    rng, hits = random.Random(5), 0
    clusters = [n // 30 for n in range(30 * talks)]
    for seed in range(200):
        chances = [rng.betavariate(6, 3) for _ in range(talks)]
        low, high = intervals({"x": [float(rng.random() < chances[n]) for n in clusters]}, clusters, seed=seed)["x"]
        hits += low <= 2 / 3 <= high
    return hits / 200


def test_an_interval_holds_the_truth_about_as_often_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0.91 <= held(10, monkeypatch) <= 0.99
    assert held(5, monkeypatch) >= 0.88


def test_plain_percentiles_would_hold_it_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    expanded = held(5, monkeypatch)
    monkeypatch.setattr(module, "_tail", lambda units: (1 - module.LEVEL) / 2)
    assert held(5, monkeypatch) < expanded - 0.02


def test_the_interval_of_an_auroc_lies_around_it() -> None:
    rng = random.Random(2)
    right, wrong = [rng.gauss(1, 1) for _ in range(80)], [rng.gauss(0, 1) for _ in range(60)]
    span = auroc_interval(right, wrong, (list(range(80)), list(range(80, 140))), seed=1)
    auroc = fmean(float(a > b) for a in right for b in wrong)
    assert span is not None
    assert span[0] < auroc < span[1]
    assert span[1] - span[0] < 0.25
