"""What of the evidence stands in a context of so many tokens, beside what simple ways would show, and what a thread costs.

Evidence is inside where a gold line is shown whole: its words in a recalled turn, or in a line of a baseline. Every way gets the
same tokens, counted alike: of the baselines the lines alone, of ours everything that is sent but the question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from onrecord.evals.dataset import Dataset, Question, Talk
from onrecord.evals.ingest import ingest, reach_of
from onrecord.evals.intervals import intervals
from onrecord.evals.ways import OURS, VECTORS, WINDOW, WORDS, Ways, by_way, share
from onrecord.memory import Memory
from onrecord.model.context import Spending
from onrecord.providers.scripted import SteppingClock

#: What is being done, steps done, steps in all.
Progress = Callable[[str, int, int], None]
BUDGETS = (1_000, 2_000, 4_000, 8_000)
#: A conversation for the costs: so many exchanges of two messages, after everything said before in other threads.
EXCHANGES = 50
_TALKS = 5
_SYSTEM = "You are a helpful assistant who knows this person from earlier conversations."


@dataclass(frozen=True, slots=True)
class Seen:
    """One question: the share of its gold lines that each way shows, by budget, and the tokens that it sends."""

    question: Question
    shares: Mapping[str, Mapping[int, float]]
    tokens: Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Held:
    """One conversation of ``EXCHANGES`` turns: the identical share of each prompt after the first, and what it took."""

    talk: str
    shares: tuple[float, ...]
    spending: Spending


def evaluate_context(
    dataset: Dataset,
    memory: Memory,
    clock: SteppingClock,
    *,
    budgets: Sequence[int] = BUDGETS,
    every: int = 1,
    done: Collection[str] = (),
    keep: Callable[[Seen], None] | None = None,
    progress: Progress | None = None,
) -> tuple[list[Seen], list[Held]]:
    """The questions with gold lines (each ``every``-th of them), and conversations of up to five talks that are long enough.

    Questions whose ids are ``done`` are passed over, and each of the others is given to ``keep`` as it comes. ``memory`` must be
    empty, of the tenant ``ingest.TENANT``, and go by ``clock``, which is put at the time of each question."""
    tick = progress or (lambda what, done, total: None)
    ingest(memory.engine, dataset, progress=lambda done, total: tick("take in", done, total))
    asked = [question for question in dataset.scored if question.category not in dataset.apart][::every]
    ways = Ways(memory, dataset)
    seen = []
    left = [question for question in asked if question.id not in done]
    for at, question in enumerate(left, len(asked) - len(left) + 1):
        clock.now = question.at
        seen.append(_seen(ways, question, budgets))
        if keep is not None:
            keep(seen[-1])
        tick("ask", at, len(asked))
    long = [talk for talk in dataset.talks.values() if len(talk.lines) >= 4 * EXCHANGES][:_TALKS]
    held = []
    for at, talk in enumerate(long, 1):
        held.append(converse(memory, clock, talk))
        tick("converse", at, len(long))
    return seen, held


def converse(memory: Memory, clock: SteppingClock, talk: Talk) -> Held:
    """The last lines of a talk as one conversation, a context for every second one; what was said before is in other threads."""
    earlier = [replace(line, id=f"{line.id}/again") for line in talk.lines[: -2 * EXCHANGES]]
    apart = Talk(f"{talk.id}/again", tuple(earlier))
    ingest(memory.engine, Dataset(name=talk.id, talks={apart.id: apart}, questions=()))
    session = memory.session("conversation", subject=reach_of(apart.id).subjects[0])
    lines = talk.lines[-2 * EXCHANGES :]
    reports = []
    for said, answered in zip(lines[::2], lines[1::2], strict=False):
        clock.now = said.at
        reports.append(session.context(said.text, system=_SYSTEM).report)
        session.add([{"role": "user", "content": said.text or "."}, {"role": "assistant", "content": answered.text or "."}])
    spending = reports[-1].spending
    assert spending is not None
    return Held(talk.id, tuple(report.identical_share or 0.0 for report in reports[1:]), spending)


def summary(
    dataset: Dataset, rows: Sequence[Mapping[str, Any]], held: Sequence[Held], counter: str, *, seed: int = 1
) -> dict[str, Any]:
    """Everything worth a table, as JSON-ready data, of the rows of a run.

    ``evidence`` and ``tokens`` are means over the questions, by way and budget, ``intervals`` those of the evidence (see
    ``evals.intervals``); ``classes`` the evidence of each class. ``lead``
    is ours at 2,000 tokens less the best other at the same, ``kept`` ours at 2,000 as a share of ours at 8,000.
    ``conversations`` has the median identical share and the tokens of each way over the run."""
    found: dict[str, Any] = {
        "dataset": dataset.name,
        "questions": len(rows),
        "counter": counter,
        "evidence": _means(rows, "share"),
        "intervals": _intervals(rows, seed),
        "tokens": _means(rows, "tokens"),
        "classes": {
            name: _means([row for row in rows if row["category"] == name], "share")
            for name in sorted({row["category"] for row in rows})
        },
        "conversations": _costs(held),
    }
    ours, others = found["evidence"][OURS], [found["evidence"][way] for way in (WORDS, VECTORS, WINDOW)]
    if {"2000", "8000"} <= set(ours):
        found["lead"] = round(ours["2000"] - max(other["2000"] for other in others), 4)
        found["kept"] = round(ours["2000"] / ours["8000"], 4) if ours["8000"] else 0.0
    return found


def rows(seen: Iterable[Seen]) -> list[dict[str, Any]]:
    """One object for each question: see ``plain``."""
    return [plain(one) for one in seen]


def plain(seen: Seen) -> dict[str, Any]:
    """A question as JSON-ready data: under ``systems``, by way, the ``share@N`` of its evidence and the ``tokens@N`` it takes."""
    question = seen.question
    systems = {
        way: {
            **{f"share@{budget}": share for budget, share in shares.items()},
            **{f"tokens@{budget}": used for budget, used in seen.tokens[way].items()},
        }
        for way, shares in seen.shares.items()
    }
    return {"id": question.id, "talk": question.talk, "category": question.category, "systems": systems}


def _seen(ways: Ways, question: Question, budgets: Sequence[int]) -> Seen:
    found = by_way(ways, question, budgets)
    shares = {way: {budget: share(question, one) for budget, one in made.items()} for way, made in found.items()}
    return Seen(question, shares, {way: {budget: one.tokens for budget, one in made.items()} for way, made in found.items()})


def _means(rows: Sequence[Mapping[str, Any]], what: str) -> dict[str, dict[str, float]]:
    columns = _columns(rows, what)
    return {way: {n: round(fmean(values), 4) for n, values in found.items()} for way, found in columns.items()}


def _intervals(rows: Sequence[Mapping[str, Any]], seed: int) -> dict[str, dict[str, list[float]]]:
    talks = [row["talk"] for row in rows]
    spans = {way: intervals(found, talks, seed=seed) for way, found in _columns(rows, "share").items()}
    return {way: {n: [round(end, 4) for end in span] for n, span in found.items()} for way, found in spans.items()}


def _columns(rows: Sequence[Mapping[str, Any]], what: str) -> dict[str, dict[str, list[float]]]:
    """By way and budget, the values of all rows."""
    if not rows:
        return {}
    first, lead = rows[0]["systems"], f"{what}@"
    budgets = {way: [name for name in values if name.startswith(lead)] for way, values in first.items()}
    return {
        way: {name.removeprefix(lead): [row["systems"][way][name] for row in rows] for name in names}
        for way, names in budgets.items()
    }


def _costs(held: Sequence[Held]) -> dict[str, Any]:
    if not held:
        return {}
    total = Spending()
    for one in held:
        sums = {name: getattr(total, name) + getattr(one.spending, name) for name in Spending.__dataclass_fields__}
        total = replace(total, **sums)
    each = [share for one in held for share in one.shares]
    return {
        "conversations": len(held),
        "turns": total.turns,
        "identical_share": round(median(each), 4),
        "shares": [round(share, 3) for share in each],
        "lowest_median": round(min(median(one.shares) for one in held), 4),
        "tokens_per_turn": round(total.sent / total.turns),
        "replayed_per_turn": round(total.replayed / total.turns),
        "billed_per_turn": round(total.billed / total.turns),
        "replay_billed_per_turn": round(total.replay_billed / total.turns),
    }
