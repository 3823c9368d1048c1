"""A store grown to thousands of records with near-duplicates: precision of what a search returns, before and after consolidation.

    python -m bench.consolidate [--records 5000] [--seed 1] [--embedder hashing]
    python -m bench.consolidate --keepsakes FOLDER [--embedder minilm]

A person has a thing in each of many places. Every fact is on record several times, in wordings that write-time reconciliation
leaves beside each other when they come by import: asides, an order of words, a number spelled out, something added. Beside each
stands one that differs in a number, a name, a denial, which must stay. A question names a fact, and three facts that belong to it
(the same room): of the first five hits the share that are distinct facts of that room is the precision. ``found`` is the share of
questions whose fact is among them; ``lost`` counts facts of which no current record gives all values.

With ``--keepsakes`` the labelled conversations of a folder are played twice, and in the second go everything is consolidated
before each probe: what the probes find, before and after.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from onrecord.build import open_embedder
from onrecord.evals.keepsakes import evaluate_keepsakes
from onrecord.memory import Memory
from onrecord.model.change import Add
from onrecord.model.query import Include
from onrecord.model.record import ExpiryBasis, Kind, Record, Source, SourceType
from onrecord.model.scope import Reach, Scope
from onrecord.pipeline.consolidate import consolidate_all
from onrecord.pipeline.retrieve import Found
from onrecord.ports import Batch, Clock, Embedder
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.sqlite import SQLiteStore

NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
REACH = Reach("default", ("user:robin",))
_SIDES, _HOUSES = "north south east west upper lower old new".split(), "barn cellar attic loft shed hall".split()
_ROOMS = [f"{side} {house}" for side in _SIDES for house in _HOUSES]
_THINGS = "kayak lantern anvil loom harp telescope sledge churn bellows sextant easel tandem".split()
_COLOURS = "red blue green grey black white".split()
_SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()


@dataclass(frozen=True)
class Fact:
    """A thing in a room: what is said of it is known by its number and colour."""

    room: str
    thing: str
    colour: str
    number: int

    def wordings(self) -> tuple[str, ...]:
        """Ways to put it that say the same."""
        n, word = self.number, _SPELLED[self.number]
        return (
            f"The {self.colour} {self.thing} hangs on hook {n} in the {self.room}.",
            f"As I said, the {self.colour} {self.thing} hangs in the {self.room} on hook {word}.",
            f"The {self.colour} {self.thing} hangs on hook {word} in the {self.room}, by the way.",
            f"Just to remind you, the {self.colour} {self.thing} hangs on hook {n} in the {self.room}",
            f"The {self.colour} {self.thing} hangs in the {self.room} on hook {n}.",
        )

    def holds(self, text: str) -> bool:
        """Whether a text states it."""
        words = text.casefold().replace(_SPELLED[self.number], str(self.number))
        said = all(part in words for part in (self.room, self.thing, self.colour, f"hook {self.number}"))
        return said and " not " not in words


def main() -> None:
    """Prints the figures before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--keepsakes", type=Path)
    options = parser.parse_args()
    embedder = HashingEmbedder() if options.embedder == "hashing" else open_embedder(options.embedder)
    if options.keepsakes:
        for name, kind in (("before:", Memory), ("after: ", _Tidy)):
            print(name, probed(options.keepsakes, embedder, kind), flush=True)
        return
    rng = random.Random(options.seed)
    facts, records = grown(rng, options.records)
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder) / "grown.db", synchronous="NORMAL")
        with Memory(store=store, embedder=embedder, clock=lambda: NOW) as memory:
            fill(memory, embedder, records)
            asked = rng.sample(facts, k=min(options.questions, len(facts)))
            print("before:", measured(memory, facts, asked), flush=True)
            began, merged = time.monotonic(), 0
            while step := memory.maintain(limit=100_000).merged:
                merged += step
            print(f"merged {merged} in {time.monotonic() - began:.0f} s")
            print("after: ", measured(memory, facts, asked))


class _Tidy(Memory):
    """A memory that is consolidated before each search."""

    merged = 0

    def search(self, *args: Any, **asked: Any) -> Found:
        """What is found afterwards."""
        _Tidy.merged += consolidate_all(self.engine, run="upkeep_bench", limit=100_000, told=self.tenant).gone
        return super().search(*args, **asked)


def probed(folder: Path, embedder: Embedder, kind: type[Memory]) -> str:
    """What the probes of labelled conversations find in memories of a kind."""

    def fresh(clock: Clock) -> Memory:
        return kind(":memory:", embedder=embedder, clock=clock)

    report = evaluate_keepsakes(folder, fresh, include=[Include.BOTH], with_baselines=False)
    rates = report["recall"][Include.BOTH.value]
    names = ("hit@1", "hit@5", "recall@5", "forbidden", "abstention", "false_abstention")
    told = ", ".join(f"{name} {rates[name]['rate'] or 0:.3f} of {rates[name]['of']}" for name in names)
    return f"{told}; {_Tidy.merged} records merged"


def grown(rng: random.Random, count: int) -> tuple[list[Fact], list[Record]]:
    """Facts, and so many records of them: each in several wordings, and beside it one that is not so."""
    facts: list[Fact] = []
    texts: list[str] = []
    pairs = [(room, thing) for room in _ROOMS for thing in _THINGS]
    rng.shuffle(pairs)
    for room, thing in pairs * 4:
        if len(texts) >= count:
            break
        fact = Fact(room, thing, rng.choice(_COLOURS), rng.randrange(1, 13))
        if any((fact.room, fact.thing, fact.colour) == (other.room, other.thing, other.colour) for other in facts[-576:]):
            continue
        facts.append(fact)
        texts += rng.choices(fact.wordings(), k=rng.randint(2, 5))
        if rng.random() < 0.3:
            texts.append(f"The {fact.colour} {fact.thing} does not hang on hook {fact.number % 12 + 1} in the {fact.room}.")
    texts = texts[:count]
    rng.shuffle(texts)
    return facts, [_record(n, text) for n, text in enumerate(texts)]


def _record(n: int, text: str) -> Record:
    said = NOW - timedelta(days=60) + timedelta(minutes=n)
    return Record(
        id=f"rec_{n:06d}",
        tenant=REACH.tenant,
        subject=REACH.subjects[0],
        scope=Scope.USER,
        kind=Kind.STATED_FACT,
        statement=text,
        negation=" not " in text,
        source=Source(SourceType.USER_MESSAGE, f"turn_{n:06d}"),
        author="robin",
        confidence=0.85,
        trust=1.0,
        valid_from=said,
        valid_until=said + timedelta(days=365),
        expiry_basis=ExpiryBasis.DEFAULT,
        said_at=said,
        written_at=said,
    )


def fill(memory: Memory, embedder: Embedder, records: Sequence[Record]) -> None:
    """Writes records as they are."""
    for some in _batches(records, 250):
        matrix = embedder.embed_documents([record.text for record in some])
        changes = [Add(record=record, reason="imported") for record in some]
        vectors = {record.id: matrix[n] for n, record in enumerate(some)}
        batch = Batch(reach=REACH, now=NOW, actor="import", changes=changes, model=embedder.name, vectors=vectors)
        memory.engine.store.apply(batch)


def _batches(records: Sequence[Record], size: int) -> Iterator[Sequence[Record]]:
    for start in range(0, len(records), size):
        yield records[start : start + size]


def measured(memory: Memory, facts: Sequence[Fact], asked: Sequence[Fact]) -> str:
    """Precision at five, what is found, and what is lost."""
    current = [record.statement for record in memory.get_all(user_id="robin")]
    by_room: dict[str, list[Fact]] = {}
    for fact in facts:
        by_room.setdefault(fact.room, []).append(fact)
    precise, found = 0.0, 0
    for fact in asked:
        question = f"On which hook hangs the {fact.colour} {fact.thing} in the {fact.room}, and what else is in the {fact.room}?"
        hits = memory.search(question, user_id="robin", include="records", limit=5, threshold=0.0).hits
        stated = {other for other in by_room[fact.room] for hit in hits if other.holds(hit.text)}
        precise += len(stated) / 5
        found += fact in stated
    lost = sum(not any(fact.holds(text) for text in current) for fact in facts)
    shares = f"precision@5 {precise / len(asked):.3f}, found {found / len(asked):.3f}"
    return f"{len(current)} records, {shares}, lost {lost} of {len(facts)}"


if __name__ == "__main__":
    main()
