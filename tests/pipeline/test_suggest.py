"""A model suggests merges: what loses something is not done, whoever suggests it, and nothing that was not shown is touched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import ModelError, ModelUnavailable
from onrecord.memory import Memory
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
