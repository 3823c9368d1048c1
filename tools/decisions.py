"""Writes down what is decided of conversations that are taken in, so that two states of the code can be compared.

    python -m tools.decisions ../shared/data before.jsonl; ...; python -m tools.decisions ../shared/data after.jsonl
    cmp before.jsonl after.jsonl

The first ``--talks`` of LoCoMo, a call of ``Memory.add`` for each sitting, then every conversation of keepsakes and of
``bench/conversations``, a call for each turn. A line for each call, with its receipt (every candidate with its result and reason,
every change with all its fields), and one for each subject at the end: its records, verdicts, and the cosine that each stored
vector has to one that is given. Ids are numbers, the clock stands at the newest turn.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from tools.fit_tiers import CACHE, first_talks

from onrecord.build import open_embedder
from onrecord.evals import locomo
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.keepsakes_gold import load
from onrecord.evals.keepsakes_play import HandClock
from onrecord.memory import Memory
from onrecord.model.query import Corpus, View
from onrecord.model.receipt import Receipt
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.ports import Embedder

#: More rows than any of these subjects has.
_EVERY = 1_000_000
HERE = Path(__file__).parent.parent / "bench" / "conversations"


class IdsByKind:
    """Ids that count up for each prefix: more of one kind does not change those of another."""

    def __init__(self) -> None:
        self._last: Counter[str] = Counter()

    def __call__(self, prefix: str) -> str:
        """The next id."""
        self._last[prefix] += 1
        return f"{prefix}_{self._last[prefix]:08}"


def of_locomo(file: Path, talks: int, place: Path, embedder: Embedder) -> Iterator[dict[str, Any]]:
    """The calls of LoCoMo, and what they leave."""
    clock = HandClock()
    with Memory(place, embedder=embedder, clock=clock, ids=IdsByKind()) as memory:
        for talk in first_talks(locomo.load(file), talks).talks.values():
            for thread, sitting in groupby(talk.lines, key=lambda line: line.session):
                said = list(sitting)
                clock.put(max(clock.now, *(line.at for line in said)))
                messages = [
                    {"id": one.id, "role": one.role.value, "name": one.author, "content": one.text, "at": one.at} for one in said
                ]
                yield told(memory.add(messages, user_id=talk.id, session_id=thread))
        yield from standing(memory)


def of_conversations(folder: Path, place: Path, embedder: Embedder) -> Iterator[dict[str, Any]]:
    """The calls of labelled conversations, and what they leave."""
    for scenario in load(folder):
        clock = HandClock()
        with Memory(place / f"{scenario.id}.db", embedder=embedder, clock=clock, ids=IdsByKind()) as memory:
            for turn in scenario.turns:
                clock.put(max(clock.now, turn.at))
                message = {"role": turn.role.value, "content": turn.text, "name": turn.author, "at": turn.at, "id": turn.id}
                yield told(memory.add([message], subject=turn.subject, session_id=turn.origin.thread))
            yield from standing(memory)


def told(receipt: Receipt) -> dict[str, Any]:
    """A receipt as it is compared."""
    return {
        "turns": [asdict(turn) for turn in receipt.turns],
        "items": [asdict(item) for item in receipt.items],
        "changes": [{"type": type(change).__name__, **asdict(change)} for change in receipt.changes],
    }


def standing(memory: Memory) -> Iterator[dict[str, Any]]:
    """What is stored of each subject."""
    engine = memory.engine
    asked = engine.embedder.embed_query("what is known")
    for tenant, subject in engine.store.subjects():
        reach = Reach(tenant, (subject,))
        view = View(reach=reach, statuses=frozenset(Status))
        yield {
            "subject": subject,
            "records": [asdict(record) for record in engine.store.select(view)],
            "verdicts": [asdict(verdict) for verdict in engine.store.verdicts(reach, limit=_EVERY)],
            "vectors": engine.store.nearest(view, Corpus.RECORDS, engine.embedder.name, asked, limit=_EVERY),
        }


def lines(data: Path, talks: int, conversations: Sequence[Path], place: Path) -> Iterator[dict[str, Any]]:
    """Everything, in order."""
    embedder = CachedEmbedder(open_embedder("minilm"), CACHE)
    yield from of_locomo(data / "locomo/locomo10.json.gz", talks, place / "locomo.db", embedder)
    for folder in conversations:
        yield from of_conversations(folder, place, embedder)


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--talks", type=int, default=2)
    given = parser.parse_args()
    folders = [given.data / "keepsakes", *sorted(path for path in HERE.iterdir() if path.is_dir())]
    with tempfile.TemporaryDirectory() as place, given.file.open("w", encoding="utf-8") as out:
        for line in lines(given.data, given.talks, folders, Path(place)):
            print(json.dumps(line, ensure_ascii=False, sort_keys=True, default=str), file=out)


if __name__ == "__main__":
    main()
