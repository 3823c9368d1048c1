"""What is sent to the model: messages, and a report of how they came to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Section(StrEnum):
    """The parts of a context, in the order of their position in the prompt."""

    SYSTEM = "system"
    TOOLS = "tools"
    STANDING = "standing"
    SUMMARY = "summary"
    DIALOGUE = "dialogue"
    STATE = "state"
    RECORDS = "records"
    EPISODES = "episodes"
    KNOWLEDGE = "knowledge"
    LIVE = "live"
    CURRENT = "current"


class Preset(StrEnum):
    """What a context is for; ``policy.context.plan`` has the shares of each."""

    ASSISTANT = "assistant"
    SUPPORT = "support"
    CODING = "coding"
    RESEARCH = "research"


class Share(StrEnum):
    """Groups of sections that have a share of the budget together; the rest is for the task at hand: state and current step."""

    SYSTEM = "system"
    RECORDS = "records"
    KNOWLEDGE = "knowledge"
    DIALOGUE = "dialogue"


class Shape(StrEnum):
    """The form of the messages.

    ``alternating`` is the OpenAI chat shape for templates that take one leading system message and strictly alternating roles;
    ``single`` is one user message that holds everything as tagged events.
    """

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    ALTERNATING = "alternating"
    SINGLE = "single"


@dataclass(frozen=True, slots=True)
class SectionReport:
    """One section of a context: its budget and use in tokens, how many items went in, and which were left out and why, by id."""

    name: str
    budget: int
    tokens: int
    kept: int
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spending:
    """What the contexts of a thread took so far, in tokens of input.

    ``sent`` is the sum over ``turns`` contexts, of which ``identical`` repeated the beginning of the one before. Providers bill
    that at a part of the price (``policy.cached_price``); ``billed`` is what it comes to, in fresh tokens. ``replayed`` and
    ``replay_billed`` are the same for sending the whole transcript every turn.
    """

    turns: int = 0
    sent: int = 0
    identical: int = 0
    billed: int = 0
    replayed: int = 0
    replay_billed: int = 0


@dataclass(frozen=True, slots=True)
class ContextReport:
    """How a context was made. ``tokens`` counts all that is sent, tool schemas and overhead included; never more than ``budget``.

    ``window`` is the model's, in tokens. ``identical`` are the tokens at the beginning that repeat the prompt before in this
    thread, byte by byte; ``None`` for the first. ``spending`` is the thread's so far, this context included.
    """

    budget: int
    tokens: int
    sections: tuple[SectionReport, ...]
    warnings: tuple[str, ...] = ()
    window: int | None = None
    identical: int | None = None
    spending: Spending | None = None

    def section(self, name: str) -> SectionReport:
        """The report of a section. Raises ``KeyError`` if the context has none of that name."""
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(name)

    @property
    def identical_share(self) -> float | None:
        """The share of the prompt, 0..1, that is the same as the beginning of the one before; ``None`` for the first."""
        return None if self.identical is None else self.identical / max(self.tokens, 1)

    @property
    def current_share(self) -> float:
        """How much of the context, 0..1, is the current step itself."""
        return self.section(Section.CURRENT).tokens / max(self.tokens, 1)


@dataclass(frozen=True, slots=True)
class Context:
    """What to send to the model, in one provider's shape, with its report and the id of the trace of the search.

    ``messages`` are oldest first; ``system`` are the blocks that Anthropic takes apart from them, and empty in other shapes.
    ``tools`` are the schemas in that shape. ``breakpoints`` say after how many messages a stretch ends that the next prompt will
    repeat: Anthropic's are marked in the messages as well. ``labels`` has the id of what each row shows, by its label.
    """

    messages: tuple[Mapping[str, Any], ...]
    report: ContextReport
    trace_id: str | None = None
    shape: Shape = Shape.OPENAI
    system: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    breakpoints: tuple[int, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def request(self) -> dict[str, Any]:
        """The arguments of a call of the provider's client: ``messages``, and ``system`` and ``tools`` where there are any."""
        request: dict[str, Any] = {"messages": list(self.messages)}
        if self.system:
            request["system"] = list(self.system)
        if self.tools:
            request["tools"] = list(self.tools)
        return request
