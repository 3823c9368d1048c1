"""Which part of the public sets is run: the same for every peer, and the same again from the same seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from onrecord.evals import locomo, longmemeval
from onrecord.evals.dataset import Dataset

#: Where each set lies in the folder of the data.
PLACES = {"locomo": "locomo/locomo10.json.gz", "longmemeval": "longmemeval_dev"}
#: Sets whose texts are embedded once for all peers: afresh, that would be most of the run. Their times are not comparable.
CACHED = frozenset({"longmemeval"})


@dataclass(frozen=True, slots=True)
class Sample:
    """``talks`` of LoCoMo's ten, and one of ``every`` questions of LongMemEval, each with its haystack; chosen by ``seed``."""

    talks: int = 3
    every: int = 8
    seed: int = 0

    def of(self, name: str, data: Path) -> Dataset:
        """The questions of a set that have an answer in the data, and the talks they need. Raises ``ValueError`` for no set."""
        if name not in PLACES:
            raise ValueError(f"--sets: there is no {name!r}; name any of {', '.join(PLACES)}")
        path = data / PLACES[name]
        return self._talks(locomo.load(path)) if name == "locomo" else self._questions(longmemeval.load(path))

    def said(self, name: str) -> str:
        """What was chosen, for the table."""
        if name == "locomo":
            return f"{self.talks} of 10 conversations, all their questions"
        return f"every {self.every}th question with its whole haystack"

    def _talks(self, dataset: Dataset) -> Dataset:
        chosen = set(Random(self.seed).sample(sorted(dataset.talks), min(self.talks, len(dataset.talks))))
        talks = {id: talk for id, talk in dataset.talks.items() if id in chosen}
        return replace(dataset, talks=talks, questions=tuple(one for one in dataset.scored if one.talk in chosen))

    def _questions(self, dataset: Dataset) -> Dataset:
        asked = dataset.scored[self.seed % self.every :: self.every]
        return replace(dataset, talks={one.talk: dataset.talks[one.talk] for one in asked}, questions=asked)
