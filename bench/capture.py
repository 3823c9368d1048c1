"""What capture and gate of one turn cost without a model, beside embedding that turn with the default embedder.

    python -m bench.capture [--conversations bench/conversations/a bench/conversations/b bench/conversations/c] [--rounds 3]

Processor seconds of all threads, of one run: every turn of the conversations is read and embedded in turn, so that both meet the
same load. Reading is what `pipeline.capture.examine` does: the turn as a whole, its candidates, and their rulings. The search for
neighbours that reconcile makes for each accepted candidate, among the records of the whole conversation, is printed apart, and so
is taking the secrets out. The ratio is that of people's turns, since those of assistants are refused as a whole. Leaves with 1 if
reading is not cheaper than embedding.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from onrecord.evals.keepsakes_gold import load
from onrecord.memory import Memory
from onrecord.model.scope import Reach
from onrecord.model.turn import Role, Turn
from onrecord.pipeline.draft import Draft
from onrecord.pipeline.examine import examine
from onrecord.policy.recall.episode import episode_text
from onrecord.policy.secrecy.redact import redact
from onrecord.ports import Engine
from onrecord.providers.embed import MiniLmEmbedder

T = TypeVar("T")
#: Processor milliseconds of each call, by part.
Times: TypeAlias = dict[str, list[float]]
READ, EMBED = "capture and gate of a turn", "embedding the turn"
NEIGHBOURS, REDACT = "neighbours of a candidate", "redacting a turn"
OTHERS = ", not a person's"
BEFORE = 8  # turns that capture reads before the one at hand
HERE = Path(__file__).parent / "conversations"


def main() -> None:
    """Prints a table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=Path, nargs="+", default=[HERE / name for name in "abc"])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    times: Times = {}
    for scenario in (scenario for folder in options.conversations for scenario in load(folder)):
        bare = MiniLmEmbedder()  # the memory's own would hand out what it remembers from the turn before
        with tempfile.TemporaryDirectory() as folder, Memory(Path(folder, "b.db"), tenant="keepsakes", embedder=bare) as memory:
            play(memory, scenario.turns)
            for _ in range(options.rounds):
                measure(memory.engine, scenario.turns, times)
    raise SystemExit(report(times))


def play(memory: Memory, turns: Sequence[Turn]) -> None:
    """Puts a conversation on record, and warms up."""
    for turn in turns:
        said = {"role": turn.role.value, "content": turn.text, "name": turn.author, "at": turn.at}
        memory.add([said], subject=turn.subject, session_id=turn.origin.thread)


def measure(engine: Engine, turns: Sequence[Turn], times: Times) -> None:
    """One round over a conversation."""
    for n, turn in enumerate(turns):
        before = [other for other in turns[:n] if other.origin.thread == turn.origin.thread][-BEFORE:]
        whose = "" if turn.role is Role.USER else OTHERS
        judged, _ = clock(times, READ + whose, lambda turn=turn, before=before: examine(engine, turn, before))  # type: ignore[misc]
        clock(times, EMBED + whose, lambda turn=turn: engine.embedder.embed_documents([episode_text(turn)]))  # type: ignore[misc]
        clock(times, REDACT, lambda turn=turn: redact(turn.text))  # type: ignore[misc]
        kept = [item.candidate for item in judged if item.ruling.accepted]
        if not kept:
            continue
        found = engine.embedder.embed_documents([candidate.statement for candidate in kept])
        vectors = {candidate.id: found[i] for i, candidate in enumerate(kept)}
        for candidate in kept:
            draft = Draft(engine, Reach("keepsakes", (candidate.subject,)), vectors)
            clock(times, NEIGHBOURS, lambda draft=draft, candidate=candidate: draft.neighbours(candidate))  # type: ignore[misc]


def clock(times: Times, name: str, call: Callable[[], T]) -> T:
    """Runs ``call`` and notes the milliseconds of all threads."""
    busy = time.process_time()
    answer = call()
    times.setdefault(name, []).append((time.process_time() - busy) * 1000)
    return answer


def report(times: Times) -> int:
    """The table; 0 if reading is cheaper than embedding, else 1."""
    print(f"{'part':<44} {'calls':>7} {'mean ms':>8} {'p50 ms':>8} {'p99 ms':>8}")
    for name, found in times.items():
        middle, worst = np.percentile(found, [50, 99])
        print(f"{name:<44} {len(found):>7,} {np.mean(found):>8.3f} {middle:>8.3f} {worst:>8.3f}")
    ratio = sum(times[READ]) / sum(times[EMBED])
    middle = np.median(times[READ]) / np.median(times[EMBED])
    print(f"\n{READ} / {EMBED}: {ratio:.2f} (of medians {middle:.2f})")
    return int(ratio >= 1)


if __name__ == "__main__":
    main()
