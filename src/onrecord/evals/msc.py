"""Multi-Session Chat (Xu et al. 2021, ParlAI): captured facts against those that people wrote down for each turn.

Each dialogue is read twice, once from the side of each speaker: their words are the user's, the other's the assistant's. Capture
runs alone, without a store. A fact in this set is any statement about the speaker, said in two thirds of the turns, lasting or
not; a memory that refuses what does not last cannot reach a high recall here, and should not.

* A turn's human facts are the sentences of its ``fact``; its captured facts the accepted candidates.
* *token F1* of two texts: harmonic mean of precision and recall of their words, as SQuAD has it (``evals.metrics.token_f1``).
* A captured fact *matches* a human one of the same turn from a token F1 of 0.5 on; one-to-one, the best pair first. *precision*
  is matches / captured facts, *recall* matches / human facts, *f1* their harmonic mean.
* *token_f1*: the mean, over turns with a human fact, of the token F1 of all captured text against all human text (0 where nothing
  was captured); *token_f1_captured* the same over those where something was.
* *turn_precision*: of the turns where anything was captured, those with a human fact; *turn_recall*: of the turns with a human
  fact, those where anything was captured.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.evals.keepsakes import BEFORE, Capture, Progress
from onrecord.evals.keepsakes_score import share
from onrecord.evals.keepsakes_write import f1
from onrecord.evals.metrics import token_f1
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Act
from onrecord.policy.speech.sentences import sentences

#: Two facts are the same from this token F1 on.
MATCH = 0.5
_BEGIN = datetime(2024, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Read:
    """One turn of a speaker: its words, what people wrote down of it, and what was captured."""

    id: str
    pair: str
    speaker: str
    text: str
    human: tuple[str, ...]
    captured: tuple[str, ...]


def evaluate_msc(path: Path, capture: Capture, *, limit: int | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """The report over the first ``limit`` pairs of ``valid_with_facts.jsonl.gz``; rows for the turns that went wrong."""
    pairs = load(path, limit)
    reads: list[Read] = []
    for done, pair in enumerate(pairs, start=1):
        reads += read_pair(pair, capture)
        if progress is not None:
            progress(done, len(pairs))
    return report(reads)


def load(path: Path, limit: int | None = None) -> list[Mapping[str, Any]]:
    """The first ``limit`` pairs of the file, or of the plain one."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for _, line in zip(range(10**9 if limit is None else limit), lines, strict=False)]


def read_pair(pair: Mapping[str, Any], capture: Capture) -> Iterator[Read]:
    """What capture makes of one pair's dialogues, from both sides."""
    speakers = sorted({said["speaker"] for session in pair["sessions"].values() for said in session["dialog"]})
    for speaker in speakers:
        for number, session in pair["sessions"].items():
            turns = _turns(pair["id"], number, session["dialog"], speaker)
            for n, (turn, said) in enumerate(zip(turns, session["dialog"], strict=True)):
                if turn.role is Role.USER:
                    found = capture(turn, turns[max(0, n - BEFORE) : n])
                    captured = tuple(one.statement for one in found if one.act is Act.ASSERT)
                    yield Read(turn.id, pair["id"], speaker, turn.text, human_facts(said["fact"]), captured)


def human_facts(fact: str | None) -> tuple[str, ...]:
    """The sentences of what a person wrote down."""
    return tuple(sentence.text for sentence in sentences(fact or ""))


def matches(captured: Sequence[str], human: Sequence[str]) -> int:
    """How many captured facts match a human one, one-to-one, the best pair first."""
    ranked = sorted(((-token_f1(a, b), i, j) for i, a in enumerate(captured) for j, b in enumerate(human)))
    left: set[int] = set()
    right: set[int] = set()
    for negative, i, j in ranked:
        if -negative >= MATCH and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return len(left)


def report(reads: Sequence[Read]) -> dict[str, Any]:
    """All rates with their counts."""
    matched = [matches(read.captured, read.human) for read in reads]
    precision = share(sum(matched), sum(len(read.captured) for read in reads))
    recall = share(sum(matched), sum(len(read.human) for read in reads))
    both = sum(bool(read.captured and read.human) for read in reads)
    scores = [token_f1(" ".join(read.captured), " ".join(read.human)) for read in reads if read.human]
    caught = [token_f1(" ".join(read.captured), " ".join(read.human)) for read in reads if read.human and read.captured]
    return {
        "turns": len(reads),
        "precision": precision,
        "recall": recall,
        "f1": f1(precision["rate"], recall["rate"]),
        "token_f1": {"rate": _mean(scores), "of": len(scores)},
        "token_f1_captured": {"rate": _mean(caught), "of": len(caught)},
        "turn_precision": share(both, sum(bool(read.captured) for read in reads)),
        "turn_recall": share(both, len(scores)),
        "rows": _rows(reads, lambda n: matched[n] < len(reads[n].captured)),
        "questions": [_row(read, n) for read, n in zip(reads, matched, strict=True) if read.human or read.captured],
    }


def _row(read: Read, matched: int) -> dict[str, Any]:
    """A turn with a fact on either side: how many match, and the values that can be averaged."""
    values = {"token_f1": token_f1(" ".join(read.captured), " ".join(read.human))} if read.human else {}
    if read.human:
        values["recall"] = matched / len(read.human)
    if read.captured:
        values["precision"] = matched / len(read.captured)
    told = {"human": list(read.human), "captured": list(read.captured), "matched": matched}
    return {"id": read.id, "talk": read.pair, "speaker": read.speaker, "text": read.text, **told, "systems": {"onrecord": values}}


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _rows(reads: Sequence[Read], wrong: Callable[[int], bool]) -> list[dict[str, Any]]:
    """The turns where something captured matches no human fact."""
    return [
        {"pair": r.pair, "speaker": r.speaker, "text": r.text, "human": list(r.human), "captured": list(r.captured)}
        for n, r in enumerate(reads)
        if wrong(n)
    ]


def _turns(pair: str, number: str, dialog: Sequence[Mapping[str, Any]], speaker: str) -> list[Turn]:
    begin = _BEGIN + timedelta(days=7 * int(number))
    return [
        Turn(
            id=f"{pair}/{number}/{n}",
            tenant="msc",
            subject=f"user:{speaker}",
            origin=Origin(thread=f"{pair}/{number}"),
            role=Role.USER if said["speaker"] == speaker else Role.ASSISTANT,
            author=said["speaker"],
            text=said["text"],
            at=begin + timedelta(seconds=30 * n),
            written_at=begin + timedelta(seconds=30 * n),
            seq=n + 1,
        )
        for n, said in enumerate(dialog)
    ]
