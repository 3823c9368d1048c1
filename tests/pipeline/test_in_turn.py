"""Several who write to one subject decide one after the other: nobody's decision is overtaken and made again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from onrecord.memory import Memory
from onrecord.model.receipt import Result
from onrecord.policy.defaults import Policy
from onrecord.ports import Store
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore

ANA: dict[str, Any] = {"user_id": "ana"}
#: Whose decision is overtaken once has failed.
ONCE = Policy(reconcile_attempts=1)
WRITERS, EACH = 4, 8


@pytest.fixture(params=["inmemory", "memory", "file", "two of one file"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int], Store]:
    """The store of each writer: the same, or as in processes one for each half of them."""
    path = tmp_path / "memory.db"
    made: list[Store] = [InMemoryStore()] if request.param == "inmemory" else [SQLiteStore(":memory:")]
    if request.param in ("file", "two of one file"):
        made = [SQLiteStore(path) for _ in range(1 if request.param == "file" else 2)]
    return lambda n: made[n % len(made)]


def test_what_is_written_and_taken_back_by_many_at_once_is_decided_once(stores: Callable[[int], Store]) -> None:
    begin = Barrier(WRITERS)

    def write(n: int) -> None:
        memory = Memory(store=stores(n), embedder=HashingEmbedder(), policy=ONCE)
        begin.wait()
        for number in range(EACH):
            done = memory.remember(f"Crate {n}{number} holds quince{n} and pear{number}.", **ANA)
            assert [item.result for item in done.items] == [Result.ADDED], done
            (record,) = [item.record for item in done.items if item.record]
            if number % 4 == 1:
                memory.erase(ids=[record.id], **ANA)
            elif number % 4 == 2:
                memory.retract([record.id], **ANA)

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    with closing(stores(0)) as store:
        assert len(Memory(store=store, embedder=HashingEmbedder()).get_all(**ANA)) == WRITERS * EACH // 2
        assert store.check().faults == ()
