"""Whether a memory corrects itself: the pairs of *keepsakes*, after the second turn of each was taken in.

A pair is *matched* when its facts were written at all. ``of_all`` counts an unmatched pair as a miss, ``of_matched`` leaves
it out.

* *supersede*: matched if the old and the new value were; right if nothing that states the old value is current, the new one is,
  and the old one is still on record.
* *coexist*: right if both sides are current.
* *conflict*: right if both sides are current and either names the other as conflicting, or both are marked so.
* *restated*: matched if the fact was (by either turn); right if exactly one item that states it is current.
* *retracted*: matched if anything of the turn was; right if no record that rests on the turn is current, then or at the end, and
  none is returned to a later probe.
* *alive*, beside the pairs: of the matched facts that nothing ended, those current at the end.
* *falsely*, what corrections cost: of those same facts, the ones *retired* all the same, and the ones *flagged* at the end though
  no labelled conflict concerns them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from onrecord.evals.keepsakes_gold import Fact, Keep, Scenario
from onrecord.evals.keepsakes_play import Played, Standing
from onrecord.evals.keepsakes_score import Matching, share_of
from onrecord.model.record import Status

RELATIONS = ("supersede", "coexist", "conflict", "restated", "retracted")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One pair. ``fault`` says what is wrong with it, empty if nothing is."""

    relation: str
    scenario: str
    turns: tuple[str, str]
    matched: bool
    fault: str

    @property
    def right(self) -> bool:
        """Whether the pair was written and is as it should be."""
        return self.matched and not self.fault


def correction_report(played: Sequence[Played], found: Sequence[Matching]) -> dict[str, Any]:
    """Each relation as a share of all pairs and of the matched ones, and a row for every pair."""
    outcomes = [outcome for one, match in zip(played, found, strict=True) for outcome in relations(one, match)]
    alive = [(one.scenario.id, fact, ok) for one in found for fact, ok in _alive(one)]
    flagged = [(one.scenario.id, fact, bad) for one in found for fact, bad in _flagged(one)]
    return {
        "relations": {name: _relation([o for o in outcomes if o.relation == name]) for name in RELATIONS},
        "alive": share_of(ok for _, _, ok in alive),
        "falsely": {
            "retired": share_of(not ok for _, _, ok in alive),
            "flagged": share_of(bad for _, _, bad in flagged),
        },
        "lost": [_named(id, fact) for id, fact, ok in alive if not ok],
        "disputed": [_named(id, fact) for id, fact, bad in flagged if bad],
        "pairs": [_row(outcome) for outcome in outcomes],
    }


def relations(played: Played, found: Matching) -> Iterator[Outcome]:
    """The outcome of every pair of one conversation."""
    judge = _Judge(played, found)
    scenario = played.scenario
    for old, new, key in scenario.supersede:
        yield judge.outcome("supersede", (old, new), *judge.supersede(old, new, key))
    for name, pairs in (("coexist", scenario.coexist), ("conflict", scenario.conflict)):
        for pair in pairs:
            yield judge.outcome(name, pair, *judge.side_by_side(pair, flagged=name == "conflict"))
    for pair in scenario.restated:
        yield judge.outcome("restated", pair, *judge.restated(pair))
    for pair in scenario.retracted:
        yield judge.outcome("retracted", pair, *judge.retracted(*pair))


class _Judge:
    """The pairs of one conversation, each judged as (matched, fault)."""

    def __init__(self, played: Played, found: Matching) -> None:
        self._played, self._found, self._scenario = played, found, played.scenario

    def outcome(self, relation: str, turns: tuple[str, str], matched: bool, fault: str) -> Outcome:
        return Outcome(relation, self._scenario.id, turns, matched, fault)

    def supersede(self, old: str, new: str, key: str) -> tuple[bool, str]:
        before, after = self._scenario.keep(old, key), self._scenario.keep(new, key)
        was, now = self._found.match(before), self._found.match(after)
        if was is None or now is None:
            return False, ""
        if was.write.id == now.write.id:
            return True, "one item says both"
        stating_old = {w.id for w in self._found.writes if w.matches(before) and not w.matches(after)} | {was.write.id}
        state = self._played.states[new]
        if any(self._active(state, id) for id in stating_old):
            return True, "the old value is still current"
        if not self._items(after, state):
            return True, "the new value is not current"
        return True, "" if was.write.id in state else "the old value is no longer on record"

    def side_by_side(self, pair: tuple[str, str], *, flagged: bool) -> tuple[bool, str]:
        both = [(self._scenario.keep(pair[0], key), self._scenario.keep(pair[1], key)) for key in self._common(pair)]
        if any(self._found.match(keep) is None for keeps in both for keep in keeps):
            return False, ""
        state = self._played.states[pair[1]]
        for one, other in both:
            left, right = self._items(one, state), self._items(other, state)
            if not left or not right:
                return True, f"only one side is current ({one.key})"
            if flagged and not any(_linked(state, a, b) for a in left for b in right):
                return True, f"not flagged ({one.key})"
        return True, ""

    def restated(self, pair: tuple[str, str]) -> tuple[bool, str]:
        facts = [fact for fact in self._found.facts if set(pair) <= {keep.turn for keep in fact.keeps}]
        if any(self._found.match(fact.first) is None for fact in facts):
            return False, ""
        state = self._played.states[pair[1]]
        counts = [len({id for keep in fact.keeps for id in self._items(keep, state)}) for fact in facts]
        wrong = [count for count in counts if count != 1]
        return True, f"{wrong[0]} current items" if wrong else ""

    def retracted(self, of: str, turn: str) -> tuple[bool, str]:
        if not any(self._found.match(keep) for keep in self._scenario.keeps if keep.turn == of):
            return False, ""
        items = {write.id for write in self._found.writes if of in write.sources}
        if any(self._active(self._played.states[turn], id) for id in items):
            return True, "still current"
        if any(write.active for write in self._found.writes if of in write.sources):
            return True, "current again at the end"
        return True, "returned to a later probe" if self._returned_after(of, turn) else ""

    def _returned_after(self, of: str, turn: str) -> bool:
        end = self._scenario.place(turn)
        later = [answer for answer in self._played.answers.get("records", ()) if self._scenario.place(answer.probe.after) >= end]
        return any(of in item.sources for answer in later if not answer.probe.as_of for item in answer.items)

    def _common(self, pair: tuple[str, str]) -> list[str]:
        return [key for key in self._scenario.keys(pair[0]) if key in self._scenario.keys(pair[1])]

    def _items(self, keep: Keep, state: dict[str, Standing]) -> list[str]:
        """Current items that state a keep."""
        return [write.id for write in self._found.writes if write.matches(keep) and self._active(state, write.id)]

    @staticmethod
    def _active(state: dict[str, Standing], id: str) -> bool:
        return id in state and state[id].active


def _linked(state: dict[str, Standing], one: str, other: str) -> bool:
    left, right = state[one], state[other]
    return other in left.conflicts or one in right.conflicts or (left.conflicted and right.conflicted)


def _alive(found: Matching) -> Iterator[tuple[Fact, bool]]:
    scenario = found.scenario
    for match in found.matches:
        if not any(_over(scenario, keep) for keep in match.fact.keeps):
            stating = [write for write in found.writes if any(write.matches(keep) for keep in match.fact.keeps)]
            yield match.fact, any(write.active for write in stating)


def _flagged(found: Matching) -> Iterator[tuple[Fact, bool]]:
    """The living facts outside labelled conflicts, and whether all that states them stands as conflicting."""
    labelled = {turn for pair in found.scenario.conflict for turn in pair}
    for fact, _ in _alive(found):
        if labelled.isdisjoint(keep.turn for keep in fact.keeps):
            stating = [w for w in found.writes if w.active and any(w.matches(keep) for keep in fact.keeps)]
            yield fact, bool(stating) and all(write.status == Status.CONFLICTED for write in stating)


def _named(id: str, fact: Fact) -> dict[str, str]:
    return {"scenario": id, "turn": fact.first.turn, "key": fact.first.key}


def _over(scenario: Scenario, keep: Keep) -> bool:
    expired = keep.valid_until is not None and keep.valid_until < scenario.turns[-1].at.date()
    return expired or scenario.dead_from(keep) is not None


def _relation(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "of_all": share_of(outcome.right for outcome in outcomes),
        "of_matched": share_of(outcome.right for outcome in outcomes if outcome.matched),
        "unmatched": sum(not outcome.matched for outcome in outcomes),
    }


def _row(outcome: Outcome) -> dict[str, Any]:
    fault = outcome.fault if outcome.matched else "not written"
    return {"relation": outcome.relation, "scenario": outcome.scenario, "turns": list(outcome.turns), "fault": fault}
