"""Rows of an older version, which did not know a pattern yet, on their way out."""

from __future__ import annotations

import pytest

from onrecord.model.change import Add, Event, EventType
from onrecord.model.record import STATEMENT_LIMIT
from onrecord.policy.secrecy.mask import masked, suspect
from onrecord.testing.builders import NOW, SUBJECT, TENANT, a_record, a_turn, a_verdict

TOKEN = "ghp_" + "a1B2c3D4" * 5
SAYS = f"The deploy token is {TOKEN}"


@pytest.mark.parametrize("text", ["", "I prefer window seats.", "Meet at 9 on 3 March.", "東京に住んでいます", "Grüße aus Köln"])
def test_ordinary_words_are_passed_over(text: str) -> None:
    assert not suspect(text)


def test_a_record_is_masked_in_every_field_that_holds_words() -> None:
    row = a_record(
        statement=SAYS, value=TOKEN, qualifier=SAYS, quote=SAYS, author=TOKEN, metadata={"password": "hunter2", "n": 1}
    )
    clean = masked(row)
    assert TOKEN not in repr(clean)
    assert "hunter2" not in repr(clean)
    assert (clean.id, clean.version, clean.metadata["n"]) == (row.id, row.version, 1)


def test_a_turn_a_verdict_and_an_event_are_masked() -> None:
    turn = a_turn(text=SAYS, payload={"tool_calls": [{"args": TOKEN}]}, metadata={"api_key": "x1"})
    assert TOKEN not in repr(masked(turn))
    assert "x1" not in repr(masked(turn))
    assert TOKEN not in repr(masked(a_verdict(statement=SAYS, detail=SAYS)))
    record = a_record(statement=SAYS)
    told = Event(
        seq=1,
        tenant=TENANT,
        subject=SUBJECT,
        record_id=record.id,
        type=EventType.EDITED,
        at=NOW,
        actor="test",
        reason=SAYS,
        before=record,
        after=record,
    )
    assert TOKEN not in repr(masked(told))


def test_what_holds_no_secret_is_the_same_object() -> None:
    for row in (a_record(metadata={"topic": "tea"}), a_turn(payload={"n": 1}), a_verdict()):
        assert masked(row) is row


def test_a_placeholder_longer_than_the_secret_leaves_a_statement_that_is_short_enough() -> None:
    row = a_record(statement=("The pin is 4821. " + "Tea is better than coffee. " * 9)[:STATEMENT_LIMIT].strip())
    clean = masked(row)
    assert "4821" not in clean.statement
    assert len(clean.statement) <= STATEMENT_LIMIT


def test_nothing_else_can_be_masked() -> None:
    with pytest.raises(TypeError):
        masked(Add(reason="", record=a_record()))  # type: ignore[type-var]


def test_what_was_found_clean_once_is_so_again_and_a_secret_is_found_every_time() -> None:
    clean, secret = a_record(statement="Understanding takes time."), a_record(statement="The wifi password is hunter2xyz99.")
    for _ in range(2):
        assert masked(clean) is clean
        assert "hunter2xyz99" not in masked(secret).statement
