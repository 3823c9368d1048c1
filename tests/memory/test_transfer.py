"""Export and import: everything goes out and comes back, and what cannot come in is named."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import stat
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from onrecord.errors import InvalidInput
from onrecord.memory import Memory
from onrecord.model.parcel import PARCELS, Extent, Fate
from onrecord.model.query import Corpus
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.policy import portable
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import a_turn

DOCS = Path(__file__).parents[2] / "docs"
WHO: dict[str, Any] = {"user_id": "ana"}
FORK = multiprocessing.get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads


def live(memory: Memory) -> None:
    """A few weeks of somebody's life with every kind of row, in every state."""
    memory.add("I prefer email. I am allergic to nuts.", session_id="s", metadata={"topic": "care", "n": [1, None]}, **WHO)
    memory.add([{"role": "tool", "content": "flight 17 is late", "tool_call_id": "c"}], session_id="s", **WHO)
    memory.add("Ich wohne in Köln. 東京も好きです。", session_id="s", **WHO)
    memory.add("Actually, I prefer phone calls.", session_id="s", **WHO)
    memory.session("s", **WHO).compact(budget=32)
    memory.session("s", **WHO).end()
    memory.engine.store.set_thread(Reach("default", ("user:ana",)), "s", title="Trip", archived=True)
    memory.engine.store.fork(Reach("default", ("user:ana",)), "s", "s2", upto=2)
    for n, words in enumerate(("Keeps bees.", "Owns a boat.", "Rents a flat.", "Has a cat.", "Plays chess.")):
        record = memory.remember(words, key=f"fact_{n}", **WHO).records[0]
        if n == 0:
            memory.erase(ids=[record.id], **WHO)
        elif n == 1:
            memory.retract([record.id], **WHO)
        elif n == 2:
            memory.update(record.id, pinned=True, statement="Rents a small flat.", **WHO)
        elif n == 3:
            memory.quarantine([record.id], **WHO)
    run = memory.run("r", **WHO)
    run.plan.append("book")
    run.checkpoint()
    memory.context("How should I contact her about the flat?", session_id="s", **WHO)
    memory.search("chess", subjects=["team:care"], **WHO)
    memory.knowledge.add("# Travel\n\nTrains leave at noon.\n\n# Food\n\nLunch is at one.", name="guide.md", **WHO)
    memory.remember("Bob likes tea.", user_id="bob")
    memory.add("I like trains.", agent_id="planner")


@pytest.fixture
def lived(memory: Memory) -> Memory:
    live(memory)
    return memory


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[str], Memory]]:
    """Makes further memories: in a file of that name, or in this process."""
    made: list[Memory] = []

    def one(name: str) -> Memory:
        path = name if name == ":memory:" else tmp_path / name
        made.append(Memory(path, embedder=HashingEmbedder()))
        return made[-1]

    yield one
    for memory in made:
        memory.engine.store.close()


def troubles(done: Any) -> list[tuple[int, str, str]]:
    return [(one.line, one.fate.value, one.why) for one in done.troubles]


@pytest.mark.parametrize("target", [":memory:", "other.db"])
@pytest.mark.parametrize("vectors", [False, True])
def test_what_was_exported_imported_and_exported_again_is_the_same_byte_for_byte(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path, target: str, vectors: bool
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    told = lived.export_to(first, vectors=vectors)
    assert told.size == first.stat().st_size
    assert set(told.rows) == set(PARCELS) - (set() if vectors else {"vector"})
    other = make(target)
    done = other.import_from(first)
    assert troubles(done) == []
    assert done.added == told.rows
    other.export_to(second, vectors=vectors)
    assert second.read_bytes() == first.read_bytes()
    again = other.import_from(first)
    assert (again.added, again.updated, again.same) == ({}, {}, told.rows)
    assert other.engine.store.check().faults == ()
    assert [e.type for e in other.history(lived.get_all(**WHO)[0].id, **WHO)]
    assert [hit.text for hit in other.search("Who plays chess?", **WHO).hits] == [
        hit.text for hit in lived.search("Who plays chess?", **WHO).hits
    ]


def test_rows_without_vectors_get_them_from_maintenance_and_those_with_vectors_keep_theirs(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    def bare(memory: Memory) -> int:
        return sum(len(memory.engine.store.unembedded(corpus, memory.engine.embedder.name, limit=99)) for corpus in Corpus)

    lived.maintain()
    assert bare(lived) == 0
    for vectors in (False, True):
        lived.export_to(tmp_path / "e.jsonl", vectors=vectors)
        other = make(f"{vectors}.db")
        other.import_from(tmp_path / "e.jsonl")
        assert (bare(other) > 10) is not vectors
        other.maintain()
        assert bare(other) == 0


def test_every_line_validates_against_the_schema_which_the_documentation_shows(lived: Memory, tmp_path: Path) -> None:
    schema = portable.schema()
    assert json.loads((DOCS / "export.schema.json").read_text("utf-8")) == schema
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    lived.export_to(tmp_path / "e.jsonl", vectors=True)
    for line in (tmp_path / "e.jsonl").read_text("utf-8").split("\n")[:-1]:
        check.validate(json.loads(line))
    assert not check.is_valid({"record": {"record": {}}})


def test_an_export_of_one_owner_holds_nothing_of_others(lived: Memory, make: Callable[[str], Memory], tmp_path: Path) -> None:
    lived.export_to(tmp_path / "bob.jsonl", user_id="bob")
    text = (tmp_path / "bob.jsonl").read_text("utf-8")
    assert "tea" in text
    assert "chess" not in text
    assert "user:ana" not in text
    lived.export_to(tmp_path / "ana.jsonl", **WHO)
    both = make("both.db")
    both.import_from(tmp_path / "bob.jsonl")
    both.import_from(tmp_path / "ana.jsonl")
    both.export_to(tmp_path / "ana2.jsonl", **WHO)
    assert (tmp_path / "ana2.jsonl").read_bytes() == (tmp_path / "ana.jsonl").read_bytes()


def test_lines_that_cannot_be_read_are_named_and_the_others_taken_in(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    lived.export_to(tmp_path / "e.jsonl")
    lines = (tmp_path / "e.jsonl").read_bytes().split(b"\n")[:-1]
    bad = {
        3: b"{not json",
        5: b'{"poem":{}}',
        7: b"\xff\xfe",
        9: lines[8].replace(b'"tenant":"default"', b'"tenant":"other"'),
        11: lines[10].replace(b'"at":"2026', b'"when":"2026').replace(b'"said_at":"2026', b'"said_at":"20x6'),
        13: b'{"turn":{"text":NaN}}',
    }
    mended = [bad.get(number, line) for number, line in enumerate(lines, 1)]
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join(mended))
    other = make("other.db")
    done = other.import_from(tmp_path / "bad.jsonl")
    assert {line for line, fate, _ in troubles(done) if fate == "refused"} >= set(bad)
    assert sum(done.added.values()) >= len(lines) - 1 - len(bad) - done.conflicts - (done.refused - len(bad))
    whole = other.import_from(tmp_path / "e.jsonl")
    assert troubles(whole) == []
    other.export_to(tmp_path / "again.jsonl")
    assert sorted((tmp_path / "again.jsonl").read_bytes().split(b"\n")) == sorted(
        (tmp_path / "e.jsonl").read_bytes().split(b"\n")
    )


def test_a_strict_import_ends_at_the_first_bad_line_with_what_stands_before_it_in(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    lived.export_to(tmp_path / "e.jsonl")
    lines = (tmp_path / "e.jsonl").read_bytes().split(b"\n")
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join([*lines[:4], b"{}", *lines[4:]]))
    other = make("other.db")
    with pytest.raises(InvalidInput, match=r"line 5: line: .*is no row") as caught:
        other.import_from(tmp_path / "bad.jsonl", strict=True)
    assert caught.value.field == "line 5"
    assert other.engine.store.check().counts["turns"] == 3


def test_a_mark_of_its_bytes_before_an_export_changes_nothing(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    lived.export_to(tmp_path / "e.jsonl")
    (tmp_path / "marked.jsonl").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "e.jsonl").read_bytes())
    other = make("other.db")
    other.import_from(tmp_path / "marked.jsonl", strict=True)
    other.export_to(tmp_path / "marked.jsonl")  # it is known for an export, and so may be written over
    assert (tmp_path / "marked.jsonl").read_bytes() == (tmp_path / "e.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b'{"onrecord export":2}', "is of format 2, this package reads up to 1"),
        (b'{"onrecord export":"1"}', "is of format '1', which there is not"),
        (b'{"turn":{}}', "does not begin like an export"),
        (b"", "does not begin like an export"),
        (b"\xff", "does not begin like an export"),
        (b"SQLite format 3\0", "does not begin like an export"),
    ],
)
def test_a_file_that_is_no_export_or_of_a_newer_format_is_refused_before_anything_is_written(
    memory: Memory, tmp_path: Path, first: bytes, words: str
) -> None:
    (tmp_path / "e.jsonl").write_bytes(first + b"\n" + portable.parcel_line(a_turn(tenant="default", seq=1)).encode())
    with pytest.raises(InvalidInput, match=words):
        memory.import_from(tmp_path / "e.jsonl")
    assert memory.engine.store.check().counts["turns"] == 0


def test_an_import_into_a_store_that_went_on_brings_rows_up_to_date_and_says_where_they_differ(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    lived.export_to(tmp_path / "old.jsonl")
    other = make("other.db")
    other.import_from(tmp_path / "old.jsonl")
    record = next(record for record in lived.get_all(**WHO) if "chess" in record.statement)
    lived.update(record.id, statement="Plays chess and go.", **WHO)
    lived.export_to(tmp_path / "new.jsonl")
    done = other.import_from(tmp_path / "new.jsonl")
    assert (troubles(done), done.updated["record"]) == ([], 1)
    assert other.get(record.id, **WHO).statement == "Plays chess and go."
    assert "chess" in other.search("chess and go", **WHO).hits[0].text
    assert other.engine.store.check().faults == ()
    assert other.import_from(tmp_path / "old.jsonl").updated == {}  # what is further on here stays
    lived.update(record.id, statement="Plays chess and draughts.", **WHO)
    other.update(record.id, statement="Plays chess and whist.", **WHO)
    lived.export_to(tmp_path / "third.jsonl")
    (trouble,) = other.import_from(tmp_path / "third.jsonl").troubles
    assert (trouble.fate, trouble.what) == (Fate.CONFLICT, f"record {record.id}")
    assert other.get(record.id, **WHO).statement == "Plays chess and whist."


def test_what_was_erased_does_not_come_back_with_an_older_export(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    record = next(record for record in lived.get_all(**WHO) if "chess" in record.statement)
    lived.export_to(tmp_path / "old.jsonl")
    lived.erase(ids=[record.id], **WHO)
    done = lived.import_from(tmp_path / "old.jsonl")
    assert (Fate.REFUSED, f"record {record.id}", "it was erased here") in {(t.fate, t.what, t.why) for t in done.troubles}
    assert all("chess" not in one.statement for one in lived.get_all(**WHO))
    assert all("chess" not in verdict.statement for verdict in lived.engine.store.verdicts(Reach("default", ("user:ana",))))


def test_a_thread_that_went_on_differently_is_a_conflict_and_nothing_of_it_is_renumbered(
    memory: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    memory.add("Hello from here.", session_id="s", **WHO)
    other = make("other.db")
    other.add("Hello from there.", session_id="s", **WHO)
    other.export_to(tmp_path / "e.jsonl")
    done = memory.import_from(tmp_path / "e.jsonl")
    assert any("the thread has another turn 1" in why for _, fate, why in troubles(done) if fate == "conflict")
    assert [turn.text for turn in memory.session("s", **WHO).turns()] == ["Hello from here."]


def test_rows_of_other_tenants_come_only_where_all_are_meant(lived: Memory, tmp_path: Path) -> None:
    lived.export_to(tmp_path / "e.jsonl")
    with Memory(":memory:", tenant="acme", embedder=HashingEmbedder()) as acme:
        done = acme.import_from(tmp_path / "e.jsonl")
        assert (done.added, done.refused) == ({}, done.lines)
        assert "open it, or all" in done.troubles[0].why
        assert acme.import_from(tmp_path / "e.jsonl", all_tenants=True).added
        acme.export_to(tmp_path / "acme.jsonl")
        assert len((tmp_path / "acme.jsonl").read_text("utf-8").splitlines()) == 1
        acme.export_to(tmp_path / "all.jsonl", all_tenants=True)
        assert len((tmp_path / "all.jsonl").read_text("utf-8").splitlines()) == done.lines + 1


def test_a_file_that_is_no_export_is_never_written_over(lived: Memory, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ana,", "utf-8")
    for path in (tmp_path / "letter.txt", tmp_path, tmp_path / "no" / "folder.jsonl"):
        with pytest.raises(InvalidInput, match="path"):
            lived.export_to(path)
    assert (tmp_path / "letter.txt").read_text("utf-8") == "Dear Ana,"
    lived.export_to(tmp_path / "e.jsonl")
    lived.export_to(tmp_path / "e.jsonl")
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_an_export_never_replaces_a_device_or_a_pipe(lived: Memory, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="pipe is there and is no export"):
        lived.export_to(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def edited(memory: Memory, folder: Path, word: str, field: str, value: Any) -> tuple[Path, dict[str, Any]]:
    """An export whose first row of a kind has one field changed, and that row."""
    memory.export_to(folder / "e.jsonl", vectors=True)
    lines = [json.loads(line) for line in (folder / "e.jsonl").read_text("utf-8").splitlines()]
    row: dict[str, Any] = next(line[word] for line in lines if word in line)
    row[field] = value
    (folder / "bad.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return folder / "bad.jsonl", row


def test_a_model_whose_name_is_half_a_character_does_not_come_in(
    lived: Memory, make: Callable[[str], Memory], tmp_path: Path
) -> None:
    path, _ = edited(lived, tmp_path, "vector", "model", "\ud800")
    other = make("other.db")
    (trouble,) = other.import_from(path).troubles
    assert trouble.why.startswith("vector.model: holds half a character")
    other.export_to(tmp_path / "again.jsonl", vectors=True)


def test_a_record_without_its_history_does_not_come_in(lived: Memory, make: Callable[[str], Memory], tmp_path: Path) -> None:
    path, row = edited(lived, tmp_path, "record", "events", [])
    other = make("other.db")
    assert any("events: are missing" in why for _, _, why in troubles(other.import_from(path)))
    assert row["record"]["id"] not in {record.id for record in other.get_all(statuses=list(Status), **WHO)}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_memory_that_may_only_be_read_is_exported(tmp_path: Path, clock: SteppingClock) -> None:
    path = tmp_path / "box" / "memory.db"
    path.parent.mkdir()
    with Memory(path, embedder=HashingEmbedder(), clock=clock) as memory:
        memory.remember("Bob likes tea.", user_id="bob")
    path.chmod(stat.S_IRUSR)
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with Memory(path, embedder=HashingEmbedder()) as memory:
        assert memory.export_to(tmp_path / "e.jsonl").rows["record"] == 1


def _import_and_die(path: str, source: str, transactions: int) -> None:
    store = SQLiteStore(path, synchronous="NORMAL")
    original, done = store.load, 0

    def load(parcels: Any) -> Any:
        nonlocal done
        if done == transactions:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return original(parcels)

    store.load = load  # type: ignore[method-assign]
    Memory(store=store, embedder=HashingEmbedder()).import_from(source)


def test_an_import_killed_between_transactions_is_repeated_and_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onrecord.pipeline.transfer._AT_ONCE", 7)
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder()) as lived:
        live(lived)
        told = lived.export_to(tmp_path / "e.jsonl", vectors=True)
    for transactions in (0, 1, 2, 3):
        process = FORK.Process(target=_import_and_die, args=(tmp_path / "other.db", tmp_path / "e.jsonl", transactions))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    with Memory(tmp_path / "other.db", embedder=HashingEmbedder()) as other:
        done = other.import_from(tmp_path / "e.jsonl")
        assert sum(done.added.values()) + sum(done.same.values()) == sum(told.rows.values())
        assert sum(done.same.values()) >= 3 * 7
        other.export_to(tmp_path / "again.jsonl", vectors=True)
        assert other.engine.store.check().faults == ()
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "e.jsonl").read_bytes()


def test_memory_used_by_an_export_does_not_grow_with_the_number_of_rows(tmp_path: Path) -> None:
    peaks = []
    for count in (600, 2_400):
        store = SQLiteStore(tmp_path / f"{count}.db", synchronous="NORMAL")
        words = "word " * 400
        store.append([a_turn(f"turn_{n:05}", words, thread=None) for n in range(count)])
        tracemalloc.start()
        for parcel in store.dump(Extent()):
            portable.parcel_line(parcel)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        store.close()
    assert peaks[1] < 1.5 * peaks[0]
