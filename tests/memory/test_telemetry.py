"""Spans by the GenAI conventions for memory, as the real SDK collects them; and none, and nothing loaded, where nobody asked."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from onrecord import AsyncMemory, Memory, NotFound, Policy
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.telemetry import CALL, Call

SAID = "I'm allergic to walnuts."
ANA: dict[str, Any] = {"user_id": "ana"}


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """One provider for the process, as a program sets it; it can be set once."""
    collected = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(collected))
    trace.set_tracer_provider(provider)
    return collected


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Iterator[Callable[[], list[ReadableSpan]]]:
    exporter.clear()
    yield lambda: list(exporter.get_finished_spans())
    exporter.clear()


def memory(**policy: Any) -> Memory:
    return Memory(":memory:", tenant="acme", embedder=HashingEmbedder(), policy=Policy(**policy))


def test_each_verb_is_a_span_with_the_names_of_the_conventions(spans: Callable[[], list[ReadableSpan]]) -> None:
    with memory() as ours:
        id = ours.add(SAID, session_id="s", run_id="r", **ANA).records[0].id
        ours.search("What am I allergic to?", **ANA)
        ours.update(id, "I'm allergic to pecans.", **ANA)
        ours.session("s", **ANA).search("And walnuts?")
        ours.delete(id, **ANA)
        ours.maintain()
    found = [dict(span.attributes or {}) for span in spans()]
    store = {"gen_ai.memory.store.id": "acme"}
    assert found == [
        {
            "gen_ai.operation.name": "upsert_memory",
            **store,
            "gen_ai.conversation.id": "s",
            "onrecord.run.id": "r",
            "gen_ai.memory.record.count": 1,
        },
        {"gen_ai.operation.name": "search_memory", **store, "gen_ai.memory.record.count": found[1]["gen_ai.memory.record.count"]},
        {
            "gen_ai.operation.name": "update_memory",
            **store,
            "gen_ai.memory.record.id": id,
            "gen_ai.memory.record.count": 1,
        },
        {
            "gen_ai.operation.name": "search_memory",
            **store,
            "gen_ai.conversation.id": "s",
            "gen_ai.memory.record.count": found[3]["gen_ai.memory.record.count"],
        },
        {"gen_ai.operation.name": "delete_memory", **store, "gen_ai.memory.record.id": id},
        {"gen_ai.operation.name": "maintain_memory", **store},
    ]
    assert [span.name for span in spans()] == [one["gen_ai.operation.name"] for one in found]
    assert {span.kind for span in spans()} == {trace.SpanKind.INTERNAL}


def test_what_was_said_and_asked_stands_in_no_span(spans: Callable[[], list[ReadableSpan]]) -> None:
    with memory() as ours:
        ours.add(SAID, session_id="s", **ANA)
        ours.search("walnuts", **ANA)
        ours.context("May I eat walnuts?", **ANA)
        ours.get_all(**ANA)
        with pytest.raises(NotFound):
            ours.get("walnuts-1", **ANA)
    told = " ".join(span.to_json() for span in spans())
    assert "walnut" not in told.replace("walnuts-1", "")
    assert "ana" not in told


def test_on_request_the_question_and_the_records_stand_in_spans(spans: Callable[[], list[ReadableSpan]]) -> None:
    with memory(span_text=True) as ours:
        id = ours.add(SAID, session_id="s", **ANA).records[0].id
        ours.search("walnuts", **ANA)
        ours.get_all(**ANA)
    added, searched, listed = (dict(span.attributes or {}) for span in spans())
    assert json.loads(str(added["gen_ai.memory.records"])) == [{"id": id, "content": SAID}]
    assert searched["gen_ai.memory.query.text"] == "walnuts"
    hit = json.loads(str(searched["gen_ai.memory.records"]))[0]
    assert (hit["id"], hit["content"], 0 < hit["score"] <= 1) == (id, SAID, True)
    assert json.loads(str(listed["gen_ai.memory.records"])) == [{"id": id, "content": SAID}]


def test_an_error_is_told_by_its_class_and_not_by_its_words(spans: Callable[[], list[ReadableSpan]]) -> None:
    with memory() as ours, pytest.raises(NotFound):
        ours.get("rec_1", **ANA)
    (span,) = spans()
    assert (span.attributes or {})["error.type"] == "NotFound"
    assert (span.status.status_code, span.status.description, list(span.events)) == (trace.StatusCode.ERROR, None, [])


def test_a_span_of_an_awaited_call_is_a_child_of_its_caller(spans: Callable[[], list[ReadableSpan]]) -> None:
    async def ask() -> None:
        async with AsyncMemory(":memory:", embedder=HashingEmbedder()) as ours:
            with trace.get_tracer("program").start_as_current_span("turn"):
                await ours.search("walnuts", **ANA)

    asyncio.run(ask())
    searched, turn = spans()
    assert searched.parent is not None
    assert turn.context is not None
    assert searched.parent.span_id == turn.context.span_id


def test_a_call_is_known_while_it_is_under_way() -> None:
    seen: list[Call | None] = []

    class Watching(HashingEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            seen.append(CALL.get())
            return super().embed_documents(texts)

    with Memory(":memory:", tenant="acme", embedder=Watching()) as ours:
        ours.add(SAID, session_id="s", run_id="r", **ANA)
    assert seen[0] == Call("upsert_memory", "acme", "r", "s")
    assert CALL.get() is None


def test_nothing_of_telemetry_is_loaded_where_nobody_loaded_it() -> None:
    check = (
        "import sys; from onrecord import Memory; m = Memory(':memory:'); m.remember('Tea.', user_id='ana'); "
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, env=_env())
    assert done.stdout == "[]\n"


def _env() -> dict[str, str]:
    import os
    from pathlib import Path

    import onrecord

    return {**os.environ, "PYTHONPATH": str(Path(onrecord.__file__).resolve().parents[1])}
