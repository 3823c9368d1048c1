"""What was deleted is gone, also from what other calls write or read at the same moment."""

from __future__ import annotations

from typing import Any

import pytest

from onrecord.memory import Memory
from onrecord.model.scope import Reach

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
