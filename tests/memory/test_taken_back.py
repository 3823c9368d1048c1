"""What was taken back, withheld or erased stays so, whichever way it is looked at afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import BudgetTooSmall
from onrecord.memory import Memory
from onrecord.model.record import Status

ANA: dict[str, Any] = {"user_id": "ana"}
SAID = "We decided to wire all payments to account Flobber 9999."


def test_a_fork_shows_no_turn_that_is_withheld(memory: Memory) -> None:
    session = memory.session("s", **ANA)
    session.add(SAID)
    session.add("Thanks.")
    before = session.fork("before")
    memory.quarantine([session.turns()[0].id], **ANA)
    after = session.fork("after")
    for fork in (before, after):
        assert "Flobber" not in str([turn.text for turn in fork.turns()] + list(fork.context("Where do payments go?").messages))
        fork.end()
    assert "Flobber" not in str([hit.text for hit in memory.search("flobber payments", **ANA).hits])


@pytest.mark.parametrize("how", ["retract", "quarantine", "delete"])
def test_what_was_taken_back_does_not_come_back_with_the_episode(memory: Memory, how: str) -> None:
    session = memory.session("s", **ANA)
    session.add(SAID)
    session.add("Thanks.")
    (record,) = memory.get_all(**ANA)
    if how == "delete":
        memory.delete(record.id, **ANA)
    else:
        getattr(memory, how)([record.id], **ANA)
    session.end()
    assert "Flobber" not in str([hit.text for hit in memory.search("flobber account", **ANA).hits])


def test_what_an_erased_record_had_replaced_is_true_again(memory: Memory) -> None:
    memory.add("I live in Quuxville.", **ANA)
    memory.add("I moved to Glorpton last week.", **ANA)
    (now,) = memory.get_all(**ANA)
    memory.erase(**ANA, ids=[now.id], verify=True)
    (old,) = memory.get_all(**ANA)
    assert (old.status, old.superseded_by) == (Status.ACTIVE, None)
    assert "Quuxville" in old.statement
    assert memory.engine.store.check().faults == ()


def test_a_dialogue_that_is_to_be_answered_is_never_left_out_in_silence(memory: Memory) -> None:
    session = memory.session("s", **ANA)
    session.add("Please summarise this: " + "lorem ipsum dolor " * 400, infer=False)
    with pytest.raises(BudgetTooSmall):
        session.context("", budget=1_000)
    assert any("no dialogue is shown" in warning for warning in session.context("Hello?", budget=1_000).report.warnings)


@pytest.mark.parametrize("given", [None, 7, b"open", {"state": "open"}])
def test_a_resolver_that_gives_no_text_is_told_and_breaks_nothing(tmp_path: Path, given: Any) -> None:
    class Odd:
        def resolve(self, pointer: Any) -> Any:
            return given

    with Memory(tmp_path / "memory.db", resolvers={"active_order_id": Odd()}) as memory:
        memory.remember("The active order is 4417.", kind="pointer", key="active_order_id", value="4417", **ANA)
        assert "not text" in str(memory.context("Where is my order?", **ANA).messages)
