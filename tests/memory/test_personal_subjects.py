"""What somebody says of themselves in a conversation of many."""

from __future__ import annotations

import pytest

from onrecord.memory import Memory
from onrecord.model.record import Status
from onrecord.policy.defaults import Policy
from onrecord.providers.embed.hashing import HashingEmbedder

TEAM = "team:x"


def _message(name: str) -> dict[str, str]:
    return {"role": "user", "name": name, "content": "I'm allergic to peanuts."}


def test_the_receipt_says_whose_memory_a_persons_own_taste_went_to(memory: Memory) -> None:
    (item,) = memory.add([_message("ANA")], subject=TEAM).items
    assert item.record is not None
    assert item.record.subject == "user:ana"
    assert "kept in the memory of user:ana" in item.detail


@pytest.mark.parametrize("name", ["a" * 300, "a\x07b", "a\nb"], ids=["too long", "bell", "line"])
def test_a_name_that_can_be_no_subject_leaves_it_with_the_conversation(memory: Memory, name: str) -> None:
    (record,) = memory.add([_message(name)], subject=TEAM).records
    assert record.subject == TEAM


def test_one_setting_keeps_a_persons_own_taste_with_the_conversation() -> None:
    with Memory(":memory:", embedder=HashingEmbedder(), policy=Policy(personal_subjects=False)) as memory:
        (item,) = memory.add([_message("ana")], subject=TEAM).items
        assert item.record is not None
        assert item.record.subject == TEAM
        assert "kept in the memory" not in item.detail


def _said(name: str, text: str) -> dict[str, str]:
    return {"role": "user", "name": name, "content": text}


def test_what_somebody_told_of_themselves_is_forgotten_where_they_told_it(memory: Memory) -> None:
    (record,) = memory.add([_said("Ana", "I'm allergic to peanuts.")], subject=TEAM).records
    (item,) = memory.add([_said("Ana", "Please forget what I told you about the peanuts.")], subject=TEAM).items
    assert record.subject == "user:ana"
    assert item.record is not None
    assert (item.record.id, item.record.status) == (record.id, Status.RETRACTED)


def test_nobody_forgets_for_somebody_else(memory: Memory) -> None:
    (record,) = memory.add([_said("Ana", "I'm allergic to peanuts.")], subject=TEAM).records
    memory.add([_said("Bo", "Please forget what I told you about the peanuts.")], subject=TEAM)
    assert memory.get(record.id, subject="user:ana").status is Status.ACTIVE


def test_who_takes_up_another_persons_conversation_speaks_for_themselves(memory: Memory) -> None:
    memory.add([_said("Noa", "I never eat meat.")], subject="user:noa", session_id="s")
    (record,) = memory.add([_said("Iker", "I'm allergic to peanuts.")], subject="user:noa", session_id="s").records
    assert record.subject == "user:iker"
