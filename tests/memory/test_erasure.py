"""What was deleted is gone, also from what other calls write or read at the same moment."""

from __future__ import annotations

from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound
from onrecord.memory import Memory
from onrecord.model.query import View
from onrecord.model.receipt import TurnResult
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.testing.builders import a_turn

WHO: dict[str, Any] = {"user_id": "ana"}
REACH = Reach("default", ("user:ana",))


def kept(memory: Memory, statement: str) -> str:
    """The id of a statement written on purpose."""
    (item,) = memory.remember(statement, **WHO).items
    assert item.record is not None
    return item.record.id


def before(memory: Memory, monkeypatch: pytest.MonkeyPatch, method: str, act: Any) -> None:
    """Lets ``act`` happen just before the next call of a method of the store."""
    original = getattr(memory.engine.store, method)

    def call(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        act()
        return original(*args, **kwargs)

    monkeypatch.setattr(memory.engine.store, method, call)


@pytest.mark.parametrize("method", ["put_trace", "mark_injected"])
def test_a_record_erased_during_a_call_does_not_come_back_in_its_trace(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    id = kept(memory, "Ana prefers marzipan from Lübeck.")
    before(memory, monkeypatch, method, lambda: memory.delete(id, **WHO))
    assert "marzipan" in str(memory.context("Which marzipan does Ana prefer?", **WHO).messages)
    (trace,) = memory.engine.store.traces(REACH)
    assert (trace.query, trace.terms, [one.id for one in trace.candidates if one.id == id]) == ("", (), [])


def test_why_tells_of_contexts_that_showed_a_record_which_no_search_returned(memory: Memory) -> None:
    (item,) = memory.remember("Never book a flight without asking Ana.", kind="constraint", **WHO).items
    assert item.record is not None
    context = memory.context("zxqv blorp", **WHO)
    (trace,) = memory.why(item.record.id, **WHO).traces
    assert (trace.id, trace.returned, trace.injected) == (context.trace_id, (), (item.record.id,))


def test_everything_of_a_person_goes_whatever_its_scope(memory: Memory) -> None:
    for scope, ref in (("run", "r"), ("thread", "t"), ("user", None)):
        memory.update(kept(memory, f"The {scope} badge of Ana is green."), scope=scope, scope_ref=ref, **WHO)
    assert memory.delete_all(**WHO) == 3
    assert memory.engine.store.check().counts["records"] == 0


def test_everything_of_a_person_goes_while_somebody_else_deletes_a_part(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [kept(memory, f"Crate {n} holds kayak {n * 7}.") for n in range(3)]
    before(memory, monkeypatch, "apply", lambda: memory.delete(ids[1], **WHO))
    assert memory.delete_all(**WHO) == 2
    assert memory.engine.store.check().counts["records"] == 0


def test_a_turn_that_holds_deleted_words_is_no_answer_and_stands_marked_in_history(memory: Memory) -> None:
    words = "I am allergic to walnuts. I work at Northwind as a planner."
    walnuts, _ = sorted(memory.add(words, **WHO).records, key=lambda record: "walnuts" not in record.statement)
    memory.delete(walnuts.id, **WHO)
    for include in ("both", "episodes"):
        for query in ("What is Ana allergic to?", words):
            found = memory.search(query, include=include, **WHO)
            assert "walnuts" not in str([hit.text for hit in found.hits])
    (told,) = memory.search(words, include="episodes", history=True, **WHO).hits
    assert (told.text, told.current, told.fate.note) == (words, False, "what it said is erased now")


# -- erase: the dialogue too, and what was made from it


def everywhere(memory: Memory) -> str:
    """Everything that a store tells of anybody."""
    store, reach = memory.engine.store, Reach("default", ("user:ana", "user:bob", "team:care"))
    records = store.select(View(reach=reach, statuses=frozenset(Status), every_scope=True))
    threads = [info.id for old in (True, False) for info in store.threads(reach, archived=old)]
    turns = [turn for thread in threads for turn in store.thread(reach, thread)]
    events = [event for record in records for event in store.events(reach, record.id)]
    summaries = [store.summary(Reach("default", (name,)), thread) for name in reach.subjects for thread in threads]
    return str([records, turns, events, summaries, store.verdicts(reach, limit=999), store.traces(reach, limit=999)])


def test_an_erased_thread_takes_its_records_forks_and_run_with_it(memory: Memory) -> None:
    session = memory.session("s1", **WHO)
    session.add("I am allergic to quinces.")
    session.add({"role": "assistant", "content": "Noted, no quinces."})
    session.fork("s2")
    memory.session("s2", **WHO).add("I live in Trondheim.")
    memory.add("I prefer tea.", session_id="s3", **WHO)
    memory.context("What about quinces?", session_id="s1", **WHO)
    assert "quince" in everywhere(memory)
    done = memory.erase(session_id="s1", verify=True, **WHO)
    assert done.counts["turns"] == 4  # two of them copies in the fork
    assert done.counts["records"] == 1
    assert "quince" not in everywhere(memory)
    assert [info.id for info in memory.sessions(**WHO)] == ["s3", "s2"]
    assert {record.statement for record in memory.get_all(**WHO)} == {"I live in Trondheim.", "I prefer tea."}
    with pytest.raises(NotFound):
        memory.erase(session_id="s1", **WHO)


def test_a_record_that_was_said_elsewhere_too_stays_and_rests_on_that_alone(memory: Memory) -> None:
    (first,) = memory.add("I am allergic to quinces.", session_id="s1", **WHO).records
    memory.add("By the way, I am allergic to quinces.", session_id="s2", **WHO)
    memory.add("I am allergic to quinces.", session_id="s3", **WHO)
    (record,) = memory.get_all(**WHO)
    assert len(record.derived_from) == 3
    gone = record.derived_from[1]
    done = memory.erase(session_id="s2", **WHO)
    assert (done.counts["turns"], done.counts["records"]) == (1, 1)
    (left,) = memory.get_all(**WHO)
    assert (left.id, left.statement) == (first.id, first.statement)
    assert left.derived_from == (record.derived_from[0], record.derived_from[2])  # what was said later was read again
    assert memory.search("quinces", **WHO).hits[0].id == first.id
    assert gone not in str(memory.history(first.id, **WHO))


def test_an_erased_record_takes_its_turn_unless_another_record_rests_on_it(memory: Memory) -> None:
    (tea,) = memory.add("I prefer oolong.", session_id="s1", **WHO).records
    assert memory.erase(ids=[tea.id], **WHO).kept == ()
    assert "oolong" not in everywhere(memory)
    both = memory.add("I am allergic to walnuts. I work at Northwind as a planner.", session_id="s1", **WHO)
    walnuts, job = sorted(both.records, key=lambda record: "walnuts" not in record.statement)
    (turn,) = walnuts.sources
    done = memory.erase(ids=[walnuts.id], **WHO)
    assert (done.kept, done.counts) == ((turn,), {"records": 1, "record_vectors": 1})
    assert [record.id for record in memory.get_all(**WHO)] == [job.id]
    done = memory.erase(ids=[job.id], **WHO)
    assert (done.kept, done.counts["turns"]) == ((), 1)


def test_an_erased_turn_takes_the_records_that_rest_on_it(memory: Memory) -> None:
    (record,) = memory.add("I prefer oolong.", session_id="s1", **WHO).records
    memory.session("s1", **WHO).end()
    done = memory.erase(ids=list(record.sources), verify=True, **WHO)
    assert (done.counts["turns"], done.counts["records"]) == (1, 2)  # and the episode of the session
    assert "oolong" not in everywhere(memory)


def test_everything_of_a_person_goes_with_what_was_made_of_it_for_others_and_can_be_said_again(memory: Memory) -> None:
    words = {"role": "user", "name": "Bob", "content": "I prefer quince jam."}
    memory.add(words, session_id="s1", subject="team:care")
    memory.add("I prefer cloudberry jam.", user_id="bob")
    assert {record.subject for record in memory.get_all(user_id="bob")} == {"user:bob"}
    assert "quince" in str(memory.get_all(user_id="bob"))
    run = memory.run("r1", subject="team:care")
    run.plan.append("quince")
    run.checkpoint()
    done = memory.erase(subject="team:care", verify=True)
    assert (done.counts["turns"], done.counts["records"], done.counts["checkpoints"]) == (1, 1, 1)
    assert "quince" not in everywhere(memory)
    assert [record.statement for record in memory.get_all(user_id="bob")] == ["I prefer cloudberry jam."]
    again = memory.add(words, session_id="s1", subject="team:care")
    assert [item.result for item in again.items] == ["added"]
    assert memory.search("Which jam does Bob like?", user_id="bob").hits
    assert memory.engine.store.check().faults == ()


def test_an_erasure_can_be_rehearsed(memory: Memory) -> None:
    memory.add("I prefer oolong.", session_id="s1", **WHO)
    told = memory.erase(dry_run=True, **WHO)
    assert (told.dry_run, told.counts["turns"], told.counts["records"]) == (True, 1, 1)
    assert len(memory.get_all(**WHO)) == 1
    assert memory.erase(**WHO).counts == told.counts
    assert memory.erase(**WHO).counts == {}


def test_an_erasure_names_one_thing(memory: Memory) -> None:
    wrong: list[dict[str, Any]] = [{"session_id": "s", "ids": ["x"]}, {"ids": []}, {"ids": "rec_1"}, {"verify": "yes"}]
    for named in wrong:
        with pytest.raises(InvalidInput):
            memory.erase(**WHO, **named)
    memory.add("I prefer oolong.", **WHO)
    (record,) = memory.get_all(**WHO)
    with pytest.raises(NotFound):
        memory.erase(user_id="bob", ids=[record.id])


def test_an_erasure_is_decided_anew_when_somebody_writes_meanwhile(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    (record,) = memory.add("I prefer oolong.", session_id="s1", **WHO).records
    before(memory, monkeypatch, "erase", lambda: memory.add("I prefer oolong.", session_id="s2", **WHO))
    memory.erase(session_id="s1", **WHO)
    (left,) = memory.get_all(**WHO)
    assert record.sources[0] not in left.sources


@pytest.mark.parametrize("method", ["apply", "put_vectors", "epochs"])
def test_what_is_added_while_its_owner_is_erased_is_reported_as_not_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    before(memory, monkeypatch, method, lambda: memory.erase(**WHO))
    receipt = memory.add("I prefer marzipan from Lübeck.", **WHO)
    assert [(turn.result, turn.turn_id) for turn in receipt.turns] == [(TurnResult.REFUSED, None)]
    assert "nothing of it was kept" in receipt.turns[0].detail
    assert (receipt.items, receipt.changes) == ((), ())
    counts = memory.engine.store.check().counts
    assert {counts[name] for name in ("records", "turns", "events", "verdicts")} == {0}


def test_a_queued_turn_that_is_erased_meanwhile_does_not_end_a_maintenance_run(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.engine.store.append([a_turn("t1", "I prefer email.", tenant="default")])
    memory.engine.store.append([a_turn("t2", "I prefer tea.", tenant="default", subject="user:bob")])
    before(memory, monkeypatch, "apply", lambda: memory.erase(**WHO))
    report = memory.maintain()
    assert (report.captured, report.failed, report.parked) == (1, 0, 0)
    assert [record.statement for record in memory.get_all(user_id="bob")] == ["I prefer tea."]


def test_the_receipt_counts_the_traces_that_lost_their_words_with_a_record(memory: Memory) -> None:
    id = kept(memory, "Ana prefers marzipan from Lübeck.")
    memory.search("marzipan", include="records", **WHO)
    memory.search("Lübeck", include="records", **WHO)
    done = memory.erase(ids=[id], **WHO)
    assert done.emptied == {"traces": 2}
    assert memory.erase(**WHO).emptied == {}
