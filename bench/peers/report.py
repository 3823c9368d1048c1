"""Writes docs/benchmarks-peers.md, and a short table into README.md, from the results that are kept in the repository.

    python -m bench.peers.report [--results DIR] [--docs FILE] [--readme FILE]

``quality.json`` is written by ``bench.peers.run``, ``trust.json`` by ``bench.trust``; either may be missing. "no" is what a
peer has not; what this project loses is listed beside what it wins.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.peers.catalog import entries
from bench.peers.columns import COSTS, FIGURES, TITLES, Cost, at, counted, timed_set
from bench.peers.losses import lost
from bench.trust.__main__ import key, table
from bench.trust.checks import CHECKS, COLUMNS, HELD

from onrecord.cli.sections import write_section
from onrecord.evals.report import ALL, UNFAULTED

RESULTS = Path(__file__).parent / "results"
NO, FAILED = "no", "failed"
_PART = "peers"


def page(quality: Mapping[str, Any], trust: Mapping[str, Any]) -> str:
    """The whole page."""
    parts = [_HEAD]
    if quality:
        parts += [_run(quality), *(_set(quality, name) for name in quality["sets"]), _costs(quality)]
    if trust:
        parts.append(_trust(trust))
    if quality:
        parts.append(lost(quality, trust))
    return "\n\n".join(parts) + "\n"


def short(quality: Mapping[str, Any], trust: Mapping[str, Any]) -> str:
    """The table of the README: one line a peer and setting."""
    sets = list(quality["sets"])
    timed = timed_set(quality)
    columns = [f"{TITLES[name]} R@10" for name in sets] + ["search p50 ms", "turns/s", "disk MB"] + (["trust"] if trust else [])
    lines = [_row("memory", "setting", *columns), _rule(2 + len(columns))]
    for one in quality["peers"]:
        found = [_recall(one, name, ALL, "R@10") for name in sets]
        costs = [_cost(one, timed, cost) for cost in COSTS if cost.title in ("search p50 ms", "turns/s", "disk MB")]
        order = [costs[1], costs[0], costs[2]]
        held = [_held(trust, one["peer"], one["setting"])] if trust else []
        lines.append(_row(one["peer"], one["setting"], *found, *order, *held))
    said = "; ".join(f"{TITLES[name]}: {quality['sets'][name]['part']}" for name in sets)
    told = " Trust: scenarios in which it did nothing wrong and the right thing came back." if trust else ""
    return f"{said}.{told} [All of it, and what we lose](docs/benchmarks-peers.md).\n\n" + "\n".join(lines)


_HEAD = """# Beside other memories

Written by `just bench-report` from `bench/peers/results/`. What "default" and "best" are for each memory, what could not be run
and what to watch out for stands in [decisions/0019](decisions/0019-peers.md). All get the same messages in the same form
(`[8 May 2023] speaker: text`), the same embedder (all-MiniLM-L6-v2 in 8 bits; those that do not embed by themselves ask a server
on the same machine), no language model, and ten hits to give. One after the other in one run, each in a process of its own, timed
over the same line. **no**: it has no such thing.

onrecord's weights for what stands around a turn were fitted on LoCoMo; on conversations left out of the fit the figures are the
same within .005 ([benchmarks](benchmarks.md)). Nothing of the others was fitted on anything here."""


_COUNTED = """Wall-clock on a machine that does other things too: compare ratios. Where two settings of a memory take in alike,
their turns/s show what the load did meanwhile. Processor time is of the memory's own process and of what it started (Hindsight's
Postgres), and beside it what the embedding server took; onrecord and the plain vectors embed in their own process: it is in their
first figure, the model in their memory. Memory is the peak of its own process and what those it started hold at the end. Disk is
all it wrote; a Postgres that holds nothing yet is 40 MB of Hindsight's. BM25 and vectors are this project's store with one of its
rankings."""

_TRUSTED = """What a memory must not do, tried on each with the same hand-written scenarios (`just bench-trust`; each check is
defined in `bench/trust/checks.py`). `7/8`: it held in seven of the eight scenarios that can be tried there. `7/8 (6/8)`: and in
six of eight the right thing came back too; who returns nothing does nothing wrong, so this stands wherever it was not in all.
**no**: it has no such thing.

The others are run without a language model and asked to keep every message as it is, so junk and orders are stored there by
construction; what their models would have left out is not measured."""


def _run(quality: Mapping[str, Any]) -> str:
    machine, sample = quality["machine"], quality["sample"]
    times = sorted(part["at"] for one in quality["peers"] for part in one["sets"].values())
    chosen = f"--sets {','.join(quality['sets'])} --talks {sample['talks']} --every {sample['every']} --seed {sample['seed']}"
    return "\n".join(
        (
            "## What was run",
            "",
            *(f"- {TITLES[name]}: {_part(found)}" for name, found in quality["sets"].items()),
            f"- {', '.join(_versions(quality))}.",
            f"- {machine['cores']} shared cores, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}; "
            f"{times[0][:16]} to {times[-1][:16]} UTC; seed {sample['seed']}" + f"{_revisions(quality)}.",
            "",
            "Again:",
            "",
            "    python -m bench.peers.install",
            f"    python -m bench.peers.run ../shared/data {chosen} --out FILE",
            "    python -m bench.peers.agree bench/peers/results/quality.json FILE",
        )
    )


def _revisions(quality: Mapping[str, Any]) -> str:
    noted = {part.get("revision", "") for one in quality["peers"] for part in one["sets"].values()} - {""}
    return _commits(sorted(noted))


def _commits(noted: Sequence[str]) -> str:
    """The commits that figures are of, as the end of a sentence; ``revision.revision`` says what a plus is."""
    changed = " (+: with changes that are not committed)" if any(one.endswith("+") for one in noted) else ""
    return f"; onrecord at {', '.join(noted)}{changed}" if noted else ""


def _part(found: Mapping[str, Any]) -> str:
    counts = f"{found['talks']} talks, {found['turns']} turns, {found['questions']} questions"
    return f"{found['part']} ({counts}); embedded {found['embedded']}."


def _versions(quality: Mapping[str, Any]) -> Iterator[str]:
    homes = {name: entry.home for name, entry in entries().items()}
    for name, version in dict.fromkeys((one["peer"], one.get("version", "")) for one in quality["peers"]):
        yield f"[{name}]({homes[name]}) {version}" if name in homes else f"{name} {version}".strip()


def _set(quality: Mapping[str, Any], name: str) -> str:
    classes, figures = counted(quality, name), FIGURES[name]
    others = [each for each in classes if each not in (ALL, UNFAULTED)]
    columns = [*figures, *(f"{each} (n={classes[each]['n']})" for each in others)]
    spans = _all_have_spans(quality, name)
    lines = [
        f"## {TITLES[name]}",
        "",
        _counted_as(classes.get(ALL, {}).get("n", 0), figures, spans),
        "",
        _row("memory", "setting", *columns),
        _rule(2 + len(columns)),
    ]
    for one in quality["peers"]:
        found = [_recall(one, name, ALL, figure, span=spans and figure == "R@10") for figure in figures]
        found += [_recall(one, name, each, "R@10") for each in others]
        lines.append(_row(one["peer"], one["setting"], *found))
    return "\n".join([*lines, "", *_notes(quality, name)]).rstrip()


def _counted_as(count: int, figures: Sequence[str], spans: bool) -> str:
    drawn = " (in brackets the interval of 95 %)" if spans else ""
    sittings = "; `session_all@5` is of their sittings, among the hits" if "session_all@5" in figures else ""
    return f"Over all {count} questions that count{drawn}, then R@10 of each class. Recall is of turns with evidence{sittings}."


def _all_have_spans(quality: Mapping[str, Any], name: str) -> bool:
    """Whether all were run since intervals are taken: some with and some without would look like a difference."""
    parts = [one["sets"].get(name, {}).get("classes") for one in quality["peers"]]
    return all(found[ALL].get("intervals") for found in parts if found)


def _notes(quality: Mapping[str, Any], name: str) -> Iterator[str]:
    for one in quality["peers"]:
        part = one["sets"].get(name, {})
        if "failed" in part:
            yield f"- {one['peer']} ({one['setting']}) failed: {part['failed']}"
        elif (found := part.get("verbatim@10")) is not None and found < 1:
            yield f"- {one['peer']} ({one['setting']}) has {found:.2f} of lines among its hits for their own words."


def _costs(quality: Mapping[str, Any]) -> str:
    timed = timed_set(quality)
    lines = [
        "## What it costs",
        "",
        f"Of {TITLES[timed]}, where each embeds afresh. {_COUNTED}",
        "",
        _row("memory", "setting", *(cost.title for cost in COSTS)),
        _rule(2 + len(COSTS)),
    ]
    lines += [_row(one["peer"], one["setting"], *(_cost(one, timed, cost) for cost in COSTS)) for one in quality["peers"]]
    return "\n".join(lines)


def _trust(trust: Mapping[str, Any]) -> str:
    return "\n".join(
        (
            "## Trust",
            "",
            _TRUSTED,
            "",
            "A fault is:",
            "",
            *(f"- **{COLUMNS[check].heading}**: {COLUMNS[check].fault}" for check in CHECKS),
            "",
            _when(trust),
            "",
            table(trust),
        )
    )


def _when(trust: Mapping[str, Any]) -> str:
    dates = sorted({one["date"] for one in trust.values()})
    noted = sorted({one["revision"] for one in trust.values() if one.get("revision")})
    return f"Run {' and '.join(dict.fromkeys((dates[0], dates[-1])))}{_commits(noted)}."


def _held(trust: Mapping[str, Any], peer: str, setting: str) -> str:
    """Of the scenarios that could be tried, those in which it held and the right thing came back."""
    found = trust.get(key(peer, setting))
    if found is None:
        return "not run"
    tried = [one for one in found["verdicts"] if one["verdict"] != NO]
    return f"{sum(one['verdict'] == HELD and one['answered'] is not False for one in tried)} of {len(tried)}"


def _recall(one: Mapping[str, Any], name: str, each: str, figure: str, *, span: bool = False) -> str:
    part = one["sets"].get(name)
    if part is None:
        return "not run"
    if "failed" in part:
        return FAILED
    if not part["classes"]:
        return NO
    found = part["classes"][each]
    ends = found.get("intervals", {}).get(figure) if span else None
    return f"{found[figure]:.3f}" + (f" ({ends[0]:.2f}–{ends[1]:.2f})" if ends else "")


def _cost(one: Mapping[str, Any], name: str, cost: Cost) -> str:
    part = one["sets"].get(name)
    if part is None or "failed" in part:
        return "not run" if part is None else FAILED
    value = at(part, cost.path)
    return NO if value is None else format(value, ",")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _rule(columns: int) -> str:
    return "|" + "---|" * columns


def load(path: Path) -> Any:
    """The content of a file of results; ``None`` if there is none."""
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=Path("docs/benchmarks-peers.md"))
    parser.add_argument("--readme", type=Path, default=Path("README.md"))
    given = parser.parse_args()
    quality, trust = load(given.results / "quality.json") or {}, load(given.results / "trust.json") or {}
    given.docs.write_text(page(quality, trust), "utf-8")
    if quality:
        write_section(given.readme, _PART, short(quality, trust))


if __name__ == "__main__":
    main()
