"""Plants something in a SQLite file, erases it with the proof, and looks for it; again and again, from a seed.

A round talks in a thread (with a secret word made for it), searches and assembles contexts, compacts and ends the thread, saves
the working memory of a run, says the same thing elsewhere; then erases the owner, the thread, the record or the turn. Others
keep what they said, some of it in the same words. Afterwards the secret word must not stand anywhere in any file, which is
looked for by plain comparison, and of the vectors that were there before every one that is no row's any more must be gone.

* *left*: rounds after which the word, or a vector, was still in a file, or the proof failed. Must be 0.
* *control*: rounds in which the word was in a file before the erasure: it tells that the search can find something.
* *rested*: proofs that found bytes until the file was written anew.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from onrecord.errors import OnRecordError
from onrecord.evals.keepsakes_score import share_of
from onrecord.evals.rows import RowFile
from onrecord.evals.words import made_up
from onrecord.memory import Memory
from onrecord.model.parcel import Embedded, Extent

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

Progress: TypeAlias = Callable[[int, int], None]


def evaluate_erasure(
    memory: Memory,
    folder: Path,
    *,
    rounds: int,
    seed: int,
    together: int = 1,
    rows: RowFile | None = None,
    until: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The counts of so many rounds, and a row for each. Rounds that have a row are passed over.

    ``memory`` stands in files of ``folder`` and nothing else does. The proof comes after every ``together`` erasures, for all
    that they took away: whoever sets it higher has to give a store that remembers. No group begins once ``until`` holds."""
    kept = rows or RowFile(None, {})
    there = kept.ids()
    for first in range(0, rounds, together):
        if until():
            break
        numbers = [n for n in range(first, min(first + together, rounds)) if f"{seed}/{n}" not in there]
        if numbers:
            for row in _group(memory, folder, random.Random(f"erasure/{seed}/{first}"), seed, numbers):
                kept.add(row)
        if progress is not None:
            progress(min(first + together, rounds), rounds)
    return report(kept.rows)


def report(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The counts over all rounds, and what was left of which."""
    proofs = [row for row in rows if row["proof"]]
    return {
        "rounds": len(rows),
        "left": share_of(bool(row["left"]) for row in rows),
        "control": share_of(row["control"] for row in rows),
        "rested": share_of(row["rested"] for row in proofs),
        "places": sum(row["places"] for row in proofs),
        "erased": {what: sum(row["category"] == what for row in rows) for what in sorted({row["category"] for row in rows})},
        "faults": [f"round {row['id']} ({row['category']}): {fault}" for row in rows for fault in row["left"]],
        "questions": list(rows),
    }


def _group(memory: Memory, folder: Path, rng: random.Random, seed: int, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Rounds with one proof behind the last of them."""
    before: set[bytes] = set()
    secrets: list[str] = []
    rows: list[dict[str, Any]] = []
    for n in numbers:
        secret, who, thread = made_up(rng), f"ana{rng.randrange(5)}", f"s{n}"
        _keep_talking(memory, rng)
        ids = _plant(memory, rng, who, thread, secret)
        targets: dict[str, dict[str, Any]] = {"owner": {}, "thread": {"session_id": thread}, "rows": {"ids": ids}}
        what = rng.choice(list(targets))
        row: dict[str, Any] = {"id": f"{seed}/{n}", "category": what, "control": stands(folder, secret), "left": []}
        before |= _vectors(memory)
        last = n == numbers[-1]
        scan = _erase(memory, row, who, targets[what], verify=last)
        rows.append({**row, "proof": last, "rested": bool(scan and scan.first), "places": scan.parts if scan else 0})
        secrets.append(secret)
    for row, secret in zip(rows, secrets, strict=True):
        row["left"] += ["the word"] * stands(folder, secret)
    data, there = _bytes(folder), _vectors(memory)
    if lost := [vector for vector in before - there if _left(vector, there, data)]:
        rows[-1]["left"].append(f"{len(lost)} vectors")
    return [{**row, "systems": {"onrecord": {"left": float(bool(row["left"]))}}} for row in rows]


def _erase(memory: Memory, row: dict[str, Any], who: str, target: Mapping[str, Any], *, verify: bool) -> Any:
    """What the proof looked at, if there was one; what is wrong goes into the row."""
    try:
        done = memory.erase(user_id=who, verify=verify, **target)
    except OnRecordError as error:
        row["left"].append(str(error))
        return None
    if not target and memory.get_all(user_id=who):
        row["left"].append(f"records of {who}")
    return done.scan


def _keep_talking(memory: Memory, rng: random.Random) -> None:
    """Somebody who keeps everything says something, at times in words that are erased elsewhere."""
    keeper = rng.choice(_KEEPERS)
    said = rng.choice(_SAYINGS).format(f"{made_up(rng)[:4].lower()}berry")
    memory.add(said, user_id=keeper, session_id=f"k{rng.randrange(9)}")
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
    return b"\0".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def stands(folder: Path, secret: str) -> bool:
    """Whether a word, its small letters, or its stem stands in any file of a folder."""
    data = _bytes(folder)
    return any(word.encode() in data for word in (secret, secret.lower(), secret[:-1].lower()))


def _left(vector: bytes, there: set[bytes], data: bytes) -> bool:
    """Whether a part of a vector stands in the files that is in no vector which is there. Vectors of few words are mostly zeros,
    and begin alike."""
    parts = (vector[n : n + _PART] for n in range(0, len(vector) - _PART + 1, _STEP))
    return any(part in data and not any(part in other for other in there) for part in parts if any(part))


def _vectors(memory: Memory) -> set[bytes]:
    """The vectors of all rows, as they are stored."""
    dumped = memory.engine.store.dump(Extent(vectors=True))
    return {parcel.vector for parcel in dumped if isinstance(parcel, Embedded)}
