"""Spans of time end behind their beginning, and ids of messages tell messages apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.memory import Memory

MAY, JUNE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize("span", [{"valid_from": JUNE, "valid_until": MAY}, {"valid_from": MAY, "valid_until": MAY}])
def test_a_statement_that_ends_before_it_begins_is_refused(memory: Memory, span: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="does not lie behind valid_from") as refused:
        memory.remember("Ana is in Porto.", user_id="ana", session_id="s", **span)
    assert refused.value.field == "valid_until"
    assert refused.value.fix == "name both valid_from and valid_until, the later one second"
    assert memory.session("s", user_id="ana").turns() == []


def test_an_end_in_the_past_needs_a_beginning_before_it(memory: Memory) -> None:
    past = datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="valid_until"):
        memory.remember("Ana lived in Lisbon.", user_id="ana", valid_until=past)
    (record,) = memory.remember(
        "Ana lived in Lisbon.", user_id="ana", valid_from=past - timedelta(days=900), valid_until=past
    ).records
    assert record.valid_until == past


@pytest.mark.parametrize(
    ("fields", "named"),
    [({"valid_until": MAY}, "valid_until"), ({"valid_from": JUNE + timedelta(days=1)}, "valid_from")],
)
def test_an_edit_cannot_turn_a_span_round(memory: Memory, fields: dict[str, Any], named: str) -> None:
    id = memory.remember("Ana is in Porto.", user_id="ana", valid_from=MAY, valid_until=JUNE).records[0].id
    with pytest.raises(InvalidInput) as refused:
        memory.update(id, user_id="ana", **fields)
    assert refused.value.field == named
    assert memory.get(id, user_id="ana").version == 1
    moved = memory.update(id, user_id="ana", valid_from=JUNE, valid_until=JUNE + timedelta(days=9))
    assert (moved.valid_from, moved.valid_until) == (JUNE, JUNE + timedelta(days=9))


def test_a_search_of_no_time_at_all_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="until"):
        memory.search("Porto", user_id="ana", since=JUNE, until=MAY)


def test_one_id_for_two_messages_of_a_call_is_refused_and_nothing_is_stored(memory: Memory) -> None:
    said = [{"role": "user", "content": "I like tea.", "id": "m"}, {"role": "user", "content": "I hate milk.", "id": "m"}]
    with pytest.raises(InvalidInput, match="is that of messages\\[0\\] too") as refused:
        memory.add(said, user_id="ana", session_id="s")
    assert refused.value.field == "messages[1].id"
    assert memory.session("s", user_id="ana").turns() == []


def test_the_same_message_twice_in_a_call_is_stored_once(memory: Memory) -> None:
    said = {"role": "user", "content": "I like tea.", "id": "m"}
    receipt = memory.add([said, said], user_id="ana", session_id="s")
    assert [turn.result for turn in receipt.turns] == ["stored", "existing"]
    assert len(memory.session("s", user_id="ana").turns()) == 1
