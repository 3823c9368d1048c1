"""The trust evaluations find nothing in this memory and something in one that was broken on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from onrecord.evals.erasure import evaluate_erasure
from onrecord.evals.isolation import evaluate_isolation
from onrecord.evals.poison import MANNERS, evaluate_poison, plan
from onrecord.evals.rows import RowFile
from onrecord.memory import Memory
from onrecord.model.erasure import Erased
from onrecord.model.lineage import Recall
from onrecord.model.receipt import Receipt
from onrecord.ports import Clock
from onrecord.providers.embed.hashing import HashingEmbedder


def memory(clock: Clock | None = None) -> Memory:
    return Memory(":memory:", embedder=HashingEmbedder(), clock=clock)


def test_what_a_source_claims_is_never_elevated_and_is_taken_out_without_harm() -> None:
    found = evaluate_poison(memory, rounds=12, seed=3)
    for rate in ("elevated", "surfaced", "overturned", "collateral"):
        assert found[rate]["n"] == 0, rate
    assert found["reached"]["n"] > 0
    assert len(found["questions"]) == 12


def test_a_memory_that_believes_tools_is_found_out() -> None:
    class Believing(Memory):
        def add(self, messages: Any, **given: Any) -> Receipt:
            if isinstance(messages, list):
                messages = [{**message, "role": "user"} for message in messages]
            return super().add(messages, **given)

    found = evaluate_poison(lambda clock: Believing(":memory:", embedder=HashingEmbedder(), clock=clock), rounds=12, seed=3)
    assert found["elevated"]["n"] > 0
    assert found["surfaced"]["n"] > 0


def test_a_command_that_takes_nothing_out_is_found_out() -> None:
    class Keeping(Memory):
        def quarantine(self, ids: Sequence[str], **given: Any) -> Recall:
            return Recall()

    found = evaluate_poison(lambda clock: Keeping(":memory:", embedder=HashingEmbedder(), clock=clock), rounds=8, seed=3)
    assert found["left"]["n"] == found["reached"]["n"] > 0


def test_rounds_come_from_the_seed_and_cover_every_manner() -> None:
    assert plan(1, 5) == plan(1, 5) != plan(2, 5)
    assert {plan(1, number).manner for number in range(60)} == set(MANNERS)


def test_an_interrupted_evaluation_goes_on_with_the_rounds_that_are_left(tmp_path: Path) -> None:
    whole = evaluate_poison(memory, rounds=4, seed=1)
    with RowFile(tmp_path / "r.jsonl", {"seed": 1}) as rows:
        evaluate_poison(memory, rounds=2, seed=1, rows=rows)
    with RowFile(tmp_path / "r.jsonl", {"seed": 1}) as rows:
        assert len(rows.rows) == 2
        assert evaluate_poison(memory, rounds=4, seed=1, rows=rows) == whole


def tenants(names: Sequence[str]) -> list[Memory]:
    first = Memory(":memory:", tenant=names[0], embedder=HashingEmbedder())
    return [first, *(Memory(store=first.engine.store, tenant=name, embedder=HashingEmbedder()) for name in names[1:])]


def test_no_call_crosses_from_one_owner_to_another() -> None:
    found = evaluate_isolation(tenants, rounds=1, seed=1)
    assert (found["crossings"]["n"], found["changed"]["n"], found["faults"]) == (0, 0, [])
    assert found["own"]["rate"] == 1.0
    assert found["calls"] > 300


def test_tenants_without_a_wall_are_found_out() -> None:
    """Three tenants that are one: owners of the same name share a memory."""
    found = evaluate_isolation(lambda names: tenants([names[0]] * 3), rounds=1, seed=1)
    assert found["crossings"]["n"] > 0
    assert any("get_all" in fault for fault in found["faults"])


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def test_what_is_erased_is_in_no_file_any_more(kept: Path) -> None:
    with Memory(kept / "m.db", embedder=HashingEmbedder()) as file:
        found = evaluate_erasure(file, kept, rounds=4, seed=1)
    assert (found["left"]["n"], found["faults"]) == (0, [])
    assert found["control"] == {"rate": 1.0, "n": 4, "of": 4}
    assert found["places"] > 0
    assert sum(found["erased"].values()) == 4


def test_an_erasure_that_leaves_words_behind_is_found_out(kept: Path) -> None:
    class Keeping(Memory):
        def erase(self, **given: Any) -> Erased:
            return super().erase(**{**given, "dry_run": True, "verify": False})

    with Keeping(kept / "m.db", embedder=HashingEmbedder()) as file:
        found = evaluate_erasure(file, kept, rounds=3, seed=1)
    assert found["left"]["n"] == 3
    assert any("the word" in fault for fault in found["faults"])


def test_no_group_begins_once_the_time_is_up(kept: Path) -> None:
    with Memory(kept / "m.db", embedder=HashingEmbedder()) as file:
        found: Mapping[str, Any] = evaluate_erasure(file, kept, rounds=4, seed=1, until=lambda: True)
    assert found["rounds"] == 0
