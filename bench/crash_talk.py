"""The writer that talks: it appends turns to a thread that others write to too, compacts it and ends it, until it is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.crash_notes import Notes, noted

from onrecord.memory import Memory
from onrecord.model.query import View
from onrecord.model.record import Kind, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.pipeline.compact import compact
from onrecord.policy.compaction.protect import ledger
from onrecord.policy.compaction.verify import check
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, TENANT, a_turn

OWNER = "user:talker"
REACH = Reach(TENANT, (OWNER,))
#: Turns after which a writer goes on to the next thread, so that compacting stays quick however long the bench runs.
LENGTH = 40
#: Processes started one after the other that share threads.
SHARING = 12
#: Tokens of a compacted thread: what binds takes more, so that the check has work.
BUDGET = 150


def talk(path: str, acknowledged: str, n: int, slot: int) -> None:
    """Talks until killed. Every fifth sentence binds; every seventh turn is followed by a compaction."""
    memory, notes = Memory(path, tenant=TENANT, embedder=HashingEmbedder()), Notes(acknowledged)
    count = 0
    while True:
        count += 1
        thread = f"talk_{n // SHARING}_{count // LENGTH}"
        memory.engine.store.append([_turn(n, count, thread)])
        notes.add("said", thread, _name(n, count))
        if count % 4 == 0:  # as a caller does that never got the answer
            memory.engine.store.append([_turn(n, count, thread, again="_again")])
        if count % 7 == 0:
            done = compact(memory.engine, REACH, thread, BUDGET)
            notes.add("compacted", thread, len(done.summary.covers) if done.summary else 0)
        if count % LENGTH == LENGTH - 1:
            memory.session(thread, subject=OWNER).end()
            notes.add("ended", thread)


def faults(path: Path, folder: Path) -> Iterator[str]:
    """What is wrong with threads, summaries and episodes after the last kill: one sentence each."""
    store = SQLiteStore(path)
    said: dict[str, set[str]] = {}
    for thread, name in noted(folder, "said"):
        said.setdefault(thread, set()).add(name)
    covered: dict[str, int] = {}
    for thread, number in noted(folder, "compacted"):
        covered[thread] = max(covered.get(thread, 0), int(number))
    episodes = {record.origin.thread for record in _episodes(store)}
    for thread, names in said.items():
        turns = store.thread(REACH, thread)
        yield from _of_turns(thread, turns, names)
        yield from _of_summary(store, thread, turns, covered.get(thread, 0))
    yield from (f"the episode of {thread} is lost" for (thread,) in noted(folder, "ended") if thread not in episodes)
    store.close()


def _of_turns(thread: str, turns: list[Turn], names: set[str]) -> Iterator[str]:
    there = [turn.client_id for turn in turns]
    last: dict[str, int] = {}
    yield from (f"{name} of {thread} is lost" for name in sorted(names - set(filter(None, there))))
    for place, turn in enumerate(turns, 1):
        writer, count = (turn.client_id or "").split("_")[1:]
        if there.count(turn.client_id) > 1 or turn.seq != place or int(count) <= last.get(writer, 0):
            yield f"{turn.id} of {thread} stands at {turn.seq} after {last}"
        last[writer] = int(count)


def _of_summary(store: SQLiteStore, thread: str, turns: list[Turn], acknowledged: int) -> Iterator[str]:
    summary = store.summary(REACH, thread)
    if summary is None:
        if acknowledged:
            yield f"the summary of {thread} is lost"
        return
    order = [turn.id for turn in turns if turn.id in set(summary.covers)]
    if len(order) < acknowledged or list(summary.covers) != order:
        yield f"the summary of {thread} covers {len(order)} turns, {acknowledged} were acknowledged"
    spans = ledger(turn for turn in turns if turn.id in set(order))
    for fault in check(summary.text, [span for span in spans if span.required]):
        yield f"{fault.kind} in the summary of {thread}: {fault.span.text if fault.span else fault.found}"


def _episodes(store: SQLiteStore) -> list[Record]:
    return [record for record in store.select(View(reach=REACH)) if record.kind is Kind.EPISODE]


def _turn(n: int, count: int, thread: str, again: str = "") -> Turn:
    text = (
        f"Never open gate {n}{count:04} before ten." if count % 5 == 0 else f"The path by gate {n}{count:04} is long and stony."
    )
    return a_turn(
        f"{_name(n, count)}{again}",
        text,
        subject=OWNER,
        thread=thread,
        client_id=_name(n, count),
        written_at=NOW,
    )


def _name(n: int, count: int) -> str:
    return f"say_{n}_{count}"
