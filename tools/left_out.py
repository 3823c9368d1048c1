"""Scores the whole write path on each hand, with the gate and the pair model trained on the other hands.

    python -m tools.left_out --conversations DIR [DIR ...] [--only HAND ...]

Plays every conversation into a memory, as ``onrecord eval keepsakes`` does, without the probes. Only the weights are left out:
the rules were made while looking at the hands.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tools import train_gate, train_pairs

from onrecord.build import build
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.keepsakes import evaluate_keepsakes
from onrecord.memory import Memory
from onrecord.policy.correction import kindred
from onrecord.policy.gate import judge
from onrecord.policy.gate import model as gate_model
from onrecord.ports import Clock

_HERE = Path(__file__).parent


def scores(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The counts that are reported, by name."""
    micro = found["write"]["micro"]
    yield from (("precision", micro["precision"]), ("recall", micro["recall"]))
    yield "negation", found["write"]["attributes"]["negation"]
    for name, relation in found["correction"]["relations"].items():
        yield from ((name, relation["of_all"]), (f"{name} of matched", relation["of_matched"]))
    for name, share in found["correction"]["falsely"].items():
        yield f"falsely {name}", share
    yield "secrets left", found["secrets"]["leaked"]
    yield from found["write"]["refusals"]["groups"].items()


def main() -> None:
    """Trains without each hand in turn, plays it, and prints the counts and their sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=Path, nargs="+", required=True)
    parser.add_argument("--only", nargs="*", default=[], help="hands to score; all where none is named")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/onrecord/evals"), help="where embeddings are kept")
    args = parser.parse_args()
    embedder = CachedEmbedder(build(":memory:").embedder, args.cache.expanduser())
    gate = [e for folder in args.conversations for e in train_gate.conversations(folder)]
    gate += train_gate.lines(_HERE / "gate_lines.tsv")
    pairs = [e for folder in args.conversations for e in train_pairs.conversations(folder, embedder)]
    pairs += train_pairs.lines(_HERE / "pair_lines.tsv", embedder)
    sums: dict[str, list[int]] = {}
    for folder in args.conversations:
        hand = train_gate.hand_of(folder)
        if args.only and hand not in args.only:
            continue
        weighed = train_gate.weights_of(*train_gate.train([e for e in gate if e.hand != hand]))
        bonds = train_pairs.train([e for e in pairs if e.hand != hand])
        found = dict(scores(_played(folder, embedder, weighed, bonds)))
        print(hand, ", ".join(f"{name} {share['n']}/{share['of']}" for name, share in found.items()), flush=True)
        for name, share in found.items():
            row = sums.setdefault(name, [0, 0])
            row[0], row[1] = row[0] + share["n"], row[1] + share["of"]
    print("all", ", ".join(f"{name} {n / max(1, of):.3f} ({n}/{of})" for name, (n, of) in sums.items()))


def _played(folder: Path, embedder: CachedEmbedder, weighed: gate_model.Weights, bonds: Any) -> dict[str, Any]:
    gate_model.score.cache_clear()
    with (
        tempfile.TemporaryDirectory() as place,
        patch.object(gate_model, "weights", lambda: weighed),
        patch.object(judge, "weights", lambda: weighed),
        patch.object(kindred, "weights", lambda: bonds),
    ):
        made = iter(range(1_000_000))

        def memory(clock: Clock) -> Memory:
            return Memory(Path(place) / f"{next(made)}.db", embedder=embedder, clock=clock)

        return evaluate_keepsakes(folder, memory, include=(), with_baselines=False)


if __name__ == "__main__":
    main()
