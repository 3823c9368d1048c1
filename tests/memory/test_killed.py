"""Whatever looks after a memory may be killed before any statement that it sends to the database: what is there is whole, and the
same again ends as an undisturbed run does.

Processes are forked, so that each begins at once, and killed as ``kill -9`` does. ``KILLS=1000`` kills before every statement.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import EmbedderError, NotFound, StoreError
from onrecord.memory import Memory
from onrecord.model.query import Corpus
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.policy.defaults import Policy
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import a_vector

FORK = multiprocessing.get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads
DAY = timedelta(days=1)
BEGUN = datetime(2024, 1, 1, tzinfo=UTC)
LATER = BEGUN + 500 * DAY
KEEPING = Policy(turn_vector_retention=30 * DAY, turn_retention=90 * DAY)
#: Before so many of the statements of a piece of work it is killed.
KILLS = int(os.environ.get("KILLS", "9"))
DATA = Path(__file__).parent / "data"
OWNERS = ("ana", "bob")
HOME = ("Lives at 12 Quay Street in Leeds.", "Lives in Leeds at 12 Quay Street.")

Work = Callable[[Memory, Path], object]


def opened(path: Path, now: datetime = LATER, embedder: HashingEmbedder | None = None) -> Memory:
    store = SQLiteStore(path, synchronous="NORMAL")
    return Memory(store=store, embedder=embedder or HashingEmbedder(), clock=SteppingClock(now), policy=KEEPING)


def live(path: Path) -> None:
    """Leaves something to do for every step of maintenance, for two owners: long ago, and then again lately."""
    with opened(path, BEGUN) as memory:
        clock: Any = memory.engine.clock
        for name in OWNERS:
            for city in ("Bergen", "Turku"):
                memory.remember(f"Has a flat in {city}.", key="city", value=city, pinned=city == "Turku", user_id=name)
                clock.now += 5 * DAY
            for _ in range(2):
                memory.remember("Has a flat in Turku.", key="city", value="Turku", user_id=name)
                clock.now += 5 * DAY
            memory.remember("Parks in bay seventeen.", valid_until=BEGUN + 90 * DAY, user_id=name)
            memory.remember("The kettle broke.", kind="episode", user_id=name, session_id="old")
            memory.add("We talked about the weather.", session_id="old", user_id=name)
            memory.context("Which kettle broke?", session_id="old", user_id=name)
    with opened(path, LATER - 50 * DAY) as memory:
        clock = memory.engine.clock
        for name in OWNERS:
            for text in HOME:
                memory.add(text, infer=False, session_id="new", user_id=name)
            for day in (3, 9, 14):
                text = f"Swam in the lake on {day} March."
                memory.remember(text, kind="episode", session_id=f"day {day}", user_id=name)
                clock.now += DAY
            for key, text in (
                ("dentist_name", "The dentist is Doctor Abara."),
                ("name_of_dentist", "Doctor Quist fills the teeth."),
            ):
                memory.remember(text, key=key, value=key, user_id=name)
                clock.now += 5 * DAY
    with opened(path, LATER - 40 * DAY) as memory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory.engine.store, "apply", full)
        for name in OWNERS:
            memory.add("I am allergic to quinces.", session_id="new", user_id=name)
    with opened(path, LATER - 39 * DAY, Down()) as memory:
        for name in OWNERS:
            memory.remember("Plays the oboe.", session_id="new", user_id=name)


class Down(HashingEmbedder):
    """An embedder that is away."""

    def embed_documents(self, texts: Any) -> Any:
        raise EmbedderError("it is down")


def full(batch: object) -> None:
    raise StoreError("the disk is full")


def maintain(memory: Memory, folder: Path) -> None:
    """Until there is nothing left to do: what one run sheds, a later one drops."""
    for _ in range(3):
        if run := memory.maintain().run:
            (folder / "run").write_text(run)


def undo(memory: Memory, folder: Path) -> None:
    memory.undo((folder / "run").read_text())


def erase(memory: Memory, folder: Path) -> None:
    memory.erase(user_id="bob", verify=True)


def erase_thread(memory: Memory, folder: Path) -> None:
    memory.erase(user_id="ana", session_id="new", verify=True)


def quarantine(memory: Memory, folder: Path) -> None:
    turns = memory.engine.store.thread(Reach("default", ("user:ana",)), "new")
    memory.quarantine([turn.id for turn in turns], user_id="ana")


def reembed(memory: Memory, folder: Path) -> None:
    with opened(Path(memory.engine.store._db.path), embedder=HashingEmbedder(32)) as other:  # type: ignore[attr-defined]
        count(other)
        other.reembed()


def import_export(memory: Memory, folder: Path) -> None:
    memory.import_from(folder / "export.jsonl")


def import_mem0(memory: Memory, folder: Path) -> None:
    memory.import_from(DATA / "mem0_history.db", source="mem0", user_id="ana")


def import_langgraph(memory: Memory, folder: Path) -> None:
    memory.import_from(DATA / "langgraph_store.db", source="langgraph", user_id="ana")


def repair(memory: Memory, folder: Path) -> None:
    memory.engine.store.repair()


WORK: dict[str, tuple[Work, Work | None]] = {
    "maintain": (maintain, None),
    "undo": (undo, maintain),
    "erase": (erase, None),
    "erase_thread": (erase_thread, maintain),
    "quarantine": (quarantine, maintain),
    "reembed": (reembed, None),
    "import_export": (import_export, None),
    "import_mem0": (import_mem0, None),
    "import_langgraph": (import_langgraph, None),
    "repair": (repair, None),
}
#: Statements that the process has sent, and before which it dies.
_sent, _dies = [0], [-1]


def count(memory: Memory) -> None:
    """Counts the statements that write, and dies before the one that it is to die before."""

    def trace(_: object, sql: str, __: object) -> bool:
        lines = (line for line in sql.splitlines() if not line.startswith("--"))
        if not next(lines, "SELECT").startswith(("SELECT", "PRAGMA")):
            if _sent[0] == _dies[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            _sent[0] += 1
        return True

    memory.engine.store._db._writer.exec_trace = trace  # type: ignore[attr-defined]


def performed(path: Path, work: Work, dies: int, told: Any) -> None:
    """The work in a process of its own, which tells how many statements it took."""
    _sent[0], _dies[0] = 0, dies
    with opened(path) as memory:
        count(memory)
        work(memory, path.parent)
        told.send(_sent[0])


def in_a_process(path: Path, work: Work, dies: int = -1) -> int | None:
    """How many statements the work took; ``None`` if it was killed."""
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=performed, args=(path, work, dies, there))
    process.start()
    there.close()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return here.recv() if process.exitcode == 0 else None


def found(path: Path) -> dict[str, Any]:
    """What is there, but for what has an id or a time of the run that wrote it."""
    with opened(path) as memory:
        health = memory.engine.store.check()
        assert health.faults == ()
        rows = {
            (name, record.statement, str(record.status), len(record.sources))
            for name in OWNERS
            for record in memory.get_all(user_id=name, statuses=list(Status), limit=1_000)
        }
        threads = {(name, info.id): info.turns for name in OWNERS for info in memory.sessions(user_id=name)}
        words = [turn.text for name in OWNERS for turn in memory.session("new", user_id=name).turns()]
        return {"counts": dict(health.counts), "rows": rows, "threads": threads, "words": words}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    live(path)
    with opened(path) as memory:
        memory.export_to(path.with_name("export.jsonl"), vectors=True)
        store = memory.engine.store
        bare = store.unembedded(Corpus.TURNS, "other", limit=2)
        for row in bare:  # another model was tried on two rows
            store.put_vectors(Corpus.TURNS, Reach(row.tenant, (row.subject,)), "other", {row.id: a_vector(1)})
    return path


def test_every_step_of_maintenance_has_something_to_do(lived: Path, tmp_path: Path) -> None:
    shutil.copy(lived, tmp_path / "memory.db")
    with opened(tmp_path / "memory.db") as memory:
        reports = [memory.maintain() for _ in range(3)]
    for step in (
        *("captured", "embedded", "archived", "faded", "expired", "merged", "promoted", "joined", "pruned"),
        *("traces", "verdicts", "tombstones", "restatements", "vectors_dropped", "turns_shed", "turns_dropped"),
    ):
        assert sum(getattr(report, step) for report in reports), step
    assert [report.before for report in reports[1:]] == [report.after for report in reports[:-1]]


def copied(lived: Path, folder: Path, name: str) -> Path:
    """A copy of the file; of an import an empty one, since that is where everything is still to come."""
    folder.mkdir()
    shutil.copy(lived.with_name("export.jsonl"), folder)
    if not name.startswith("import"):
        shutil.copy(lived, folder)
    return folder / "memory.db"


@pytest.mark.parametrize("name", WORK)
def test_work_that_is_killed_before_any_statement_is_repeated_and_ends_alike(lived: Path, tmp_path: Path, name: str) -> None:
    work, first = WORK[name]
    base = copied(lived, tmp_path / "base", name)
    if first is not None:
        in_a_process(base, first)
    calm = tmp_path / "calm"
    shutil.copytree(base.parent, calm)
    statements = in_a_process(calm / "memory.db", work)
    assert statements is not None
    assert statements > 3
    expected = found(calm / "memory.db")
    for place in sorted({n * (statements - 1) // max(KILLS - 1, 1) for n in range(KILLS)}):
        folder = tmp_path / f"killed{place}"
        shutil.copytree(base.parent, folder)
        assert in_a_process(folder / "memory.db", work, place) is None
        with opened(folder / "memory.db") as memory:
            assert memory.engine.store.check().faults == ()
            try:
                work(memory, folder)
            except NotFound:  # it was done before it was killed
                assert name in ("erase", "erase_thread", "undo")
        assert found(folder / "memory.db") == expected, f"killed before statement {place} of {statements}"
        shutil.rmtree(folder)


def test_several_processes_maintain_one_file_at_once_and_it_ends_as_with_one(lived: Path, tmp_path: Path) -> None:
    for folder in ("calm", "busy"):
        copied(lived, tmp_path / folder, "maintain")
    in_a_process(tmp_path / "calm" / "memory.db", maintain)
    path = tmp_path / "busy" / "memory.db"
    here, there = FORK.Pipe(duplex=False)
    crowd = [FORK.Process(target=performed, args=(path, maintain, -1, there)) for _ in range(4)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
    assert [process.exitcode for process in crowd] == [0, 0, 0, 0]
    here.close()
    assert found(path) == found(tmp_path / "calm" / "memory.db")
