"""Plants something in a SQLite file, erases it with the proof, and looks for it; again and again, at random.

    python -m bench.erase [--rounds 1000] [--seed 1] [--seconds 600] [--together 4]

A round talks in a thread (with a secret word made for it), searches and assembles contexts, compacts and ends the thread, saves
the working memory of a run, says the same thing elsewhere; then erases the owner, the thread, the record or the turn. Others
keep what they said, some of it in the same words. Afterwards the secret word must not stand anywhere in any file, which is
looked for by plain comparison, and of the vectors that were there before every one that is no row's any more must be gone.
``control`` counts the rounds in which the word was found before the erasure: it tells that the search can find something. With
``--together N`` the proof comes after every N erasures, for all that they took away: a proof reads every byte of the files and
writes them anew, which is what a round costs most.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from onrecord.errors import OnRecordError
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.sqlite import SQLiteStore
from onrecord.stores.sqlite.proof import Proof

_SYLLABLES = "ba ke li mo nu pra sto vi xa zel dro fin gul hep jin qua".split()
_SAYINGS = (
    "I am allergic to {}.",
    "I prefer {} for breakfast.",
    "My supervisor is {}.",
    "I work at {} as a planner.",
    "We decided to use {} for the new office.",
    "Never send the {} report to the press.",
)
_KEEPERS = ("bob", "cleo", "dov")
#: Bytes of a vector that are looked for, 24 numbers, and how far apart they begin.
_PART, _STEP = 48, 40


@dataclass
class Outcome:
    """What the rounds gave. ``rested`` counts those in which bytes were left until the file was written anew."""

    rounds: int = 0
    control: int = 0
    rested: int = 0
    parts: int = 0
    erased: Counter[str] = field(default_factory=Counter)
    residue: list[str] = field(default_factory=list)


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
        outcome = run(Path(folder), options.rounds, options.seed, began + options.seconds, options.together)
    print(outcome, f"{time.monotonic() - began:.0f} s")
    raise SystemExit(bool(outcome.residue) or outcome.control < outcome.rounds)


def run(folder: Path, rounds: int, seed: int, until: float = float("inf"), together: int = 1) -> Outcome:
    """The outcome of so many rounds on one file in a folder, fewer if the time is up (``until`` of ``time.monotonic``)."""
    rng, outcome = random.Random(seed), Outcome()
    store = SQLiteStore(folder / "erase.db", synchronous="NORMAL")
    store._proof = _Watching(store._db)
    with Memory(store=store, embedder=HashingEmbedder()) as memory:
        for first in range(0, rounds, together):
            if time.monotonic() > until:
                break
            _group(memory, folder, rng, range(first, min(first + together, rounds)), outcome)
    return outcome


class _Watching(Proof):
    """Notes what every erasure takes away, and looks for all of it with the next proof."""

    @contextmanager
    def watching(self, connection: apsw.Connection, wanted: bool) -> Iterator[None]:
        with super().watching(connection, True):
            yield


def _group(memory: Memory, folder: Path, rng: random.Random, numbers: range, outcome: Outcome) -> None:
    """Rounds with one proof behind the last of them."""
    before: set[bytes] = set()
    secrets: list[str] = []
    names = []
    for n in numbers:
        secret, who, thread = (
            "".join(rng.choices(_SYLLABLES, k=rng.randint(4, 6))).capitalize(),
            f"ana{rng.randrange(5)}",
            f"s{n}",
        )
        _keep_talking(memory, rng)
        ids = _plant(memory, rng, who, thread, secret)
        outcome.control += _stands(folder, secret)
        before |= _vectors(folder)
        what = rng.choice(("owner", "thread", "rows"))
        targets: dict[str, dict[str, Any]] = {"owner": {}, "thread": {"session_id": thread}, "rows": {"ids": ids}}
        names.append(f"{n} ({what})")
        try:
            done = memory.erase(user_id=who, verify=n == numbers[-1], **targets[what])
        except OnRecordError as error:
            outcome.residue.append(f"round {', '.join(names)}: {error}")
            return
        outcome.erased[what] += 1
        secrets.append(secret)
        if what == "owner" and memory.get_all(user_id=who):
            outcome.residue.append(f"round {n}: records of {who}")
    assert done.scan is not None
    outcome.rounds += len(numbers)
    outcome.parts += done.scan.parts
    outcome.rested += bool(done.scan.first)
    outcome.residue += [f"round {name}: the word" for name, secret in zip(names, secrets, strict=True) if _stands(folder, secret)]
    data, there = _bytes(folder), _vectors(folder)
    if lost := [vector for vector in before - there if _left(vector, there, data)]:
        outcome.residue.append(f"round {', '.join(names)}: {len(lost)} vectors")


def _keep_talking(memory: Memory, rng: random.Random) -> None:
    """Somebody who keeps everything says something, at times in words that are erased elsewhere."""
    keeper = rng.choice(_KEEPERS)
    memory.add(rng.choice(_SAYINGS).format(rng.choice(_SYLLABLES) + "berry"), user_id=keeper, session_id=f"k{rng.randrange(9)}")
    if rng.random() < 0.05:  # what grows without end is not what is measured here
        memory.erase(user_id=keeper)


def _plant(memory: Memory, rng: random.Random, who: str, thread: str, secret: str) -> list[str]:
    """Lets a secret word get wherever words get; the ids of the rows that hold it."""
    words = rng.choice(_SAYINGS).format(secret)
    added = memory.add(words, user_id=who, session_id=thread, metadata={"about": secret})
    written = memory.remember(f"{who} keeps {secret} in the cellar.", user_id=who, session_id=thread)
    memory.session(thread, user_id=who).add({"role": "assistant", "content": f"I noted {secret}."})
    memory.context(f"What did I say of {secret}?", user_id=who, session_id=thread)
    if rng.random() < 0.5:
        run = memory.run(f"r-{thread}", user_id=who)
        run.plan.append("order supplies")
        run.checkpoint()
    if rng.random() < 0.3:
        memory.session(thread, user_id=who).compact(budget=64)
    if rng.random() < 0.3:
        memory.session(thread, user_id=who).end()
    records = {record.id for receipt in (added, written) for record in receipt.records if record.origin.thread == thread}
    return [*sorted(records), *(turn.id for turn in memory.session(thread, user_id=who).turns())]


def _bytes(folder: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(folder.iterdir()))


def _stands(folder: Path, secret: str) -> bool:
    data = _bytes(folder)
    return any(word.encode() in data for word in (secret, secret.lower(), secret[:-1].lower()))


def _left(vector: bytes, there: set[bytes], data: bytes) -> bool:
    """Whether a part of a vector stands in the files that is in no vector which is there. Vectors of few words are mostly zeros,
    and begin alike."""
    parts = (vector[n : n + _PART] for n in range(0, len(vector) - _PART + 1, _STEP))
    return any(part in data and not any(part in other for other in there) for part in parts if any(part))


def _vectors(folder: Path) -> set[bytes]:
    connection = apsw.Connection(str(folder / "erase.db"), flags=apsw.SQLITE_OPEN_READONLY)
    found = {v for table in ("record_vector", "turn_vector") for (v,) in connection.execute(f"SELECT v FROM {table}")}
    connection.close()
    return found


if __name__ == "__main__":
    main()
