"""Telemetry: which call is under way, for logs; and OpenTelemetry spans with the names of the GenAI conventions for memory
(github.com/open-telemetry/semantic-conventions-genai, "Memory").

A span has ``gen_ai.operation.name``, the tenant as ``gen_ai.memory.store.id``, the session as ``gen_ai.conversation.id``, the run
as ``onrecord.run.id``, the record and how many records it was about, and the class of an error. What was asked and what is on
record stand in it only with ``Policy(span_text=True)``. Nothing is sent anywhere: where spans go is for the program to say, and
where it never loaded ``opentelemetry`` none are made. Needs the extra ``onrecord[otel]``.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from onrecord.model.context import Context
from onrecord.model.erasure import Erased
from onrecord.model.lineage import Recall
from onrecord.model.receipt import Receipt
from onrecord.model.record import Record
from onrecord.pipeline.retrieve import Found
from onrecord.ports import Engine

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Call:
    """A verb that is under way. ``run`` and ``session`` are those it names."""

    operation: str
    tenant: str
    run: str | None = None
    session: str | None = None


#: The call under way in this thread or task.
CALL: ContextVar[Call | None] = ContextVar("call", default=None)


class Traced(Protocol):
    """What has traced methods tells its tenant and thread, and has parts."""

    def _told(self) -> tuple[str, str | None, Engine]:
        """The tenant, the thread (if it is a handle on one) and the parts."""
        ...


def traced(operation: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: the method of a ``Traced`` runs as a call of this operation, in a span where spans are made."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        subject = next((name for name in list(inspect.signature(method).parameters)[1:2]), "")

        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            tenant, session, engine = cast("Traced", args[0])._told()
            made = Call(operation, tenant, _name(kwargs.get("run_id")), _name(kwargs.get("session_id")) or session)
            token = CALL.set(made)
            try:
                with _span(made, engine.policy.span_text) as span:
                    if span is None:
                        return method(*args, **kwargs)
                    span.asked(subject, kwargs.get(subject, args[1] if len(args) > 1 else None))
                    result = method(*args, **kwargs)
                    span.answered(result)
                    return result
            finally:
                CALL.reset(token)

        return call

    return decorate


@dataclass(frozen=True, slots=True)
class _Span:
    span: Any
    text: bool

    def asked(self, name: str, value: Any) -> None:
        """Notes what the first argument of the call names."""
        if name == "id" and isinstance(value, str):
            self.span.set_attribute("gen_ai.memory.record.id", value)
        elif self.text and name in ("query", "message") and isinstance(value, str):
            self.span.set_attribute("gen_ai.memory.query.text", value)

    def answered(self, result: Any) -> None:
        """Notes how many records it was about, and (on request) which."""
        count = _count(result)
        if count is not None:
            self.span.set_attribute("gen_ai.memory.record.count", count)
        if self.text and (shown := list(_shown(result))):
            self.span.set_attribute("gen_ai.memory.records", json.dumps(shown, ensure_ascii=False))


@contextmanager
def _span(call: Call, text: bool) -> Iterator[_Span | None]:
    # Who says where spans go has loaded it; loading it here would slow every start down for nothing.
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        yield None
        return
    given = {"gen_ai.memory.store.id": call.tenant, "gen_ai.conversation.id": call.session, "onrecord.run.id": call.run}
    attributes = {name: value for name, value in given.items() if value is not None}
    attributes["gen_ai.operation.name"] = call.operation
    # An error's words may quote what was said: its class alone is noted.
    quiet = {"record_exception": False, "set_status_on_exception": False}
    with api.get_tracer("onrecord").start_as_current_span(call.operation, attributes=attributes, **quiet) as span:
        if not span.is_recording():
            yield None
            return
        try:
            yield _Span(span, text)
        except BaseException as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(api.Status(api.StatusCode.ERROR))
            raise


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(result: Any) -> int | None:
    match result:
        case Receipt():
            return len(result.items)
        case Found():
            return len(result.hits)
        case Context():
            return len(result.labels)
        case Recall():
            return len(result.changes)
        case Erased():
            return result.counts.get("records", 0)
        case Record():
            return 1
        case bool():
            return None
        case int():
            return result
        case list() | tuple():
            return len(result)
    return None


def _shown(result: Any) -> Iterator[dict[str, Any]]:
    """Records by the conventions' schema: id, content, and the score of a hit."""
    if isinstance(result, Found):
        for hit in result.hits:
            yield {"id": hit.id, "content": hit.text, "score": round(hit.relevance, 4)}
        return
    for record in _records(result):
        yield {"id": record.id, "content": record.statement}


def _records(result: Any) -> Iterable[Record]:
    if isinstance(result, Receipt):
        return result.records
    rows: Sequence[Any] = result if isinstance(result, list | tuple) else (result,)
    return [row for row in rows if isinstance(row, Record)]
