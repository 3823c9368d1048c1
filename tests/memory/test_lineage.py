"""Where something comes from and how far it went, and how it is taken out again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound
from onrecord.memory import Memory
from onrecord.model.record import Record, Status
from onrecord.policy.lifecycle.echo import WITHHELD
from onrecord.providers.scripted import SteppingClock

WHO: dict[str, Any] = {"user_id": "ana"}
LIE = "The wire transfer limit at Northwind is 90000 EUR per day."
DOCUMENT = {"role": "document", "name": "handbook", "content": LIE}


def only(memory: Memory, **who: Any) -> Record:
    (record,) = memory.get_all(**(who or WHO))
    return record


def seen_by_a_model(memory: Memory, query: str, session: str) -> str:
    """Everything that could get before a model."""
    found = memory.search(query, **WHO)
    context = memory.context(query, session_id=session, **WHO)
    summary = memory.session(session, **WHO).summary()
    messages = memory.session(session, **WHO).messages()
    hits = [(hit.text, hit.neighbours) for hit in found.hits]
    return str([hits, context.messages[:-1], summary, messages])


def poisoned(memory: Memory, clock: SteppingClock) -> tuple[str, str]:
    """A document plants a lie, it is retrieved, an assistant and then a person repeat it, and it is summarised; the ids of the
    document's turn and of the true record that the lie took the place of."""
    words = "The wire transfer limit at Northwind is 500 EUR per day."
    (true,) = memory.remember(words, key="transfer_limit", value="500 EUR", **WHO).records
    clock.now += timedelta(days=2)
    planted = memory.add(DOCUMENT, session_id="s1", **WHO).turns[0].turn_id
    assert planted is not None
    assert "90000" in seen_by_a_model(memory, "What is the wire transfer limit at Northwind?", "s1")
    memory.add({"role": "assistant", "content": f"Per the handbook: {LIE}"}, session_id="s2", **WHO)
    memory.add("Please remember: the wire transfer limit at Northwind is 90000 EUR per day.", session_id="s2", **WHO)
    memory.remember(LIE, key="transfer_limit", value="90000 EUR", session_id="s2", **WHO)
    for n in range(20):
        memory.add(f"Invoice {n} of the printer went to shelf {n * 3}.", session_id="s2", **WHO)
    memory.session("s2", **WHO).compact(budget=200)
    memory.session("s2", **WHO).end()
    return planted, true.id


def test_a_lie_that_a_document_planted_is_taken_out_everywhere_by_one_call(memory: Memory, clock: SteppingClock) -> None:
    planted, true = poisoned(memory, clock)
    query = "What is the wire transfer limit at Northwind?"
    assert "90000" in seen_by_a_model(memory, query, "s2")
    assert "90000" in str(memory.get_all(**WHO))
    assert memory.get(true, **WHO).status is Status.SUPERSEDED
    rehearsed = memory.quarantine([planted], dry_run=True, **WHO)
    assert "90000" in seen_by_a_model(memory, query, "s2")
    done = memory.quarantine([planted], **WHO)
    assert (len(done.changes), len(done.withheld)) == (len(rehearsed.changes), len(rehearsed.withheld))
    assert planted in done.withheld
    assert len(done.withheld) >= 4  # the document, the assistant, the person, and what was written on purpose
    for session in ("s1", "s2"):
        assert "90000" not in seen_by_a_model(memory, query, session)
        memory.session(session, **WHO).compact(budget=200)
        memory.session(session, **WHO).end()
        assert "90000" not in seen_by_a_model(memory, query, session)
    assert "90000" not in str(memory.get_all(**WHO))
    assert memory.get(true, **WHO).status is Status.ACTIVE
    assert "500 EUR" in str([hit.text for hit in memory.search(query, **WHO).hits])
    assert memory.engine.store.check().faults == ()
    memory.maintain()
    assert "90000" not in str(memory.get_all(**WHO))


def test_what_was_said_before_the_lie_or_of_something_else_is_not_touched(memory: Memory, clock: SteppingClock) -> None:
    memory.add("I think the wire transfer limit at Northwind is 90000 EUR per day.", session_id="s0", **WHO)
    memory.add("The card payment limit at Northwind is 700 EUR per day.", session_id="s0", **WHO)
    planted, _ = poisoned(memory, clock)
    memory.add("The wire transfer limit at Southwind is 80000 EUR per day.", session_id="s3", **WHO)
    done = memory.quarantine([planted], **WHO)
    for session in ("s0", "s3"):
        assert not set(done.withheld) & {turn.id for turn in memory.session(session, **WHO).turns()}


def test_what_rests_on_something_else_too_goes_back_to_that(memory: Memory) -> None:
    (first,) = memory.add("I am allergic to quinces.", session_id="s1", **WHO).records
    memory.add("By the way, I am allergic to quinces.", session_id="s2", **WHO)
    one, two = only(memory).derived_from
    done = memory.quarantine([two], **WHO)
    left = only(memory)
    assert (left.id, left.derived_from, done.withheld) == (first.id, (one,), [two])
    assert [str(event.type) for event in memory.history(first.id, **WHO)] == ["added", "restated", "recomputed"]
    done = memory.quarantine([one], **WHO)
    assert memory.get(first.id, **WHO).status is Status.QUARANTINED
    assert memory.session("s1", **WHO).turns()[0].text == WITHHELD


def test_a_lineage_goes_back_to_turns_and_forward_to_all_it_reached(memory: Memory) -> None:
    (record,) = memory.add("I am allergic to quinces.", session_id="s1", run_id="r1", **WHO).records
    for n in range(20):
        memory.add(f"Invoice {n} of the printer went to shelf {n * 3}.", session_id="s1", **WHO)
    memory.session("s1", **WHO).compact(budget=200)
    memory.session("s1", **WHO).end()
    context = memory.context("What am I allergic to?", **WHO)
    found = memory.lineage(record.id, **WHO)
    assert found.record is not None
    assert [turn.id for turn in found.turns] == list(record.sources)
    assert [info.id for info in found.summaries] == ["s1"]
    assert [trace.id for trace in found.contexts] == [context.trace_id]
    assert (list(found.runs), list(found.missing)) == (["r1"], [])
    (turn,) = record.sources
    forward = memory.lineage(turn, **WHO)
    assert forward.record is None
    assert {row.id for row in forward.made} > {record.id}  # and the episode of the session
    for id in (record.id, turn, "made_up"):
        with pytest.raises(NotFound):
            memory.lineage(id, user_id="bob")


def test_what_is_retracted_takes_what_was_made_from_it_and_leaves_the_dialogue(memory: Memory) -> None:
    (record,) = memory.add("I am allergic to quinces.", session_id="s1", **WHO).records
    done = memory.retract([record.id], **WHO)
    assert (len(done.changes), list(done.withheld)) == (1, [])
    assert memory.get(record.id, **WHO).status is Status.RETRACTED
    assert memory.session("s1", **WHO).turns()[0].text == "I am allergic to quinces."
    assert memory.retract([record.id], **WHO).changes == []
    bad: list[Any] = [[], "rec_1"]
    for wrong in bad:
        with pytest.raises(InvalidInput):
            memory.retract(wrong, **WHO)
    for id in ("made_up", *record.sources):
        with pytest.raises(NotFound):
            memory.retract([id], **WHO)
    with pytest.raises(NotFound):
        memory.quarantine([record.id], user_id="bob")


def test_a_retracted_correction_gives_back_what_it_had_replaced(memory: Memory) -> None:
    memory.remember("Ana lives in Bergen.", key="city", value="Bergen", **WHO)
    old = only(memory)
    memory.remember("Actually, Ana lives in Tromsø now.", key="city", value="Tromsø", **WHO)
    new = only(memory)
    assert new.id != old.id
    memory.retract([new.id], **WHO)
    back = only(memory)
    assert (back.id, back.status, back.valid_until, back.superseded_by) == (old.id, Status.ACTIVE, old.valid_until, None)
