"""Abridge: older turns become a summary: a model's where there is one and its words pass the check, else their own sentences."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from onrecord.errors import ModelError
from onrecord.model.summary import Fault, FaultKind, Line, Span, Summary
from onrecord.model.turn import Turn
from onrecord.pipeline.sizes import Size
from onrecord.pipeline.spending import ask
from onrecord.policy.compaction.digest import SCHEMA, SYSTEM, question, read
from onrecord.policy.compaction.protect import ledger
from onrecord.policy.compaction.summary import render, summarize
from onrecord.policy.compaction.verify import accept, check, repair
from onrecord.ports import ChatModel, Engine, TokenCounter

_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True)
class Abridged:
    """A summary, and what became of the model: ``model`` is its name where its words are used; ``refused`` says why they are not;
    ``faults`` are those of its words, mended or not."""

    summary: Summary
    model: str = ""
    refused: str = ""
    faults: tuple[Fault, ...] = ()


def abridge(engine: Engine, turns: Sequence[Turn], budget: int, earlier: Sequence[Span], size: Size) -> Abridged:
    """The summary of ``turns`` in about ``budget`` tokens, checked. A model that fails costs its call and nothing else."""
    if engine.chat is None:
        return Abridged(_extracted(turns, budget, earlier, engine.tokens))
    try:
        lines = _asked(engine, engine.chat, turns, budget, size)
    except (ModelError, ValueError) as error:
        _log.warning("the summary of a model is not used: %s", type(error).__name__)
        return Abridged(_extracted(turns, budget, earlier, engine.tokens), refused=str(error))
    made, faults = accept(lines, turns, budget, engine.tokens.count, earlier=earlier)
    if made.lines[: len(lines)] != lines:
        return Abridged(_extracted(turns, budget, earlier, engine.tokens), refused=_refusal(faults), faults=tuple(faults))
    return Abridged(made, model=engine.chat.name, faults=tuple(faults))


def _asked(engine: Engine, model: ChatModel, turns: Sequence[Turn], budget: int, size: Size) -> tuple[Line, ...]:
    given = sum(map(size, turns))
    if given > engine.policy.summary_input:
        raise ValueError(f"{given} tokens are more than the model is given at once ({engine.policy.summary_input})")
    asked = question(turns, ledger(turns), budget)
    return read(ask(engine, model, turns[0].tenant, SYSTEM, asked, SCHEMA), turns)


def _refusal(faults: Sequence[Fault]) -> str:
    worst = next((fault for fault in faults if fault.kind is not FaultKind.LOST), None)
    if worst is None:
        return "it is longer than the budget and than the turns' own sentences"
    return f"{worst.kind}: {worst.found}"


def _extracted(turns: Sequence[Turn], budget: int, earlier: Sequence[Span], counter: TokenCounter) -> Summary:
    """Sentences of the turns, with every required clause that they do not hold beside them, verbatim."""
    summary = summarize(turns, budget, counter.count, earlier=earlier)
    faults = [fault for fault in check(summary.text, summary.ledger) if fault.span is not None and fault.span.required]
    carried = repair(Fault(FaultKind.LOST, fault.span) for fault in faults)
    if not carried:
        return summary
    text = "\n".join((summary.text, render(carried)))
    tokens = counter.count(text)
    return replace(
        summary, text=text, lines=(*summary.lines, *carried), carried=carried, tokens=tokens, over=tokens > summary.budget
    )
