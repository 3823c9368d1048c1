"""What this project loses: every figure in which another memory is ahead of the better of its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.peers.columns import COMPARED, COSTS, FIGURES, TITLES, at, counted, timed_set

from onrecord.evals.report import ALL

OURS = "onrecord"


def lost(quality: Mapping[str, Any]) -> str:
    """The section that lists them."""
    lines = [
        "## What onrecord loses",
        "",
        "Every figure above in which another memory is ahead of the better of onrecord's settings.",
        "",
    ]
    found = [*_lost_recalls(quality), *_lost_costs(quality)]
    return "\n".join(lines + (found or ["Nothing in this run."]))


def _lost_recalls(quality: Mapping[str, Any]) -> Iterator[str]:
    for name in quality["sets"]:
        for each in counted(quality, name):
            for figure in FIGURES[name] if each == ALL else ("R@10",):
                values = {
                    (one["peer"], one["setting"]): part["classes"][each][figure]
                    for one in quality["peers"]
                    if (part := one["sets"].get(name, {})).get("classes")
                }
                yield from _ahead(f"{TITLES[name]}, {each}, {figure}", values, more=True, form=".3f")


def _lost_costs(quality: Mapping[str, Any]) -> Iterator[str]:
    timed = timed_set(quality)
    for cost in COSTS:
        if cost.title in COMPARED:
            values = {
                (one["peer"], one["setting"]): value
                for one in quality["peers"]
                if isinstance(value := at(one["sets"].get(timed, {}), cost.path), int | float)
            }
            yield from _ahead(cost.title, values, more=cost.more, form="g")


def _ahead(what: str, values: Mapping[tuple[str, str], float], *, more: bool, form: str) -> Iterator[str]:
    ours = [value for (peer, _), value in values.items() if peer == OURS]
    if not ours:
        return
    own = max(ours) if more else min(ours)
    better = {key: value for key, value in values.items() if key[0] != OURS and (value > own if more else value < own)}
    if better:
        ranked = sorted(better.items(), key=lambda pair: -pair[1] if more else pair[1])
        named = ", ".join(f"{peer} ({setting}) {value:{form}}" for (peer, setting), value in ranked)
        yield f"- {what}: {own:{form}}, behind {named}."
