"""Processes that write to one file are killed again and again; afterwards nothing that was acknowledged may be lost.

    python -m bench.crash [--seconds 60] [--writers 3]
    python -m bench.crash --kills 500 --pause 0.4

There are three kinds of writers in turn: one appends turns and applies batches, one talks in threads that it compacts and ends
(``crash_talk``), one performs runs step by step (``crash_runs``). Each writes down what was acknowledged to a file of its own.
After a pause one is killed and another takes its place. At the end no acknowledged turn is missing, none is there twice though
every fourth was sent again, the turns of each writer stand in its order and are numbered without gaps; every summary holds what
binds in the turns it covers, and covers no fewer than were acknowledged; every run ended, or ends when it is resumed, in the
state of an undisturbed one; rows, full text, vectors and events agree, and SQLite finds the file whole.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path

from bench import crash_runs, crash_talk
from bench.crash_notes import Notes

from onrecord.model.change import Add, Archive, Erase
from onrecord.model.query import Corpus, View
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState
from onrecord.ports import Batch
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, SUBJECT, TENANT, a_record, a_turn, a_vector

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__, "bench.crash_talk", "bench.crash_runs"])
REACH = Reach(TENANT, (SUBJECT,))


@dataclass(frozen=True)
class Outcome:
    """What was found after the last kill."""

    kills: int
    acknowledged: int
    lost: tuple[str, ...]
    faults: tuple[str, ...]
    unequal: tuple[str, ...]
    disordered: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is missing and nothing contradicts itself."""
        return not (self.lost or self.faults or self.unequal or self.disordered or self.threads or self.runs)


def main() -> None:
    """Prints the outcome; the exit code tells whether all is whole."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--kills", type=int, help="kill so often, however long it takes")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between kills, on average")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(Path(folder), seconds=options.seconds, writers=options.writers, pause=options.pause, at_least=options.kills)
    print(outcome)
    raise SystemExit(not outcome.whole)


def run(folder: Path, *, seconds: float, writers: int = 3, pause: float = 0.5, at_least: int | None = None) -> Outcome:
    """Lets writers run and kills them in turn for ``seconds``, or until ``at_least`` kills; what is found then."""
    path, rng, kills = folder / "crash.db", random.Random(1), 0
    SQLiteStore(path).close()
    running = [_started(path, folder, n, n) for n in range(writers)]
    while not any(note.stat().st_size for note in folder.glob("*.acknowledged")):
        time.sleep(0.01)
    end = time.monotonic() + seconds
    while time.monotonic() < end if at_least is None else kills + writers < at_least:
        time.sleep(pause * (0.5 + rng.random()))
        victim = rng.randrange(writers)
        _kill(running[victim])
        kills += 1
        running[victim] = _started(path, folder, writers + kills, victim)
    for writer in running:
        _kill(writer)
    return _judged(path, folder, kills + writers)


def _started(path: Path, folder: Path, n: int, slot: int) -> BaseProcess:
    """The ``n``-th process, in the place of one of its kind: what it does follows from its slot."""
    target = WRITERS[slot % len(WRITERS)]
    process = PROCESSES.Process(target=target, args=(str(path), str(folder / f"{n}.acknowledged"), n, slot), daemon=True)
    process.start()
    return process


def _kill(process: BaseProcess) -> None:
    process.kill()
    process.join()


def write(path: str, acknowledged: str, n: int, slot: int) -> None:
    """Writes until killed."""
    store, notes, count = SQLiteStore(path), Notes(acknowledged), 0
    while True:
        count += 1
        turn, record = f"turn_{n}_{count}", f"rec_{n}_{count}"
        store.append([a_turn(turn, f"word {turn}", client_id=turn)])
        notes.add("turn", turn)
        if count % 4 == 0:  # as a caller does that never got the answer
            store.append([a_turn(f"{turn}_again", f"word {turn}", client_id=turn)])
        add = Add(reason="", record=a_record(record, f"word {record}"))
        store.apply(_batch(add, captured=[turn], model="m", vectors={record: a_vector(1)}))
        notes.add("captured", turn)
        notes.add("record", record)
        store.put_vectors(Corpus.TURNS, REACH, "m", {turn: a_vector(1)})
        if count % 3 == 0:
            change = Erase(reason="", id=record) if count % 2 else Archive(reason="", id=record)
            store.apply(_batch(change))
            notes.add("erased" if count % 2 else "archived", record)


WRITERS: tuple[Callable[[str, str, int, int], None], ...] = (write, crash_talk.talk, crash_runs.work)


def _batch(*changes: Add | Erase | Archive, **fields: object) -> Batch:
    return Batch(reach=REACH, now=NOW, actor="crash", changes=changes, **fields)  # type: ignore[arg-type]


def _judged(path: Path, folder: Path, kills: int) -> Outcome:
    notes = [line for file in folder.glob("*.acknowledged") for line in file.read_text("utf-8").split("\n") if line]
    store = SQLiteStore(path)
    health = store.check()
    outcome = Outcome(
        kills, len(notes), tuple(_lost(store, notes)), health.faults, tuple(_unequal(store)), tuple(_disordered(store))
    )
    store.close()
    threads, runs = tuple(crash_talk.faults(path, folder)), tuple(crash_runs.faults(path, folder))
    return replace(outcome, threads=threads, runs=runs)


def _lost(store: SQLiteStore, notes: list[str]) -> list[str]:
    """The acknowledged facts that are not so."""
    turns = {turn.id: turn for turn in store.thread(REACH, "thread_1")}
    records = {record.id for record in store.select(View(reach=REACH))}
    said = {note for note in notes if note.startswith(("turn ", "record ", "captured ", "erased ", "archived "))}
    gone = {note.split(" ")[1] for note in said if note.startswith(("erased ", "archived "))}
    lost = []
    for note in said:
        what, id = note.split(" ")[:2]
        there = {
            "turn": id in turns,
            "record": (id in records) != (id in gone) or _being_retired(id),
            "captured": id in turns and turns[id].state is CaptureState.DONE,
            "erased": not store.get(REACH, [id]),
            "archived": [record.status for record in store.get(REACH, [id])] == ["archived"],
        }
        if not there[what]:
            lost.append(note)
    return lost


def _disordered(store: SQLiteStore) -> list[str]:
    """Turns that are there twice, out of their writer's order, or not numbered one after the other."""
    found, last, seen = [], dict[str, int](), set[str | None]()
    for place, turn in enumerate(store.thread(REACH, "thread_1"), 1):
        _, writer, count = (turn.client_id or "").split("_")
        if turn.client_id in seen or turn.seq != place or int(count) != last.get(writer, 0) + 1:
            found.append(f"{turn.id} at {turn.seq}")
        seen.add(turn.client_id)
        last[writer] = int(count)
    return found


def _being_retired(id: str) -> bool:
    """Whether the writer may have been killed between erasing or archiving a record and noting it."""
    return id.startswith("rec_") and int(id.rpartition("_")[2]) % 3 == 0


def _unequal(store: SQLiteStore) -> list[str]:
    """Counts that should be equal and are not."""
    counts = store.check().counts
    archived, erased = store.lexical(View(reach=REACH), Corpus.RECORDS, ["word"]), counts["events"] - counts["records"]
    records = len(store.select(View(reach=REACH, statuses=frozenset(Status))))
    turns = len(store.thread(REACH, "thread_1"))
    pairs = {
        "records, record_terms": (counts["records"], counts["record_terms"]),
        "records, record_vectors": (records, counts.get("record_vectors/m", 0)),
        "turns, turn_terms": (counts["turns"], counts["turn_terms"]),
        "turns found, turns": (len(store.lexical(View(reach=REACH), Corpus.TURNS, ["word"]).rows), turns),
        "records found, records in view": (len(archived.rows), archived.size),
        "records in view, nearest": (
            archived.size,
            len(store.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=10**9)),
        ),
        "events below records": (min(erased, 0), 0),
    }
    return [f"{name}: {one} and {other}" for name, (one, other) in pairs.items() if one != other]


if __name__ == "__main__":
    main()
