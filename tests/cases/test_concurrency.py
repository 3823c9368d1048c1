"""concurrent_writes: threads, processes and killed holders share one file and lose nothing.

The parts of B136 and B137 about MCP come with the server; threads and processes make here the calls that its tools will make.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

import onrecord
from onrecord.errors import StoreBusy
from onrecord.memory import Memory
from onrecord.model.receipt import TurnResult
from onrecord.model.record import Status
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.sqlite import SQLiteStore

WRITER = """
import sys
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory(path, embedder=HashingEmbedder()) as memory:
    for n in range(count):
        memory.add(f"Crate {name}-{n} holds kayak {n * 7}.", user_id="u", session_id="s", infer=False)
"""
READER = """
import sys
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder
seen = 0
with Memory(sys.argv[1], embedder=HashingEmbedder()) as memory:
    for n in range(30):
        rows = len(memory.get_all(user_id="u"))
        assert rows >= seen, (rows, seen)
        seen = rows
        memory.search("kayak crate", user_id="u")
"""
HOLDER = """
import sys
from onrecord.stores.sqlite import SQLiteStore
store = SQLiteStore(sys.argv[1])
with store._db.write():
    print("held", flush=True)
    sys.stdin.read()
"""
IDLE = """
import sys
from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder
memory = Memory(sys.argv[1], embedder=HashingEmbedder())
memory.add("Crate 0 holds a tent.", user_id="idle", infer=False)
memory.search("crate", user_id="idle")
print("held", flush=True)
sys.stdin.read()
"""


def start(code: str, *words: object) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(onrecord.__file__).parents[1])}
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(*running: subprocess.Popen[str]) -> None:
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors


def test_many_processes_write_while_others_read(tmp_path: Path) -> None:
    """B135: 8 writers and 4 readers; ``CASE_WRITES=200`` for the number of writes of the report"""
    path, each = tmp_path / "m.db", int(os.environ.get("CASE_WRITES", "10"))
    Memory(path, embedder=HashingEmbedder()).close()
    finish(*(start(WRITER, path, name, each) for name in "abcdefgh"), *(start(READER, path) for _ in range(4)))
    with Memory(path, embedder=HashingEmbedder()) as memory:
        statements = {record.statement for record in memory.get_all(user_id="u")}
        assert statements == {f"Crate {name}-{n} holds kayak {n * 7}." for name in "abcdefgh" for n in range(each)}
        assert [turn.seq for turn in memory.session("s", user_id="u").turns()] == list(range(1, 8 * each + 1))
        assert memory.engine.store.check().faults == ()


def test_parallel_calls_of_one_reply_all_succeed(memory: Memory) -> None:
    """B136"""
    old = [memory.remember(f"Crate {n} holds kayak {n * 7}.", user_id="u").records[0] for n in range(10)]

    def call(n: int) -> None:
        match n % 4:
            case 0 | 1:
                memory.remember(f"Locker {n} holds paddle {n * 7}.", user_id="u")
            case 2:
                memory.update(old[n // 2].id, f"Crate {n} was emptied on day {n}.", user_id="u")
            case _:
                memory.delete(old[n // 2 - 1 if n % 8 == 7 else n // 2].id, user_id="u") if n in (3, 7, 11, 15, 19) else None

    targets = {old[n // 2].id for n in range(20) if n % 4 == 2}
    doomed = {old[n // 2 - 1 if n % 8 == 7 else n // 2].id for n in (3, 7, 11, 15, 19)}
    edited = [record for record in targets if record not in doomed]
    with ThreadPoolExecutor(20) as pool:
        for outcome in [pool.submit(call, n) for n in range(20) if n % 4 != 2 or old[n // 2].id in edited]:
            outcome.result()
    left = {record.id for record in memory.get_all(user_id="u", statuses=list(Status))}
    assert doomed.isdisjoint(left)
    assert len(left) == 10 - len(doomed) + 10
    assert memory.engine.store.check().faults == ()
    assert memory.remember("The gate opens inwards.", user_id="u").records


def test_two_processes_see_each_others_rows_without_a_restart(tmp_path: Path) -> None:
    """B137"""
    path = tmp_path / "m.db"
    with Memory(path, embedder=HashingEmbedder()) as here, Memory(path, embedder=HashingEmbedder()) as there:
        assert here.get_all(user_id="u") == there.get_all(user_id="u") == []
        finish(start(WRITER, path, "a", 20), start(WRITER, path, "b", 20))
        for memory in (here, there):
            assert len(memory.get_all(user_id="u")) == 40
            assert memory.search("Crate b-13", user_id="u", include="records").hits[0].text == "Crate b-13 holds kayak 91."


def test_one_import_that_runs_twenty_times_at_once_is_stored_once(memory: Memory) -> None:
    """B139"""
    facts = [{"role": "user", "content": f"Crate {n} holds kayak {n * 7}.", "id": f"m{n}"} for n in range(50)]
    with ThreadPoolExecutor(20) as pool:
        work = [pool.submit(memory.add, facts, user_id="u", session_id="import", infer=False) for _ in range(20)]
        receipts = [one.result() for one in work]
    told = [turn.result for receipt in receipts for turn in receipt.turns]
    assert told.count(TurnResult.STORED) == 50
    assert told.count(TurnResult.EXISTING) == 950
    memory.maintain()
    records = memory.get_all(user_id="u", statuses=list(Status))
    assert sorted(record.statement for record in records) == sorted(str(fact["content"]) for fact in facts)
    assert all(len(record.derived_from) == 1 for record in records)
    assert len(memory.session("import", user_id="u").turns()) == 50


def test_reads_answer_while_somebody_else_writes(tmp_path: Path) -> None:
    """B142"""
    path = tmp_path / "m.db"
    with Memory(path, embedder=HashingEmbedder()) as memory:
        memory.remember("Crate 1 holds kayak 7.", user_id="u")
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    try:
        with Memory(store=SQLiteStore(path, busy_timeout=0.2), embedder=HashingEmbedder()) as memory:
            (record,) = memory.get_all(user_id="u")
            assert memory.get(record.id, user_id="u") == record
            assert memory.history(record.id, user_id="u")
            assert memory.session("s", user_id="u").turns() == []
            assert [hit.id for hit in memory.search("kayak", user_id="u", include="records").hits] == [record.id]
            assert record.statement in str(memory.context("kayak", user_id="u").messages)
            with pytest.raises(StoreBusy):
                memory.remember("Crate 2 holds kayak 14.", user_id="u")
    finally:
        holder.close()


@pytest.mark.parametrize("code", [HOLDER, IDLE], ids=["in the middle of a write", "idle"])
def test_a_holder_that_is_killed_leaves_no_lock_behind(tmp_path: Path, code: str) -> None:
    """B143"""
    path = tmp_path / "m.db"
    with Memory(path, embedder=HashingEmbedder()) as memory:
        holder = start(code, path)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        if code is IDLE:
            assert memory.remember("Crate 1 holds kayak 7.", user_id="u").records
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
        assert memory.remember("Crate 2 holds kayak 14.", user_id="u").records
        assert memory.engine.store.check().faults == ()
