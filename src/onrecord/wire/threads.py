"""What a server answers about threads of dialogue, the contexts made of them, and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from onrecord.model.context import Context
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.pipeline.compact import Compaction
from onrecord.run import Run
from onrecord.wire.answers import Said
from onrecord.wire.cursor import cursor_of


class Thread(BaseModel):
    """One conversation."""

    id: str
    title: str
    turns: int
    last_at: datetime
    archived: bool
    forked_from: str | None = Field(None, description="The thread that its first turns were copied from.")

    @classmethod
    def of(cls, info: ThreadInfo) -> Self:
        """The thread as it is shown."""
        return cls(
            id=info.id,
            title=info.title,
            turns=info.turns,
            last_at=info.last_at,
            archived=info.archived,
            forked_from=info.forked_from,
        )


class Threads(BaseModel):
    """Threads by their last turn, newest first. ``next`` is given to get the following page; none at the end."""

    threads: list[Thread]
    next: str | None

    @classmethod
    def of(cls, infos: Sequence[ThreadInfo], limit: int) -> Self:
        """The first ``limit`` of the threads; that there are more of them tells that another page follows."""
        shown = infos[:limit]
        return cls(threads=[Thread.of(info) for info in shown], next=cursor_of(shown[-1]) if len(infos) > limit else None)


class Summarized(BaseModel):
    """A summary of older turns, which stay and can be read by their ids."""

    text: str
    covers: list[str] = Field(description="Ids of the turns it stands for, oldest first.")
    tokens: int
    over: bool = Field(description="True: what binds did not fit the budget, so it is bigger.")

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """The summary as it is shown."""
        return cls(text=summary.text, covers=list(summary.covers), tokens=summary.tokens, over=summary.over)


class Compacted(BaseModel):
    """What a thread consists of now: the summary, and the turns that follow it as they were said."""

    summary: Summarized | None
    rest: list[str] = Field(description="Ids of the turns after the summary.")
    before: int = Field(description="Tokens of all turns.")
    after: int = Field(description="Tokens of the summary and the rest.")
    fresh: bool = Field(description="Whether this call made the summary.")
    model: str = Field("", description="The model whose words it is in; empty for lines taken from the turns.")
    refused: str = Field("", description="Why a model's words were not used.")

    @classmethod
    def of(cls, done: Compaction) -> Self:
        """The compaction as it is shown."""
        return cls(
            summary=None if done.summary is None else Summarized.of(done.summary),
            rest=[turn.id for turn in done.rest],
            before=done.before,
            after=done.after,
            fresh=done.fresh,
            model=done.model,
            refused=done.refused,
        )


class Part(BaseModel):
    """One section of a context: its budget and use in tokens, and what was left out and why, by id."""

    name: str
    budget: int
    tokens: int
    kept: int
    left_out: dict[str, str]


class Assembled(BaseModel):
    """Messages to send to a model, and how many tokens they take."""

    messages: list[dict[str, Any]]
    system: list[dict[str, Any]] = Field(description="Blocks that Anthropic takes apart from the messages; else empty.")
    tools: list[dict[str, Any]]
    tokens: int
    budget: int
    sections: list[Part]
    warnings: list[str]
    trace_id: str | None = Field(description="The account of the search behind it.")

    @classmethod
    def of(cls, context: Context) -> Self:
        """The context as it is shown."""
        report = context.report
        parts = [
            Part(name=one.name, budget=one.budget, tokens=one.tokens, kept=one.kept, left_out=dict(one.left_out))
            for one in report.sections
        ]
        return cls(
            messages=_plain(context.messages),
            system=_plain(context.system),
            tools=_plain(context.tools),
            tokens=report.tokens,
            budget=report.budget,
            sections=parts,
            warnings=list(report.warnings),
            trace_id=context.trace_id,
        )


class Dialogue(BaseModel):
    """A thread as messages of a provider."""

    messages: list[dict[str, Any]]


class Turns(BaseModel):
    """What was said in a thread, oldest first."""

    turns: list[Said]


class Working(BaseModel):
    """The working memory of a run at its last step; step 0 is a run that saved nothing yet."""

    id: str
    step: int
    status: str
    plan: list[Any]
    values: dict[str, Any]
    results: dict[str, Any]
    retries: dict[str, int]
    waiting_for: str | None

    @classmethod
    def of(cls, run: Run) -> Self:
        """The run as it is shown."""
        return cls(id=run.id, step=run.step, status=run.status, **run.state)


def _plain(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(message) for message in messages]
