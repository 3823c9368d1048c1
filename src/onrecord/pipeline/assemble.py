"""Assemble: a thread and a message become what is sent to the model, within a token budget, with a report.

    standing records → dialogue → search, state → pack → shape → report

What stands before the dialogue and the room of the dialogue do not depend on what the search finds: so the beginning of the
prompt stays the same from turn to turn. What is found stands behind the dialogue, is made anew every turn and never piles up.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from onrecord.errors import BudgetTooSmall, StoreError
from onrecord.model.context import Context, ContextReport, Preset, Section, SectionReport, Shape
from onrecord.model.scope import Origin, Reach
from onrecord.pipeline.dialogue import Dialogue, dialogue
from onrecord.pipeline.gather import (
    CAPPED,
    Recalled,
    episode_wish,
    labels_of,
    live_wish,
    recalled,
    record_wish,
    standing,
    state_wish,
    tag_of,
)
from onrecord.pipeline.pointers import Live, read_live, seen
from onrecord.policy.context.pack import Packed, Wish, pack
from onrecord.policy.context.plan import VARYING, Plan
from onrecord.policy.context.shape import Prompt, Shaped, shaped
from onrecord.policy.context.tools import shaped_tools, tool_tokens
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.frame import block
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD
from onrecord.ports import Engine

_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a context is wanted for. ``thread`` is ``None`` where there is no dialogue to show, ``run`` where no task is at hand;
    ``message`` is empty where the dialogue ends in what is to be answered, such as the result of a tool. ``query`` is what to
    look for in place of what the message and the thread ask."""

    reach: Reach
    thread: str | None
    message: str
    system: str = ""
    budget: int
    limit: int
    tools: tuple[Mapping[str, Any], ...] = ()
    shape: Shape = Shape.OPENAI
    preset: Preset = Preset.ASSISTANT
    run: str | None = None
    window: int | None = None
    query: str | None = None


def ask_for(
    policy: Policy,
    reach: Reach,
    message: str,
    *,
    tools: Sequence[Mapping[str, Any]],
    shape: Shape,
    budget: int | None,
    limit: int | None,
    window: int | None,
    run: str | None,
    **given: Any,
) -> Ask:
    """The ask with what the caller left out: the policy's budget, within half of the window if that is named, and its cap.

    Raises ``InvalidInput`` for a tool without a name, or what can't be the name of a run."""
    Origin(run=run)
    if budget is None:
        budget = min(policy.context_budget, int(window * policy.window_share)) if window else policy.context_budget
    return Ask(
        reach=reach,
        message=message,
        budget=budget,
        limit=policy.context_limit if limit is None else min(limit, policy.context_limit),
        tools=shaped_tools(tools, shape),
        shape=shape,
        window=window,
        run=run,
        **given,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What was chosen for each section, before it has a shape."""

    plan: Plan
    fixed: Mapping[Section, int]
    standing: Packed
    talk: Dialogue
    packed: Mapping[Section, Packed]
    found: Recalled
    labels: Mapping[str, str]
    live: tuple[Live, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def assemble(engine: Engine, ask: Ask) -> Context:
    """What is sent, in the shape asked, at most ``ask.budget`` tokens. Raises ``BudgetTooSmall`` where the system text, the tools
    and the message alone take more."""
    live, room = read_live(engine, ask.reach), ask.budget
    while True:  # blocks are counted by their rows: where the whole takes more than its parts, it is packed again with less
        parts = _chosen(engine, ask, live, room)
        made = shaped(_prompt(ask, parts), ask.shape)
        tokens = made.tokens(engine.tokens.count)
        if tokens <= ask.budget:
            break
        room -= tokens - ask.budget
    _mark_injected(engine, ask.reach, parts)
    return _context(ask, parts, made, tokens)


def _chosen(engine: Engine, ask: Ask, live: tuple[Live, ...], budget: int) -> _Parts:
    fixed = _fixed(engine, ask)
    room = budget - sum(fixed.values())
    if room < 0:
        raise BudgetTooSmall(
            f"budget: {ask.budget} tokens do not hold the system text ({fixed[Section.SYSTEM]}), the tools "
            f"({fixed[Section.TOOLS]}) and the message ({fixed[Section.CURRENT]}) alone, together ({sum(fixed.values())})"
        )
    plan = Plan(ask.budget, engine.policy.shares[ask.preset], _there(engine, ask))
    stands, bound = standing(engine, ask.reach, min(engine.policy.standing_limit, ask.limit))
    labels = labels_of(stands, ())
    wish = record_wish(engine, Section.STANDING, stands, labels, ask.limit)
    kept = _packed(engine, [wish], plan, room, fixed)[Section.STANDING]
    talk = _talk(engine, ask, plan, room - kept.tokens)
    shown = {hit.id for hit in stands} | talk.shown
    room -= kept.tokens + talk.tokens
    found = recalled(
        engine,
        ask.reach,
        ask.message or talk.asked,
        thread=ask.thread,
        query=ask.query,
        records=ask.limit - len(kept.ids),
        room=min(room, _most_episodes(engine, plan) or room),
        fill=plan.spills,
        passed=shown,
    )
    known = {hit.id for hit in found.records}
    bound = [hit for hit in bound if hit.id not in known]
    labels = labels_of(stands, [*found.records, *bound])
    wishes = [
        *_state(engine, ask),
        record_wish(engine, Section.RECORDS, found.records, labels, ask.limit - len(kept.ids), bound),
        episode_wish(engine, found.episodes, _most_episodes(engine, plan)),
        *([live_wish(engine, live)] if live else []),
    ]
    packed = _packed(engine, wishes, plan, room, fixed)
    return _Parts(plan=plan, fixed=fixed, standing=kept, talk=talk, packed=packed, found=found, labels=labels, live=live)


def _packed(engine: Engine, wishes: Sequence[Wish], plan: Plan, room: int, fixed: Mapping[Section, int]) -> dict[Section, Packed]:
    """The pack, with each section counted as the block that it is."""
    return {section: replace(one, tokens=_block_tokens(engine, one)) for section, one in pack(wishes, plan, room, fixed).items()}


def _block_tokens(engine: Engine, packed: Packed) -> int:
    return sum(engine.tokens.count(text) + MESSAGE_OVERHEAD for text in _blocks([packed]))


def _there(engine: Engine, ask: Ask) -> frozenset[Section]:
    """The sections that this context has, whatever is found for them."""
    optional = {
        Section.TOOLS: ask.tools,
        Section.DIALOGUE: ask.thread,
        Section.STATE: ask.run,
        Section.LIVE: engine.resolvers,
        Section.KNOWLEDGE: (),
    }
    return frozenset(section for section in Section if optional.get(section, True))


def _fixed(engine: Engine, ask: Ask) -> dict[Section, int]:
    """Tokens of what is never left out."""
    count = engine.tokens.count
    return {
        Section.SYSTEM: count(ask.system) + MESSAGE_OVERHEAD if ask.system else 0,
        Section.TOOLS: tool_tokens(ask.tools, count),
        Section.CURRENT: count(ask.message) + MESSAGE_OVERHEAD if ask.message else 0,
    }


def _talk(engine: Engine, ask: Ask, plan: Plan, room: int) -> Dialogue:
    """The dialogue, in the room that is not reserved for what comes behind it, however much of that is needed this turn."""
    spare = max(0, plan.share(Section.CURRENT) - _fixed(engine, ask)[Section.CURRENT])
    kept_free = min(plan.reserved() + spare, room)
    chunk = max(1, plan.share(Section.DIALOGUE))
    talk = dialogue(engine, ask.reach, ask.thread, room - kept_free, chunk=chunk, system=not ask.system, shape=ask.shape)
    if not ask.message and talk.asked and not talk.turns:  # what is to be answered is in there
        raise BudgetTooSmall(f"budget: {ask.budget} tokens do not hold the last words of the dialogue, which are to be answered")
    return talk


def _most_episodes(engine: Engine, plan: Plan) -> int | None:
    return None if plan.spills else int(plan.budget * engine.policy.episode_share)


def _state(engine: Engine, ask: Ask) -> list[Wish]:
    checkpoint = engine.store.checkpoint(ask.reach, ask.run) if ask.run else None
    return [state_wish(engine, checkpoint)] if checkpoint else []


def _prompt(ask: Ask, parts: _Parts) -> Prompt:
    return Prompt(
        system=ask.system,
        tools=ask.tools,
        stable=(*_blocks([parts.standing]), *parts.talk.summary),
        turns=parts.talk.turns,
        varying=_blocks([parts.packed[section] for section in VARYING if section in parts.packed]),
        message=ask.message,
    )


def _blocks(packed: Sequence[Packed]) -> tuple[str, ...]:
    return tuple(block(tag_of(one.section), one.lines) for one in packed if one.kept)


# --- the report


def _context(ask: Ask, parts: _Parts, made: Shaped, tokens: int) -> Context:
    shown = {id for one in (parts.standing, *parts.packed.values()) for id in one.ids}
    episodes = {hit.id: f"e{number}" for number, hit in enumerate(parts.found.episodes, 1)}
    pointers = {one.record.id: f"p{number}" for number, one in enumerate(parts.live, 1)}
    return Context(
        messages=made.messages,
        report=ContextReport(ask.budget, tokens, tuple(_sections(ask, parts)), tuple(_warnings(ask, parts, tokens)), ask.window),
        trace_id=parts.found.trace_id,
        shape=ask.shape,
        system=made.system,
        tools=made.tools,
        breakpoints=made.breakpoints,
        labels={label: id for id, label in {**parts.labels, **episodes, **pointers}.items() if id in shown},
    )


def _sections(ask: Ask, parts: _Parts) -> Sequence[SectionReport]:
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


def _warnings(ask: Ask, parts: _Parts, tokens: int) -> Sequence[str]:
    warnings = [*parts.talk.warnings, *parts.warnings]
    for one in (parts.standing, *parts.packed.values()):
        missed = [id for id, why in one.left_out.items() if why != CAPPED]
        if missed and not one.kept:
            warnings.append(f"none of {len(missed)} {one.section} items fits the tokens there are for them")
    if ask.window and tokens > ask.window / 2:
        warnings.append(f"{tokens} tokens fill more than half of the model's window of {ask.window}: show less, or summarise")
    return warnings


def _mark_injected(engine: Engine, reach: Reach, parts: _Parts) -> None:
    """Notes the use of records. A context is given also where nothing can be written, and not counted then."""
    ids = [id for one in (parts.standing, *parts.packed.values()) for id in one.ids if one.section in _COUNTED]
    given = seen({one.record.id: one.text for one in parts.live if one.record.id in ids and not one.failure})
    try:
        if parts.found.trace_id:
            engine.store.mark_injected(reach, parts.found.trace_id, ids)
            trace = engine.store.trace(reach, parts.found.trace_id) if given else None
            if trace is not None:
                engine.store.put_trace(replace(trace, seen=given))
        engine.store.touch(reach, [id for id in ids if id in parts.labels], engine.clock())
    except StoreError as error:
        _log.warning("the use of records in the context of trace %s was not counted: %s", parts.found.trace_id, error)


_COUNTED = (Section.STANDING, Section.RECORDS, Section.EPISODES, Section.LIVE)
