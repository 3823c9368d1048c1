"""Many rounds of ``onrecord eval erasure`` on one file (``evals.erasure`` says what a round is), several erasures to a proof.

    python -m bench.erase [--rounds 1000] [--seed 1] [--seconds 600] [--together 4]

With ``--together N`` the proof comes after every N erasures, for all that they took away: a proof reads every byte of the files
and writes them anew, which is what a round costs most. The exit code tells whether nothing was left, and the control found all.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from onrecord.evals.erasure import evaluate_erasure
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.sqlite import SQLiteStore
from onrecord.stores.sqlite.proof import Proof


def main() -> None:
    """Prints the outcome; the exit code tells whether nothing was left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long, whatever is left to do")
    parser.add_argument("--together", type=int, default=1, help="erasures before each proof")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), options.rounds, options.seed, began + options.seconds, options.together)
    print({name: value for name, value in found.items() if name != "questions"}, f"{time.monotonic() - began:.0f} s")
    raise SystemExit(bool(found["faults"]) or found["control"]["n"] < found["rounds"])


def run(folder: Path, rounds: int, seed: int, until: float = float("inf"), together: int = 1) -> dict[str, Any]:
    """The outcome of so many rounds on one file in a folder, fewer if the time is up (``until`` of ``time.monotonic``)."""
    store = SQLiteStore(folder / "erase.db", synchronous="NORMAL")
    store._proof = _Watching(store._db)
    with Memory(store=store, embedder=HashingEmbedder()) as memory:
        return evaluate_erasure(
            memory, folder, rounds=rounds, seed=seed, together=together, until=lambda: time.monotonic() > until
        )


class _Watching(Proof):
    """Notes what every erasure takes away, and looks for all of it with the next proof."""

    @contextmanager
    def watching(self, connection: apsw.Connection, wanted: bool) -> Iterator[None]:
        with super().watching(connection, True):
            yield


if __name__ == "__main__":
    main()
