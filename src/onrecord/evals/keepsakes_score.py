"""Which writes of a conversation of *keepsakes* state which of its facts.

Definitions (the README of the data set, with the choices it leaves open):

* A write *matches* a keep if the keep's turn is among its sources, the subject is the same, and its text plus quote holds every
  ``must_contain``. Facts take writes one-to-one, greedily in order, a free write first; a write may serve several facts of one
  turn and counts once.
* The two turns of a restated pair are one fact, matched by either.
* A further write that would match a fact already taken is a *duplicate* and wrong if it is active at the end and does not rest on
  both turns of a restated pair. Otherwise (it was superseded, say) it is a harmless *repeat* and right.
* Every other write is wrong, among them all whose only sources are rejected or unlisted turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from onrecord.evals.keepsakes_gold import Fact, Keep, Scenario
from onrecord.model.turn import Turn


class Share(TypedDict):
    """``n`` of ``of``; ``rate`` is ``None`` where ``of`` is 0."""

    rate: float | None
    n: int
    of: int


def share(n: int, of: int) -> Share:
    """The rate with its counts."""
    return {"rate": n / of if of else None, "n": n, "of": of}


def share_of(outcomes: Iterable[bool]) -> Share:
    """How many are true."""
    held = list(outcomes)
    return share(sum(held), len(held))


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One thing an engine wrote, in order of writing.

    ``sources`` are ids of the conversation's turns; ``active``: whether it was current when the conversation was over.
    """

    id: str
    sources: frozenset[str]
    subject: str
    text: str
    quote: str = ""
    kind: str = ""
    negation: bool = False
    qualifier: str | None = None
    value: str | None = None
    begin: datetime | None = None
    end: datetime | None = None
    status: str = "active"
    active: bool = True

    @property
    def words(self) -> str:
        """The text that is searched."""
        return f"{self.text}\n{self.quote}"

    def matches(self, keep: Keep) -> bool:
        """Whether this write states the keep."""
        return keep.turn in self.sources and self.subject == keep.subject and keep.said_in(self.words)


@dataclass(frozen=True, slots=True)
class Match:
    """A fact, the write that states it, and the keep of the fact by which it was found, with its turn."""

    fact: Fact
    write: Write
    keep: Keep
    turn: Turn


@dataclass(frozen=True, slots=True)
class Matching:
    """What was found of a conversation. ``taken`` maps ids of right writes to their matches (none for a harmless repeat)."""

    scenario: Scenario
    writes: tuple[Write, ...]
    facts: tuple[Fact, ...]
    matches: tuple[Match, ...]
    duplicates: tuple[Write, ...]
    repeats: tuple[Write, ...]
    taken: dict[str, list[Match]] = field(default_factory=dict)

    @property
    def right(self) -> list[Write]:
        """The writes that count for precision."""
        harmless = {write.id for write in self.repeats}
        return [write for write in self.writes if write.id in self.taken or write.id in harmless]

    def match(self, keep: Keep) -> Match | None:
        """The match of the fact that a keep belongs to."""
        return next((match for match in self.matches if keep in match.fact.keeps), None)


def matching(scenario: Scenario, writes: Sequence[Write]) -> Matching:
    """Facts and writes brought together, greedily in order."""
    facts = scenario.facts()
    taken: dict[str, list[Match]] = {}
    matches = []
    for fact in facts:
        match = _take(scenario, fact, writes, taken)
        if match is not None:
            taken.setdefault(match.write.id, []).append(match)
            matches.append(match)
    spare = [write for write in writes if write.id not in taken and any(_find(match.fact, write) for match in matches)]
    duplicates = [write for write in spare if write.active and not _rests_on_both(scenario, write)]
    repeats = [write for write in spare if write not in duplicates]
    return Matching(scenario, tuple(writes), tuple(facts), tuple(matches), tuple(duplicates), tuple(repeats), taken)


def _take(scenario: Scenario, fact: Fact, writes: Sequence[Write], taken: dict[str, list[Match]]) -> Match | None:
    """For the first turn that can: the first free write that states the fact, else the first that serves that turn alone."""
    for keep in fact.keeps:
        found = [write for write in writes if write.matches(keep)]
        free = [write for write in found if write.id not in taken]
        shared = [write for write in found if all(match.keep.turn == keep.turn for match in taken.get(write.id, ()))]
        for write in (*free, *shared):
            return Match(fact, write, keep, scenario.turn(keep.turn))
    return None


def _find(fact: Fact, write: Write) -> Keep | None:
    return next((keep for keep in fact.keeps if write.matches(keep)), None)


def _rests_on_both(scenario: Scenario, write: Write) -> bool:
    return any({first, again} <= write.sources for first, again in scenario.restated)
