"""A model suggests merges: what loses something is not done, whoever suggests it, and nothing that was not shown is touched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import ModelError, ModelUnavailable
from onrecord.memory import Memory
from onrecord.model.record import Cardinality, Kind, Source, SourceType, Status
from onrecord.model.scope import Origin, Scope
from onrecord.policy.consolidation.contest import contest
from onrecord.policy.defaults import Policy
from onrecord.policy.reading.suggest import grouped, records_shown
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.builders import a_record

SAME = ("The desk of the user is by the window", "By the window is the desk of the user")


class Grouping:
    """A model that answers with groups of numbers, made of the statements it is shown."""

    name = "grouping"

    def __init__(self, reply: Callable[[list[str]], Any]) -> None:
        self._reply, self.calls = reply, 0

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        self.calls += 1
        found: Mapping[str, Any] = self._reply([json.loads(line)["statement"] for line in user.split("\n")])
        return found


def all_of_them(statements: list[str]) -> Mapping[str, Any]:
    return {"groups": [{"records": list(range(1, len(statements) + 1))}]}


def memory(clock: SteppingClock, model: Grouping, **more: Any) -> Memory:
    policy = Policy(suggest_merges=True, **more)
    return Memory(":memory:", embedder=HashingEmbedder(), clock=clock, chat=model, policy=policy)


def told(memory: Memory, *statements: str) -> list[str]:
    for statement in statements:
        memory.remember(statement, user_id="ana")
    memory.maintain()
    return sorted(row.statement for row in memory.get_all(user_id="ana"))


def test_what_a_model_finds_and_rules_do_not_is_merged_and_can_be_undone(clock: SteppingClock) -> None:
    alone = told(memory(clock, Grouping(lambda said: {"groups": []})), *SAME)
    assert len(alone) == 2
    made = memory(clock, Grouping(all_of_them))
    for statement in SAME:
        made.remember(statement, user_id="ana")
    report = made.maintain()
    assert report.merged == 1
    assert len(made.get_all(user_id="ana")) == 1
    made.undo(report.run)
    assert len(made.get_all(user_id="ana")) == 2


@pytest.mark.parametrize(
    "statements",
    [
        ("I eat nuts", "I never eat nuts"),
        ("The limit is 200 euros", "The limit is 250 euros"),
        ("My sister lives in Porto", "My sister lives in Faro"),
        ("I drink tea at work", "I drink coffee at home"),
    ],
)
def test_what_differs_is_not_merged_whatever_a_model_says(clock: SteppingClock, statements: tuple[str, str]) -> None:
    alone = told(memory(clock, Grouping(lambda said: {"groups": []})), *statements)
    assert told(memory(clock, Grouping(all_of_them)), *statements) == alone


@pytest.mark.parametrize("error", [ModelError("nonsense"), ModelUnavailable("away")])
def test_a_model_that_fails_costs_a_call_and_nothing_else(clock: SteppingClock, error: ModelError) -> None:
    def fails(said: list[str]) -> Any:
        raise error

    model = Grouping(fails)
    assert len(told(memory(clock, model), *SAME)) == 2
    assert model.calls == 1


def test_no_model_is_asked_unless_it_is_wanted_and_never_in_a_dry_run(clock: SteppingClock) -> None:
    model = Grouping(all_of_them)
    off = Memory(":memory:", embedder=HashingEmbedder(), clock=clock, chat=model)
    told(off, *SAME)
    on = memory(clock, model)
    for statement in SAME:
        on.remember(statement, user_id="ana")
    on.maintain(dry_run=True)
    assert model.calls == 0


NUMBERS = st.lists(st.integers(-2, 6) | st.none() | st.text(max_size=3), max_size=5)


@given(st.lists(st.fixed_dictionaries({"records": NUMBERS}), max_size=4))
def test_groups_hold_only_records_that_were_shown_each_once(found: list[dict[str, Any]]) -> None:
    shown = [a_record(f"rec_{n}", f"Statement {n}") for n in range(3)]
    assert records_shown(shown).count("\n") == 2
    try:
        groups = grouped({"groups": found}, shown)
    except ModelError:
        return
    ids = [row.id for group in groups for row in group]
    assert len(ids) == len(set(ids))
    assert all(len(group) > 1 for group in groups)


# --- what cannot both be true


def disputing(clock: SteppingClock, model: Grouping) -> Memory:
    return Memory(":memory:", embedder=HashingEmbedder(), clock=clock, chat=model, policy=Policy(suggest_conflicts=True))


def disputed(memory: Memory, *statements: str) -> list[str]:
    for statement in statements:
        memory.remember(statement, user_id="ana")
    memory.maintain()
    return [row.statement for row in memory.get_all(user_id="ana") if row.conflicts_with]


def test_a_contradiction_that_a_model_finds_is_shown_with_both_sides_and_can_be_undone(clock: SteppingClock) -> None:
    statements = ("The rehearsal hall opens for us at 19:00", "We get into the rehearsal hall at 19:30")
    made = disputing(clock, Grouping(all_of_them))
    for statement in statements:
        made.remember(statement, user_id="ana")
        clock.now += timedelta(days=40)
    assert [row.conflicts_with for row in made.get_all(user_id="ana")] == [(), ()], "rules alone see no contradiction here"
    report = made.maintain()
    assert report.flagged == 1
    assert {row.statement for row in made.get_all(user_id="ana") if row.conflicts_with} == set(statements)
    made.undo(report.run)
    assert not [row for row in made.get_all(user_id="ana") if row.conflicts_with]
    assert made.maintain().flagged == 0, "what a person parted stays parted"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The alarm of the lab goes off at 92 degrees", "The lab has its alarm set to 88 degrees"),
        ("I eat fish on Fridays", "I never eat fish on Fridays"),
        ("The gate is open on Sundays", "The gate is closed on Sundays"),
    ],
)
def test_two_values_of_one_thing_and_a_denial_are_contests(old: str, new: str) -> None:
    flag = contest(a_record("rec_1", old), a_record("rec_2", new, negation="never" in new), Policy(), "run_1")
    assert flag is not None
    assert flag.ids == ("rec_1", "rec_2")


@pytest.mark.parametrize(
    "changed",
    [
        {"pinned": True},
        {"kind": Kind.EPISODE},
        {"scope": Scope.AGENT, "scope_ref": "support", "origin": Origin(agent="support")},
        {"source": Source(SourceType.TOOL_RESULT, "turn_9")},
        {"status": Status.ARCHIVED},
        {"key": "alarm", "cardinality": Cardinality.MULTI},
    ],
)
def test_what_is_of_another_place_or_voice_is_no_contest(changed: dict[str, Any]) -> None:
    key = changed.get("key")
    old = a_record("rec_1", "The alarm of the lab goes off at 92 degrees", key=key)
    new = a_record("rec_2", "The lab has its alarm set to 88 degrees", key=key)
    assert contest(old, new, Policy(), "run_1") is not None
    assert contest(old, replace(new, **changed), Policy(), "run_1") is None


@pytest.mark.parametrize(
    "statements",
    [
        ("My sister lives in Porto", "I drink coffee at home"),
        ("I drink tea at work", "I drink coffee at home"),
        ("The kitchen heating is set to 19 degrees", "The bedroom heating is set to 17 degrees"),
        ("Our meeting in summer starts at 9:00", "Our meeting in winter starts at 10:00"),
        ("I am allergic to peanuts", "I am allergic to shellfish too"),
        ("My bike is blue", "My bike has 21 gears"),
        ("Never call me before 10", "Call me by my first name"),
    ],
)
def test_what_can_both_be_true_is_not_flagged_whatever_a_model_says(clock: SteppingClock, statements: tuple[str, str]) -> None:
    assert disputed(disputing(clock, Grouping(all_of_them)), *statements) == []


def test_a_group_of_three_is_no_contradiction_of_two(clock: SteppingClock) -> None:
    three = ("The lab closes at 17:00", "We leave the lab at 18:00 when it closes", "The lab closes its doors around 19:00 now")
    alone = disputed(disputing(clock, Grouping(lambda said: {"groups": []})), *three)
    assert disputed(disputing(clock, Grouping(all_of_them)), *three) == alone


def test_one_model_that_is_away_is_asked_once_for_merges_and_conflicts(clock: SteppingClock) -> None:
    def away(said: list[str]) -> Any:
        raise ModelUnavailable("away")

    model = Grouping(away)
    made = Memory(
        ":memory:",
        embedder=HashingEmbedder(),
        clock=clock,
        chat=model,
        policy=Policy(suggest_conflicts=True, suggest_merges=True),
    )
    told(made, *SAME)
    assert model.calls == 1
