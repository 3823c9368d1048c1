"""``onrecord demo``: a short conversation goes through the real pipeline; what is shown is what the library answers."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from onrecord.cli.command import Desk, command
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.cli.script import Sitting
    from onrecord.memory import Memory
    from onrecord.model.context import Context
    from onrecord.model.receipt import Receipt
    from onrecord.model.trace import Hit
    from onrecord.pipeline.explain import Story


@dataclass(frozen=True, slots=True)
class Exchange:
    """What somebody said, how it was stored, and what became of it."""

    at: datetime
    thread: str
    speaker: str
    text: str
    stored: str
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Answer:
    """A question and its hits."""

    question: str
    hits: tuple[Hit, ...]
    trace_id: str


@dataclass(frozen=True, slots=True)
class Play:
    """Everything the demo shows."""

    exchanges: tuple[Exchange, ...]
    answers: tuple[Answer, ...]
    context: Context
    story: Story | None


def add_commands(app: typer.Typer) -> None:
    """Registers it."""
    command(app, "demo")(demo)


def demo(
    desk: Desk,
    keep: Annotated[str | None, Option(metavar="FILE", help="Leave the memory in this file, to look around in.")] = None,
) -> None:
    """Play a short conversation and show what is kept, refused, corrected and recalled, and why."""
    from onrecord.cli.playbill import play_page

    if keep and Path(keep).exists():
        raise InvalidInput("--keep", f"{keep} exists", "name a file that doesn't")
    import tempfile  # not while commands are listed

    folder: AbstractContextManager[str] = nullcontext(".") if keep else tempfile.TemporaryDirectory(prefix="onrecord-demo-")
    with folder as place:
        shown = play(keep or str(Path(place) / "demo.db"))
    desk.answer(shown, lambda it: play_page(it, keep or ""))


def play(path: str) -> Play:
    """The demo, played into a new file."""
    from onrecord.cli.script import MESSAGE, MINUTE, QUESTIONS, SITTINGS, SYSTEM, USER
    from onrecord.memory import Memory

    now = SITTINGS[0].begins
    with Memory(path, clock=lambda: now) as memory:
        exchanges = []
        for sitting in SITTINGS:
            for number, (speaker, text) in enumerate(sitting.lines):
                now = sitting.begins + number * MINUTE
                exchanges.append(_exchange(memory, sitting, now, speaker, text))
        now += MINUTE
        answers = tuple(_answer(memory, question) for question in QUESTIONS)
        context = memory.context(MESSAGE, user_id=USER, session_id=SITTINGS[-1].thread, system=SYSTEM, budget=2_000)
        return Play(tuple(exchanges), answers, context, _story(memory, answers))


def _exchange(memory: Memory, sitting: Sitting, at: datetime, speaker: str, text: str) -> Exchange:
    from onrecord.cli.script import USER

    receipt = memory.add({"role": speaker, "content": text}, user_id=USER, session_id=sitting.thread, at=at)
    stored = memory.session(sitting.thread, user_id=USER).turns(last=1)
    return Exchange(at, sitting.thread, USER if speaker == "user" else speaker, text, stored[0].text, receipt)


def _answer(memory: Memory, question: str) -> Answer:
    from onrecord.cli.script import USER

    found = memory.search(question, user_id=USER, include="records", limit=2)
    return Answer(question, found.hits, found.trace.id)


def _story(memory: Memory, answers: tuple[Answer, ...]) -> Story | None:
    from onrecord.cli.script import USER, WHY

    told = next(answer for answer in answers if answer.question == WHY)
    return memory.why(told.hits[0].id, user_id=USER) if told.hits else None
