"""Trains the weights of the gate (``src/onrecord/policy/gate/data/gate.npz``) from labelled conversations and single lines.

    python -m tools.train_gate --conversations DIR [DIR ...] [--lines FILE ...] [--out FILE] [--report]

Conversations have the form of the *keepsakes* data set; each folder is one hand. ``--report`` scores the whole of capture on each
hand with weights trained on the others, and writes nothing. The same input gives the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from tools.gate_regression import fit, lexicon, rows_of

from onrecord.evals.keepsakes import rule_capture, write_metrics
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.capture.propose import propose
from onrecord.policy.defaults import Policy
from onrecord.policy.gate import judge as gate
from onrecord.policy.gate import model as gate_model
from onrecord.policy.gate.features import BUCKETS, features
from onrecord.policy.gate.judge import judge_turn
from onrecord.policy.gate.reasons import refusal
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.policy.secrecy.redact import redact

Array = NDArray[np.float64]

#: Inverse strength of the L2 penalty. Chosen with one hand left out: 0.1 to 1 differ by less than the noise.
PENALTY = 0.1
#: A single line counts for less than a candidate of a conversation: it stands without one, and there are many.
LINE_WEIGHT = 0.3
LINES = "lines"
#: Features of circumstances begin with one of these; the gate does not have them.
ASIDE = "sb"
#: A candidate of a turn that holds a fact, but not in this candidate: it may be a part of one.
HALF_WRONG = 0.3
#: The probability from which on a candidate passes, chosen with one hand left out; precision comes first.
THRESHOLD = 0.85
_POLICY = Policy()
_NUMBERS = {w: str(i) for i, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())}
_NUMBERS |= {
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "fifty": "50",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One candidate with its label, who wrote it where, and ``aside``, its circumstances, for training alone."""

    hand: str
    conversation: str
    found: dict[str, float]
    aside: dict[str, float]
    keep: bool
    weight: float


def conversations(folder: Path) -> Iterator[Example]:
    """The candidates of all conversations in a folder."""
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        yield from _of_conversation(data, hand_of(folder))


def hand_of(folder: Path) -> str:
    """Who wrote the conversations of ``folder``."""
    return folder.parent.name if folder.name == "scenarios" else folder.name


def _of_conversation(data: dict[str, Any], hand: str) -> Iterator[Example]:
    turns = [_turn(data["id"], n, raw) for n, raw in enumerate(data["turns"])]
    for n, (raw, turn) in enumerate(zip(data["turns"], turns, strict=True)):
        before = [t for t in turns[max(0, n - 8) : n] if t.origin == turn.origin and t.subject == turn.subject]
        keeps = [keep["must_contain"] for keep in data["gold"]["keep"] if keep["turn"] == raw["id"]]
        yield from _of_turn(hand, data["id"], turn, before, keeps)


def _turn(conversation: str, n: int, raw: dict[str, Any]) -> Turn:
    at = datetime.fromisoformat(raw["at"])
    return Turn(
        id=f"turn_{conversation}_{n}",
        tenant="train",
        subject=raw["subject"],
        origin=Origin(thread=raw["session"]),
        role=Role(raw["role"]),
        author=raw["author"],
        text=redact(raw["text"]).text,
        at=at,
        written_at=at,
    )


def _of_turn(
    hand: str, conversation: str, turn: Turn, before: Sequence[Turn], keeps: Sequence[Sequence[str]], *, single: bool = False
) -> Iterator[Example]:
    if turn.role is not Role.USER or judge_turn(turn, _POLICY):
        return
    for candidate in propose(turn, before, _POLICY, DEFAULT):
        if candidate.act is Act.FORGET or refusal(candidate, turn, before):
            continue
        keep = any(all(has(_words(candidate), word) for word in words) for words in keeps)
        found = features(candidate.statement, turn.text)
        aside = {} if single else circumstances(candidate, turn, before)
        yield Example(hand, conversation, found, aside, keep, 1.0 if keep or not keeps else HALF_WRONG)


def circumstances(candidate: Candidate, turn: Turn, before: Sequence[Turn]) -> dict[str, float]:
    """How long it is and what came before. In training these take up what they explain, so that the other weights need not; the
    gate never sees them, since they differ between writers and not between facts and chatter."""
    said, whole = len(candidate.statement.split()), len(turn.text.split())
    last = before[-1] if before else None
    found = {
        "s:said": min(said, 40) / 40,
        "s:whole": min(whole, 120) / 120,
        "s:share": min(1.0, said / max(1, whole)),
        "s:log_said": math.log1p(said) / 4,
        "s:log_whole": math.log1p(whole) / 5,
        f"b:{last.role.value if last else 'opening'}": 1.0,
    }
    found |= {f"s:upto{limit}": 1.0 for limit in (4, 8, 14) if said <= limit}
    if last and last.role is Role.ASSISTANT and last.text.rstrip().endswith(("?", "？")):
        found["b:asked"] = 1.0
    return found


def _words(candidate: Candidate) -> str:
    return f"{candidate.statement} {candidate.quote}"


def lines(path: Path) -> Iterator[Example]:
    """The candidates of single lines ``LABEL<tab>TEXT[<tab>WORDS[<tab>ASKED]]``.

    The label is ``keep`` or a reason; of a kept line those candidates count that hold one of the ``;``-separated words (all,
    where none are given). ``ASKED`` is what the assistant said just before.
    """
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if not line.strip() or line.startswith("#"):
            continue
        label, text, words, asked = (*line.split("\t"), "", "")[:4]
        at = datetime(2026, 3, 4, 10, tzinfo=UTC)
        turns = [
            _line_turn(f"{path.stem}_{n}_{role}", role, said.replace("\\n", "\n"), at)
            for role, said in (("assistant", asked), ("user", text))
            if said
        ]
        keeps = [[word] for word in words.split(";") if word] or [[""]] if label == "keep" else []
        yield from _of_turn(LINES, LINES, turns[-1], turns[:-1], keeps, single=True)


def _line_turn(id: str, role: str, text: str, at: datetime) -> Turn:
    return Turn(
        id=f"turn_{id}",
        tenant="train",
        subject="user:sam",
        origin=Origin(thread="t"),
        role=Role(role),
        author="Sam",
        text=redact(text).text,
        at=at,
        written_at=at,
    )


def norm(text: str) -> str:
    """``text`` as *keepsakes* compares it."""
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold())
    text = re.sub(r"\b(\d+)(st|nd|rd|th)\b", r"\1", text)
    return re.sub(r"[a-z]+", lambda m: _NUMBERS.get(m[0], m[0]), text)


def has(text: str, must: str) -> bool:
    """Whether ``text`` holds ``must`` as *keepsakes* defines it."""
    word = norm(must)
    if not word:
        return True
    pattern = (r"(?<!\d)" if word[0].isdigit() else "") + re.escape(word) + (r"(?!\d)" if word[-1].isdigit() else "")
    return re.search(pattern, norm(text)) is not None


# --- training


def train(examples: Sequence[Example]) -> tuple[list[str], Array]:
    """The feature names in order, and their weights with the intercept last, which already holds for single lines.

    The weights of words (``l:``) are not learned one by one: the mean vector of a candidate's words is, and what it comes to for
    each word of the lexicon is that word's weight. So a word that no example has weighs what its neighbours in meaning do.
    """
    sides = [{n: x for n, x in (e.found | e.aside).items() if not n.startswith("l:")} for e in examples]
    names = sorted({name for side in sides for name in side})
    keep = np.array([e.keep for e in examples], float)
    weight = np.array([e.weight * (LINE_WEIGHT if e.hand == LINES else 1.0) for e in examples])
    words, vectors = lexicon()
    means = np.array([_mean(e.found, words, vectors) for e in examples])
    beta = fit(rows_of(sides, names), means, keep, weight, PENALTY)
    of_words: Array = vectors @ beta[len(names) : -1]
    return [*names, *(f"l:{word}" for word in words)], np.concatenate([beta[: len(names)], of_words, beta[-1:]])


def _mean(found: Mapping[str, float], words: Mapping[str, int], vectors: Array) -> Array:
    total: Array = np.zeros(vectors.shape[1])
    for name, share in found.items():
        if name.startswith("l:") and name[2:] in words:
            total = total + share * vectors[words[name[2:]]]
    return total


def save(path: Path, names: Sequence[str], beta: Array) -> None:
    """Writes the weights; zip entries carry no date, so that the bytes depend on the numbers alone."""
    buckets = np.zeros(BUCKETS, np.float16)
    named: dict[str, float] = {}
    words: dict[str, float] = {}
    for name, weight in zip(names, beta, strict=False):
        if name.startswith("w:"):
            buckets[int(name[2:])] = weight
        elif name.startswith("l:"):
            words[name[2:]] = float(weight)
        elif name[0] not in ASIDE:
            named[name] = float(weight)
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "lexicon": np.array(list(words.values()), np.float16),
        "names": np.array(list(named)),
        "weights": np.array(list(named.values()), np.float32),
        "buckets": buckets,
        "bias": np.array(beta[-1], np.float32),
        "threshold": np.array(THRESHOLD, np.float32),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            raw = io.BytesIO()
            np.save(raw, array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), raw.getvalue(), zipfile.ZIP_DEFLATED)


# --- report


def report(examples: Sequence[Example], folders: Sequence[Path], *, each: bool) -> None:
    """Prints how the whole of capture does on what the weights were not trained on, by the shipped scorer.

    Left out is one hand at a time or, with ``each``, one conversation.
    """
    totals = [0, 0, 0, 0]
    for folder in folders:
        inside = [e for e in examples if e.hand == hand_of(folder)]
        for name in sorted({e.conversation for e in inside}) if each else [hand_of(folder)]:
            gate_model.score.cache_clear()
            held = weights_of(*train([e for e in examples if name not in (e.hand, e.conversation)]))
            with (
                patch.object(gate_model, "weights", lambda held=held: held),
                patch.object(gate, "weights", lambda held=held: held),
            ):
                found = write_metrics(folder, rule_capture(), only=[name] if each else None)
            right, matched = found["micro"]["precision"], found["micro"]["recall"]
            counts = (right["n"], right["of"], matched["n"], matched["of"])
            totals = [a + b for a, b in zip(totals, counts, strict=True)]
            refused = {group: f"{share['n']}/{share['of']}" for group, share in found["refusals"]["groups"].items()}
            print(line_of(f"without {name}", *counts), refused)
    print(line_of("all", *totals))


def line_of(name: str, right: int, written: int, matched: int, facts: int) -> str:
    """Precision and recall with their counts."""
    return (
        f"{name:20} precision {right / max(1, written):.3f} ({right}/{written}), recall {matched / facts:.3f} ({matched}/{facts})"
    )


def weights_of(names: Sequence[str], beta: Array) -> gate_model.Weights:
    """The weights as the gate reads them."""
    named = {name: float(w) for name, w in zip(names, beta, strict=False) if name[0] not in ASIDE}
    return gate_model.Weights(named, float(beta[-1]), THRESHOLD)


def main() -> None:
    """Trains, and writes or reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=Path, nargs="+", default=[])
    parser.add_argument("--lines", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("src/onrecord/policy/gate/data/gate.npz"))
    parser.add_argument("--report", action="store_true", help="report with one hand left out instead of writing")
    parser.add_argument("--each", action="store_true", help="report with one conversation left out instead of a hand")
    args = parser.parse_args()
    examples = [example for folder in args.conversations for example in conversations(folder)]
    examples += [example for path in args.lines for example in lines(path)]
    print(f"{len(examples)} candidates, {sum(e.keep for e in examples)} of them facts")
    if args.report or args.each:
        report(examples, args.conversations, each=args.each)
    else:
        save(args.out, *train(examples))


if __name__ == "__main__":
    main()
