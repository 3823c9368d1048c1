"""Questions answered end to end: what a way of remembering shows is given to a model, and its answer is held against the key.

Every way gets the same model, the same prompt and the same tokens. Where there is no judge, an answer is *right* if every word of
the key stands in it (*contained*); with one, if the judge says so. A question that cannot be answered is right if the model says
that it is not known.

* *F1*: the token F1 of answer and key (SQuAD's, ``metrics.token_f1``), 0 where the model says that it is not known.
* *right*: as above. *tokens*: of what was shown, as the memory counts.
* What went wrong, where it did: *not retrieved*: not all lines that answer it were shown; *not used*: all of them were, and the
  answer is wrong all the same; *no evidence*: the set does not say which lines answer it; *made up*: an answer to what was never
  said; *unusable*: the model answered nothing that can be read. *unjudged*: it is the judge's answer that cannot be read; such
  a question counts as contained or not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from statistics import fmean
from typing import Any

from onrecord.errors import ModelError, ModelUnavailable
from onrecord.evals.dataset import Dataset, Question
from onrecord.evals.ingest import ingest
from onrecord.evals.intervals import Span, intervals
from onrecord.evals.metrics import contains, token_f1
from onrecord.evals.ways import Shown, Ways
from onrecord.memory import Memory
from onrecord.policy.prompts.prompt import Prompt, parsed
from onrecord.ports import ChatModel, Usage
from onrecord.providers.scripted import SteppingClock

PROMPTS = ("answer", "judge")
FAULTS = ("not retrieved", "not used", "no evidence", "made up", "unusable")
_ANSWER: Mapping[str, Any] = {
    "type": "object",
    "properties": {"known": {"type": "boolean"}, "answer": {"type": "string"}},
    "required": ["known", "answer"],
    "additionalProperties": False,
}
_VERDICT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"correct": {"type": "boolean"}},
    "required": ["correct"],
    "additionalProperties": False,
}

#: What is being done, steps done, steps in all.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Given:
    """What a model answered. ``known`` is ``None`` where its answer could not be read."""

    known: bool | None
    answer: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers and who judges, and how much of the memory they see, in tokens."""

    reader: ChatModel
    judge: ChatModel | None = None
    budget: int = 2_000


@cache
def prompt(name: str) -> Prompt:
    """The prompt of that name, one of ``PROMPTS``."""
    return parsed(name, resources.files("onrecord.evals").joinpath(f"prompts/{name}.txt").read_text("utf-8"))


def evaluate_qa(
    dataset: Dataset,
    memory: Memory,
    clock: SteppingClock,
    answering: Answering,
    *,
    systems: Sequence[str],
    done: Iterable[str] = (),
    keep: Callable[[dict[str, Any]], None],
    progress: Progress | None = None,
) -> None:
    """Gives ``keep`` a row for each question that is not ``done``, as it is answered.

    ``memory`` must be empty, of the tenant ``ingest.TENANT``, and go by ``clock``, which is put at the time of each question;
    ``systems`` are of ``ways.WAYS``. Raises ``ModelUnavailable`` where a model is not there or will not answer now."""
    tick = progress or (lambda what, at, total: None)
    ingest(memory.engine, dataset, capture=True, progress=lambda at, total: tick("take in", at, total))
    ways, there, asked = Ways(memory, dataset), set(done), answerable(dataset)
    left = [question for question in asked if question.id not in there]
    for at, question in enumerate(left, len(asked) - len(left) + 1):
        clock.now = question.at
        shown = {system: ways.shown(system, question, answering.budget) for system in systems}
        keep(_row(question, shown, answering))
        tick("answer", at, len(asked))


def answerable(dataset: Dataset) -> list[Question]:
    """The questions that have an answer in words, or none at all."""
    return [question for question in dataset.questions if question.abstain or question.answer.strip()]


def report(rows: Sequence[Mapping[str, Any]], *, apart: Collection[str] = (), seed: int) -> dict[str, Any]:
    """The means with their intervals and what went wrong, for each system, over all and over each category; and the tokens that
    the models took. Categories ``apart`` are left out of *all*."""
    categories = sorted({row["category"] for row in rows})
    whole = [row for row in rows if row["category"] not in apart]
    classes = {"all": whole, **{name: [row for row in rows if row["category"] == name] for name in categories}}
    used = sum((Usage(*one) for row in rows for one in row["usage"].values()), Usage())
    return {
        "questions": len(rows),
        "classes": {name: _systems(found, seed) for name, found in classes.items() if found},
        "usage": {"calls": used.calls, "given": used.given, "cached": used.cached, "written": used.written},
    }


def ask(model: ChatModel, question: Question, shown: str) -> Given:
    """What the model makes of what it is shown."""
    asked = json.dumps({"question": question.text, "asked": f"{question.at:%Y-%m-%d %H:%M}"}, ensure_ascii=False)
    text = f"What the memory has:\n\n{shown.strip() or '(nothing)'}\n\n{asked}"
    found, usage = _complete(model, prompt("answer").text, text, _ANSWER)
    known, answer = found.get("known"), found.get("answer")
    if not isinstance(answer, str) or not isinstance(known, bool):
        return Given(None, "", usage)
    return Given(known, answer.strip() if known else "", usage)


def judged(model: ChatModel, question: Question, answer: str) -> tuple[bool | None, Usage]:
    """Whether the judge takes an answer for the key's; ``None`` where its own answer cannot be read."""
    put = {"question": question.text, "right answer": question.answer, "answer": answer}
    found, usage = _complete(model, prompt("judge").text, json.dumps(put, ensure_ascii=False), _VERDICT)
    correct = found.get("correct")
    return (correct if isinstance(correct, bool) else None), usage


def _complete(model: ChatModel, system: str, user: str, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], Usage]:
    try:
        found = model.complete(system, user, schema)
    except ModelUnavailable:
        raise
    except ModelError:
        return {}, Usage(1)
    return found, getattr(found, "usage", Usage(1))


def _row(question: Question, shown: Mapping[str, Shown], answering: Answering) -> dict[str, Any]:
    systems, answers, faults, usage, unjudged = {}, {}, {}, {}, []
    for system, seen in shown.items():
        given = ask(answering.reader, question, seen.text)
        right, used = _right(question, given, answering.judge)
        if right is None:
            unjudged.append(system)
            right = _contained(question, given)
        f1 = token_f1(given.answer, question.answer) if given.known and question.answer and not question.abstain else 0.0
        systems[system] = {**({} if question.abstain else {"F1": f1}), "right": float(right), "tokens": float(seen.tokens)}
        answers[system] = given.answer if given.known else None
        faults[system] = "" if right else fault(question, given, seen)
        total = given.usage + used
        usage[system] = [total.calls, total.given, total.cached, total.written]
    return {
        "id": question.id,
        "talk": question.talk,
        "category": question.category,
        "question": question.text,
        "key": question.answer,
        "abstain": question.abstain,
        "faulty": question.faulty,
        "answers": answers,
        "faults": faults,
        "unjudged": unjudged,
        "usage": usage,
        "systems": systems,
    }


def _right(question: Question, given: Given, judge: ChatModel | None) -> tuple[bool | None, Usage]:
    """Whether it is right, ``None`` where the judge cannot be read; nobody is asked of what is plain."""
    if question.abstain or not given.known or judge is None or not question.answer:
        return _contained(question, given), Usage()
    return judged(judge, question, given.answer)


def _contained(question: Question, given: Given) -> bool:
    if question.abstain:
        return given.known is False
    return bool(given.known and question.answer.strip() and _holds(given.answer, question.answer))


def _holds(answer: str, key: str) -> bool:
    try:
        return contains(answer, key) == 1.0
    except ValueError:  # a key of signs alone, such as an emoji
        return key.strip() in answer


def fault(question: Question, given: Given, seen: Shown) -> str:
    """Which of ``FAULTS`` a wrong answer is."""
    if given.known is None:
        return "unusable"
    if question.abstain:
        return "made up"
    if not question.gold:
        return "no evidence"
    return "not used" if question.gold <= seen.lines | seen.rested else "not retrieved"


def _systems(rows: Sequence[Mapping[str, Any]], seed: int) -> dict[str, dict[str, Any]]:
    return {system: _figures(rows, system, seed) for system in rows[0]["systems"]}


def _figures(rows: Sequence[Mapping[str, Any]], system: str, seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {"n": len(rows)}
    spans: dict[str, Span] = {}
    for name in ("right", "F1", "tokens"):
        asked = [row for row in rows if name in row["systems"][system]]
        if asked:
            values = [row["systems"][system][name] for row in asked]
            found[name] = round(fmean(values), 4)
            spans |= intervals({name: values}, [row["talk"] for row in asked], seed=seed)
    counts = {name: sum(row["faults"][system] == name for row in rows) for name in FAULTS}
    wide = {name: [round(end, 4) for end in span] for name, span in spans.items()}
    return {**found, "intervals": wide, "faults": counts, "unjudged": sum(system in row["unjudged"] for row in rows)}
