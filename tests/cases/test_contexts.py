"""Cases of contexts: what goes in, where, and how often. The kinds token_accounting and trim_drops_required are in
``test_sessions``."""

from __future__ import annotations

from itertools import pairwise

from tests.memory.test_context import WHO, blocks, filled, texts
from tests.memory.test_session import say

from onrecord.memory import Memory
from onrecord.policy.dialogue.frame import Tag


def test_memory_goes_into_the_users_messages_and_roles_alternate(memory: Memory) -> None:  # B179
    session = filled(memory)
    made = session.context("Which window seats?", system="Be brief.", shape="alternating")
    roles = [message["role"] for message in made.messages]
    assert roles[:2] == ["system", "user"]
    assert roles[-1] == "user"
    assert all(one != other for one, other in pairwise(roles))
    assert Tag.MEMORY.opening not in str(made.messages[0]["content"])


def test_compaction_adds_nothing_to_what_is_shown_beside_the_summary(memory: Memory) -> None:  # B180
    session = filled(memory)
    for _ in range(3):
        session.compact(budget=session.tokens() // 4)
        shown = "\n".join(texts(session.context("Hello?")))
        assert shown.count(Tag.SUMMARY.opening) == 1
        assert shown.count("Never book a stop in Frankfurt.") == 1


def test_what_is_remembered_mid_session_is_there_at_once_and_after_compaction(memory: Memory) -> None:  # B182
    session = filled(memory)
    memory.remember("Never wake me before nine.", kind="constraint", **WHO)
    assert "Never wake me before nine." in "\n".join(texts(session.context("Hello?")))
    session.compact(budget=session.tokens() // 4)
    assert "Never wake me before nine." in "\n".join(texts(session.context("Hello?")))


def test_a_turn_that_was_not_read_yet_is_recalled_as_it_was_said(memory: Memory) -> None:  # B183
    say(memory.session("monday", **WHO), [{"role": "user", "content": "My locker at the pool is number 88."}])
    assert memory.get_all(**WHO) == []
    made = memory.session("tuesday", **WHO).context("What is the number of my locker at the pool?")
    assert (Tag.EPISODES, ["My locker at the pool is number 88."]) in blocks(made)
