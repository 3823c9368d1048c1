"""The outcome of a run as rows for each question, as figures with their intervals, and as a Markdown section.

Figures are made of the rows alone, so a run that was interrupted and went on has those of one that was not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median, quantiles
from typing import Any, TypeAlias

from onrecord.evals import metrics
from onrecord.evals.intervals import LEVEL, ROUNDS, Units, auroc_interval, intervals
from onrecord.evals.run import OURS, VECTORS, WORDS, Report, Row

ALL, UNFAULTED = "all", "all, faulty keys left out"
#: The k of figures other than recall, as the papers have them.
_NDCG_AT, _SESSIONS_AT, _SIDES_AT = 10, 5, 10
#: Entries beside the metrics of a system.
_OTHER = ("n", "intervals")

Plain: TypeAlias = Mapping[str, Any]


def head(report: Report) -> dict[str, Any]:
    """What the figures of a run need besides its rows."""
    return {
        "dataset": report.dataset,
        "include": str(report.include),
        "embedder": report.embedder,
        "limits": list(report.limits),
        "turns": report.turns,
        "ms_per_turn": round(report.ms_per_turn, 2),
        "apart": sorted(report.apart),
    }


def rows(report: Report) -> list[dict[str, Any]]:
    """One object for each question: see ``plain``."""
    return [plain(row, report.limits) for row in report.rows]


def plain(row: Row, limits: Sequence[int]) -> dict[str, Any]:
    """A question as JSON-ready data: what was asked and wanted, the ranking, and under ``systems`` the values of every system.

    Values are there where there is gold: recall, ``any`` and ``all`` at each limit, ``MRR``, both nDCG@10, ``session_all@5``, and
    the ``tokens`` of the first hits. ``newer`` and ``older`` are the places, from 0, of the sides of an update.
    """
    question, ranking = row.question, row.rankings[OURS]
    sides = {"newer": question.new, "older": question.old} if question.old and question.new else {}
    return {
        "id": question.id,
        "talk": question.talk,
        "category": question.category,
        "question": question.text,
        "gold": sorted(question.gold),
        "ranking": list(ranking),
        "relevance": row.relevance,
        "foreign": row.foreign,
        "abstain": question.abstain,
        "faulty": question.faulty,
        "ms": round(row.ms, 2),
        **{name: _place(ranking, ids) for name, ids in sides.items()},
        "systems": {name: _values(row, name, limits) for name in row.rankings} if question.gold else {},
    }


def summary(report: Report, *, seed: int = 1) -> dict[str, Any]:
    """The figures of a run that went through."""
    return figures(head(report), rows(report), seed=seed)


def figures(head: Plain, rows: Sequence[Plain], *, seed: int) -> dict[str, Any]:
    """Everything worth a table, as JSON-ready data.

    ``classes`` has for each class and system: n, the means of the values of its rows, and ``intervals`` of them. The class
    ``all`` leaves out those that the set reports apart. ``abstention`` has AUROCs with an interval; ``order`` counts.
    """
    classes = _classes(rows, frozenset(head["apart"]))
    scored = classes.get(ALL, [])
    units = Units.of_questions([row["talk"] for row in scored])
    return {
        **{name: value for name, value in head.items() if name not in ("limits", "apart")},
        "questions": len(rows),
        "ms_per_query": _times([row["ms"] for row in rows]),
        "interval": {"level": LEVEL, "rounds": ROUNDS, "seed": seed, "over": f"{units.count} {units.name}"},
        "classes": {name: _systems(found, seed) for name, found in classes.items()},
        "abstention": _abstention(rows, seed),
        "order": _order(rows),
    }


def markdown(found: Plain) -> str:
    """The figures as a Markdown section: one table of classes, then abstention, order and times."""
    names = shown(found)
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
            lines.append(f"| {name} | {values['n']} | {system} | " + " | ".join(with_interval(values, n) for n in names) + " |")
    return "\n".join([*lines, "", *(f"- {note}." for note in notes(found))]) + "\n"


def shown(found: Plain) -> list[str]:
    """The metrics of a table: ``any`` and ``all`` at the smallest limit alone, and no tokens."""
    every = [name for name in next(iter(next(iter(found["classes"].values())).values())) if name not in _OTHER]
    limits = sorted(int(name.removeprefix("R@")) for name in every if name.startswith("R@"))
    later = {f"{kind}@{k}" for kind in ("any", "all") for k in limits[1:]}
    return [name for name in every if name not in later and not name.startswith("tokens")]


def with_interval(values: Plain, name: str) -> str:
    """A figure, and of recall its interval."""
    span = values["intervals"].get(name) if name.startswith("R@") else None
    return f"{values[name]:.3f}" + (f" ({span[0]:.3f}–{span[1]:.3f})" if span else "")


def notes(found: Plain) -> list[str]:
    """What stands below the table, a sentence without its full stop each."""
    times, drawn = found["ms_per_query"], found["interval"]
    told = [
        f"In brackets {drawn['level']:.0%} intervals of the bootstrap over {drawn['over']} (seed {drawn['seed']})",
        f"Milliseconds a query: {times['p50']} (p50), {times['p95']} (p95), {times['p99']} (p99); a turn to take in: "
        f"{found['ms_per_turn']}",
        *_tokens(found),
    ]
    for name, one in found["abstention"].items():
        span = f" ({one['interval'][0]:.3f}–{one['interval'][1]:.3f})" if one["interval"] else ""
        told.append(f"Abstention, AUROC against {name}: {one['auroc']:.3f}{span}")
    return [*told, *(f"{name}: {counts['yes']} of {counts['of']}" for name, counts in found["order"].items())]


def _tokens(found: Plain) -> list[str]:
    systems = found["classes"].get(ALL, {})
    counts = [(name, key, values[key]) for name, values in systems.items() for key in values if key.startswith("tokens@")]
    if not counts:
        return []
    return [f"Tokens of the first {counts[0][1].partition('@')[2]}: " + ", ".join(f"{name} {n:.0f}" for name, _, n in counts)]


def _values(row: Row, system: str, limits: Sequence[int]) -> dict[str, float]:
    ranking, gold = row.rankings[system], row.question.gold
    return {
        **{f"R@{k}": metrics.recall(ranking, gold, k) for k in limits},
        **{f"any@{k}": metrics.any_of(ranking, gold, k) for k in sorted(limits)},
        **{f"all@{k}": metrics.all_of(ranking, gold, k) for k in sorted(limits)},
        "MRR": metrics.reciprocal_rank(ranking, gold),
        f"nDCG@{_NDCG_AT}": metrics.ndcg(ranking, gold, _NDCG_AT),
        f"nDCG@{_NDCG_AT} official": metrics.ndcg_official(ranking, gold, _NDCG_AT),
        f"session_all@{_SESSIONS_AT}": metrics.all_of(row.sessions[system], row.question.sessions, _SESSIONS_AT),
        f"tokens@{max(limits)}": float(row.tokens[system]),
    }


def _classes(rows: Sequence[Plain], apart: frozenset[str]) -> dict[str, list[Plain]]:
    scored = [row for row in rows if row["gold"]]
    counted = [row for row in scored if row["category"] not in apart]
    classes = {ALL: counted}
    if any(row["faulty"] for row in counted):
        classes[UNFAULTED] = [row for row in counted if not row["faulty"]]
    for name in dict.fromkeys(sorted(row["category"] for row in scored)):
        classes[name] = [row for row in scored if row["category"] == name]
    return {name: found for name, found in classes.items() if found}


def _systems(found: Sequence[Plain], seed: int) -> dict[str, dict[str, Any]]:
    there = [name for name in (OURS, WORDS, VECTORS) if name in found[0]["systems"]]
    return {name: _figures(found, name, seed) for name in there}


def _figures(found: Sequence[Plain], system: str, seed: int) -> dict[str, Any]:
    columns = {name: [row["systems"][system][name] for row in found] for name in found[0]["systems"][system]}
    spans = intervals(columns, [row["talk"] for row in found], seed=seed)
    return {
        "n": len(found),
        **{name: round(fmean(column), 4) for name, column in columns.items()},
        "intervals": {name: [round(end, 4) for end in span] for name, span in spans.items()},
    }


def _abstention(rows: Sequence[Plain], seed: int) -> dict[str, dict[str, Any]]:
    """How well the best relevance tells questions that can be answered from those that cannot."""
    sure = [(row["relevance"], row["talk"]) for row in rows if row["gold"] and not row["abstain"]]
    unsure = {
        "questions of other talks": [(row["foreign"], row["talk"]) for row in rows if row["foreign"] is not None],
        "its own unanswerable questions": [(row["relevance"], row["talk"]) for row in rows if row["abstain"]],
    }
    return {name: _auroc(sure, scores, seed) for name, scores in unsure.items() if sure and scores}


def _auroc(sure: Sequence[tuple[float, str]], unsure: Sequence[tuple[float, str]], seed: int) -> dict[str, Any]:
    (left, left_talks), (right, right_talks) = zip(*sure, strict=True), zip(*unsure, strict=True)
    span = auroc_interval(left, right, (left_talks, right_talks), seed=seed)
    return {"auroc": round(metrics.auroc(left, right), 4), "interval": [round(end, 4) for end in span] if span else None}


def _order(rows: Sequence[Plain]) -> dict[str, dict[str, int]]:
    """Counts, for questions with an older and a newer side: the newer one first, and both among the first ten."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        if "newer" in row:
            newer, older = (float("inf") if row[side] is None else row[side] for side in ("newer", "older"))
            _count(counts, f"{row['category']}, newer side first", newer < older)
            _count(counts, f"{row['category']}, both sides in the first {_SIDES_AT}", max(newer, older) < _SIDES_AT)
    return counts


def _place(ranking: Sequence[str], ids: frozenset[str]) -> int | None:
    return next((place for place, id in enumerate(ranking) if id in ids), None)


def _count(counts: dict[str, dict[str, int]], name: str, holds: bool) -> None:
    entry = counts.setdefault(name, {"yes": 0, "of": 0})
    entry["yes"] += holds
    entry["of"] += 1


def _times(values: Sequence[float]) -> dict[str, float]:
    if len(values) < 2:
        one = round(max(values, default=0.0), 1)
        return {"p50": one, "p95": one, "p99": one}
    cuts = quantiles(values, n=100, method="inclusive")
    return {"p50": round(median(values), 1), "p95": round(cuts[94], 1), "p99": round(cuts[98], 1)}
