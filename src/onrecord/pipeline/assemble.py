"""Assemble: a thread and a message become what is sent to the model, within a token budget, with a report.

    standing records → dialogue → search, state → pack → shape → report

What stands before the dialogue and the room of the dialogue do not depend on what the search finds: so the beginning of the
prompt stays the same from turn to turn. What is found stands behind the dialogue, is made anew every turn and never piles up.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from onrecord.errors import BudgetTooSmall
from onrecord.model.context import Context, Section
from onrecord.pipeline.ask import Ask
from onrecord.pipeline.consult import consult, consulted
from onrecord.pipeline.dialogue import Dialogue, dialogue
from onrecord.pipeline.gather import (
    episode_wish,
    knowledge_wish,
    labels_of,
    live_wish,
    recalled,
    record_wish,
    standing,
    state_wish,
    tag_of,
)
from onrecord.pipeline.pointers import Live, read_live
from onrecord.pipeline.report import Parts, context_of, mark_injected
from onrecord.policy.context.pack import Packed, Wish, pack
from onrecord.policy.context.plan import VARYING, Plan
from onrecord.policy.context.shape import Prompt, shaped
from onrecord.policy.context.tools import tool_tokens
from onrecord.policy.dialogue.frame import block
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD
from onrecord.ports import Engine

_log = logging.getLogger("onrecord")


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
    mark_injected(engine, ask.reach, parts)
    return context_of(ask, parts, made, tokens)


def _chosen(engine: Engine, ask: Ask, live: tuple[Live, ...], budget: int) -> Parts:
    fixed = _fixed(engine, ask)
    room = _room(ask, fixed, budget)
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
    told = consult(engine, ask.reach, found.query, engine.policy.knowledge_limit)
    known = {hit.id for hit in found.records}
    bound = [hit for hit in bound if hit.id not in known]
    labels = labels_of(stands, [*found.records, *bound])
    wishes = [
        *_state(engine, ask),
        record_wish(engine, Section.RECORDS, found.records, labels, ask.limit - len(kept.ids), bound),
        episode_wish(engine, found.episodes, _most_episodes(engine, plan)),
        *([knowledge_wish(engine, told.excerpts)] if told.excerpts else []),
        *([live_wish(engine, live)] if live else []),
    ]
    packed = _packed(engine, wishes, plan, room, fixed)
    return Parts(
        plan=plan, fixed=fixed, standing=kept, talk=talk, packed=packed, found=found, labels=labels, live=live, knowledge=told
    )


def _room(ask: Ask, fixed: Mapping[Section, int], budget: int) -> int:
    """Tokens that are left beside what is always sent. Raises ``BudgetTooSmall``."""
    together = sum(fixed.values())
    if together > budget:
        raise BudgetTooSmall(
            f"budget: {ask.budget} tokens do not hold the system text ({fixed[Section.SYSTEM]}), the tools "
            f"({fixed[Section.TOOLS]}) and the message ({fixed[Section.CURRENT]}) alone, together ({together})"
        )
    return budget - together


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
        Section.KNOWLEDGE: consulted(engine, ask.reach),
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
    chunk = max(1, int(plan.budget * engine.policy.dialogue_chunk))
    talk = dialogue(engine, ask.reach, ask.thread, room - kept_free, chunk=chunk, system=not ask.system, shape=ask.shape)
    if not ask.message and talk.asked and not talk.turns:  # what is to be answered is in there
        raise BudgetTooSmall(f"budget: {ask.budget} tokens do not hold the last words of the dialogue, which are to be answered")
    return talk


def _most_episodes(engine: Engine, plan: Plan) -> int | None:
    return None if plan.spills else int(plan.budget * engine.policy.episode_share)


def _state(engine: Engine, ask: Ask) -> list[Wish]:
    checkpoint = engine.store.checkpoint(ask.reach, ask.run) if ask.run else None
    return [state_wish(engine, checkpoint)] if checkpoint else []


def _prompt(ask: Ask, parts: Parts) -> Prompt:
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
