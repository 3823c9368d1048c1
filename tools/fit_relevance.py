"""Fits how relevant a record is (``policy/relevance.py``) on labelled conversations, and says how well that holds for others.

    python tools/fit_relevance.py ../shared/data/keepsakes bench/conversations/{a,b,c}

For each probe that has an answer on record: the answer in its own memory, beside the best record that the same question finds
in the memory of another conversation. Logistic regression (C = 10) over cosine and share, each writer (folder) weighing the
same. ``left out`` is fitted on the other writers and tested on this one: AUROC of answers against foreign records, then what
the floor keeps of the answers and refuses of foreign records, and of probes that want silence.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from onrecord.evals.keepsakes_gold import Probe, Scenario, load
from onrecord.evals.keepsakes_play import HandClock
from onrecord.memory import Memory
from onrecord.model.trace import Hit

_STRENGTH, _DEPTH, _FLOOR = 10.0, 5, 0.3
Row = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Case:
    """What one probe found: cosine and share of the answer on record, of the best record if it wants silence, and of the best
    foreign record; ``None`` where there is none."""

    writer: str
    answer: Row | None
    silence: Row | None
    foreign: Row | None


class Played:
    """A conversation played to its end, with what its probes found on the way."""

    def __init__(self, scenario: Scenario, file: Path) -> None:
        self.scenario, self._clock, self._ids = scenario, HandClock(), dict[str, str]()
        self.memory = Memory(file, clock=self._clock)
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
        """The records nearest to a probe's question in the memory of a subject, however weak."""
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


def cases(folders: Sequence[Path], place: Path) -> Iterator[Case]:
    """Every probe of every folder."""
    for folder in folders:
        played = [Played(one, place / f"{folder.name}-{one.id}.db") for one in load(folder)]
        for n, one in enumerate(played):
            other = played[(n + 1) % len(played)]
            for probe, hits in one.found:
                right = [hit for hit in hits if one.answers(probe, hit)]
                yield Case(
                    writer=folder.name,
                    answer=_row(right) if probe.expect else None,
                    silence=_row(hits) if probe.abstain else None,
                    foreign=_row(other.ask(probe, other.largest)) if probe.expect else None,
                )


def _row(hits: Sequence[Hit]) -> Row | None:
    best = max(hits, key=lambda hit: hit.relevance, default=None)
    return (best.parts.get("cosine", 0.0), min(best.parts.get("bm25", 0.0), 1.0)) if best else None


def fitted(rows: Sequence[Case]) -> LogisticRegression:
    """The function that tells answers from foreign records, each writer weighing the same."""
    known = [(one.writer, row, label) for one in rows for row, label in ((one.answer, 1), (one.foreign, 0)) if row]
    sizes = {(writer, label): sum(w == writer and y == label for w, _, y in known) for writer, _, label in known}
    weights = [1.0 / sizes[writer, label] for writer, _, label in known]
    scale = len(known) / sum(weights)
    model = LogisticRegression(C=_STRENGTH)
    return model.fit([row for _, row, _ in known], [y for _, _, y in known], [weight * scale for weight in weights])


def chances(model: LogisticRegression, rows: Sequence[Row]) -> NDArray[np.float64]:
    """The relevance of each row."""
    found: NDArray[np.float64] = model.predict_proba(list(rows))[:, 1]
    return found


def auroc(right: NDArray[np.float64], wrong: NDArray[np.float64]) -> float:
    """How often a right one is above a wrong one."""
    return float(np.mean((right[:, None] > wrong) + 0.5 * (right[:, None] == wrong)))


def report(name: str, model: LogisticRegression, rows: Sequence[Case], floor: float) -> str:
    """One line."""
    right, wrong, silent = (
        chances(model, [row for row in column if row])
        for column in ([o.answer for o in rows], [o.foreign for o in rows], [o.silence for o in rows])
    )
    return (
        f"{name}: AUROC {auroc(right, wrong):.3f} ({len(right)}, {len(wrong)}), keeps {np.mean(right >= floor):.3f}, refuses "
        f"{np.mean(wrong < floor):.3f}; of {len(silent)} that want silence AUROC {auroc(right, silent):.3f}, refuses "
        f"{np.mean(silent < floor):.3f}"
    )


def main(folders: Sequence[Path]) -> None:
    """Prints the fit, and how it does on each writer left out."""
    with tempfile.TemporaryDirectory() as place:
        rows = list(cases(folders, Path(place)))
    whole = fitted(rows)
    print(f"bias {whole.intercept_[0]:.2f}, cosine {whole.coef_[0][0]:.2f}, share {whole.coef_[0][1]:.2f}")
    for floor in (0.2, 0.25, _FLOOR, 0.35, 0.4, 0.5):
        print(report(f"in sample, floor {floor}", whole, rows, floor))
    for writer in dict.fromkeys(one.writer for one in rows):
        model = fitted([one for one in rows if one.writer != writer])
        print(report(f"left out {writer}, floor {_FLOOR}", model, [one for one in rows if one.writer == writer], _FLOOR))


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
