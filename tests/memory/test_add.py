from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound, SecretRefused
from onrecord.memory import Memory
from onrecord.model.receipt import Result, TurnResult
from onrecord.model.record import Kind, SourceType, Status
from onrecord.model.verdict import Reason
from onrecord.providers.scripted import SteppingClock


def test_a_plain_statement_becomes_a_record_with_its_turn_as_source(memory: Memory) -> None:
    receipt = memory.add("I prefer window seats on long flights.", user_id="ana")
    (record,) = receipt.records
    assert record.statement == "I prefer window seats on long flights."
    assert record.kind is Kind.PREFERENCE
    assert record.source.ref == receipt.turns[0].turn_id
    assert memory.get(record.id, user_id="ana") == record


def test_every_input_has_a_receipt_in_order(memory: Memory) -> None:
    receipt = memory.add(
        [
            {"role": "user", "content": "I work at Northwind as a data engineer."},
            {"role": "assistant", "content": "Noted. Shall I also remember that you like tea?"},
            {"role": "user", "content": "   "},
        ],
        user_id="ana",
    )
    assert [turn.result for turn in receipt.turns] == [TurnResult.STORED, TurnResult.STORED, TurnResult.REFUSED]
    assert receipt.turns[2].turn_id is None
    assert {item.reason for item in receipt.items if item.result is Result.REFUSED} >= {Reason.ASSISTANT_WORDS}
    assert len(receipt.records) == 1


def test_a_message_with_a_client_id_is_stored_once(memory: Memory) -> None:
    message = {"role": "user", "content": "I am allergic to walnuts.", "id": "m-1"}
    first = memory.add([message], user_id="ana", session_id="s")
    second = memory.add([message], user_id="ana", session_id="s")
    assert second.turns[0].result is TurnResult.EXISTING
    assert second.turns[0].turn_id == first.turns[0].turn_id
    assert len(memory.session("s", user_id="ana").turns()) == 1
    assert len(memory.get_all(user_id="ana")) == 1


def test_a_statement_under_one_key_is_written_once(memory: Memory) -> None:
    said: dict[str, Any] = {"statement": "Badge 4 opens door 9.", "user_id": "ana", "idempotency_key": "k"}
    first, second = memory.remember(**said), memory.remember(**said)
    assert (second.turns[0].result, second.turns[0].turn_id) == (TurnResult.EXISTING, first.turns[0].turn_id)
    assert second.items == ()
    (record,) = memory.get_all(user_id="ana")
    assert len(memory.history(record.id, user_id="ana")) == 1
    assert memory.remember(**said, dry_run=True).items == ()
    with pytest.raises(InvalidInput, match="idempotency_key: is empty"):
        memory.remember("Badge 5 opens door 9.", user_id="ana", idempotency_key="")


def test_what_nobody_can_see_is_no_statement(memory: Memory) -> None:
    kept = memory.remember("Badge 4 opens door 9.", user_id="ana").records[0].id
    for unseen in ("\x00\x07", "\u200b\n"):
        with pytest.raises(InvalidInput, match="statement: is empty"):
            memory.remember(unseen, user_id="ana")
        with pytest.raises(InvalidInput, match="statement: is empty"):
            memory.update(kept, unseen, user_id="ana")
        for infer in (True, False):
            (refused,) = memory.add(unseen, user_id="ana", infer=infer).turns
            assert (refused.result, refused.detail) == (TurnResult.REFUSED, "the message is empty")
    assert [record.id for record in memory.get_all(user_id="ana")] == [kept]
    assert memory.remember("\U0001faea", user_id="ana").records  # newer than the table of characters, perhaps, and to be seen


def test_infer_false_keeps_each_message_as_it_is(memory: Memory) -> None:
    receipt = memory.add(["The greenhouse needs two keys", "is it raining?"], user_id="ana", infer=False)
    assert [record.statement for record in receipt.records] == ["The greenhouse needs two keys", "is it raining?"]


def test_what_a_tool_says_is_never_a_preference_also_on_purpose(memory: Memory) -> None:
    receipt = memory.add([{"role": "tool", "content": "The user prefers red."}], user_id="ana", infer=False)
    (record,) = receipt.records
    assert record.kind is Kind.TOOL_FACT
    assert record.trust < 0.5


def test_a_long_statement_is_cut_for_reading_and_kept_whole_in_the_quote(memory: Memory) -> None:
    words = "The archive room key hangs behind the blue door. " * 10
    receipt = memory.add(words, user_id="ana", infer=False)
    (record,) = receipt.records
    assert "was cut to 240 characters" in receipt.items[0].detail
    assert len(record.statement) <= 240
    assert record.quote.strip() == words.strip()


@pytest.mark.parametrize("size", [241, 10_000_000])
def test_a_statement_on_purpose_that_is_too_long_is_refused_before_anything_is_written(memory: Memory, size: int) -> None:
    with pytest.raises(InvalidInput, match="240"):
        memory.remember("x" * size, user_id="ana", session_id="s")
    assert memory.session("s", user_id="ana").turns() == []


def test_a_dry_run_says_what_would_happen_and_writes_nothing(memory: Memory) -> None:
    receipt = memory.add("I prefer tea over coffee.", user_id="ana", session_id="s", dry_run=True)
    assert receipt.dry_run
    assert [item.result for item in receipt.items] == [Result.ADDED]
    assert memory.get_all(user_id="ana") == []
    assert memory.session("s", user_id="ana").turns() == []
    assert memory.refusals(user_id="ana") == []


def test_a_secret_reaches_neither_turn_nor_record_nor_ledger(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    memory.add(f"I always deploy with the token {token} from my laptop.", user_id="ana", session_id="s", metadata={"k": token})
    stored = repr(
        (
            memory.session("s", user_id="ana").turns(),
            memory.get_all(user_id="ana"),
            memory.refusals(user_id="ana"),
            memory.search(token, user_id="ana").hits,
        )
    )
    assert token not in stored
    assert "[secret:" in stored


def test_nothing_but_a_secret_is_refused_by_name(memory: Memory) -> None:
    with pytest.raises(SecretRefused):
        memory.remember("ghp_" + "a1B2c3D4" * 5, user_id="ana")


def test_a_remembered_statement_keeps_the_fields_it_was_given(memory: Memory) -> None:
    until = datetime(2026, 6, 30, tzinfo=UTC)
    receipt = memory.remember(
        "Reach Ana by phone until the end of June.",
        user_id="ana",
        kind="preference",
        key="contact_channel",
        value="phone",
        qualifier="at work",
        valid_until=until,
        pinned=True,
        metadata={"source": "crm"},
    )
    (record,) = receipt.records
    assert (record.kind, record.key, record.value) == (Kind.PREFERENCE, "contact_channel", "phone")
    assert (record.qualifier, record.valid_until, record.pinned) == ("at work", until, True)
    assert record.metadata == {"source": "crm"}
    assert record.author == "ana"


def test_a_restatement_reinforces_and_a_later_value_supersedes(memory: Memory, clock: SteppingClock) -> None:
    first = memory.remember("Reach Ana by email.", user_id="ana", key="contact_channel", value="email").records[0]
    clock.now += timedelta(days=3)
    again = memory.remember("Ana wants to be reached by e-mail.", user_id="ana", key="contact_channel", value="e-mail")
    assert [item.result for item in again.items] == [Result.RESTATED]
    clock.now += timedelta(days=3)
    later = memory.remember("Reach Ana by phone, not email.", user_id="ana", key="contact_channel", value="phone")
    assert [item.result for item in later.items] == [Result.SUPERSEDED]
    assert [record.value for record in memory.get_all(user_id="ana")] == ["phone"]
    assert memory.get(first.id, user_id="ana").status is Status.SUPERSEDED
    assert [str(event.type) for event in memory.history(first.id, user_id="ana")] == ["added", "restated", "superseded"]


def test_two_values_within_a_day_are_flagged_and_both_come_back(memory: Memory) -> None:
    memory.remember("Recycling goes out on Tuesday.", user_id="ana", key="recycling_day", value="Tuesday")
    second = memory.remember("Recycling goes out on Thursday.", user_id="ana", key="recycling_day", value="Thursday")
    assert [item.result for item in second.items] == [Result.CONFLICTED]
    hits = memory.search("Which day does recycling go out?", user_id="ana", include="records").hits
    assert {hit.record.value for hit in hits if hit.record} == {"Tuesday", "Thursday"}
    assert all(hit.conflicts_with for hit in hits)


def test_as_of_asks_what_was_true_then(memory: Memory, clock: SteppingClock) -> None:
    memory.remember("Ana lives in Berlin.", user_id="ana", key="home_city", value="Berlin")
    then = clock.now + timedelta(days=1)
    clock.now += timedelta(days=30)
    memory.remember("Ana lives in Madrid.", user_id="ana", key="home_city", value="Madrid")
    now = memory.search("Where does Ana live?", user_id="ana", include="records").hits
    past = memory.search("Where does Ana live?", user_id="ana", include="records", as_of=then).hits
    assert [hit.record.value for hit in now if hit.record] == ["Madrid"]
    assert [hit.record.value for hit in past if hit.record] == ["Berlin"]


def test_known_at_asks_what_was_on_record_then(memory: Memory, clock: SteppingClock) -> None:
    record = memory.remember("Ana lives in Berlin.", user_id="ana", key="home_city", value="Berlin").records[0]
    before_edit = clock.now
    clock.now += timedelta(days=1)
    memory.update(record.id, "Ana lives in Potsdam.", user_id="ana", value="Potsdam")
    hits = memory.search("Where does Ana live?", user_id="ana", include="records", known_at=before_edit).hits
    assert [hit.text for hit in hits] == ["Ana lives in Berlin."]


def test_an_update_is_found_by_its_new_words_and_not_by_its_old_ones(memory: Memory) -> None:
    record = memory.remember("The spare key is under the geranium.", user_id="ana").records[0]
    updated = memory.update(record.id, "The spare key is with the neighbour Odile.", user_id="ana")
    assert updated.version == 2
    assert [hit.id for hit in memory.search("Odile", user_id="ana", include="records").hits] == [record.id]
    assert memory.search("geranium", user_id="ana", include="records").hits == ()


def test_a_deleted_record_is_gone_from_every_answer(memory: Memory) -> None:
    record = memory.remember("The alarm pattern is the letter Z.", user_id="ana").records[0]
    memory.delete(record.id, user_id="ana")
    with pytest.raises(NotFound):
        memory.get(record.id, user_id="ana")
    assert memory.search("alarm pattern", user_id="ana", include="records").hits == ()
    assert "letter Z" not in repr(memory.history(record.id, user_id="ana"))
    assert memory.why(record.id, user_id="ana").record is None


def test_the_same_sentence_can_be_added_again_after_it_was_deleted(memory: Memory) -> None:
    record = memory.remember("The alarm pattern is the letter Z.", user_id="ana").records[0]
    memory.delete(record.id, user_id="ana")
    again = memory.remember("The alarm pattern is the letter Z.", user_id="ana")
    assert [item.result for item in again.items] == [Result.ADDED]


def test_delete_all_reaches_every_page_and_nobody_elses(memory: Memory) -> None:
    for n in range(25):
        memory.remember(f"Locker {n} holds item {n * 7}.", user_id="ana")
    memory.remember("Locker 3 is mine.", user_id="bo")
    assert memory.delete_all(user_id="ana") == 25
    assert memory.get_all(user_id="ana") == []
    assert len(memory.get_all(user_id="bo")) == 1


def test_pages_cover_everything_once(memory: Memory) -> None:
    made = [memory.remember(f"Locker {n} holds item {n * 7}.", user_id="ana").records[0].id for n in range(7)]
    seen: list[str] = []
    while page := memory.get_all(user_id="ana", limit=3, after=seen[-1] if seen else None):
        seen += [record.id for record in page]
    assert seen == made


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m: m.search("x", user_id="ana", limit=0), "limit"),
        (lambda m: m.search("x", user_id="ana", threshold=2), "threshold"),
        (lambda m: m.search("x", user_id="ana", include="all"), "include"),
        (lambda m: m.search(7, user_id="ana"), "query"),
        (lambda m: m.search("x", user_id="ana", kinds=["fact"]), "kind"),
        (lambda m: m.search("x", user_id="ana", filters={"a": {"like": 1}}), "filters"),
        (lambda m: m.search("x"), "user_id"),
        (lambda m: m.add("x"), "user_id"),
        (lambda m: m.add("x", user_id=""), "user_id"),
        (lambda m: m.remember(" ", user_id="ana"), "statement"),
        (lambda m: m.get_all(user_id="ana", limit=0), "limit"),
        (lambda m: m.update("rec_x", user_id="ana"), "statement"),
    ],
)
def test_bad_input_is_refused_by_the_name_of_its_field(memory: Memory, call: object, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        call(memory)  # type: ignore[operator]


def test_an_edit_of_a_field_with_the_wrong_type_changes_nothing(memory: Memory) -> None:
    record = memory.remember("Ana has two cats.", user_id="ana").records[0]
    for fields in ({"confidence": "high"}, {"confidence": 7}, {"kind": "fact"}, {"subject": "user:bo"}, {"pinned": 1}):
        with pytest.raises(InvalidInput):
            memory.update(record.id, user_id="ana", **fields)
    assert memory.get(record.id, user_id="ana") == record


def test_a_record_that_a_person_edited_says_so_and_its_history_holds_what_was_said(memory: Memory) -> None:
    (said,) = memory.add("I prefer window seats on long flights.", user_id="ana").records
    edited = memory.update(said.id, "Prefers aisle seats on long flights.", user_id="ana")
    assert (edited.source.type, edited.quote) == (SourceType.HUMAN_EDIT, "Prefers aisle seats on long flights.")
    story = memory.why(said.id, user_id="ana")
    assert [turn.text for turn in story.turns] == ["I prefer window seats on long flights."]
    before = story.events[-1].before
    assert before is not None
    assert (before.source, before.quote) == (said.source, said.quote)


@pytest.mark.parametrize("where", [{}, {"session_id": "s"}])
def test_a_dry_run_of_a_message_that_was_stored_before_finds_nothing_new(memory: Memory, where: dict[str, Any]) -> None:
    said = {"role": "user", "content": "I prefer tea over coffee.", "id": "m1"}
    memory.add(said, user_id="ana", **where)
    assert memory.add(said, user_id="ana", dry_run=True, **where).items == ()
    assert memory.add({**said, "id": "m2"}, user_id="ana", dry_run=True, **where).items != ()
