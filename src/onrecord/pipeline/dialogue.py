"""Dialogue: what of a thread is shown to the model within a budget: its summary, then the newest turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.errors import BudgetTooSmall
from onrecord.model.context import Section, SectionReport, Shape
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.turn import Role, Turn
from onrecord.pipeline.compact import uncovered
from onrecord.pipeline.sizes import Size, sizes
from onrecord.policy.context.shape import dialogue_messages
from onrecord.policy.dialogue.formatting import formatted
from onrecord.policy.dialogue.frame import summary_block
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD, message_tokens, results, sent_by_user, spoken
from onrecord.policy.dialogue.prune import prune, shortener
from onrecord.policy.dialogue.window import Window, window
from onrecord.policy.lifecycle.echo import withheld
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine

_OVER = "outside the window"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The turns to show, as they are shown, and the block of the summary, if there is one; what both take, and their report.

    ``shown`` are ids of turns that are there word for word, ``asked`` what the user said last."""

    turns: tuple[Turn, ...] = ()
    summary: tuple[str, ...] = ()
    tokens: int = 0
    sections: tuple[SectionReport, ...] = ()
    warnings: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    asked: str = ""


def dialogue(
    engine: Engine,
    reach: Reach,
    thread: str | None,
    room: int,
    *,
    chunk: int | None = None,
    system: bool = True,
    shape: Shape = Shape.OPENAI,
) -> Dialogue:
    """The summary of the thread if it fits, then the newest turns that do. ``system`` is whether its system turns are wanted."""
    if thread is None:
        return Dialogue()
    turns = [masked(withheld(turn)) for turn in engine.store.thread(reach, thread) if _shown(turn, system)]
    size = sizes(engine, reach, thread, turns)
    summary = engine.store.summary(reach, thread)
    told = _told(engine, summary, room)
    pruned = prune(uncovered(turns, summary) if told.tokens else turns, engine.formatters.keys())
    made = formatted(pruned.kept, engine.formatters)
    found, tokens = _fitted(engine, made.turns, room - told.tokens, size, chunk, shape)
    shown = {turn.id for turn in found.kept}
    there = shown | (set(summary.covers) if summary and told.tokens else set())
    left_out = {turn.id: str(pruned.dropped.get(turn.id, _OVER)) for turn in turns if turn.id not in there}
    report = SectionReport(Section.DIALOGUE, room - told.tokens, tokens, len(found.kept), left_out)
    return Dialogue(
        turns=found.kept,
        summary=told.summary,
        tokens=told.tokens + tokens,
        sections=(*told.sections, report),
        warnings=(*told.warnings, *made.warnings, *_dropped(made.turns, found, room)),
        shown=frozenset(shown),
        asked=next((turn.text for turn in reversed(turns) if spoken(turn)), ""),
    )


def _dropped(turns: Sequence[Turn], found: Window, room: int) -> Sequence[str]:
    if found.kept or not turns:
        return ()
    return (f"no dialogue is shown: its system text and the user's last words alone take more than its {room} tokens",)


def _fitted(engine: Engine, turns: Sequence[Turn], room: int, size: Size, chunk: int | None, shape: Shape) -> tuple[Window, int]:
    """The window and what its messages take. What mends a history takes more than the window set aside where ids are long: then
    it is cut again, with that much less room."""
    asked = room
    while True:
        found = _windowed(turns, asked, size, chunk)
        tokens = sum(message_tokens(message, engine.tokens.count) for message in dialogue_messages(found.kept, shape))
        if tokens <= room or not found.kept:
            return found, tokens
        asked -= tokens - room


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
    report = SectionReport(Section.SUMMARY, room, tokens, len(summary.covers))
    return Dialogue((), (block,), tokens, (report,))


def _windowed(turns: Sequence[Turn], room: int, size: Size, chunk: int | None) -> Window:
    try:
        return window(turns, room, size, chunk=chunk, shorten=shortener(size))
    except BudgetTooSmall:  # the words that must be there are those of the new message, and they have their place already
        return Window((), tuple(turns), 0)
