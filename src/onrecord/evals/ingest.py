"""Puts the talks of a data set into a memory: one subject for each talk, one thread for each sitting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from onrecord.evals.dataset import Dataset, Line, Talk
from onrecord.model.scope import Origin, Reach
from onrecord.model.turn import Turn
from onrecord.pipeline.capture import capture_turns
from onrecord.pipeline.journal import embed_turns
from onrecord.ports import Engine

T = TypeVar("T")

TENANT = "eval"
#: Turns of one transaction and of one call of the embedder.
_BATCH = 256

#: Turns taken in, turns in all.
Progress = Callable[[int, int], None]


def reach_of(talk: str) -> Reach:
    """What a question to this talk may see."""
    return Reach(TENANT, (f"talk:{talk}",))


def ingest(
    engine: Engine, dataset: Dataset, *, embed: bool = True, capture: bool = False, progress: Progress | None = None
) -> int:
    """Stores every line, embeds it (``embed``) and reads it (``capture``); how many there are. Lines keep their ids."""
    total, done = sum(len(talk.lines) for talk in dataset.talks.values()), 0
    for talk in dataset.talks.values():
        for lines in _batches(talk.lines, _BATCH):
            stored = [appended.turn for appended in engine.store.append([_turn(talk, line) for line in lines])]
            if embed:
                embed_turns(engine, stored)
            if capture:
                waiting = capture_turns(engine, stored).waiting
                late = sorted(
                    (turn for turn in stored if turn.id in waiting), key=lambda turn: (turn.written_at, turn.seq, turn.id)
                )
                capture_turns(engine, late)
            done += len(lines)
            if progress:
                progress(done, total)
    return total


def _turn(talk: Talk, line: Line) -> Turn:
    return Turn(
        id=line.id,
        tenant=TENANT,
        subject=f"talk:{talk.id}",
        origin=Origin(thread=line.session),
        role=line.role,
        author=line.author,
        text=line.text,
        at=line.at,
        written_at=line.at,
    )


def _batches(items: Iterable[T], size: int) -> Iterable[Sequence[T]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
