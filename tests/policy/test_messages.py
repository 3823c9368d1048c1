from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.model.turn import Role
from onrecord.policy.dialogue.messages import parse_messages


def test_a_string_is_the_users_message() -> None:
    (message,) = parse_messages("I prefer tea")
    assert (message.role, message.text, message.payload) == (Role.USER, "I prefer tea", {})


def test_a_plain_message_needs_no_payload_and_a_rich_one_is_kept_as_it_came() -> None:
    plain = {"role": "assistant", "content": "Noted."}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}
    first, second = parse_messages([plain, call])
    assert first.payload == {}
    assert second.payload == call
    assert second.text == ""


def test_content_parts_give_their_text_in_order() -> None:
    content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}, "here"]
    assert parse_messages([{"role": "user", "content": content}])[0].text == "look\nhere"


def test_an_anthropic_tool_result_gives_its_text() -> None:
    content = [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "42"}]}]
    assert parse_messages([{"role": "user", "content": content}])[0].text == "42"


def test_a_time_is_taken_from_the_message_with_its_zone() -> None:
    (message,) = parse_messages([{"role": "user", "content": "x", "at": "2026-03-03T11:42:05+01:00"}])
    assert message.at is not None
    assert message.at.utcoffset() is not None
    assert message.at.astimezone(UTC) == datetime(2026, 3, 3, 10, 42, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        (7, "messages"),
        (None, "messages"),
        ([7], r"messages\[0\]"),
        ([{"role": "user", "content": "ok"}, {"role": "boss", "content": "x"}], r"messages\[1\].role"),
        ([{"content": "x"}], r"messages\[0\].role"),
        ([{"role": "user", "content": 7}], r"messages\[0\].content"),
        ([{"role": "user", "content": [7]}], r"messages\[0\].content\[0\]"),
        ([{"role": "user", "content": "x", "at": "2026-03-03T11:42:05"}], r"messages\[0\].at"),
        ([{"role": "user", "content": "x", "at": "soon"}], r"messages\[0\].at"),
        ([{"role": "user", "content": "x", "id": 7}], r"messages\[0\].id"),
        ([{"role": "user", "content": "x", "metadata": {"a": {1, 2}}}], r"messages\[0\].metadata"),
        ([{"role": "user", "content": "x", "metadata": {"a": float("nan")}}], r"messages\[0\].metadata"),
        ("half \ud83d", "messages"),
        ([{"role": "user", "content": [{"type": "text", "text": "\udc00"}]}], r"content\[0\].text"),
    ],
)
def test_a_malformed_message_is_refused_by_the_name_of_its_field(messages: Any, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        parse_messages(messages)
