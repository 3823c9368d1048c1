"""What taking in a chat and asking about it cost, in processor time of all threads, and what of it the embedder takes.

    python -m bench.intake ../shared/data [--talks 3] [--questions 100]

LoCoMo as ``bench.peers`` runs it: the same conversations, a call of ``Memory.add`` for each sitting, then the first questions of
each conversation, with both settings of ``bench.peers.own``. To compare two states of the code, run it with either, in turns.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import groupby, islice
from pathlib import Path

from bench.peers.measure import LIMIT, messages_of
from bench.peers.own import OnRecord
from bench.peers.peer import BEST
from bench.peers.sample import Sample

from onrecord.evals.dataset import Dataset
from onrecord.ports import Embedder, Vector
from onrecord.providers.embed import MiniLmEmbedder
from onrecord.providers.embed.cache import VectorCache


class Timed:
    """Another embedder, and the processor seconds and texts that it took."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self.seconds, self.texts = inner, 0.0, 0

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dim(self) -> int:
        """The inner embedder's dimension."""
        return self._inner.dim

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        """As the inner embedder."""
        began = time.process_time()
        found = self._inner.embed_documents(texts)
        self.seconds += time.process_time() - began
        self.texts += len(texts)
        return found

    def embed_query(self, text: str) -> Vector:
        """As the inner embedder."""
        began = time.process_time()
        found = self._inner.embed_query(text)
        self.seconds += time.process_time() - began
        self.texts += 1
        return found


def take_in(memory: OnRecord, dataset: Dataset) -> int:
    """Takes in every conversation; how many turns."""
    for talk in dataset.talks.values():
        for _, sitting in groupby(messages_of(talk), key=lambda message: message.thread):
            memory.add(talk.id, list(sitting))
    return sum(len(talk.lines) for talk in dataset.talks.values())


def ask(memory: OnRecord, dataset: Dataset, questions: int) -> int:
    """Asks the first questions of each conversation; how many."""
    asked = 0
    for id in dataset.talks:
        for question in islice((one for one in dataset.questions if one.talk == id), questions):
            memory.search(id, question.text, LIMIT)
            asked += 1
    return asked


def line(name: str, seconds: float, count: int, embedder: Timed, before: tuple[float, int]) -> None:
    """One row of the table."""
    embedding, texts = embedder.seconds - before[0], embedder.texts - before[1]
    each = 1000 / max(count, 1)
    print(f"{name:<28} {count:>6} {seconds * each:>9.2f} {embedding * each:>10.2f} {texts / max(count, 1):>9.2f}", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--talks", type=int, default=3)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    dataset = Sample(talks=given.talks).of("locomo", given.data)
    embedder = Timed(MiniLmEmbedder())
    embedder.embed_query("loads the model")
    print(f"{'processor ms of each':<28} {'calls':>6} {'all':>9} {'embedding':>10} {'texts':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for setting in ("default", BEST):
            memory = OnRecord(setting, VectorCache(embedder))
            memory.open(Path(folder))
            for name, step in (("turn taken in", take_in), ("search", lambda m, d: ask(m, d, given.questions))):
                if (name, setting) == ("turn taken in", BEST):
                    continue  # the same as before: it is on record
                before, began = (embedder.seconds, embedder.texts), time.process_time()
                count = step(memory, dataset)
                line(f"{name}, {setting}", time.process_time() - began, count, embedder, before)
            memory.close()


if __name__ == "__main__":
    main()
