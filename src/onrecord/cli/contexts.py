"""``onrecord eval context``: the sets it runs on, and its outcome as a page and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from onrecord.cli.lines import Line, blank, joined, line, title
from onrecord.cli.render import Meter, under
from onrecord.errors import InvalidInput, OnRecordError

if TYPE_CHECKING:
    from onrecord.evals.dataset import Dataset
    from onrecord.evals.rows import RowFile
    from onrecord.memory import Memory
    from onrecord.ports import TokenCounter

_PLACES = {"locomo": "locomo/locomo10.json.gz", "longmemeval": "longmemeval_dev", "beam": "beam_100k"}


def run_contexts(
    path: Path, memory: Callable[..., Memory], every: int, talks: int | None, sets: Sequence[str], tick: Meter, rows: RowFile
) -> dict[str, Any]:
    """The summary of each set that is there below ``path``: of every ``every``-th question to the first ``talks`` talks.

    Questions that have a row are not asked again. ``sets`` names those wanted, all if it is empty. Raises ``InvalidInput`` where
    no set is."""
    from onrecord.evals.context import evaluate_context, plain, summary
    from onrecord.evals.ingest import TENANT
    from onrecord.providers.scripted import SteppingClock

    found: dict[str, Any] = {}
    counter = _counter()
    if unknown := set(sets) - set(_PLACES):
        raise InvalidInput("--set", f"{', '.join(sorted(unknown))} is none", f"use {', '.join(_PLACES)}")
    for name, place in _PLACES.items():
        if (sets and name not in sets) or not (path / place).exists():
            continue
        dataset, clock = _cut(_load(name, path / place), talks), SteppingClock(datetime(2026, 1, 1, tzinfo=UTC))
        with memory(clock=clock, tokens=counter, tenant=TENANT) as empty:
            meter = under(tick, f"{name}, context")
            _, held = evaluate_context(
                dataset,
                empty,
                clock,
                every=every,
                done=rows.ids(set=name),
                keep=lambda seen, name=name: rows.add({"set": name, **plain(seen)}),  # type: ignore[misc]
                progress=meter,
            )
        mine = [row for row in rows.rows if row["set"] == name]
        found[name] = summary(dataset, mine, held, str(getattr(counter, "name", "")))
    if not found:
        raise InvalidInput("PATH", f"{path} holds none of {', '.join(_PLACES.values())}", "name the folder of all sets")
    return found


def contexts_page(found: Mapping[str, Any]) -> Iterator[Line]:
    """For each set, what each way shows of the evidence, and what a conversation takes."""
    for name, one in found.items():
        yield title(name, f"{one['questions']} questions, tokens as {one['counter']} counts")
        for way, shares in one["evidence"].items():
            numbers = [f"{budget}: {share:.3f}{_span(one, way, budget)}" for budget, share in shares.items()]
            yield line(joined(numbers, ""), label=(way, "note"), width=18, indent=2)
        if "lead" in one:
            yield line(
                f"at 2,000 tokens {one['lead']:+.3f} on the best other way, {one['kept']:.3f} of what 8,000 give", indent=2
            )
        yield from (line(text, indent=2) for text in _costs(one))
        yield blank()
    yield from (line(text) for text in _together(found))


def contexts_markdown(found: Mapping[str, Any]) -> str:
    """The same as Markdown, with a table for each set and class."""
    parts = []
    for name, one in found.items():
        budgets = list(next(iter(one["evidence"].values())))
        head = f"| {name} | " + " | ".join(f"{int(budget):,}" for budget in budgets) + " |"
        lines = [f"### context: {name}", "", f"{one['questions']} questions; tokens as {one['counter']} counts.", "", head]
        lines.append("|---|" + "---|" * len(budgets))
        lines += [
            f"| {way} | " + " | ".join(f"{share:.3f}{_span(one, way, budget)}" for budget, share in shares.items()) + " |"
            for way, shares in one["evidence"].items()
        ]
        lines += [_row(f"{way}, tokens", tokens, "{:,.0f}") for way, tokens in one["tokens"].items()]
        for kind, ways in one["classes"].items():
            lines += [_row(f"{kind}: {way}", shares) for way, shares in ways.items() if way in ("onrecord", "bm25", "vectors")]
        if "lead" in one:
            lines += ["", f"- At 2,000 tokens {one['lead']:+.3f} on the best other way, {one['kept']:.3f} of what 8,000 give."]
        parts.append("\n".join([*lines, *(f"- {text}" for text in _costs(one)), ""]))
    return "\n".join([*parts, *_together(found)])


def _together(found: Mapping[str, Any]) -> Iterator[str]:
    """What all sets together say of the identical share, where there are several."""
    shares = [share for one in found.values() for share in one["conversations"].get("shares", ())]
    if shares and len(found) > 1:
        yield (
            f"All sets together: {sum(one['conversations'].get('conversations', 0) for one in found.values())} conversations; of "
            f"the median prompt {median(shares):.3f} is as the turn before."
        )


def _span(one: Mapping[str, Any], way: str, budget: str) -> str:
    """The interval of a figure, in brackets."""
    ends = one["intervals"].get(way, {}).get(budget)
    return f" ({ends[0]:.3f}–{ends[1]:.3f})" if ends else ""


def _row(name: str, values: Mapping[str, float], form: str = "{:.3f}") -> str:
    return f"| {name} | " + " | ".join(form.format(value) for value in values.values()) + " |"


def _costs(one: Mapping[str, Any]) -> Iterator[str]:
    held = one["conversations"]
    if not held:
        return
    yield (
        f"{held['conversations']} conversations, {held['turns']} turns: of the median prompt {held['identical_share']:.3f} is as "
        f"the turn before (lowest median of a conversation {held['lowest_median']:.3f})"
    )
    yield (
        f"tokens a turn {held['tokens_per_turn']:,}, replaying the transcript {held['replayed_per_turn']:,}; billed, with cached "
        f"ones at a tenth, {held['billed_per_turn']:,} and {held['replay_billed_per_turn']:,}"
    )


def _counter() -> TokenCounter:
    """The exact counter where its package is there, else the estimate."""
    from onrecord.providers.tokens import BpeCounter, EstimateCounter

    try:
        return BpeCounter()
    except OnRecordError:
        return EstimateCounter()


def _load(name: str, path: Path) -> Dataset:
    from onrecord.evals import beam, locomo, longmemeval

    match name:
        case "locomo":
            return locomo.load(path)
        case "longmemeval":
            return longmemeval.load(path)
    return beam.load(path)


def _cut(dataset: Dataset, talks: int | None) -> Dataset:
    kept = dict(islice(dataset.talks.items(), talks))
    return replace(dataset, talks=kept, questions=tuple(one for one in dataset.questions if one.talk in kept))
