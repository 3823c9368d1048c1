"""Finds the bias of records' relevance (``policy/recall/relevance.py``) on labelled conversations, and how it holds for others.

    python -m tools.fit_relevance ../shared/data/keepsakes bench/conversations/{a,b,c} [--embedder nomic] [--lexical 2.5]

The slopes are those of turns, fitted on public sets; what differs for records is how likely one is to answer before anything is
compared, as they are few and chosen. For each probe, right after its turn: the relevance of the most relevant answer on record;
of the best record, if the probe wants silence; and of the best record that the same question finds in another conversation.
A bias is judged by the mean over writers (folders) of what the floor keeps of the answers and refuses of the probes that want
silence. ``left out``: chosen on the other writers, tested on this one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tools.fit_tiers import CACHE

from onrecord.build import open_embedder
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.keepsakes_gold import Probe, Scenario, load
from onrecord.evals.keepsakes_play import HandClock
from onrecord.memory import Memory
from onrecord.model.query import Corpus
from onrecord.model.trace import Hit
from onrecord.policy.recall.relevance import Calibration, calibration, relevance
from onrecord.ports import Embedder

_DEPTH = 5
#: What a record's bias is tried above that of a turn.
_ABOVE = [round(0.5 + 0.1 * n, 1) for n in range(39)]
#: Cosine and share of a record, and the usual cosine there.
Row = tuple[float, float, float]
_NONE: Row = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Case:
    """What one probe found; ``None`` where there is nothing, or nothing is wanted."""

    writer: str
    answer: Row | None
    silence: Row | None
    foreign: Row | None


class Played:
    """A conversation played to its end, with what its probes found on the way."""

    def __init__(self, scenario: Scenario, file: Path, embedder: Embedder) -> None:
        self.scenario, self._clock, self._ids = scenario, HandClock(), dict[str, str]()
        self.memory = Memory(file, clock=self._clock, embedder=embedder)
        self.found: list[tuple[Probe, list[Hit]]] = []
        for turn in scenario.turns:
            self._clock.put(turn.at)
            message = {"role": turn.role.value, "content": turn.text, "name": turn.author, "at": turn.at, "id": turn.id}
            stored = self.memory.add([message], subject=turn.subject, session_id=turn.origin.thread).turns[0]
            self._ids[stored.turn_id or ""] = turn.id
            for probe in (probe for probe in scenario.probes if probe.after == turn.id):
                self._clock.put(probe.at)
                self.found.append((probe, self.ask(probe, probe.subject)))

    def ask(self, probe: Probe, subject: str) -> list[Hit]:
        """The records that a probe's question finds in the memory of a subject, however weak."""
        as_of = self.scenario.end_of(probe.as_of) if probe.as_of else None
        return list(
            self.memory.search(probe.query, subject=subject, include="records", threshold=0.0, limit=_DEPTH, as_of=as_of).hits
        )

    def answers(self, probe: Probe, hit: Hit) -> bool:
        """Whether a hit rests on a turn that the probe expects, or on one that says the same."""
        same = {turn for pair in self.scenario.restated if set(pair) & set(probe.expect) for turn in pair}
        return bool({self._ids.get(source) for source in hit.sources} & (same | set(probe.expect)))

    @property
    def largest(self) -> str:
        """The subject with the most turns."""
        subjects = [turn.subject for turn in self.scenario.turns]
        return max(dict.fromkeys(subjects), key=subjects.count)


def cases(folders: Sequence[Path], place: Path, embedder: Embedder) -> Iterator[Case]:
    """Every probe of every folder."""
    for folder in folders:
        played = [Played(one, place / f"{folder.name}-{one.id}.db", embedder) for one in load(folder)]
        for n, one in enumerate(played):
            other = played[(n + 1) % len(played)]
            for probe, hits in one.found:
                yield Case(
                    writer=folder.name,
                    answer=_row([hit for hit in hits if one.answers(probe, hit)]) if probe.expect else None,
                    silence=_row(hits) if probe.abstain else None,
                    foreign=_row(other.ask(probe, other.largest)) if probe.expect else None,
                )


def _row(hits: Sequence[Hit]) -> Row:
    """That of the most relevant hit; of none, as if nothing were alike."""
    best = max(hits, key=lambda hit: hit.relevance, default=None)
    return (best.parts.get("cosine", 0.0), min(best.parts.get("bm25", 0.0), 1.0), best.parts.get("usual", 0.0)) if best else _NONE


def shares(rows: Sequence[Case], shipped: Calibration, bias: float) -> Mapping[str, float]:
    """What the floor keeps of the answers on record, and refuses of the rest."""
    tried = replace(shipped, bias=bias)

    def above(column: Sequence[Row | None]) -> float:
        return float(np.mean([relevance(row[0], row[1], tried, row[2]) >= tried.floor for row in column if row]))

    kept = above([one.answer for one in rows])
    silent, foreign = 1 - above([one.silence for one in rows]), 1 - above([one.foreign for one in rows])
    return {"answers kept": kept, "silence kept": silent, "foreign refused": foreign, "balanced": (kept + silent) / 2}


def balanced(rows: Sequence[Case], shipped: Calibration, bias: float) -> float:
    """The mean over writers."""
    writers = dict.fromkeys(one.writer for one in rows)
    parts = [shares([one for one in rows if one.writer == writer], shipped, bias)["balanced"] for writer in writers]
    return sum(parts) / len(parts)


def line(name: str, found: Mapping[str, float]) -> str:
    """One row of the report."""
    return f"{name:24}" + "  ".join(f"{key} {value:.3f}" for key, value in found.items())


def main(folders: Sequence[Path], choice: str, lexical: float | None) -> None:
    """Prints what each bias does, and what a bias chosen on the other writers does for each."""
    embedder = CachedEmbedder(open_embedder(choice), CACHE)
    with tempfile.TemporaryDirectory() as place:
        rows = list(cases(folders, Path(place), embedder))
    shipped = calibration(embedder.name, Corpus.RECORDS)
    shipped = shipped if lexical is None else replace(shipped, lexical_weight=lexical)
    biases = [round(calibration(embedder.name, Corpus.TURNS).bias + above, 1) for above in _ABOVE]
    for bias in biases:
        mark = "shipped" if abs(bias - shipped.bias) < 0.05 else ""
        print(line(f"bias {bias} {mark}", shares(rows, shipped, bias)), f" over writers {balanced(rows, shipped, bias):.3f}")
    for writer in dict.fromkeys(one.writer for one in rows):
        others, own = [o for o in rows if o.writer != writer], [o for o in rows if o.writer == writer]
        best = max(biases, key=lambda bias: balanced(others, shipped, bias))
        print(line(f"left out {writer}, {best}", shares(own, shipped, best)))
        print(line(f"  shipped, {shipped.bias}", shares(own, shipped, shipped.bias)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--lexical", type=float, help="what shared words weigh, instead of what ships")
    given = parser.parse_args()
    main(given.folders, given.embedder, given.lexical)
