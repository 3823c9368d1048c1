"""What a model that reads finds beside the rules: rules alone, the model alone, both, on conversations of *keepsakes*.

    python -m bench.reading DATA --reader http://localhost:8080/v1#qwen [--only ks11-warehouse-ops] [--window 4]

Precision and recall of writes as ``onrecord eval keepsakes`` counts them, calls, tokens and seconds of the model, and both for a
thousand turns of people. Records on file are not shown to the model here, so that the answers of the second run are those of the
first, and the difference is that of the merging alone. The account is of the first run: the second one asks nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onrecord.build import open_reader
from onrecord.errors import ModelError
from onrecord.evals.keepsakes import evaluate_keepsakes
from onrecord.evals.keepsakes_gold import load
from onrecord.memory import Memory
from onrecord.model.turn import Role
from onrecord.policy.defaults import Policy, Reading
from onrecord.ports import Answer, ChatModel, Clock, Usage
from onrecord.providers.embed import MiniLmEmbedder


class Remembered:
    """Another model, asked once about the same: its answers and failures, and what they took."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner, self.name = inner, inner.name
        self._answers: dict[tuple[str, str], Mapping[str, Any] | ModelError] = {}
        self.usage, self.seconds, self.failures = Usage(), 0.0, list[str]()

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer that was given to this question."""
        if (system, user) not in self._answers:
            begin = time.perf_counter()
            self._answers[system, user] = self._asked(system, user, schema)
            self.seconds += time.perf_counter() - begin
        known = self._answers[system, user]
        if isinstance(known, ModelError):
            raise known
        return known

    def _asked(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | ModelError:
        try:
            answer = self._inner.complete(system, user, schema)
        except ModelError as error:
            self.failures.append(str(error))
            return error
        self.usage += answer.usage if isinstance(answer, Answer) else Usage(1)
        return answer


def main() -> None:
    """Prints a table, and what the model took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--reader", required=True)
    parser.add_argument("--only", nargs="+", default=["ks11-warehouse-ops"])
    parser.add_argument("--window", type=int, default=4)
    options = parser.parse_args()
    reader = Remembered(open_reader(options.reader))
    for reading in Reading:
        policy = Policy(reading=reading, reading_turns=options.window, reading_records=0)
        found = _run(options.data, options.only, policy, None if reading is Reading.RULES else reader)
        print(f"{reading:6} {_line(found)}", flush=True)
    said = [turn for scenario in load(options.data, only=options.only) for turn in scenario.turns if turn.role is Role.USER]
    _account(reader, len(said))


def _run(data: Path, only: list[str], policy: Policy, reader: ChatModel | None) -> dict[str, Any]:
    embedder = MiniLmEmbedder()
    with tempfile.TemporaryDirectory(prefix="onrecord-reading-") as place:
        made = iter(range(1_000_000))

        def memory(clock: Clock) -> Memory:
            return Memory(Path(place) / f"{next(made)}.db", embedder=embedder, clock=clock, policy=policy, reader=reader)

        return evaluate_keepsakes(data, memory, only=only, include=[], with_baselines=False)


def _line(found: Mapping[str, Any]) -> str:
    micro, refused = found["write"]["micro"], found["write"]["refusals"]["injections_written"]
    precision, recall = micro["precision"], micro["recall"]
    rates = f"precision {precision['rate'] or 0:.3f} ({precision['n']}/{precision['of']})"
    return (
        f"{rates}  recall {recall['rate'] or 0:.3f} ({recall['n']}/{recall['of']})  F1 {micro['f1'] or 0:.3f}  "
        f"injections {refused['n']}  unread {sum(len(one['queued']) for one in found['unread'])}"
    )


def _account(reader: Remembered, turns: int) -> None:
    used, share = reader.usage, 1_000 / turns
    print(f"{used.calls} calls answered, {len(reader.failures)} failed {json.dumps(reader.failures[:3])}, {reader.seconds:.0f} s")
    print(f"tokens: {used.given} given ({used.cached} cached), {used.written} written")
    print(
        f"for 1,000 turns of people: {used.calls * share:.0f} calls, {used.given * share:,.0f} tokens given "
        f"({used.cached * share:,.0f} cached), {used.written * share:,.0f} written, {reader.seconds * share:.0f} s"
    )


if __name__ == "__main__":
    main()
