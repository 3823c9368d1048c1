"""The SQLite store against the in-memory store: the same calls, crashes between them, and every read compared."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from onrecord.errors import OnRecordError
from onrecord.model.change import (
    Add,
    Archive,
    Change,
    Edit,
    Erase,
    Flag,
    Merge,
    Recompute,
    Reinforce,
    Resolve,
    Restore,
    Retract,
    Supersede,
)
from onrecord.model.parcel import Extent, Fate, Parcel
from onrecord.model.query import Corpus, View
from onrecord.model.record import ONCE_TRUE, ExpiryBasis, Kind, Status
from onrecord.model.run import RunStatus
from onrecord.model.scope import Origin, Reach, Scope
from onrecord.policy.portable import parcel_line, parcel_of
from onrecord.ports import Batch, Erasure, Store
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, a_document, a_passage, a_record, a_summary, a_trace, a_turn, a_vector, a_verdict
from onrecord.testing.sight import sight

T = TypeVar("T")
DAY = timedelta(days=1)
MODELS = ("m", "n")
VECTORS = [a_vector(1), a_vector(0, 1), a_vector(0.5, 0.5, 0.5, 0.5), a_vector(-1)]
RECORD_IDS = [f"r{n}" for n in range(5)]
TURN_IDS = [f"t{n}" for n in range(5)]
DOCUMENT_IDS = ["d0", "d1", "d2"]
PASSAGE_IDS = [f"p{n}" for n in range(4)]
PASSAGES = [*PASSAGE_IDS, *(f"{d}-{p}" for d in DOCUMENT_IDS for p in PASSAGE_IDS)]
REACHES = [
    Reach("one", ("user:a",)),
    Reach("one", ("user:b",)),
    Reach("one", ("user:a", "user:b")),
    Reach("two", ("user:a",)),
]
EXTENTS = [
    Extent(vectors=True),
    Extent(tenant="one"),
    Extent(tenant="one", subjects=("user:a",), vectors=True),
    Extent(tenant="one", subjects=("user:a", "user:b")),
]
VIEWS = [
    {},
    {"kinds": frozenset({Kind.DECISION})},
    {"key": "colour"},
    {"origin": Origin(thread="s")},
    {"statuses": ONCE_TRUE, "as_of": NOW + DAY},
    {"known_at": NOW + DAY},
    {"valid_at": NOW + 2 * DAY},
    {"since": NOW + DAY, "until": NOW + 3 * DAY},
    {"filters": {"OR": [{"topic": "x"}, {"kind": "decision"}]}},
]

record_ids, turn_ids = st.sampled_from(RECORD_IDS), st.sampled_from(TURN_IDS)
document_ids, passage_ids = st.sampled_from(DOCUMENT_IDS), st.sampled_from(PASSAGE_IDS)
days = st.integers(0, 3).map(lambda n: NOW + n * DAY)
texts = st.lists(st.sampled_from("red blue 東京 c++ the".split()), min_size=1, max_size=3).map(" ".join)
origins = st.sampled_from([Origin(), Origin(thread="s"), Origin("planner", "r", "s")])
whose = st.sampled_from([("one", "user:a")] * 6 + [("one", "user:b")] * 2 + [("two", "user:a")])
reaches = st.sampled_from([*REACHES, *[REACHES[2]] * 4])
records = st.builds(
    lambda id, text, owner, **fields: a_record(id, text, tenant=owner[0], subject=owner[1], **fields),
    record_ids,
    texts,
    whose,
    kind=st.sampled_from([Kind.PREFERENCE, Kind.DECISION]),
    key=st.sampled_from([None, "colour"]),
    origin=origins,
    scope=st.sampled_from([Scope.USER, Scope.THREAD]),
    scope_ref=st.just("s"),
    status=st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED]),
    said_at=days,
    written_at=days,
    valid_until=days.map(lambda day: day + DAY),
    expiry_basis=st.sampled_from(ExpiryBasis),
    metadata=st.sampled_from([{}, {"topic": "x"}]),
)
versions = st.sampled_from([None, None, None, 1, 2])
edits = st.fixed_dictionaries(
    {}, optional={"statement": texts, "key": st.sampled_from([None, "colour"]), "pinned": st.booleans()}
)
changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(Add, reason=st.just("r"), record=records),
    st.builds(Add, reason=st.just("r"), record=records),
    st.builds(
        Reinforce, reason=st.just("r"), id=record_ids, version=versions, sources=st.just(("t1",)), said_at=st.none() | days
    ),
    st.builds(Merge, reason=st.just("r"), record=records),
    st.builds(Supersede, reason=st.just("r"), old=record_ids, record=records),
    st.builds(Flag, reason=st.just("r"), ids=st.tuples(record_ids, record_ids), record=st.none()),
    st.builds(Resolve, reason=st.just("r"), keep=record_ids, drop=st.tuples(record_ids)),
    st.builds(Edit, reason=st.just("r"), id=record_ids, version=versions, fields=edits),
    st.builds(Archive, reason=st.just("r"), id=record_ids),
    st.builds(Retract, reason=st.just("r"), id=record_ids),
    st.builds(Restore, reason=st.just("r"), id=record_ids),
    st.builds(Recompute, reason=st.just("r"), record=records, version=versions),
    st.builds(Erase, reason=st.just("r"), id=record_ids),
)
verdicts = st.builds(
    a_verdict,
    st.sampled_from(["v1", "v2", "v3", "v4"]),
    tenant=st.just("one"),
    subject=st.just("user:a"),
    turn_id=turn_ids,
    accepted=st.booleans(),
    at=days,
    record_ids=st.lists(record_ids, max_size=2).map(tuple),
)
vectors = st.dictionaries(record_ids, st.sampled_from(VECTORS), max_size=3)
batches = st.builds(
    Batch,
    reach=reaches,
    now=days,
    actor=st.just("tester"),
    changes=st.lists(changes, max_size=3),
    verdicts=st.just(()) | st.lists(verdicts, max_size=1),
    model=st.sampled_from(MODELS),
    vectors=vectors,
    captured=st.just(()) | st.lists(turn_ids, max_size=1),
    withheld=st.just(()) | st.lists(turn_ids, max_size=1),
    reread=st.just(()) | st.lists(turn_ids, max_size=1),
)
turns = st.builds(
    a_turn,
    turn_ids,
    texts,
    thread=st.sampled_from(["s", "s", None]),
    tenant=st.sampled_from(["one", "two"]),
    subject=st.sampled_from(["user:a", "user:b"]),
    client_id=st.sampled_from([None, None, "c1"]),
    at=days,
    written_at=days,
    metadata=st.sampled_from([{}, {"topic": "x"}]),
    note=st.sampled_from([None, None, {}, {"kind": "preference"}]),
)


Library = Callable[[Store], None]


def library(
    id: str, owner: tuple[str, str], version: int, held: list[tuple[str, str]], name: str, at: Any, vectors: dict[str, Any]
) -> Library:
    """A call that puts a document with these passages."""
    whose: dict[str, Any] = {"tenant": owner[0], "subject": owner[1]}
    parts = [
        a_passage(f"{id}-{part}" if part != "p3" else part, text, position=n, document_id=id, written_at=at, **whose)
        for n, (part, text) in enumerate(held, 1)
    ]
    mine = {part.id: vectors[key] for part, (key, _) in zip(parts, held, strict=True) if key in vectors}
    document = a_document(
        id, passages=len(parts), name=name, version=version, added_at=at, updated_at=at, metadata={"topic": "x"}, **whose
    )
    return lambda store: store.put_document(document, parts, model="m", vectors=mine)


libraries = st.builds(
    library,
    document_ids,
    whose,
    st.sampled_from([1, 1, 2, 2, 3]),
    st.lists(st.tuples(passage_ids, texts), max_size=3, unique_by=lambda pair: pair[0]),
    st.sampled_from(["guide.md", "guide.md", "notes.md"]),
    days,
    st.dictionaries(passage_ids, st.sampled_from(VECTORS), max_size=3),
)


def fill(store: Store) -> None:
    """The rows to begin with, so that most changes find what they name."""
    for reach, ids in ((REACHES[0], RECORD_IDS[:3]), (REACHES[1], RECORD_IDS[3:4]), (REACHES[3], RECORD_IDS[:2])):
        mine = [a_record(id, "red blue red", tenant=reach.tenant, subject=reach.subjects[0], key="colour") for id in ids]
        for model in MODELS:
            adding = [Add(reason="r", record=record) for record in mine] if model == MODELS[0] else []
            found = dict.fromkeys(ids, VECTORS[0])
            store.apply(Batch(reach=reach, now=NOW, actor="tester", changes=adding, model=model, vectors=found))
        store.append([a_turn(f"t{len(ids)}", "red 東京", tenant=reach.tenant, subject=reach.subjects[0], thread="s")])


class Fault(Exception):
    """Raised in the middle of a transaction."""


class Stores(RuleBasedStateMachine):
    """Two stores under the same calls."""

    indexed_from = 50_000

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.model = InMemoryStore()
        self.carried: list[Parcel] = []
        self.copies = 0
        self.views = 0

    @initialize()
    def open(self) -> None:
        self.real = self._opened()
        self._both(fill)

    def teardown(self) -> None:
        assert self.real.check().faults == ()
        self.real.close()
        shutil.rmtree(self.folder)

    @rule(batch=batches)
    def apply(self, batch: Batch) -> None:
        self._both(lambda store: store.apply(batch))

    @rule(change=changes, reach=reaches, now=days)
    def change(self, change: Change, reach: Reach, now: Any) -> None:
        self._both(lambda store: store.apply(Batch(reach=reach, now=now, actor="tester", changes=[change])))

    @rule(
        batch=batches,
        turns=st.lists(turn_ids, max_size=2),
        whole=st.booleans(),
        thread=st.booleans(),
        rehearse=st.booleans(),
    )
    def erase(self, batch: Batch, turns: list[str], whole: bool, thread: bool, rehearse: bool) -> None:
        first = batch.reach.subjects[0]
        erasure = Erasure(
            batch=batch,
            subjects=[first] if whole else (),
            turns=turns,
            threads=[(first, "s")] if thread else (),
            runs=[(first, "r")] if thread else (),
        )
        self._both(lambda store: store.erase(erasure, rehearse=rehearse))

    @rule(
        reach=st.sampled_from(REACHES), sources=st.none() | st.lists(st.sampled_from([*RECORD_IDS, "t1", "turn_1"]), max_size=3)
    )
    def made_from(self, reach: Reach, sources: list[str] | None) -> None:
        self._both(lambda store: store.made_from(reach, sources))

    @rule(said=st.lists(turns, max_size=3))
    def append(self, said: list[Any]) -> None:
        self._both(lambda store: store.append(said))

    @rule(corpus=st.sampled_from(Corpus), reach=st.sampled_from(REACHES), model=st.sampled_from(MODELS), data=st.data())
    def put_vectors(self, corpus: Corpus, reach: Reach, model: str, data: st.DataObject) -> None:
        ids = {Corpus.RECORDS: record_ids, Corpus.TURNS: turn_ids, Corpus.PASSAGES: st.sampled_from(PASSAGES)}[corpus]
        found = data.draw(st.dictionaries(ids, st.sampled_from([*VECTORS, np.ones(3, np.float32)]), max_size=3))
        read = data.draw(st.dictionaries(ids, st.integers(1, 2), max_size=2))
        self._both(lambda store: store.put_vectors(corpus, reach, model, found, versions=read))

    @rule(reach=st.sampled_from(REACHES), keep=st.sampled_from([*MODELS, "none"]))
    def drop_vectors(self, reach: Reach, keep: str) -> None:
        self._both(lambda store: store.drop_vectors(reach, keep=keep))

    @rule(library=libraries)
    def put_document(self, library: Library) -> None:
        self._both(library)

    @rule(library=libraries, after=st.integers(1, 30))
    def put_document_and_fail_in_the_middle(self, library: Library, after: int) -> None:
        self._both_or_neither(library, after)

    @rule(reach=st.sampled_from(REACHES), id=document_ids)
    def drop_document(self, reach: Reach, id: str) -> None:
        self._both(lambda store: store.drop_document(reach, id))

    @rule(id=st.sampled_from(["x1", "x2"]), reach=st.sampled_from(REACHES), at=days, returned=st.lists(record_ids, max_size=2))
    def put_trace(self, id: str, reach: Reach, at: Any, returned: list[str]) -> None:
        trace = a_trace(id, tenant=reach.tenant, subjects=reach.subjects, at=at, returned=tuple(returned))
        self._both(lambda store: store.put_trace(trace))

    @rule(reach=st.sampled_from(REACHES), ids=st.lists(record_ids, max_size=3), at=days)
    def touch(self, reach: Reach, ids: list[str], at: Any) -> None:
        self._both(lambda store: store.touch(reach, ids, at))

    @rule(reach=st.sampled_from(REACHES), id=turn_ids)
    def fail_capture(self, reach: Reach, id: str) -> None:
        self._both(lambda store: store.fail_capture(reach, id, 2))

    @rule(reach=st.sampled_from(REACHES), covers=st.lists(turn_ids, min_size=1, max_size=3), after=st.integers(0, 2))
    def put_summary(self, reach: Reach, covers: list[str], after: int) -> None:
        self._both(lambda store: store.put_summary(reach, "s", a_summary(*covers), at=NOW, after=after))

    @rule(
        reach=st.sampled_from(REACHES),
        title=st.sampled_from([None, "", "Trip", "\0"]),
        archived=st.sampled_from([None, True, False]),
    )
    def set_thread(self, reach: Reach, title: str | None, archived: bool | None) -> None:
        self._both(lambda store: store.set_thread(reach, "s", title=title, archived=archived))

    @rule(after=st.integers(-1, 3), limit=st.integers(0, 2))
    def archive_idle(self, after: int, limit: int) -> None:
        self._both(lambda store: store.archive_idle(NOW + timedelta(seconds=after), limit=limit))

    @rule(
        reach=st.sampled_from(REACHES),
        counter=st.sampled_from(["a", "b"]),
        counts=st.dictionaries(turn_ids, st.integers(0, 9), max_size=2),
    )
    def put_token_counts(self, reach: Reach, counter: str, counts: dict[str, int]) -> None:
        self._both(lambda store: store.put_token_counts(reach, counter, counts))

    @rule(reach=st.sampled_from(REACHES), new=st.sampled_from(["f", "g", "s", ""]), upto=st.integers(0, 3))
    def fork(self, reach: Reach, new: str, upto: int) -> None:
        self._both(lambda store: store.fork(reach, "s", new, upto=upto))

    @rule(
        reach=st.sampled_from(REACHES),
        run=st.sampled_from(["run_1", "run_2"]),
        step=st.integers(1, 3),
        value=st.sampled_from([1, 2]),
        status=st.sampled_from(RunStatus),
    )
    def put_checkpoint(self, reach: Reach, run: str, step: int, value: int, status: RunStatus) -> None:
        self._both(lambda store: store.put_checkpoint(reach, run, step, {"x": value}, status=status, at=NOW))

    @rule(reach=st.sampled_from(REACHES), run=st.sampled_from(["run_1", "run_2"]))
    def drop_run(self, reach: Reach, run: str) -> None:
        self._both(lambda store: store.drop_run(reach, run))

    @rule(reach=st.sampled_from(REACHES), after=st.integers(1, 30))
    def fork_and_fail_in_the_middle(self, reach: Reach, after: int) -> None:
        self._both_or_neither(lambda store: store.fork(reach, "s", "f", upto=2), after)

    @rule(batch=batches, after=st.integers(1, 30))
    def apply_and_fail_in_the_middle(self, batch: Batch, after: int) -> None:
        self._both_or_neither(lambda store: store.apply(batch), after)

    @rule(said=st.lists(turns, max_size=2), after=st.integers(1, 12))
    def append_and_fail_in_the_middle(self, said: list[Any], after: int) -> None:
        self._both_or_neither(lambda store: store.append(said), after)

    @rule(extent=st.sampled_from(EXTENTS))
    def travel(self, extent: Extent) -> None:
        """Both give out the same lines; a store that takes them in gives them out again, and takes nothing in twice."""
        lines = [parcel_line(parcel) for parcel in self.model.dump(extent)]
        assert [parcel_line(parcel) for parcel in self.real.dump(extent)] == lines
        parcels = [parcel_of(line) for line in lines]
        copies: list[Store] = [InMemoryStore(), SQLiteStore(":memory:", synchronous="NORMAL")]
        for copy in copies:
            assert [done for done in copy.load(parcels) if done.fate is not Fate.ADDED] == []
            assert [done for done in copy.load(parcels) if done.fate is not Fate.SAME] == []
            assert [parcel_line(parcel) for parcel in copy.dump(extent)] == lines
            assert copy.check().faults == ()
            copy.close()

    @rule(extent=st.sampled_from(EXTENTS), halves=st.lists(st.booleans(), min_size=30, max_size=30))
    def take_back_in(self, extent: Extent, halves: list[bool]) -> None:
        """What was given out before comes back into stores that went on meanwhile: both do the same with it."""
        parcels = [parcel for parcel, wanted in zip(self.model.dump(extent), halves, strict=False) if wanted]
        taken, self.carried = self.carried, parcels
        self._both(lambda store: store.load(taken))

    @rule()
    def crash(self) -> None:
        """The process dies: another one goes on with the files as they lie there."""
        lost = self.real
        self.copies += 1
        for suffix in ("", "-wal"):
            if os.path.exists(lost.path + suffix):
                shutil.copy(lost.path + suffix, f"{self._path}{suffix}")
        lost.close()
        self.real = self._opened()

    @rule()
    def reopen(self) -> None:
        self.real.close()
        self.real = self._opened()

    @rule()
    def repair(self) -> None:
        assert self.real.repair() == self.model.repair()

    @invariant()
    def every_read_is_equal(self) -> None:
        self.views += 1
        for n, reach in enumerate(REACHES):
            view = View(reach=reach, **VIEWS[(self.views + n) % len(VIEWS)])  # type: ignore[arg-type]
            seen = [
                sight(
                    store,
                    view,
                    ids=[*RECORD_IDS, *TURN_IDS, *DOCUMENT_IDS, *PASSAGES, "x1", "x2"],
                    threads=["s", "f", "g"],
                    terms=["red", "東京", "c++"],
                    model=MODELS[self.views % 2],
                    vector=VECTORS[self.views % 4],
                )
                for store in (self.model, self.real)
            ]
            for name, answer in seen[0].items():
                assert seen[1][name] == answer, (name, view)
        for within in (None, *REACHES):
            assert self.real.pending(limit=9, reach=within) == self.model.pending(limit=9, reach=within)
        for corpus in Corpus:
            for within in (None, REACHES[self.views % len(REACHES)]):
                bare = self.model.unembedded(corpus, "m", limit=9, reach=within)
                assert self.real.unembedded(corpus, "m", limit=9, reach=within) == bare
        for reach in REACHES:
            assert self.real.models(reach) == self.model.models(reach)
        for model in (*MODELS, "none"):
            assert self.real.behind(model) == self.model.behind(model)

    @property
    def _path(self) -> Path:
        return self.folder / f"memory{self.copies}.db"

    def _opened(self) -> SQLiteStore:
        return SQLiteStore(self._path, synchronous="NORMAL", indexed_from=self.indexed_from)

    def _both(self, call: Callable[[Store], T]) -> None:
        answers = []
        for store in (self.model, self.real):
            try:
                answers.append(call(store))
            except OnRecordError as error:
                answers.append(type(error))  # type: ignore[arg-type]
        assert answers[0] == answers[1]

    def _both_or_neither(self, call: Callable[[Store], object], after: int) -> None:
        """Whatever statement a write dies at, nothing of it stays; if it was over before, the model takes it too."""
        self.real._db._writer.exec_trace = _fault_at(after)
        try:
            call(self.real)
        except (Fault, OnRecordError):
            return
        finally:
            self.real._db._writer.exec_trace = None
        call(self.model)


def _fault_at(statement: int) -> Callable[..., bool]:
    left = statement

    def trace(*_: object) -> bool:
        nonlocal left
        left -= 1
        if not left:
            raise Fault
        return True

    return trace


class IndexedStores(Stores):
    """The same with an index of the vectors of every subject, however few."""

    indexed_from = 0


TestStores, TestIndexedStores = Stores.TestCase, IndexedStores.TestCase
TestStores.settings = TestIndexedStores.settings = settings(
    max_examples=int(os.environ.get("STATEFUL_EXAMPLES", "20")),
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # shrinking takes minutes: add Phase.shrink when something was found
    suppress_health_check=list(HealthCheck),
)
