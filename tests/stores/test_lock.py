"""Lines: first come, first served, whoever dies in them."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.stores.standing import drawn

from onrecord.errors import StoreBusy, StoreError
from onrecord.stores import lock
from onrecord.stores.lanes import Lanes
from onrecord.stores.lock import FileLine

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of fork beside threads
FORK = multiprocessing.get_context("fork")
numbered = pytest.mark.skipif(not lock.NUMBERED, reason="chance decides here")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db.lock")


def soon() -> float:
    return time.monotonic() + 30


@numbered
def test_threads_are_served_in_the_order_in_which_they_came(path: str) -> None:
    served: list[int] = []

    def stand(n: int) -> None:
        with FileLine(path).held(soon()):
            served.append(n)

    threads = [threading.Thread(target=stand, args=(n,)) for n in range(6)]
    with FileLine(path).held(soon()):
        for n, thread in enumerate(threads, 2):
            thread.start()
            drawn(path, n)
        served.append(-1)
    for thread in threads:
        thread.join()
    assert served == [-1, 0, 1, 2, 3, 4, 5]


def _stand(path: str, entered: Any) -> None:
    with FileLine(path).held(soon()):
        entered.set()
        threading.Event().wait()


@numbered
def test_whoever_dies_in_a_line_is_waited_for_no_longer(path: str) -> None:
    entered, never = FORK.Event(), FORK.Event()
    head = FORK.Process(target=_stand, args=(path, entered))
    head.start()
    assert entered.wait(30)
    waiting = FORK.Process(target=_stand, args=(path, never))
    waiting.start()
    drawn(path, 2)
    for child in (waiting, head):
        child.kill()
        child.join()
    with FileLine(path).held(soon()):
        assert not never.is_set()


def _stand_and_fork(path: str, forked: Any, leave: Any) -> None:
    with FileLine(path).held(soon()):
        FORK.Process(target=leave.wait, args=(60,)).start()
        forked.set()
        threading.Event().wait()


@numbered
def test_a_child_does_not_stand_in_the_line_in_place_of_its_dead_parent(path: str) -> None:
    forked, leave = FORK.Event(), FORK.Event()
    parent = FORK.Process(target=_stand_and_fork, args=(path, forked, leave))
    parent.start()
    assert forked.wait(30)
    parent.kill()
    parent.join()
    with FileLine(path).held(soon()):
        leave.set()


@numbered
def test_who_gives_up_makes_room(path: str) -> None:
    with FileLine(path).held(soon()):
        for _ in range(2):
            with pytest.raises(StoreBusy), FileLine(path).held(time.monotonic()):
                pass
    with FileLine(path).held(time.monotonic()):
        pass


@numbered
@pytest.mark.parametrize("content", [b"", b"\xff" * 32])
def test_what_somebody_wrote_into_the_file_lets_nobody_draw_a_number_twice(path: str, content: bytes) -> None:
    with FileLine(path).held(soon()):
        Path(path).write_bytes(content)
        if not content:
            with pytest.raises(StoreBusy), FileLine(path).held(time.monotonic()):
                pass
    with FileLine(path).held(time.monotonic()):
        pass


def test_lines_of_one_file_do_not_wait_for_each_other(path: str) -> None:
    with FileLine(path).held(soon()), FileLine(path, 1).held(time.monotonic()), FileLine(path, 2).held(time.monotonic()):
        pass


def test_without_numbers_one_waits_for_the_other_all_the_same(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "NUMBERED", False)
    with FileLine(path).held(soon()), pytest.raises(StoreBusy), FileLine(path).held(time.monotonic()):
        pass
    with FileLine(path).held(time.monotonic()):
        pass


def test_no_line_without_a_place_for_its_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="lock file"), FileLine(str(tmp_path / "none" / "lock")).held(soon()):
        pass


def test_a_line_leaves_no_file_open(path: str) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with FileLine(path).held(soon()):
            pass
        with FileLine(path).held(soon()), pytest.raises(StoreBusy), FileLine(path).held(time.monotonic()):
            pass
    assert len(os.listdir("/proc/self/fd")) == before


# -- lanes


@pytest.fixture(params=["threads", "processes"])
def lanes(request: pytest.FixtureRequest, path: str) -> Lanes:
    return Lanes(path if request.param == "processes" else None)


def test_a_lane_is_entered_by_one_after_the_other_and_another_meanwhile(lanes: Lanes) -> None:
    seen: list[str] = []

    def decide(names: list[str], told: str) -> None:
        with lanes.held(names, 30):
            seen.append(told)

    same = threading.Thread(target=decide, args=(["ana", "cleo"], "behind"))
    with lanes.held(["ana"], 30):
        same.start()
        other = threading.Thread(target=decide, args=(["bob"], "beside"))
        other.start()
        other.join()
        seen.append("first")
    same.join()
    assert seen == ["beside", "first", "behind"]


def test_who_waited_too_long_goes_on_without_and_the_next_ones_at_once(lanes: Lanes) -> None:
    passed: list[str] = []

    def pass_by() -> None:
        with lanes.held(["ana"], 0.01):
            passed.append("waited")
        lanes._blocked = dict.fromkeys(lanes._blocked, float("inf"))
        with lanes.held(["ana"], 1e6):
            passed.append("at once")

    with lanes.held(["ana"], 30):
        thread = threading.Thread(target=pass_by)
        thread.start()
        thread.join()
    assert passed == ["waited", "at once"]


def test_nobody_waits_for_itself(lanes: Lanes) -> None:
    with lanes.held(["ana", "bob"], 30), lanes.held(["ana"], 30), lanes.held(["bob", "cleo"], 30):
        pass
    with lanes.held(["ana"], 0.0):
        pass
