"""Trains the weights of the pair model (``src/onrecord/policy/correction/data/bonds.npz``) from labelled conversations and pairs.

    python -m tools.train_pairs --conversations DIR [DIR ...] [--lines FILE ...] [--out FILE] [--report]

Conversations have the form of the *keepsakes* data set; each folder is one hand. Every statement is put beside every earlier one
of its subject, with the cosines of the default embedder. ``--report`` prints for each hand, with weights trained on the others,
what the model names as the counterpart of each statement, and writes nothing. The same input gives the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tools.train_gate import hand_of

from onrecord.build import build
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.keepsakes_gold import Keep, Scenario, load
from onrecord.model.record import Record, Source, SourceType
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.capture.propose import propose
from onrecord.policy.correction import bonds
from onrecord.policy.correction.admit import candidate_record
from onrecord.policy.correction.parts import record_parts
from onrecord.policy.correction.resemblance import resemblances
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.judge import judge, judge_turn
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.policy.secrecy.redact import redact
from onrecord.ports import Embedder, Vector
from onrecord.testing.builders import a_turn

Array = NDArray[np.float64]

#: Inverse strength of the L2 penalty, chosen with one hand left out.
PENALTY = 0.3
#: What a written pair counts for beside one of a conversation, and a pair of statements that only stand in one block of lines,
#: where it is asked whether they are of one attribute: written pairs are plainer than conversations. Of two that are, they tell
#: as well as conversations do how they relate, so that they count so many times as much there.
LINE_WEIGHT, BLOCK_WEIGHT, KIND_FACTOR = 0.1, 0.033, 3.0
#: How often the parts that stand for a pair are chosen anew.
ROUNDS = 2
LINES = "lines"
OTHER, REPLACES, CONTRADICTS, REPEATS = "other", "replaces", "contradicts", "repeats"
LABELS = (OTHER, REPLACES, CONTRADICTS, REPEATS)
_POLICY = Policy()
_BEFORE = 8
#: Days between the statements of a written pair that does not say, in turn.
_GAPS = (3, 20, 75, 9, 150, 40)


@dataclass(frozen=True, slots=True)
class Example:
    """One pair: who wrote it, the new statement it belongs to, the features of both (first) and of their parts, and its label."""

    hand: str
    new: str
    old: str
    found: list[dict[str, float]]
    label: str
    weight: float = 1.0


Test: TypeAlias = Callable[[Example], bool]


@dataclass(frozen=True, slots=True)
class _Written:
    """A candidate as a record, with the turn of the conversation it rests on, and whether it goes on record by itself."""

    candidate: Candidate
    record: Record
    turn: str
    kept: bool = True

    def states(self, keep: Keep) -> int:
        """How well it states ``keep``: 2 in the statement, 1 in the quotation, else 0."""
        if keep.turn != self.turn:
            return 0
        return 2 if keep.said_in(self.record.statement) else int(keep.said_in(f"{self.record.statement}\n{self.record.quote}"))


# --- conversations


def conversations(folder: Path, embedder: Embedder) -> Iterator[Example]:
    """The pairs of all conversations in a folder."""
    for scenario in load(folder):
        yield from _of_conversation(scenario, hand_of(folder), embedder)


def _of_conversation(scenario: Scenario, hand: str, embedder: Embedder) -> Iterator[Example]:
    written = list(_written(scenario))
    labels = dict(_labels(scenario, written))
    vectors = _vectors(written, embedder)
    gone: set[str] = set()
    for n, new in enumerate(written):
        olds = [w for w in written[:n] if w.kept and w.record.subject == new.record.subject and w.record.id not in gone]
        if not olds:
            continue
        rows = _resemblances(new, olds, vectors)
        for found, old in zip(rows, olds, strict=True):
            label = labels.get((old.record.id, new.record.id), OTHER)
            if label == REPLACES:
                gone.add(old.record.id)
            yield Example(hand, f"{scenario.id}: {new.record.statement}", old.record.statement, found, label)


def _resemblances(new: _Written, olds: Sequence[_Written], vectors: Mapping[str, Vector]) -> list[list[dict[str, float]]]:
    """For each old statement the features of all pairs of parts that are compared."""
    mine = np.stack([vectors[part.text] for part in record_parts(new.record)])
    cosines = [(mine @ np.stack([vectors[part.text] for part in record_parts(old.record)]).T).tolist() for old in olds]
    found = resemblances(new.candidate, new.record, [old.record for old in olds], cosines)
    return [[dict(row.features) for row in rows] for rows in found]


def _vectors(written: Sequence[_Written], embedder: Embedder) -> dict[str, Vector]:
    texts = list(dict.fromkeys(part.text for one in written for part in record_parts(one.record)))
    return dict(zip(texts, embedder.embed_documents(texts), strict=True))


def _written(scenario: Scenario) -> Iterator[_Written]:
    """What the gate lets pass alone or as news, and what it should have."""
    for n, turn in enumerate(scenario.turns):
        clean = replace(turn, text=redact(turn.text).text)
        before = [t for t in scenario.turns[:n] if t.origin == turn.origin and t.subject == turn.subject][-_BEFORE:]
        if judge_turn(clean, _POLICY) is not None:
            continue
        keeps = [keep for keep in scenario.keeps if keep.turn == turn.id]
        for candidate in propose(clean, before, _POLICY, DEFAULT):
            if candidate.act is Act.FORGET:
                continue
            record = candidate_record(candidate, _POLICY, candidate.said_at)
            ruling = judge(candidate, clean, before, _POLICY)
            one = _Written(candidate, record, turn.id)
            if any(map(one.states, keeps)) or ruling.accepted or ruling.likely:
                yield replace(one, kept=ruling.accepted or any(map(one.states, keeps)))


def _labels(scenario: Scenario, written: Sequence[_Written]) -> Iterator[tuple[tuple[str, str], str]]:
    for old, new, key in scenario.supersede:
        yield from _label(written, scenario.keep(old, key), scenario.keep(new, key), REPLACES)
    for pairs, label in ((scenario.conflict, CONTRADICTS), (scenario.restated, REPEATS)):
        for one, two in pairs:
            for key in (key for key in scenario.keys(one) if key in scenario.keys(two)):
                yield from _label(written, scenario.keep(one, key), scenario.keep(two, key), label)


def _label(written: Sequence[_Written], was: Keep, now: Keep, label: str) -> Iterator[tuple[tuple[str, str], str]]:
    old, new = (_best(written, keep) for keep in (was, now))
    if old.states(was) and new.states(now):
        yield (old.record.id, new.record.id), label


def _best(written: Sequence[_Written], keep: Keep) -> _Written:
    return max(written, key=lambda one: one.states(keep))


# --- written pairs


def lines(path: Path, embedder: Embedder) -> Iterator[Example]:
    """The pairs ``LABEL<tab>OLD<tab>NEW[<tab>HOW]`` of a file, in blocks that end with an empty line or one that begins with #.

    ``HOW`` holds any of: a number of days between the two; ``voice``, somebody else says it; ``doc``, a document says it;
    ``docs``, both are documents'. Each new statement also stands beside the other old ones of its block, which it has nothing to
    do with.
    """
    block: list[tuple[int, str, str, str, str]] = []
    for n, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""]):
        if line.strip() and not line.startswith("#"):
            label, old, new, how = (*line.split("\t"), "")[:4]
            if label not in LABELS:
                raise ValueError(f"{path}:{n + 1}: {label!r} is none of {', '.join(LABELS)}")
            block.append((n, label, old, new, how))
        elif block:
            yield from _of_block(block, embedder)
            block = []


def _of_block(block: Sequence[tuple[int, str, str, str, str]], embedder: Embedder) -> Iterator[Example]:
    olds = [_line(f"old{n}", old, 0, "doc" if "docs" in how else "") for n, _, old, _, how in block]
    vectors = _vectors(olds, embedder)
    for n, label, _, text, how in block:
        gap = next((int(word) for word in how.split() if word.isdigit()), _GAPS[n % len(_GAPS)])
        new = _line(f"new{n}", text, gap, how)
        rows = _resemblances(new, olds, vectors | _vectors([new], embedder))
        for found, old in zip(rows, olds, strict=True):
            own = old.record.id == f"rec_old{n}"
            weight = LINE_WEIGHT if own else BLOCK_WEIGHT
            yield Example(LINES, text, old.record.statement, found, label if own else OTHER, weight)


def _line(id: str, text: str, days: int, how: str) -> _Written:
    at = datetime(2026, 1, 5, 10, tzinfo=UTC) + timedelta(days=days, hours=1 if days == 0 and id.startswith("new") else 0)
    author = "Kim" if "voice" in how else "Sam"
    turn = a_turn(f"turn_{id}", text, subject="user:sam", author=author, at=at, written_at=at)
    found = propose(turn, [], replace(_POLICY, personal_subjects=False), DEFAULT)
    first = replace(found[0], statement=text, quote=text, id=f"rec_{id}", act=Act.ASSERT)
    if "doc" in how:
        first = replace(first, source=Source(SourceType.DOCUMENT, turn.id), author="a page", trust=0.3, confidence=0.5)
    return _Written(first, candidate_record(first, _POLICY, at), turn.id)


# --- logistic regression


def matrix(rows: Sequence[dict[str, float]], names: Sequence[str]) -> Array:
    """One row each, one column a feature, and a last column of ones."""
    filled = np.ones((len(rows), len(names) + 1))
    for row, found in zip(filled, rows, strict=True):
        row[:-1] = [found[name] for name in names]
    return filled


def fit(rows: Array, hit: Array, weight: Array, penalty: float = PENALTY, rounds: int = 40) -> Array:
    """Weights of the penalised logistic regression by Newton's method, the intercept last and hardly penalised."""
    scale = np.full(rows.shape[1], 1.0 / penalty)
    scale[-1] = 1e-3
    beta = np.zeros(rows.shape[1])
    for _ in range(rounds):
        p = 1.0 / (1.0 + np.exp(-np.clip(rows @ beta, -30, 30)))
        slope = rows.T @ (weight * (hit - p)) - scale * beta
        curve = (rows * (weight * p * (1 - p))[:, None]).T @ rows + np.diag(scale)
        step = np.linalg.solve(curve, slope)
        beta = beta + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return beta


def train(examples: Sequence[Example], rounds: int = ROUNDS) -> bonds.Weights:
    """The three regressions. Of each pair those parts stand for the whole that the first regression finds most likely of one
    attribute; it is fitted to the wholes first, and then ``rounds`` times to what it chose itself."""
    names = sorted(examples[0].found[0])
    ends = np.cumsum([len(e.found) for e in examples])
    starts = np.concatenate([[0], ends[:-1]])
    rows = matrix([found for e in examples for found in e.found], names)
    hit = np.array([e.label != OTHER for e in examples], float)
    weight = np.array([e.weight for e in examples])
    chosen = starts
    for _ in range(rounds + 1):
        beta = fit(rows[chosen], hit, weight)
        scores = rows @ beta
        chosen = np.array([start + int(scores[start:end].argmax()) for start, end in zip(starts, ends, strict=True)])
    return bonds.Weights(
        _weights(names, beta),
        _line_of(examples, rows[chosen], names, lambda e: e.label != OTHER, lambda e: e.label == REPEATS),
        _line_of(examples, rows[chosen], names, lambda e: e.label in (REPLACES, CONTRADICTS), lambda e: e.label == CONTRADICTS),
    )


def _line_of(examples: Sequence[Example], rows: Array, names: Sequence[str], among: Test, test: Test) -> bonds.Line:
    taken = [n for n, e in enumerate(examples) if among(e)]
    hit = np.array([test(examples[n]) for n in taken], float)
    weight = np.array([examples[n].weight * (KIND_FACTOR if examples[n].hand == LINES else 1.0) for n in taken])
    return _weights(names, fit(rows[taken], hit, weight))


def _weights(names: Sequence[str], beta: Array) -> bonds.Line:
    return bonds.Line(dict(zip(names, beta[:-1].tolist(), strict=True)), float(beta[-1]))


def save(path: Path, held: bonds.Weights) -> None:
    """Writes the weights; zip entries carry no date, so that the bytes depend on the numbers alone."""
    names = sorted(held.one.named)
    arrays: dict[str, NDArray[Any]] = {"names": np.array(names)}
    for name in ("one", "repeats", "contradicts"):
        line: bonds.Line = getattr(held, name)
        arrays[name] = np.array([line.named[feature] for feature in names], np.float32)
        arrays[f"{name}_bias"] = np.array(line.bias, np.float32)
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            raw = io.BytesIO()
            np.save(raw, array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), raw.getvalue(), zipfile.ZIP_DEFLATED)


# --- report


def named(examples: Sequence[Example], held: bonds.Weights) -> list[tuple[float, Example]]:
    """For each new statement the old one that is most likely of its attribute, with the probability, most likely first."""
    best: dict[str, tuple[float, Example]] = {}
    for example in examples:
        p = max(map(held.one.probability, example.found))
        if example.new not in best or p > best[example.new][0]:
            best[example.new] = (p, example)
    return sorted(best.values(), key=lambda row: -row[0])


def report(examples: Sequence[Example]) -> None:
    """Prints, with one hand left out at a time, how many of those named from each probability on are right."""
    every: list[tuple[float, Example]] = []
    hands = sorted({e.hand for e in examples} - {LINES})
    for hand in hands:
        inside = [e for e in examples if e.hand == hand]
        rows = named(inside, train([e for e in examples if e.hand != hand]))
        every += rows
        print(f"without {hand:10}", _row(rows, sum(e.label != OTHER for e in inside)))
    print(f"all {' ':14}", _row(every, sum(e.label != OTHER for e in examples if e.hand != LINES)))


def _row(rows: Sequence[tuple[float, Example]], of: int) -> str:
    cells = []
    for bar in (0.3, 0.5, 0.7, 0.85, 0.95):
        taken = [e for p, e in rows if p >= bar]
        cells.append(f"{bar}: {sum(e.label != OTHER for e in taken)}/{len(taken)}")
    return f"of {of} related  " + "  ".join(cells)


def main() -> None:
    """Trains, and writes or reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=Path, nargs="+", default=[])
    parser.add_argument("--lines", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("src/onrecord/policy/correction/data/bonds.npz"))
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/onrecord/evals"), help="where embeddings are kept")
    parser.add_argument("--report", action="store_true", help="report with one hand left out instead of writing")
    args = parser.parse_args()
    embedder = CachedEmbedder(build(":memory:").embedder, args.cache.expanduser())
    examples = [example for folder in args.conversations for example in conversations(folder, embedder)]
    examples += [example for path in args.lines for example in lines(path, embedder)]
    print(f"{len(examples)} pairs: " + ", ".join(f"{sum(e.label == label for e in examples)} {label}" for label in LABELS))
    if args.report:
        report(examples)
    else:
        save(args.out, train(examples))


if __name__ == "__main__":
    main()
