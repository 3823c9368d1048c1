"""The sliding window: the newest turns that fit a budget, cut where every provider accepts the rest.

The kept start moves in chunks, not with every turn: it is always a place where the tokens of the thread, counted from its
beginning, cross a multiple of the chunk. These places do not move when turns are appended, so the beginning of the prompt
stays byte-identical (and cached) until the window overflows, and then jumps by about one chunk. Pass the thread from the same
first turn on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from onrecord.errors import BudgetTooSmall
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.parts import calls, results, spoken

#: A chunk is this share of the budget: after a jump the window is three quarters full, and stays put until full again.
CHUNK_SHARE = 0.25
#: Tokens set aside for what the shapes may have to add: a result for an unanswered call, a note's heading, an opening line.
MENDING = 32

Count = Callable[[Turn], int]
Shorten = Callable[[Turn, int], Turn | None]


@dataclass(frozen=True, slots=True)
class Window:
    """What is sent and what is not, each in the order of the thread. ``tokens`` are those of ``kept``, mending included.

    ``warnings`` tell of results that their tool's formatter failed on."""

    kept: tuple[Turn, ...]
    left_out: tuple[Turn, ...]
    tokens: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Turns that stay or go together: a call with its results, or one turn.

    ``before`` counts the tokens of the thread before it; ``opens`` is whether a conversation may begin with it."""

    places: tuple[int, ...]
    tokens: int
    required: bool = False
    before: int = 0
    opens: bool = True
    system: bool = False


def window(
    turns: Sequence[Turn], budget: int, count: Count, *, chunk: int | None = None, shorten: Shorten | None = None
) -> Window:
    """The system turns, the last thing the user said, and the newest others that fit ``budget`` tokens, in order.

    A call and its results stay together. What fits whole comes back as it was. ``chunk`` is in tokens (a quarter of the
    budget if not given; 1 trims turn by turn). ``shorten`` (such as ``prune.shortener``) may cut the results of the newest
    call down to the room that is left, where it would not fit otherwise. Raises ``BudgetTooSmall`` when the required turns
    alone exceed the budget.
    """
    groups = _groups(turns, count)
    if sum(group.tokens for group in groups) + _opening(groups) <= budget:
        return _window(turns, groups)
    required = [group for group in groups if group.required]
    room = budget - sum(group.tokens for group in required) - _opening(required)
    if room < 0:
        raise BudgetTooSmall(
            f"budget: {budget} tokens do not hold the system text and the last user message alone ({budget - room})"
        )
    room -= 0 if _opening(required) else MENDING
    free = [group for group in groups if not group.required]
    start = _start(free, room, chunk or max(1, int(budget * CHUNK_SHARE)))
    kept = sorted([*required, *free[start:]], key=lambda group: group.places)
    if free and start == len(free) and shorten is not None:
        return _with_shortened(turns, kept, free[-1], room, count, shorten)
    return _window(turns, kept)


def _opening(groups: Sequence[_Group]) -> int:
    """Tokens of the line that a shape puts first where the assistant would begin."""
    dialogue = [group for group in groups if not group.system]
    return MENDING if dialogue and not dialogue[0].opens else 0


def _start(free: Sequence[_Group], room: int, chunk: int) -> int:
    """The first group to keep: the earliest that fits, moved on to the next place where a chunk begins, if there is one."""
    start, used = len(free), 0
    while start and used + free[start - 1].tokens <= room:
        start -= 1
        used += free[start].tokens
    if start == 0:
        return 0
    edges = (i for i in range(start, len(free)) if free[i].before // chunk != free[i - 1].before // chunk)
    return next(edges, start)


def _groups(turns: Sequence[Turn], count: Count) -> list[_Group]:
    """The groups in order of their first turn."""
    members: list[list[int]] = []
    asked: dict[str, int] = {}  # call id -> group
    for place, turn in enumerate(turns):
        homes = {asked[result.call_id] for result in results(turn) if result.call_id in asked}
        home = min(homes) if homes else len(members)
        for other in homes - {home}:  # one turn answers calls of several turns: they are one group
            members[home] += members[other]
            members[other] = []
            asked = {id: home if group == other else group for id, group in asked.items()}
        if home == len(members):
            members.append([])
        members[home].append(place)
        asked |= {call.id: home for call in calls(turn)}
    return _weighed(turns, [sorted(group) for group in members if group], count)


def _weighed(turns: Sequence[Turn], members: Sequence[Sequence[int]], count: Count) -> list[_Group]:
    last = max((place for place, turn in enumerate(turns) if spoken(turn)), default=-1)
    groups: list[_Group] = []
    before = 0
    used: Counter[str] = Counter()
    for places in sorted(members, key=min):
        together = [turns[place] for place in places]
        tokens = sum(map(count, together)) + MENDING * _mended(together, used)
        required = last in places or any(turn.role is Role.SYSTEM for turn in together)
        groups.append(_Group(tuple(places), tokens, required, before, *_place(together[0])))
        before += tokens
    return groups


def _place(turn: Turn) -> tuple[bool, bool]:
    """Whether a conversation may begin with this turn, and whether it is outside the dialogue."""
    return turn.role is not Role.ASSISTANT, turn.role is Role.SYSTEM


def _mended(turns: Sequence[Turn], used: Counter[str]) -> int:
    """How many lines the shapes add for a group: for calls without result, results without call, notes, ids seen before."""
    asked = Counter(call.id for turn in turns for call in calls(turn))
    answered = Counter(result.call_id for turn in turns for result in results(turn))
    notes = sum(turn.role in (Role.TOOL, Role.DOCUMENT) and not results(turn) for turn in turns)
    again = sum(number if used[id] else number - 1 for id, number in asked.items())
    used.update(asked)
    return (asked - answered).total() + (answered - asked).total() + notes + again


def _window(turns: Sequence[Turn], kept: Sequence[_Group]) -> Window:
    places = {place for group in kept for place in group.places}
    return Window(
        tuple(turn for place, turn in enumerate(turns) if place in places),
        tuple(turn for place, turn in enumerate(turns) if place not in places),
        sum(group.tokens for group in kept) + _opening(kept),
    )


def _with_shortened(
    turns: Sequence[Turn], kept: Sequence[_Group], group: _Group, room: int, count: Count, shorten: Shorten
) -> Window:
    """The required groups and the newest other one with its results cut down; without it where that cannot be done."""
    long = [place for place in group.places if results(turns[place])]
    fixed = group.tokens - sum(count(turns[place]) for place in long)
    share = (room - fixed) // len(long) if long else 0
    made = {place: shorten(turns[place], share) for place in long} if share > 0 else {}
    if not made or None in made.values():
        return _window(turns, kept)
    changed = [made.get(place) or turn for place, turn in enumerate(turns)]
    tokens = fixed + sum(count(changed[place]) for place in long)
    return _window(changed, sorted([*kept, replace(group, tokens=tokens)], key=lambda group: group.places))
