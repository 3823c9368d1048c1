"""A memory maintains itself while it is open, if it is asked to."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput, StoreError
from onrecord.memory import Memory
from onrecord.pipeline.schedule import Schedule
from onrecord.providers.embed.hashing import HashingEmbedder

SOON = timedelta(milliseconds=1)
LONG = 60.0  # seconds until a test gives up; nothing waits so long


def test_a_memory_maintains_itself_until_it_is_closed(tmp_path: Path) -> None:
    ran = threading.Event()

    class Telling(HashingEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            vectors = super().embed_documents(texts)
            if threading.current_thread() is not threading.main_thread():
                ran.set()
            return vectors

    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder(8)) as memory:
        memory.remember("Plays the cello.", user_id="ana")
    before = threading.active_count()
    memory = Memory(tmp_path / "memory.db", embedder=Telling(16), maintain_every=SOON)
    assert ran.wait(LONG)  # the other embedder's vector is made
    memory.close()
    memory.close()
    assert threading.active_count() == before


def test_a_run_that_fails_is_logged_and_the_next_one_comes(caplog: pytest.LogCaptureFixture) -> None:
    calls, done = [], threading.Event()

    def job() -> None:
        calls.append(1)
        if len(calls) < 3:
            raise StoreError("the disk is full")
        done.set()

    schedule = Schedule(job, SOON)
    assert done.wait(LONG)
    schedule.stop()
    count = len(calls)
    schedule.stop()
    assert (len(calls), len(caplog.records)) == (count, 2)


@pytest.mark.parametrize("wrong", [timedelta(0), timedelta(days=-1), timedelta.max, 60, "1h"])
def test_a_span_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        Memory(":memory:", embedder=HashingEmbedder(), maintain_every=wrong)


def test_a_bad_span_is_refused_before_a_database_is_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="maintain_every"):
        Memory(tmp_path / "memory.db", embedder=HashingEmbedder(), maintain_every=timedelta(0))
    assert list(tmp_path.iterdir()) == []


def test_closing_waits_for_the_run_that_is_under_way() -> None:
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()

    def job() -> None:
        begun.set()
        assert go.wait(LONG)
        ended.set()

    schedule = Schedule(job, SOON)
    assert begun.wait(LONG)
    stopping = threading.Thread(target=schedule.stop)
    stopping.start()
    assert not ended.is_set()
    go.set()
    stopping.join(LONG)
    assert ended.is_set()
