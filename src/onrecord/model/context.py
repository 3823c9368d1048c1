"""What is sent to the model: messages, and a report of how they came to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SectionReport:
    """One section of a context: its budget and use in tokens, how many items went in, and which were left out."""

    name: str
    budget: int
    tokens: int
    kept: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextReport:
    """How a context was made. ``tokens`` counts all messages with their overhead and never exceeds ``budget``."""

    budget: int
    tokens: int
    sections: tuple[SectionReport, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Messages in the OpenAI chat shape, oldest first, with their report and the id of the trace of the search."""

    messages: tuple[Mapping[str, Any], ...]
    report: ContextReport
    trace_id: str | None = None
