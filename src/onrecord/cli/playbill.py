"""The demo as a page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from onrecord.cli.lines import Line, blank, line, title
from onrecord.cli.pages import COLUMN, about, item_lines
from onrecord.cli.stories import story_lines
from onrecord.model.receipt import TurnResult

if TYPE_CHECKING:
    from onrecord.cli.demo import Answer, Exchange, Play

_SPEAKER = 11


def play_page(shown: Play, kept: str = "") -> Iterator[Line]:
    """The conversation turn by turn, the questions, the context, and the story of one record."""
    yield line(
        "Ana talks with an assistant twice, six weeks apart. All of it is real output: one SQLite file, no model, no network."
    )
    for thread, exchanges in groupby(shown.exchanges, key=lambda exchange: exchange.thread):
        rows = list(exchanges)
        yield from _heading(rows[0].at.strftime("%-d %B %Y"), f"what became of every line of “{thread}”")
        for exchange in rows:
            yield from _exchange(exchange)
    yield from _heading("Asked", "the most relevant records, two at most; nothing where nothing is relevant")
    for answer in shown.answers:
        yield from _answer(answer)
    yield from _heading("Sent to the model", f"{shown.context.report.tokens} of {shown.context.report.budget} tokens")
    for message in shown.context.messages:
        yield line(str(message["content"]), label=(str(message["role"]), "note"), width=_SPEAKER)
    if shown.story is not None and shown.story.record is not None:
        yield from _heading("Why", f"the story of “{shown.story.record.text}”")
        yield from story_lines(shown.story)
    yield from _next(kept)


def _heading(text: str, note: str) -> Iterator[Line]:
    yield blank()
    yield title(f"── {text} ──", note)


def _exchange(exchange: Exchange) -> Iterator[Line]:
    yield blank()
    yield line(exchange.text, label=(exchange.speaker, "note"), width=_SPEAKER)
    if exchange.stored != exchange.text:
        yield line(f"as “{exchange.stored}”", label=("stored", "note"), width=COLUMN, indent=_SPEAKER)
    for item in exchange.receipt.items:
        yield from item_lines(item, indent=_SPEAKER, brief=True)
    for turn in exchange.receipt.turns:
        if turn.result in (TurnResult.QUEUED, TurnResult.REFUSED):
            yield line((f"{turn.result}: {turn.detail}", "warn"), indent=_SPEAKER)
    if not exchange.receipt.items:
        yield line(("nothing in it to keep on record", "dim"), indent=_SPEAKER)


def _answer(answer: Answer) -> Iterator[Line]:
    yield blank()
    yield line((answer.question, "strong"))
    if not answer.hits:
        yield line(("nothing on record is relevant enough", "dim"), indent=2)
    for hit in answer.hits:
        record = hit.record
        notes = f"  {', '.join(about(record)[2:])}" if record else ""
        conflict = "  in conflict" if hit.conflicts_with else ""
        yield line(hit.text, (notes, "dim"), (conflict, "warn"), label=f"{hit.relevance:.2f}", width=6, indent=2)


def _next(kept: str) -> Iterator[Line]:
    yield from _heading("Next", "onrecord --help lists every command")
    if kept:
        yield line(f"onrecord list --db {kept} --user ana")
    else:
        yield line("onrecord demo --keep demo.db && onrecord list --db demo.db --user ana")
    yield line('onrecord add "I prefer window seats." --user me')
    yield line('onrecord search "Which seat?" --user me')
