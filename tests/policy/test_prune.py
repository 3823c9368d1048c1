"""Selective pruning: what served its purpose goes, what the current step needs stays, and every word of the user's."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from onrecord.model.scope import Origin
from onrecord.model.turn import Turn
from onrecord.policy.dialogue.messages import parse_messages
from onrecord.policy.dialogue.prune import Why, head_and_tail, prune

AT = datetime(2026, 3, 3, tzinfo=UTC)
USER = {"role": "user", "content": "Why is order 4417 late?"}
ANSWER = {"role": "assistant", "content": "It waits at customs."}
MORE = {"role": "user", "content": "And the next one?"}


def stored(*messages: dict[str, Any]) -> list[Turn]:
    return [
        Turn(
            id=f"t{n}",
            tenant="d",
            subject="user:a",
            origin=Origin(),
            role=m.role,
            author="a",
            text=m.text,
            at=AT,
            written_at=AT,
            payload=m.payload,
        )
        for n, m in enumerate(parse_messages(list(messages)))
    ]


def use(
    id: str, content: str, name: str = "lookup", arguments: str = '{"order": 1}', said: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    made = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": said, "tool_calls": [made]}, {"role": "tool", "tool_call_id": id, "content": content}


def test_a_failed_call_that_was_repeated_with_success_goes_even_in_the_current_step() -> None:
    turns = stored(USER, *use("a", "Error: timed out"), *use("b", "customs", arguments='{"order": 4417}'), ANSWER)
    found = prune(turns)
    assert found.dropped == {"t1": Why.RETRIED, "t2": Why.RETRIED}
    assert [t.id for t in found.kept] == ["t0", "t3", "t4", "t5"]


@pytest.mark.parametrize(
    "later", [use("b", "ok", name="other"), use("b", "ok", arguments='{"customer": 1}'), use("b", "Error: again")]
)
def test_a_failure_stays_while_nothing_shows_that_it_was_overcome(later: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert prune(stored(USER, *use("a", "Error: timed out"), *later)).dropped == {}


@pytest.mark.parametrize("nothing", ["[]", "No results found.", "", "Error: no such table"])
def test_a_dead_end_goes_once_the_dialogue_went_on(nothing: str) -> None:
    turns = stored(USER, *use("a", nothing), ANSWER, MORE)
    assert prune(turns).dropped == {"t1": Why.DEAD_END, "t2": Why.DEAD_END}
    assert prune(turns[:-1]).dropped == {}


def test_a_turn_that_also_tells_the_user_something_stays() -> None:
    told = "I will look this up in the customs register, since the carrier has no scan of the parcel after Monday."
    assert prune(stored(USER, *use("a", "[]", said=told), ANSWER, MORE)).dropped == {}


def test_a_long_result_is_shortened_once_it_was_answered_and_names_its_turn() -> None:
    turns = stored(USER, *use("a", "line of output\n" * 200), ANSWER)
    assert prune(turns[:-1]).shortened == {}
    found = prune(turns)
    assert found.shortened == {"t2": Why.USED}
    short = found.kept[2]
    assert short.text == short.payload["content"]
    assert "2400 characters left out; the whole is in turn t2" in short.text
    assert len(short.text) < 700


def test_results_of_a_tool_with_a_formatter_are_left_to_it() -> None:
    turns = stored(USER, *use("a", "y" * 900, name="sql"), *use("b", "x" * 900), ANSWER)
    kept = prune(turns, {"sql"}).kept
    assert kept[2] is turns[2]
    assert "characters left out" in kept[4].text


def test_results_in_anthropic_blocks_are_shortened_in_place() -> None:
    asked = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "lookup", "input": {}}]}
    block = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "y" * 2000}]}
    kept = prune(stored(USER, asked, {"role": "user", "content": [block]}, ANSWER)).kept
    assert "1400 characters left out" in kept[2].payload["content"][0]["content"][0]["text"]


def test_a_history_without_tools_is_left_as_it_is() -> None:
    turns = stored(USER, ANSWER, MORE)
    assert prune(turns).kept == tuple(turns)


def test_head_and_tail_keeps_two_thirds_from_the_head() -> None:
    short = head_and_tail("a" * 500 + "b" * 500, 300, "turn t1")
    assert short.count("a" * 200) == 1
    assert short.endswith("b" * 100)
    assert head_and_tail("abc", 3, "x") == "abc"
