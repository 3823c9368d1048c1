"""Whatever is passed to a public method, what comes back is an answer or an error of this package that names field and fix."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput, OnRecordError
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.run import Run
from onrecord.session import Session

NAN = float("nan")
NAIVE = datetime.fromisoformat("2026-01-01T09:00:00")
VALUES: list[Any] = [
    None,
    *("", "   ", "dead", "x" * 300, "\ud800", "\0", b"x"),
    *(0, -1, 2**70, NAN, float("inf"), True),
    *([], {}, (1,), ["x"], [None], {"a": object()}, {1: 2}, {"x": NAN}),
    *(NAIVE, datetime(1, 1, 1, tzinfo=UTC), object()),
]
#: What a call needs beside the argument in question.
NEEDED: dict[str, Any] = {
    "messages": "I work at Northwind.",
    "statement": "I like tea.",
    "query": "Which seat?",
    "message": "Which seat?",
    "session_id": "s",
    "run_id": "r",
    "run": "upkeep_none",
    "new": "t",
    "title": "Trip",
    "budget": 500,
    "waiting_for": "Ana",
    "name": "fetch",
    "path": "memory.jsonl",
}
FIELDS = (
    "kind key value cardinality statement negation qualifier confidence valid_from valid_until expiry_basis pinned metadata "
    "scope scope_ref language"
).split()


def methods(cls: type) -> Iterator[tuple[type, str]]:
    for name, _ in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_"):
            yield cls, name


METHODS = [(cls, name) for every in (Memory, Session, Run) for cls, name in methods(every)]
#: Method and argument; the fields of an edit count as arguments.
CASES = [
    (cls, name, argument)
    for cls, name in METHODS
    for parameter in inspect.signature(getattr(cls, name)).parameters.values()
    for argument in (FIELDS if parameter.kind is parameter.VAR_KEYWORD else [parameter.name])
    if argument != "self"
]
ARGUMENTS = pytest.mark.parametrize(("cls", "name", "argument"), CASES, ids=[f"{c.__name__}.{n}.{a}" for c, n, a in CASES])


def call(cls: type, name: str, argument: str) -> Callable[[Any], Any]:
    """The method on something that is there, waiting for the value of one argument."""

    memory = Memory(":memory:", embedder=HashingEmbedder())
    (record,) = memory.add("I prefer window seats on long flights.", user_id="ana", session_id="s").records

    def with_value(value: Any) -> Any:
        on = {Memory: memory, Session: memory.session("s", user_id="ana"), Run: memory.run("r", user_id="ana")}[cls]
        method = getattr(on, name)
        known = {**NEEDED, "id": record.id, "ids": [record.id]}
        parameters = inspect.signature(method).parameters.values()
        arguments = {p.name: known[p.name] for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD}
        if cls is Memory and name != "import_from" and "user_id" in inspect.signature(method).parameters:
            arguments["user_id"] = "ana"
        if name == "update":
            arguments["statement"] = "I like aisles."
        return method(**{**arguments, argument: value})

    return with_value


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is taken for the name of a file is written here."""
    monkeypatch.chdir(tmp_path)


@ARGUMENTS
def test_a_bad_value_gets_an_answer_or_an_error_that_names_field_and_fix(cls: type, name: str, argument: str) -> None:
    attempt = call(cls, name, argument)
    for value in VALUES:
        with suppress(OnRecordError):
            try:
                attempt(value)
            except InvalidInput as error:
                if not (error.field and error.fix):
                    pytest.fail(f"{value!r}: {error} names no field or no fix")
                raise


@ARGUMENTS
def test_what_is_no_value_at_all_is_refused_by_name(cls: type, name: str, argument: str) -> None:
    if (name, argument) == ("resume", "answer"):
        return  # any value answers; that it is JSON is checked when it is saved
    with pytest.raises(InvalidInput) as refused:
        call(cls, name, argument)(object())
    assert refused.value.field.startswith(argument)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("get_all", {"statuses": ["dead"]}, "statuses: is 'dead' (use one of active, "),
        ("get_all", {"statuses": "active"}, "statuses: is a str (pass a list like ['active'])"),
        ("get_all", {"limit": -1}, "limit: is -1 (use 1 or more)"),
        ("search", {"query": "x", "limit": 1001}, "limit: is 1001 (use 1 to 1000)"),
        ("search", {"query": "x", "threshold": NAN}, "threshold: is nan (use 0 to 1)"),
        ("search", {"query": "x", "kinds": ["opinion"]}, "kinds: is 'opinion' (use one of stated_fact, "),
        ("search", {"query": "x", "since": NAIVE}, "since: has no time zone (pass an aware datetime"),
        ("search", {"query": "x", "subjects": None}, "subjects: is a NoneType (pass a list like ['team:research'])"),
        ("add", {"messages": "x", "infer": "no"}, "infer: is a str (pass True or False)"),
        ("remember", {"statement": "x", "metadata": "x"}, "metadata: is a str (pass an object of JSON values)"),
        ("refusals", {"limit": -1}, "limit: is -1 (use 1 or more)"),
        ("context", {"message": 4}, "message: is a int (pass a string)"),
    ],
)
def test_the_error_says_what_is_off_and_the_way_out(memory: Memory, name: str, arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        getattr(memory, name)(user_id="ana", **arguments)
    assert str(refused.value).startswith(told)


def test_nothing_is_written_by_a_call_that_is_refused(memory: Memory) -> None:
    for arguments in ({"metadata": {"x": object()}}, {"at": NAIVE}, {"infer": 1}, {"metadata": {"x": NAN}}):
        with pytest.raises(InvalidInput):
            memory.add("I like tea.", user_id="ana", **arguments)
    assert memory.engine.store.check().counts["turns"] == 0


@pytest.mark.parametrize(
    "field",
    [
        {"value": b"x"},
        {"value": "\ud800"},
        {"negation": float("nan")},
        {"metadata": {"a": float("nan")}},
        {"metadata": {"a": "\ud800"}},
    ],
    ids=["bytes", "half", "no flag", "no number", "half inside"],
)
def test_a_field_that_cannot_be_kept_is_refused_before_the_turn_is_written(memory: Memory, field: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(field))):
        memory.remember("I like tea.", user_id="ana", session_id="s", **field)
    assert memory.session("s", user_id="ana").turns() == []


def test_a_context_holds_what_the_owner_told_any_agent(memory: Memory) -> None:
    memory.add("I am allergic to walnuts.", user_id="ana", agent_id="a1")
    shown = memory.context("What am I allergic to?", user_id="ana", agent_id="a2")
    assert "walnuts" in str(shown.messages)
