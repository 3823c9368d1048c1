"""Another embedder: every row gets a vector of it, nothing is lost, and searches stay right meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import EmbedderError
from onrecord.memory import Memory
from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.ports import Vector
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.stores.sqlite import SQLiteStore

OLD, NEW = HashingEmbedder(64), HashingEmbedder(96)
ANA, BOB = Reach("default", ("user:ana",)), Reach("default", ("user:bob",))
FORK = multiprocessing.get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads


class Watched(HashingEmbedder):
    """Says which questions it was asked, and fails on texts that hold some words."""

    def __init__(self, dim: int, fails: str = "\0") -> None:
        super().__init__(dim)
        self.asked: list[str] = []
        self._fails = fails

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return super().embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        if any(self._fails in text for text in texts):
            raise EmbedderError("scripted")
        return super().embed_documents(texts)


def fill(store: Any) -> None:
    with_old = Memory(store=store, embedder=OLD)
    for who in ("ana", "bob"):
        for thing in ("bees", "boats", "trains"):
            with_old.remember(f"{who.title()} likes {thing}.", user_id=who)


def vectors(store: Any) -> dict[str, int]:
    return {name: count for name, count in store.check().counts.items() if "vectors" in name}


def test_every_row_has_a_vector_of_the_new_embedder_afterwards_and_none_of_the_old(memory: Memory) -> None:
    store = memory.engine.store
    fill(store)
    now = Memory(store=store, embedder=NEW)
    done = now.reembed()
    assert (done.subjects, done.embedded, done.dropped, done.left) == (2, 12, 12, 0)
    assert vectors(store) == {f"record_vectors/{NEW.name}": 6, f"turn_vectors/{NEW.name}": 6}
    assert now.reembed().embedded == 0
    assert store.check().faults == ()
    assert store.models(ANA) == {NEW.name: True}
    assert now.search("bees", user_id="ana").hits[0].text == "Ana likes bees."


def test_a_subject_that_is_not_done_is_searched_by_the_embedder_before_and_one_that_is_done_by_the_new(memory: Memory) -> None:
    store, old, new = memory.engine.store, Watched(64), Watched(96, fails="Bob likes trains")
    fill(store)
    now = Memory(store=store, embedder=new, previous=old)
    assert now.search("boats", user_id="ana").trace.embedder == OLD.name
    assert new.asked == []
    done = now.reembed()
    assert (done.left, done.dropped) == (1, 6)
    assert now.search("boats", user_id="ana").trace.embedder == NEW.name
    asked = len(new.asked)
    found = now.search("trains", user_id="bob")
    assert (found.trace.embedder, len(new.asked)) == (OLD.name, asked)
    assert found.hits[0].text == "Bob likes trains."
    assert {round(hit.parts.get("cosine", 0), 6) > 0 for hit in found.hits} == {True}


def test_without_the_embedder_before_words_find_what_has_no_vector_yet(memory: Memory) -> None:
    store = memory.engine.store
    fill(store)
    now = Memory(store=store, embedder=NEW)
    found = now.search("trains", user_id="bob")
    assert found.trace.embedder == NEW.name
    assert found.hits[0].text == "Bob likes trains."
    assert all("cosine" not in hit.parts for hit in found.hits)


def test_what_is_written_while_the_old_vectors_are_in_use_is_found_by_them_too(memory: Memory) -> None:
    store = memory.engine.store
    fill(store)
    now = Memory(store=store, embedder=NEW, previous=OLD)
    now.remember("Ana likes zeppelins.", user_id="ana")
    found = now.search("zeppelins", user_id="ana")
    assert (found.trace.embedder, found.hits[0].text) == (OLD.name, "Ana likes zeppelins.")
    assert found.hits[0].parts["cosine"] > 0
    now.reembed()
    assert now.search("zeppelins", user_id="ana").trace.embedder == NEW.name


def _reembed_and_die(path: Path, batches: int) -> None:
    store, done = SQLiteStore(path), 0
    original = store.put_vectors

    def put(*args: Any, **named: Any) -> None:
        nonlocal done
        if done == batches:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        original(*args, **named)

    store.put_vectors = put  # type: ignore[method-assign]
    Memory(store=store, embedder=NEW).reembed()
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onrecord.pipeline.maintain.BATCH", 2)
    path = tmp_path / "memory.db"
    with Memory(path, embedder=OLD) as memory:
        fill(memory.engine.store)
    done = []
    for batches in (1, 2, 99):
        process = FORK.Process(target=_reembed_and_die, args=(path, batches))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        with Memory(path, embedder=NEW, previous=OLD) as memory:
            store = memory.engine.store
            assert store.check().faults == ()
            assert memory.search("trains", user_id="bob").hits[0].text == "Bob likes trains."
            bare = sum(len(store.unembedded(corpus, NEW.name, limit=99)) for corpus in Corpus)
            assert OLD.name in store.models(BOB) or bare == 0
            done.append(12 - bare)
    assert done == [2, 5, 12]  # three records in two batches, then turns
    with Memory(path, embedder=NEW) as memory:
        assert memory.reembed().embedded == 0
        assert set(vectors(memory.engine.store)) == {f"record_vectors/{NEW.name}", f"turn_vectors/{NEW.name}"}
