"""Writes down what searches answer, to the last digit, so that two states of the code can be compared.

    python -m tools.rankings ../shared/data before.jsonl; ...; python -m tools.rankings ../shared/data after.jsonl
    cmp before.jsonl after.jsonl

LoCoMo over its turns (every question of the first ``--talks``), and the probes of keepsakes over records and turns together,
asked where their conversations end. A line for each search: the question, its hits, and every candidate of its trace.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.fit_tiers import CACHE, first_talks

from onrecord.build import open_embedder
from onrecord.evals import locomo
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.ingest import ingest, reach_of
from onrecord.evals.keepsakes_gold import load
from onrecord.evals.keepsakes_play import HandClock
from onrecord.memory import Memory
from onrecord.model.query import Include, Query, View
from onrecord.model.trace import Trace
from onrecord.pipeline.retrieve import search
from onrecord.ports import Embedder


def of_locomo(file: Path, talks: int, place: Path, embedder: Embedder) -> Iterator[dict[str, Any]]:
    """The searches of LoCoMo."""
    dataset = first_talks(locomo.load(file), talks)
    with Memory(place, embedder=embedder) as memory:
        ingest(memory.engine, dataset)
        for question in dataset.questions:
            view = View(reach=reach_of(question.talk), valid_at=question.at)
            query = Query(text=question.text, view=view, include=Include.EPISODES, limit=10, now=question.at)
            yield _line(search(memory.engine, query).trace, {})


def of_keepsakes(folder: Path, place: Path, embedder: Embedder) -> Iterator[dict[str, Any]]:
    """The searches of keepsakes; ids that are drawn anew each time are told by the words they stand for."""
    for scenario in load(folder):
        clock = HandClock()
        with Memory(place / f"{scenario.id}.db", clock=clock, embedder=embedder) as memory:
            words: dict[str, str] = {}
            for turn in scenario.turns:
                clock.put(turn.at)
                message = {"role": turn.role.value, "content": turn.text, "name": turn.author, "at": turn.at, "id": turn.id}
                added = memory.add([message], subject=turn.subject, session_id=turn.origin.thread)
                words |= {stored.turn_id: turn.id for stored in added.turns if stored.turn_id}
            for probe in scenario.probes:
                clock.put(max(turn.at for turn in scenario.turns))
                found = memory.search(probe.query, subject=probe.subject)
                words |= {hit.id: f"{hit.text} {[words.get(ref) for ref in hit.sources]}" for hit in found.hits if hit.record}
                yield _line(found.trace, words)


def _line(trace: Trace, words: dict[str, str]) -> dict[str, Any]:
    every = [[words.get(one.id, ""), one.score, one.relevance, dict(one.parts), one.dropped] for one in trace.candidates]
    if not words:
        every = [[one.id, *row[1:]] for one, row in zip(trace.candidates, every, strict=True)]
    return {"query": trace.query, "hits": [words.get(id, id) for id in trace.returned], "candidates": every}


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--talks", type=int, default=10)
    given = parser.parse_args()
    embedder = CachedEmbedder(open_embedder("minilm"), CACHE)
    with tempfile.TemporaryDirectory() as folder, given.file.open("w", encoding="utf-8") as out:
        place = Path(folder)
        for line in of_locomo(given.data / "locomo/locomo10.json.gz", given.talks, place / "locomo.db", embedder):
            print(json.dumps(line, ensure_ascii=False, sort_keys=True), file=out)
        for line in of_keepsakes(given.data / "keepsakes", place, embedder):
            print(json.dumps(line, ensure_ascii=False, sort_keys=True), file=out)


if __name__ == "__main__":
    main()
