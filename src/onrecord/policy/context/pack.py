"""Pack: what of each section goes in, within the budget. Whole items only; a long one does not stop those behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from onrecord.model.context import Section
from onrecord.policy.context.plan import PRIORITY, Plan
from onrecord.policy.defaults import Policy

SHARE, BUDGET = "over the section's share", "over the budget"


@dataclass(frozen=True, slots=True)
class Item:
    """Rows that go in together or not at all: ``ids`` are what they show. ``required`` ones go before any other. What is kept is
    shown in the order of ``place``, and otherwise as it was wished."""

    ids: tuple[str, ...]
    lines: tuple[str, ...]
    tokens: int
    required: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a section would like to show, best first. ``frame`` are the tokens of its block without rows, ``most`` a limit of its
    own beside its share, ``refused`` what is left out already and why."""

    section: Section
    items: tuple[Item, ...]
    frame: int
    most: int | None = None
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Packed:
    """What a section shows, in the order it was wished, and why the rest is left out, by id. ``tokens`` include the frame."""

    section: Section
    kept: tuple[Item, ...]
    tokens: int
    left_out: Mapping[str, str]

    @property
    def lines(self) -> list[str]:
        """The rows."""
        return [line for item in sorted(self.kept, key=lambda item: item.place) for line in item.lines]

    @property
    def ids(self) -> tuple[str, ...]:
        """What they show."""
        return tuple(id for item in self.kept for id in item.ids)


def pack(wishes: Sequence[Wish], plan: Plan, room: int, spent: Mapping[Section, int]) -> dict[Section, Packed]:
    """What goes in, by section, at most ``room`` tokens together; ``spent`` is what other sections took of their shares.

    What is required goes first, whatever the shares; then each section, in order of priority, fills its share; then, where
    the plan lets them, they fill what others left.
    """
    packing = _Packing({wish.section: wish for wish in wishes}, plan, room, spent)
    order = [section for section in PRIORITY if section in packing.wishes]
    for section in order:
        packing.fill(section, required=True)
    for section in order:
        packing.fill(section)
    for section in order if plan.spills else ():
        packing.fill(section, spill=True)
    return {section: packing.packed(section) for section in order}


def by_worth(scores: Sequence[float], tokens: Sequence[int], policy: Policy) -> list[int]:
    """The order in which items of these scores, best first, are taken where the budget is short: one that is long comes behind
    shorter ones that are nearly as good. Those of usual length stay in their order, also where that is not the one of the scores.
    """
    worth, best = [], float("inf")
    for score, cost in zip(scores, tokens, strict=True):
        best = min(best, score)
        worth.append(best / max(cost, policy.usual_row) ** policy.long_row_weight)
    return sorted(range(len(worth)), key=lambda place: -worth[place])


class _Packing:
    def __init__(self, wishes: Mapping[Section, Wish], plan: Plan, room: int, spent: Mapping[Section, int]) -> None:
        self.wishes, self._plan, self._room = wishes, plan, room
        self._kept: dict[Section, set[int]] = {section: set() for section in wishes}
        self._used = {**spent, **dict.fromkeys(wishes, 0)}

    def fill(self, section: Section, *, required: bool = False, spill: bool = False) -> None:
        wish = self.wishes[section]
        for place, item in enumerate(wish.items):
            if place in self._kept[section] or (required and not item.required):
                continue
            cost = item.tokens + (0 if self._kept[section] else wish.frame)
            if cost <= min(self._room, self._room if required or spill else self._allowed(section)):
                self._kept[section].add(place)
                self._used[section] += cost
                self._room -= cost

    def _allowed(self, section: Section) -> int:
        together = sum(self._used.get(other, 0) for other in self._plan.together(section))
        left = self._plan.share(section) - together
        most = self.wishes[section].most
        return left if most is None else min(left, most - self._used[section])

    def packed(self, section: Section) -> Packed:
        wish, kept = self.wishes[section], self._kept[section]
        items = tuple(item for place, item in enumerate(wish.items) if place in kept)
        why = {
            id: BUDGET if item.required or item.tokens > self._room else SHARE
            for place, item in enumerate(wish.items)
            if place not in kept
            for id in item.ids
        }
        return Packed(section, items, self._used[section], {**why, **wish.refused})
