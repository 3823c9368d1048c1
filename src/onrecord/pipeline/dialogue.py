"""Dialogue: what of a thread is shown to the model within a budget: its summary, then the newest turns, in the chat shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onrecord.errors import BudgetTooSmall
from onrecord.model.context import SectionReport
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.turn import Role, Turn
from onrecord.pipeline.compact import uncovered
from onrecord.pipeline.sizes import Size, sizes
from onrecord.policy.dialogue.formatting import formatted
from onrecord.policy.dialogue.frame import summary_block
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD, message_tokens, results, sent_by_user
from onrecord.policy.dialogue.prune import prune, shortener
from onrecord.policy.dialogue.shapes import to_openai
from onrecord.policy.dialogue.window import Window, window
from onrecord.policy.lifecycle.echo import withheld
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Messages that any provider accepts, what they take, and the report of it."""

    messages: tuple[Mapping[str, Any], ...] = ()
    tokens: int = 0
    sections: tuple[SectionReport, ...] = ()
    warnings: tuple[str, ...] = ()


def dialogue(
    engine: Engine, reach: Reach, thread: str | None, room: int, *, chunk: int | None = None, system: bool = True
) -> Dialogue:
    """The summary of the thread if it fits, then the newest turns that do. ``system`` is whether its system turns are wanted."""
    if thread is None:
        return Dialogue(sections=(SectionReport("dialogue", room, 0, 0),))
    turns = [masked(withheld(turn)) for turn in engine.store.thread(reach, thread) if _shown(turn, system)]
    size = sizes(engine, reach, thread, turns)
    summary = engine.store.summary(reach, thread)
    told = _told(engine, summary, room)
    pruned = prune(uncovered(turns, summary) if told.tokens else turns, engine.formatters.keys())
    made = formatted(pruned.kept, engine.formatters)
    found, messages = _fitted(engine, made.turns, room - told.tokens, size, chunk)
    tokens = sum(message_tokens(message, engine.tokens.count) for message in messages)
    shown = {turn.id for turn in found.kept} | (set(summary.covers) if summary and told.tokens else set())
    left_out = tuple(turn.id for turn in turns if turn.id not in shown)
    report = SectionReport("dialogue", room - told.tokens, tokens, len(found.kept), left_out)
    warnings = (*told.warnings, *made.warnings)
    return Dialogue((*told.messages, *messages), told.tokens + tokens, (*told.sections, report), warnings)


def _fitted(
    engine: Engine, turns: Sequence[Turn], room: int, size: Size, chunk: int | None
) -> tuple[Window, list[dict[str, Any]]]:
    """The window and its messages. What mends a history takes more than the window set aside where ids are long: then it is cut
    again, with that much less room."""
    asked = room
    while True:
        found = _windowed(turns, asked, size, chunk)
        messages = to_openai(found.kept)
        excess = sum(message_tokens(message, engine.tokens.count) for message in messages) - room
        if excess <= 0:
            return found, messages
        asked -= excess


def _shown(turn: Turn, system: bool) -> bool:
    """Documents and loose words of tools are found by search where they matter; they are not dialogue. What the user sent is."""
    match turn.role:
        case Role.SYSTEM:
            return system
        case Role.DOCUMENT:
            return sent_by_user(turn)
        case Role.TOOL:
            return bool(results(turn))
    return True


def _told(engine: Engine, summary: Summary | None, room: int) -> Dialogue:
    if summary is None:
        return Dialogue()
    block = summary_block(summary.text, len(summary.covers))
    tokens = engine.tokens.count(block) + MESSAGE_OVERHEAD
    if tokens > room:
        return Dialogue(warnings=(f"the summary of the thread ({tokens} tokens) does not fit and was left out",))
    report = SectionReport("summary", room, tokens, len(summary.covers))
    return Dialogue(({"role": "user", "content": block},), tokens, (report,))


def _windowed(turns: Sequence[Turn], room: int, size: Size, chunk: int | None) -> Window:
    try:
        return window(turns, room, size, chunk=chunk, shorten=shortener(size))
    except BudgetTooSmall:  # the words that must be there are those of the new message, and they have their place already
        return Window((), tuple(turns), 0)
