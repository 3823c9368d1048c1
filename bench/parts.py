"""What each part of one whole search costs: processor time of a part without that of the parts called in it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

from onrecord.pipeline import asking, candidates, retrieve
from onrecord.policy.recall import rank
from onrecord.stores.sqlite import SQLiteStore

#: Which functions a part is made of, and where they are called from. What is in none of them is "the rest".
PARTS: Mapping[str, tuple[tuple[Any, tuple[str, ...]], ...]] = {
    "understand the question": ((asking, ("understand",)),),
    "rows said last": ((SQLiteStore, ("recent",)),),
    "nearest (asked twice)": ((SQLiteStore, ("nearest",)),),
    "words": ((SQLiteStore, ("lexical",)),),
    "records by id": ((SQLiteStore, ("get",)),),
    "counters of use": ((SQLiteStore, ("usage",)),),
    "fusion and order": ((rank, ("shares", "nearness", "fuse", "ordered")),),
    "boosts and relevance": ((retrieve, ("_boosts",)),),
    "selection": ((retrieve, ("_selected", "_rules")),),
    "secrets looked for in hits": ((retrieve, ("masked",)),),
    "what faded, looked for": ((retrieve, ("archived",)),),
    "trace made": ((retrieve, ("_trace",)),),
    "trace written": ((SQLiteStore, ("put_trace",)),),
    "the rest of candidates": ((retrieve, ("candidates",)), (candidates, ("_legs", "_pool"))),
}


class Parts:
    """Milliseconds by part, summed up."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._inner: list[float] = []

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """``call``, noted under ``part``."""

        @wraps(call)
        def noted(*args: Any, **named: Any) -> Any:
            start = time.thread_time()
            self._inner.append(0.0)
            try:
                return call(*args, **named)
            finally:
                whole, inner = (time.thread_time() - start) * 1000, self._inner.pop()
                self.spent[part] += whole - inner
                if self._inner:
                    self._inner[-1] += whole

        return noted

    @contextmanager
    def watched(self) -> Iterator[Parts]:
        """Notes every part meanwhile."""
        with ExitStack() as stack:
            for part, places in PARTS.items():
                for where, names in places:
                    for name in names:
                        stack.enter_context(patch.object(where, name, self.timed(part, getattr(where, name))))
            yield self

    def report(self, rounds: int) -> None:
        """The table: milliseconds of the processor a search, on average."""
        whole = sum(self.spent.values())
        print(f"\n{'part of a whole search':<32} {'CPU ms':>8} {'share':>7}")
        for part, spent in sorted(self.spent.items(), key=lambda row: -row[1]):
            print(f"{part:<32} {spent / rounds:>8.3f} {spent / whole:>7.1%}")
        print(f"{'together':<32} {whole / rounds:>8.3f}")
