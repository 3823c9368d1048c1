"""``onrecord eval qa``: questions answered end to end by a model of your choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from onrecord.cli import render
from onrecord.cli.command import Desk
from onrecord.cli.eval.bench import Outcome, Output, Sample, Seed, deliver, open_bench, readable
from onrecord.cli.lines import Line, blank, joined, line, title
from onrecord.cli.render import under
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.evals.dataset import Dataset
    from onrecord.evals.qa import Answering


class Suite(StrEnum):
    """The sets whose questions have an answer in words."""

    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"
    BEAM = "beam"
    OWN = "own"


class Way(StrEnum):
    """What shows a model what was said."""

    ONRECORD = "onrecord"
    BM25 = "bm25"
    VECTORS = "vectors"
    WINDOW = "window"
    TRANSCRIPT = "transcript"


_NAMES: Mapping[Way, str] = {Way.WINDOW: "sliding window", Way.TRANSCRIPT: "whole transcript"}


@dataclass(frozen=True, slots=True)
class Answers:
    """Options of who answers, from what."""

    reader: Annotated[
        str | None, Option(metavar="MODEL", help="Who answers, such as URL#MODEL.  [default: the reader of the settings]")
    ] = None
    judge: Annotated[
        str | None, Option(metavar="MODEL", help="Who compares answers with the key; without one, words are compared.")
    ] = None
    system: Annotated[
        list[Way] | None,
        Option(metavar="WAY", help="onrecord, bm25, vectors, window or transcript; repeatable.  [default: onrecord]"),
    ] = None
    budget: Annotated[int, Option(metavar="N", min=100, help="Tokens of what is shown; of transcript, all there is.")] = 2_000
    sample: Sample = None
    seed: Seed = 1

    @property
    def systems(self) -> list[str]:
        """The ways, by the names that ``evals.ways`` has for them."""
        return [_NAMES.get(way, str(way)) for way in dict.fromkeys(self.system or [Way.ONRECORD])]


def qa(
    desk: Desk,
    suite: Annotated[Suite, Argument(metavar="SET", help="locomo, longmemeval, beam or own.")],
    path: Annotated[Path, Argument(metavar="PATH", help="Where it is: a file for locomo and own, a folder for the others.")],
    answers: Answers,
    output: Output,
) -> None:
    """Let a model answer the questions from what is remembered, and tell what was not found from what was not used."""
    from onrecord.evals.dataset import sampled
    from onrecord.evals.ingest import TENANT
    from onrecord.evals.qa import evaluate_qa, report
    from onrecord.providers.scripted import SteppingClock

    answering = _answering(desk, answers)
    dataset = _dataset(suite, path)
    part = sampled(dataset, answers.sample, answers.seed)
    run = _run(suite, answering, answers)
    clock = SteppingClock(part.questions[0].at)
    with (
        open_bench(desk, output) as bench,
        bench.row_file("qa", questions=dataset.digest, apart=sorted(dataset.apart), **run) as rows,
        render.meter(quiet=desk.json) as tick,
    ):
        with bench.memory(clock=clock, tenant=TENANT) as memory:
            meter, done = under(tick, f"{suite}, qa"), rows.ids()
            evaluate_qa(part, memory, clock, answering, systems=answers.systems, done=done, keep=rows.add, progress=meter)
        found = {**run, **report(rows.rows, apart=dataset.apart, seed=answers.seed)}
    parts = {f"qa-{suite}": qa_markdown(found)}
    deliver(desk, output, f"qa {suite} PATH --reader MODEL", Outcome(found, parts, list(qa_page(found))))


def _run(suite: Suite, answering: Answering, answers: Answers) -> dict[str, Any]:
    """What names a run."""
    from onrecord.evals.qa import PROMPTS, prompt

    return {
        "set": str(suite),
        "reader": answering.reader.name,
        "judge": answering.judge.name if answering.judge else "",
        "systems": answers.systems,
        "budget": answers.budget,
        "sample": answers.sample,
        "seed": answers.seed,
        "prompts": [prompt(name).tag for name in PROMPTS],
    }


def _answering(desk: Desk, answers: Answers) -> Answering:
    from onrecord.build import open_reader
    from onrecord.evals.qa import Answering

    settings = desk.settings
    choice = answers.reader or settings.reader
    if not choice:
        raise InvalidInput("--reader", "is missing", "name a model, e.g. --reader http://localhost:8080/v1#qwen (docs/models.md)")
    judge = open_reader(answers.judge, key=settings.chat_key) if answers.judge else None
    return Answering(open_reader(choice, key=settings.reader_key), judge, answers.budget)


def _dataset(suite: Suite, path: Path) -> Dataset:
    from onrecord.evals import beam, locomo, longmemeval, own
    from onrecord.evals.qa import answerable

    load = {Suite.LOCOMO: locomo.load, Suite.LONGMEMEVAL: longmemeval.load, Suite.BEAM: beam.load, Suite.OWN: own.load}
    with readable(path, "name the file of locomo or own, or the folder of another set"):
        dataset = load[suite](path)  # type: ignore[operator]
    if not answerable(dataset):
        raise InvalidInput("PATH", f"{path} holds no question of {suite} with an answer in words", "see docs/evaluation.md")
    return dataset  # type: ignore[no-any-return]


def qa_page(found: Mapping[str, Any]) -> Iterator[Line]:
    """For each class and system the figures, and what went wrong."""
    judged = f"judged by {found['judge']}" if found["judge"] else "judged by words"
    yield title(f"qa: {found['set']}", f"{found['questions']} questions, answered by {found['reader']}, {judged}")
    for name, systems in found["classes"].items():
        yield blank()
        yield line((str(name), "strong"), (f"  {next(iter(systems.values()))['n']} questions", "dim"))
        for system, values in systems.items():
            numbers = [f"{metric} {_figure(values, metric)}" for metric in ("right", "F1") if metric in values]
            wrong = [f"{count} {fault}" for fault, count in values["faults"].items() if count]
            yield line(joined(numbers, ""), (f"  {', '.join(wrong)}", "dim"), label=(system, "note"), width=18, indent=2)
    used = found["usage"]
    yield blank()
    yield line((f"{used['calls']} calls: {used['given']} tokens given, {used['written']} written", "dim"))


def qa_markdown(found: Mapping[str, Any]) -> str:
    """The same as a Markdown section."""
    faults = list(next(iter(next(iter(found["classes"].values())).values()))["faults"])
    judged = f"judged by {found['judge']}" if found["judge"] else "right where every word of the key stands in the answer"
    lines = [
        f"### qa: {found['set']}",
        "",
        f"{found['questions']} questions, answered by {found['reader']} ({found['prompts'][0]}) from {found['budget']} tokens;",
        f"{judged}.",
        "",
        "| class | n | system | right | F1 | tokens shown | " + " | ".join(faults) + " |",
        "|---|---|---|---|---|---|" + "---|" * len(faults),
    ]
    for name, systems in found["classes"].items():
        for system, values in systems.items():
            figures = [_figure(values, "right"), _figure(values, "F1"), f"{values['tokens']:.0f}"]
            counts = [str(values["faults"][fault]) for fault in faults]
            lines.append(f"| {name} | {values['n']} | {system} | " + " | ".join([*figures, *counts]) + " |")
    return "\n".join(lines) + "\n"


def _figure(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return ""
    span = values["intervals"].get(name)
    return f"{values[name]:.3f}" + (f" ({span[0]:.3f}–{span[1]:.3f})" if span else "")
