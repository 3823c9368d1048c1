"""Report: what a context holds, what was left out of it and why; and the note in its trace of what was shown."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from onrecord.errors import StoreError
from onrecord.model.context import Context, ContextReport, Section, SectionReport
from onrecord.model.scope import Reach
from onrecord.pipeline.ask import Ask
from onrecord.pipeline.consult import Consulted
from onrecord.pipeline.dialogue import Dialogue
from onrecord.pipeline.gather import CAPPED, Recalled
from onrecord.pipeline.pointers import Live, seen
from onrecord.policy.context.pack import Packed
from onrecord.policy.context.plan import Plan
from onrecord.policy.context.shape import Shaped
from onrecord.ports import Engine

_log = logging.getLogger("onrecord")
#: Sections of which a trace notes what was shown.
_COUNTED = (Section.STANDING, Section.RECORDS, Section.EPISODES, Section.KNOWLEDGE, Section.LIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What was chosen for each section, before it has a shape."""

    plan: Plan
    fixed: Mapping[Section, int]
    standing: Packed
    talk: Dialogue
    packed: Mapping[Section, Packed]
    found: Recalled
    labels: Mapping[str, str]
    live: tuple[Live, ...] = ()
    knowledge: Consulted = field(default_factory=Consulted)


def context_of(ask: Ask, parts: Parts, made: Shaped, tokens: int) -> Context:
    shown = {id for one in (parts.standing, *parts.packed.values()) for id in one.ids}
    episodes = {hit.id: f"e{number}" for number, hit in enumerate(parts.found.episodes, 1)}
    passages = {one.passage.id: f"k{number}" for number, one in enumerate(parts.knowledge.excerpts, 1)}
    pointers = {one.record.id: f"p{number}" for number, one in enumerate(parts.live, 1)}
    return Context(
        messages=made.messages,
        report=ContextReport(ask.budget, tokens, tuple(_sections(ask, parts)), tuple(_warnings(ask, parts, tokens)), ask.window),
        trace_id=parts.found.trace_id,
        shape=ask.shape,
        system=made.system,
        tools=made.tools,
        breakpoints=made.breakpoints,
        labels={label: id for id, label in {**parts.labels, **episodes, **passages, **pointers}.items() if id in shown},
    )


def _sections(ask: Ask, parts: Parts) -> Sequence[SectionReport]:
    plan, fixed = parts.plan, parts.fixed
    told = {report.name: report for report in parts.talk.sections}
    for one in (parts.standing, *parts.packed.values()):
        kept = sum(len(item.ids) for item in one.kept)
        told[one.section] = SectionReport(one.section, plan.share(one.section), one.tokens, kept, one.left_out)
    for section, items in (
        (Section.SYSTEM, int(bool(ask.system))),
        (Section.TOOLS, len(ask.tools)),
        (Section.CURRENT, int(bool(ask.message))),
    ):
        told[section] = SectionReport(section, plan.share(section), fixed[section], items)
    return [told[section] for section in Section if section in told]


def _warnings(ask: Ask, parts: Parts, tokens: int) -> Sequence[str]:
    warnings = [*parts.talk.warnings, *([parts.knowledge.failure] if parts.knowledge.failure else [])]
    for one in (parts.standing, *parts.packed.values()):
        missed = [id for id, why in one.left_out.items() if why != CAPPED]
        if missed and not one.kept:
            warnings.append(f"none of {len(missed)} {one.section} items fits the tokens there are for them")
    if ask.window and tokens > ask.window / 2:
        warnings.append(f"{tokens} tokens fill more than half of the model's window of {ask.window}: show less, or summarise")
    return warnings


def mark_injected(engine: Engine, reach: Reach, parts: Parts) -> None:
    """Notes the use of records. A context is given also where nothing can be written, and not counted then."""
    ids = [id for one in (parts.standing, *parts.packed.values()) for id in one.ids if one.section in _COUNTED]
    given = seen({one.record.id: one.text for one in parts.live if one.record.id in ids and not one.failure})
    try:
        if parts.found.trace_id:
            engine.store.mark_injected(reach, parts.found.trace_id, ids)
            weighed = parts.knowledge.weighed
            trace = engine.store.trace(reach, parts.found.trace_id) if given or weighed else None
            if trace is not None:
                engine.store.put_trace(replace(trace, seen=given, candidates=(*trace.candidates, *weighed)))
        engine.store.touch(reach, [id for id in ids if id in parts.labels], engine.clock())
    except StoreError as error:
        _log.warning("the use of records in the context of trace %s was not counted: %s", parts.found.trace_id, error)
