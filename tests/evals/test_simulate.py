"""A made life is the same for a seed, holds its own gold, and goes through a whole memory."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from onrecord.evals.life import ATTRIBUTES, DAY, Life
from onrecord.evals.simulate import START, Measured, policy_without, simulate
from onrecord.policy.defaults import Policy
from onrecord.providers.embed.hashing import HashingEmbedder


def test_a_seed_gives_one_life_and_another_seed_another() -> None:
    def told(seed: int) -> list[str]:
        return [said.text for sitting in Life(seed, START, 730, 100).sittings() for said in sitting.said]

    assert told(1) == told(1)
    assert told(1) != told(2)


def test_every_fact_is_told_in_week_one_and_changes_are_told_when_they_come() -> None:
    life = Life(3, START, 730, 1_000)
    last, sessions, changed = START, 0, 0
    for sitting in life.sittings():
        assert sitting.at >= last
        last, sessions = sitting.at, sessions + 1
        if sessions == 7:
            assert len(life.probes()) == len(ATTRIBUTES)
            assert sitting.at < START + 7 * DAY
    for probe in life.probes():
        assert probe.value not in probe.former
        changed += bool(probe.former)
    assert sessions == 1_000
    assert len(ATTRIBUTES) / 3 < changed < len(ATTRIBUTES)


def test_the_values_of_a_fact_tell_it_from_every_other() -> None:
    values = [value.casefold() for attribute in ATTRIBUTES for value in attribute.values]
    assert not [(a, b) for a in values for b in values if a != b and a in b]
    for attribute in ATTRIBUTES:
        assert len(attribute.told) >= 3
        assert not any(value in question for value in attribute.values for question in attribute.asked)


def test_a_simulation_measures_week_one_and_each_quarter(tmp_path: Path) -> None:
    done = simulate(tmp_path / "life.db", HashingEmbedder(), seed=2, years=0.3, sessions=40)
    (quarter,) = done.quarters
    assert (done.week_one.day, quarter.day) == (7, 91)
    assert quarter.turns > done.week_one.turns > 0
    assert 0 < quarter.active <= quarter.records
    assert quarter.bytes > 0
    assert quarter.superseded == 0
    assert quarter.hit5 >= 0.9
    again = simulate(tmp_path / "again.db", HashingEmbedder(), seed=2, years=0.3, sessions=40)
    same = [field.name for field in fields(Measured) if field.name != "bytes"]
    assert [getattr(again.quarters[0], name) for name in same] == [getattr(quarter, name) for name in same]


@pytest.mark.parametrize("part", ["decay", "consolidation", "retention"])
def test_what_is_left_out_is_off(part: str) -> None:
    policy, usual = policy_without([part], 180), Policy()
    assert (policy.archive_below == 0) == (part == "decay")
    assert (policy.merge_limit == 0) == (part == "consolidation")
    assert (policy.trace_retention > usual.trace_retention) == (part == "retention")
    assert (policy.turn_retention is None) == (part == "retention")
