"""Compact: the older turns of a thread get a summary that stands for them, checked before it is kept. The turns stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.errors import BudgetTooSmall, StaleRead
from onrecord.model.scope import Reach
from onrecord.model.summary import Fault, Summary
from onrecord.model.turn import Role, Turn
from onrecord.pipeline.abridge import Abridged, abridge
from onrecord.pipeline.sizes import Size, sizes
from onrecord.policy.dialogue.parts import calls, results, spoken
from onrecord.policy.dialogue.window import window
from onrecord.policy.lifecycle.echo import withheld
from onrecord.ports import Engine

#: The summary gets this share of the budget, the newest turns as they were said the rest.
SUMMARY_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a thread consists of now. ``before`` are the tokens of all its turns, ``after`` those of the summary and ``rest``.

    ``fresh`` is whether the summary was made by this call; it is ``None`` where the thread fits as it is. ``model`` is the model
    whose words this call used; ``refused`` says why it did not use them, ``faults`` what was wrong with them, mended or not."""

    summary: Summary | None
    rest: tuple[Turn, ...]
    before: int
    after: int
    fresh: bool
    model: str = ""
    refused: str = ""
    faults: tuple[Fault, ...] = ()


def compact(engine: Engine, reach: Reach, thread: str, budget: int) -> Compaction:
    """The thread compacted to about ``budget`` tokens; more (``summary.over``) where what binds takes more.

    Where another process compacts at the same time, the later one goes on from the other's summary. Raises ``StaleRead`` only
    after ``policy.reconcile_attempts`` such tries."""
    owner = Reach(reach.tenant, reach.subjects[:1])
    for attempt in range(engine.policy.reconcile_attempts):
        try:
            return _compacted(engine, owner, thread, budget)
        except StaleRead:
            if attempt + 1 == engine.policy.reconcile_attempts:
                raise
    raise AssertionError("unreachable")


def uncovered(turns: Sequence[Turn], summary: Summary | None) -> list[Turn]:
    """The turns that a summary does not stand for."""
    covered = frozenset(summary.covers) if summary else frozenset()
    return [turn for turn in turns if turn.id not in covered]


def _compacted(engine: Engine, owner: Reach, thread: str, budget: int) -> Compaction:
    turns, known = list(map(withheld, engine.store.thread(owner, thread))), engine.store.summary(owner, thread)
    size = sizes(engine, owner, thread, turns)
    older = _older(turns, known, budget, size)
    if not older:
        return _outcome(size, turns, None, fresh=False)
    share = int(budget * SUMMARY_SHARE)
    if engine.chat is not None and known is not None and (known.covers, known.budget) == (_ids(older), share):
        return _outcome(size, turns, Abridged(known), fresh=False)  # a model would only say the same in other words
    made = abridge(engine, older, share, known.ledger if known else (), size)
    if made.summary == known:
        return _outcome(size, turns, made, fresh=False)
    engine.store.put_summary(owner, thread, made.summary, at=engine.clock(), after=_upto(turns, known))
    return _outcome(size, turns, made, fresh=True)


def _ids(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.id for turn in turns)


def _older(turns: Sequence[Turn], known: Summary | None, budget: int, size: Size) -> list[Turn]:
    """What the summary has to stand for: all turns before the newest that fit, but for the system's and the user's last words.

    A call and its results are on one side, and what was covered once stays covered."""
    before = frozenset(known.covers) if known else frozenset()
    last = max((place for place, turn in enumerate(turns) if spoken(turn)), default=-1)
    edge = max(_edge(turns, budget, size, bool(known)), 1 + max(_places(turns, before), default=-1))
    edge = _past_results(turns, edge)
    return [
        turn for place, turn in enumerate(turns[:edge]) if turn.id in before or (turn.role is not Role.SYSTEM and place != last)
    ]


def _edge(turns: Sequence[Turn], budget: int, size: Size, known: bool) -> int:
    if not known and sum(map(size, turns)) <= budget:
        return 0
    try:
        left_out = {turn.id for turn in window(turns, budget - int(budget * SUMMARY_SHARE), size).left_out}
    except BudgetTooSmall:  # the user's last words alone are too long: everything before them is older
        return max((place for place, turn in enumerate(turns) if spoken(turn)), default=len(turns))
    return 1 + max(_places(turns, left_out), default=-1)


def _places(turns: Sequence[Turn], ids: frozenset[str] | set[str]) -> list[int]:
    return [place for place, turn in enumerate(turns) if turn.id in ids]


def _past_results(turns: Sequence[Turn], edge: int) -> int:
    """The edge moved on until every call before it has its results before it."""
    while True:
        asked = {call.id for turn in turns[:edge] for call in calls(turn)}
        answers = (p for p in range(edge, len(turns)) if any(result.call_id in asked for result in results(turns[p])))
        far = max(answers, default=None)
        if far is None:
            return edge
        edge = far + 1


def _upto(turns: Sequence[Turn], known: Summary | None) -> int:
    covered = frozenset(known.covers) if known else frozenset()
    return max((turn.seq for turn in turns if turn.id in covered), default=0)


def _outcome(size: Size, turns: Sequence[Turn], made: Abridged | None, *, fresh: bool) -> Compaction:
    summary = made.summary if made else None
    rest = uncovered(turns, summary)
    after = sum(map(size, rest)) + (summary.tokens if summary else 0)
    before = sum(map(size, turns))
    if made is None:
        return Compaction(None, tuple(rest), before, after, fresh)
    return Compaction(summary, tuple(rest), before, after, fresh, made.model, made.refused, made.faults)
