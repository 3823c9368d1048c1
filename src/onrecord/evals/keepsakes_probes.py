"""Recall on *keepsakes*: whether probes get the right turns back, and silence where nothing is known.

* An item belongs to a turn that is among its sources; restated turns stand for each other. Five items are looked at.
* *hit@1*, *hit@5*: an expected turn is first, or among the first five; over probes that expect one. *recall@5*: the mean share of
  the expected turns found, over probes tagged ``all``.
* *forbidden*: of the probes with forbidden turns, those where an item from one is among the first five and offered as current. An
  item counts only if its turn is a rejected one, or if it states a keep of that turn which does not hold for this probe: dead,
  expired, somebody else's, or said after the day asked about. Superseded records, records marked stale, and turns marked
  as history (``Hit.current``) are not offered as current.
* *abstention*: of the probes that want silence, those answered with nothing. *false_abstention*: of the others, those answered
  with nothing. *balanced*: the mean of abstention and 1 - false_abstention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from onrecord.evals.keepsakes_gold import Keep, Probe, Scenario
from onrecord.evals.keepsakes_play import DEPTH, Answer, Returned
from onrecord.evals.keepsakes_score import Share, share_of


@dataclass(frozen=True, slots=True)
class Scored:
    """One probe and how it was answered. ``found`` is the share of expected turns among the items, ``reachable`` whether any
    expected turn was said in the conversation of the probe's subject."""

    scenario: str
    answer: Answer
    hit1: bool
    hit5: bool
    found: float
    forbidden: bool
    reachable: bool

    @property
    def probe(self) -> Probe:
        """The probe."""
        return self.answer.probe

    @property
    def silent(self) -> bool:
        """Whether nothing came back."""
        return not self.answer.items

    @property
    def cause(self) -> str:
        """What is wrong: ``forbidden``, ``answered`` (silence was wanted), ``silent``, ``outranked``; empty for nothing."""
        if self.forbidden:
            return "forbidden"
        if self.probe.abstain:
            return "" if self.silent else "answered"
        if self.silent:
            return "silent"
        return "outranked" if self.probe.expect and not self.hit5 else ""


def score(scenario: Scenario, answer: Answer) -> Scored:
    """One answer against the labels."""
    probe, items = answer.probe, answer.items[:DEPTH]
    same = _same_turns(scenario)
    hits = [any(_belongs(item, turn, same) for item in items) for turn in probe.expect]
    return Scored(
        scenario=scenario.id,
        answer=answer,
        hit1=any(_belongs(item, turn, same) for item in items[:1] for turn in probe.expect),
        hit5=any(hits),
        found=sum(hits) / len(hits) if hits else 0.0,
        forbidden=any(_is_forbidden(scenario, probe, item) for item in items),
        reachable=any(scenario.turn(turn).subject == probe.subject for turn in probe.expect),
    )


def recall_report(rows: Sequence[Scored]) -> dict[str, Any]:
    """All rates over the probes, the same per tag, and a row for every probe."""
    tags = sorted({tag for row in rows for tag in row.probe.tags})
    return {
        **_rates(rows),
        "out_of_reach": sum(not row.reachable for row in rows if row.probe.expect),
        "tags": {tag: _rates([row for row in rows if tag in row.probe.tags]) for tag in tags},
        "probes": [_row(row) for row in rows],
    }


def _rates(rows: Sequence[Scored]) -> dict[str, Any]:
    asked = [row for row in rows if row.probe.expect]
    abstention = share_of(row.silent for row in rows if row.probe.abstain)
    false = share_of(row.silent for row in rows if not row.probe.abstain)
    whole = [row.found for row in asked if "all" in row.probe.tags]
    return {
        "hit@1": share_of(row.hit1 for row in asked),
        "hit@5": share_of(row.hit5 for row in asked),
        "recall@5": {"rate": sum(whole) / len(whole) if whole else None, "of": len(whole)},
        "forbidden": share_of(row.forbidden for row in rows if row.probe.forbid),
        "abstention": abstention,
        "false_abstention": false,
        "balanced": _balanced(abstention, false),
    }


def _balanced(abstention: Share, false: Share) -> float | None:
    if abstention["rate"] is None or false["rate"] is None:
        return None
    return (abstention["rate"] + 1 - false["rate"]) / 2


def _same_turns(scenario: Scenario) -> Callable[[str], frozenset[str]]:
    """The turns that stand for a turn: itself, and those that restate the same."""

    def same(turn: str) -> frozenset[str]:
        return frozenset({turn}.union(*(pair for pair in scenario.restated if turn in pair)))

    return same


def _belongs(item: Returned, turn: str, same: Callable[[str], frozenset[str]]) -> bool:
    return bool(same(turn) & set(item.sources))


def _is_forbidden(scenario: Scenario, probe: Probe, item: Returned) -> bool:
    if not item.current:
        return False
    turns = [turn for turn in probe.forbid if turn in item.sources]
    return any(turn in scenario.rejects or _states_untrue(scenario, probe, item, turn) for turn in turns)


def _states_untrue(scenario: Scenario, probe: Probe, item: Returned, turn: str) -> bool:
    keeps: Iterable[Keep] = (keep for keep in scenario.keeps if keep.turn == turn)
    return any(keep.said_in(item.words) and not holds(scenario, probe, keep) for keep in keeps)


def holds(scenario: Scenario, probe: Probe, keep: Keep) -> bool:
    """Whether a keep is true, the probe's subject's own, and said, at the time the probe asks about."""
    day = probe.as_of or probe.at.date()
    if keep.subject != probe.subject or (keep.valid_until is not None and keep.valid_until < day):
        return False
    return _happened(scenario, probe, keep.turn) and not _ended(scenario, probe, keep)


def _ended(scenario: Scenario, probe: Probe, keep: Keep) -> bool:
    end = scenario.dead_from(keep)
    return end is not None and _happened(scenario, probe, end)


def _happened(scenario: Scenario, probe: Probe, turn: str) -> bool:
    if probe.as_of is not None:
        return scenario.turn(turn).at.date() <= probe.as_of
    return scenario.place(turn) <= scenario.place(probe.after)


def _row(row: Scored) -> dict[str, Any]:
    probe = row.probe
    return {
        "scenario": row.scenario,
        "probe": probe.number,
        "subject": probe.subject,
        "query": probe.query,
        "after": probe.after,
        "tags": list(probe.tags),
        "expect": list(probe.expect),
        "forbid": list(probe.forbid),
        "abstain": probe.abstain,
        "hit@1": row.hit1,
        "hit@5": row.hit5,
        "forbidden": row.forbidden,
        "cause": row.cause,
        "reachable": row.reachable,
        "returned": [{"turns": list(i.sources), "words": i.words, "current": i.current} for i in row.answer.items[:DEPTH]],
    }
