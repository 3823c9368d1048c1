"""The outcomes of evaluations as pages and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from onrecord.cli.lines import Line, blank, joined, line, title
from onrecord.cli.pages import count, plain
from onrecord.evals.intervals import proportion
from onrecord.evals.report import notes, shown, with_interval

#: Parts of the keepsakes report that go into detail: they are in the JSON and in the rows.
_DETAILS = ("scenarios", "kinds", "attributes", "tags", "reasons", "conversations", "unread", "questions")


def retrieval_page(found: Mapping[str, Any]) -> Iterator[Line]:
    """A summary of ``evals.report``: each class of questions, ours beside the baselines."""
    yield title(
        f"{found['dataset']} ({found['include']})", f"{found['questions']} questions, {found['turns']} turns, {found['embedder']}"
    )
    metrics = shown(found) if found["classes"] else []
    for name, systems in found["classes"].items():
        yield blank()
        yield line((str(name), "strong"), (f"  {next(iter(systems.values()))['n']} questions", "dim"))
        for system, values in systems.items():
            numbers = [f"{metric} {with_interval(values, metric)}" for metric in metrics if _is_headline(metric)]
            yield line(joined(numbers, ""), label=(system, "note"), width=10, indent=2)
    yield blank()
    yield from (line((note, "dim")) for note in notes(found))


def keepsakes_page(found: Mapping[str, Any]) -> Iterator[Line]:
    """The rates of ``evals.keepsakes``, with their counts."""
    yield title("keepsakes", count(len(found["conversations"]), "conversation"))
    for part in found:
        rows = list(_rates(found[part], "")) if part not in _DETAILS and isinstance(found[part], Mapping) else []
        if rows:
            yield blank()
            yield line((plain(part), "strong"))
        yield from (line(f"{rate:.3f}", (counts, "dim"), label=plain(name), width=38, indent=2) for name, rate, counts in rows)


def keepsakes_markdown(found: Mapping[str, Any]) -> str:
    """The same as a Markdown section."""
    rows = [row for part in found if part not in _DETAILS for row in _rates(found[part], part)]
    head = ["### keepsakes", "", f"{count(len(found['conversations']), 'conversation')}.", ""]
    return "\n".join([*head, *_table(rows)]) + "\n"


def counted_page(name: str, found: Mapping[str, Any]) -> Iterator[Line]:
    """The rates of an evaluation that counts (pairs, injection, msc), with their counts."""
    yield title(name)
    yield from (
        line(f"{rate:.3f}", (counts, "dim"), label=plain(what), width=38, indent=2) for what, rate, counts in _rates(found, "")
    )


def counted_markdown(name: str, found: Mapping[str, Any]) -> str:
    """The same as a Markdown section."""
    return "\n".join([f"### {name}", "", *_table(_rates(found, ""))]) + "\n"


def keepsakes_rows(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One object for each probe of each mode, and for each write that was missed or wrong."""
    for mode, recalled in found["recall"].items():
        yield from (_probe(mode, probe) for probe in recalled["probes"])
    for part in ("missed", "wrong"):
        yield from ({"id": f"{part}/{n}", "part": part, **row} for n, row in enumerate(found["write"][part]))
    for n, row in enumerate(found["correction"]["pairs"]):
        yield {"id": f"correction/{n}", "part": "correction", **row}


def _probe(mode: str, probe: Mapping[str, Any]) -> dict[str, Any]:
    """A probe with its values, where the rates have it among what they count."""
    silent = float(not probe["returned"])
    values = {"hit@1": float(probe["hit@1"]), "hit@5": float(probe["hit@5"])} if probe["expect"] else {}
    values |= {"forbidden": float(probe["forbidden"])} if probe["forbid"] else {}
    values |= {"abstention" if probe["abstain"] else "false_abstention": silent}
    named = {"id": f"{probe['scenario']}/{probe['probe']}", "talk": probe["scenario"], "part": "recall", "include": mode}
    return {**named, **probe, "systems": {"onrecord": values}}


def _table(rows: Iterable[tuple[str, float, str]]) -> list[str]:
    lines = [f"| {plain(name)} | {rate:.3f} | {counts.strip()} |" for name, rate, counts in rows]
    return ["| | rate | of |", "|---|---|---|", *lines]


def _is_headline(metric: str) -> bool:
    """Whether a metric is on the page; the Markdown and the JSON have them all."""
    return not metric.startswith(("any@", "all@")) and not metric.endswith("official")


def _rates(node: Any, name: str) -> Iterator[tuple[str, float, str]]:
    """Every rate below, in order: its name, its value, and how many it is of."""
    if isinstance(node, float):
        yield name, node, ""
    if not isinstance(node, Mapping):
        return
    if "pairs" in node and "merged" in node:
        node = {"rate": node["merged"] / node["pairs"], "n": node["merged"], "of": node["pairs"]}
        name = f"{name}, merged"
    if "rate" in node:
        if node["rate"] is not None:
            yield name, node["rate"], f"  {_counted(node['n'], node['of'])}" if "n" in node else f"  of {node['of']}"
        return
    for key, below in node.items():
        if key not in _DETAILS:
            yield from _rates(below, f"{name}, {key}" if name else str(key))


def _counted(n: int, of: int) -> str:
    """How many of how many, with Wilson's interval of the rate."""
    low, high = proportion(n, of)
    return f"{n} of {of} ({low:.3f}–{high:.3f})"
