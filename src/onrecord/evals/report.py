"""The outcome of a run as plain data, as rows for each question, and as a Markdown section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median, quantiles
from typing import Any

from onrecord.evals import metrics
from onrecord.evals.run import OURS, VECTORS, WORDS, Report, Row

ALL, UNFAULTED = "all", "all, faulty keys left out"
#: The k of figures other than recall, as the papers have them.
_NDCG_AT, _SESSIONS_AT, _SIDES_AT = 10, 5, 10


def summary(report: Report) -> dict[str, Any]:
    """Everything worth a table, as JSON-ready data.

    ``classes`` has for each class and system: n, recall at each limit, ``any`` and ``all`` at the first, MRR, both nDCG@10, and
    ``session_all@5``. The class ``all`` leaves out those that the set reports apart. ``abstention`` has AUROCs; ``order`` counts.
    """
    return {
        "dataset": report.dataset,
        "include": str(report.include),
        "embedder": report.embedder,
        "questions": len(report.rows),
        "turns": report.turns,
        "ms_per_query": _times([row.ms for row in report.rows]),
        "ms_per_turn": round(report.ms_per_turn, 2),
        "classes": {name: _systems(report, rows) for name, rows in _classes(report).items()},
        "abstention": _abstention(report),
        "order": _order(report),
    }


def rows(report: Report) -> list[dict[str, Any]]:
    """One object for each question: what was asked, what was wanted, the ranking, and recall at each limit."""
    return [_plain(row, report.limits) for row in report.rows]


def markdown(found: Mapping[str, Any]) -> str:
    """The summary as a Markdown section: one table of classes, then abstention, order and times."""
    first = next(iter(next(iter(found["classes"].values())).values()))
    names = [name for name in first if name != "n"]
    lines = [
        f"### {found['dataset']} ({found['include']}, {found['embedder']})",
        "",
        f"{found['questions']} questions, {found['turns']} turns.",
        "",
        "| class | n | system | " + " | ".join(names) + " |",
        "|---|---|---|" + "---|" * len(names),
    ]
    for name, systems in found["classes"].items():
        for system, values in systems.items():
            lines.append(f"| {name} | {values['n']} | {system} | " + " | ".join(f"{values[n]:.3f}" for n in names) + " |")
    return "\n".join([*lines, "", *_notes(found)]) + "\n"


def _notes(found: Mapping[str, Any]) -> list[str]:
    times = found["ms_per_query"]
    notes = [f"- Milliseconds a query: {times['p50']} (p50), {times['p99']} (p99); a turn to take in: {found['ms_per_turn']}."]
    notes += [f"- Abstention, AUROC against {name}: {value:.3f}." for name, value in found["abstention"].items()]
    notes += [f"- {name}: {counts['yes']} of {counts['of']}." for name, counts in found["order"].items()]
    return notes


def _classes(report: Report) -> dict[str, list[Row]]:
    scored = [row for row in report.rows if row.question.gold]
    counted = [row for row in scored if row.question.category not in report.apart]
    classes = {ALL: counted}
    if any(row.question.faulty for row in counted):
        classes[UNFAULTED] = [row for row in counted if not row.question.faulty]
    for name in dict.fromkeys(sorted(row.question.category for row in scored)):
        classes[name] = [row for row in scored if row.question.category == name]
    return {name: found for name, found in classes.items() if found}


def _systems(report: Report, found: Sequence[Row]) -> dict[str, dict[str, float]]:
    there = [name for name in (OURS, WORDS, VECTORS) if name in found[0].rankings]
    return {name: _figures(found, name, report.limits) for name in there}


def _figures(found: Sequence[Row], system: str, limits: Sequence[int]) -> dict[str, float]:
    def mean(metric: Callable[[Sequence[str], frozenset[str]], float]) -> float:
        return round(fmean(metric(row.rankings[system], row.question.gold) for row in found), 4)

    first = min(limits)
    sessions = fmean(metrics.all_of(row.sessions[system], row.question.sessions, _SESSIONS_AT) for row in found)
    return {
        "n": len(found),
        **{f"R@{k}": mean(lambda ranking, gold, k=k: metrics.recall(ranking, gold, k)) for k in limits},  # type: ignore[misc]
        f"any@{first}": mean(lambda ranking, gold: metrics.any_of(ranking, gold, first)),
        f"all@{first}": mean(lambda ranking, gold: metrics.all_of(ranking, gold, first)),
        "MRR": mean(metrics.reciprocal_rank),
        f"nDCG@{_NDCG_AT}": mean(lambda ranking, gold: metrics.ndcg(ranking, gold, _NDCG_AT)),
        f"nDCG@{_NDCG_AT} official": mean(lambda ranking, gold: metrics.ndcg_official(ranking, gold, _NDCG_AT)),
        f"session_all@{_SESSIONS_AT}": round(sessions, 4),
    }


def _abstention(report: Report) -> dict[str, float]:
    """How well the best relevance tells questions that can be answered from those that cannot."""
    sure = [row.relevance for row in report.rows if row.question.gold and not row.question.abstain]
    unsure = {
        "questions of other talks": [row.foreign for row in report.rows if row.foreign is not None],
        "its own unanswerable questions": [row.relevance for row in report.rows if row.question.abstain],
    }
    return {name: round(metrics.auroc(sure, scores), 4) for name, scores in unsure.items() if sure and scores}


def _order(report: Report) -> dict[str, dict[str, int]]:
    """Counts, for questions with an older and a newer side: the newer one first, and both among the first ten."""
    counts: dict[str, dict[str, int]] = {}
    for row in report.rows:
        question, ranking = row.question, row.rankings[OURS]
        if question.old and question.new:
            newer, older = _place(ranking, question.new), _place(ranking, question.old)
            _count(counts, f"{question.category}, newer side first", newer < older)
            _count(counts, f"{question.category}, both sides in the first {_SIDES_AT}", max(newer, older) < _SIDES_AT)
    return counts


def _place(ranking: Sequence[str], ids: frozenset[str]) -> float:
    return next((place for place, id in enumerate(ranking) if id in ids), float("inf"))


def _count(counts: dict[str, dict[str, int]], name: str, holds: bool) -> None:
    entry = counts.setdefault(name, {"yes": 0, "of": 0})
    entry["yes"] += holds
    entry["of"] += 1


def _times(values: Sequence[float]) -> dict[str, float]:
    if len(values) < 2:
        return {"p50": round(median(values), 1), "p99": round(max(values), 1)} if values else {"p50": 0.0, "p99": 0.0}
    return {"p50": round(median(values), 1), "p99": round(quantiles(values, n=100, method="inclusive")[-1], 1)}


def _plain(row: Row, limits: Iterable[int]) -> dict[str, Any]:
    question, ranking = row.question, row.rankings[OURS]
    found = {f"R@{k}": round(metrics.recall(ranking, question.gold, k), 4) for k in limits} if question.gold else {}
    return {
        "id": question.id,
        "category": question.category,
        "question": question.text,
        "gold": sorted(question.gold),
        "ranking": list(ranking),
        "relevance": round(row.relevance, 4),
        "abstain": question.abstain,
        "faulty": question.faulty,
        "ms": round(row.ms, 2),
        **found,
    }
