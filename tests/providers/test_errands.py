"""Errands: side by side, each within its time, and nothing is left that anybody waits for."""

from __future__ import annotations

import contextvars
import sys
import threading

from onrecord.ports import Errand, Outcome
from onrecord.providers.errands import ThreadRunner

WHO = contextvars.ContextVar("who", default="nobody")


def test_outcomes_come_in_order_with_what_was_raised() -> None:
    def fails() -> str:
        raise OSError("no route")

    first, second, third = ThreadRunner(9).run(
        [Errand("a", lambda: "one", 10), Errand("b", fails, 10), Errand("a", lambda: "two", 10)]
    )
    assert (first, third) == (Outcome(done=True, value="one"), Outcome(done=True, value="two"))
    assert isinstance(second.error, OSError)
    assert not second.done


def test_one_that_ends_its_thread_is_not_taken_for_late() -> None:
    (outcome,) = ThreadRunner(9).run([Errand("a", lambda: sys.exit(3), 10)])
    assert (outcome.done, type(outcome.error)) == (False, SystemExit)


def test_one_that_does_not_come_back_holds_up_no_other() -> None:
    free = threading.Event()
    stuck, quick = ThreadRunner(9).run([Errand("stuck", free.wait, 0.05), Errand("quick", lambda: True, 10)])
    assert stuck == Outcome()
    assert quick.value is True
    free.set()


def test_so_many_of_a_name_run_at_a_time_and_those_that_came_back_make_room() -> None:
    free, runner = threading.Event(), ThreadRunner(1)
    assert runner.run([Errand("x", free.wait, 0.05), Errand("x", free.wait, 0.05), Errand("y", lambda: True, 10)]) == [
        Outcome(),
        Outcome(refused=True),
        Outcome(done=True, value=True),
    ]
    free.set()
    for thread in threading.enumerate():
        if thread.name == "onrecord-errand":
            thread.join(10)
    assert runner.run([Errand("x", lambda: True, 10)]) == [Outcome(done=True, value=True)]


def test_an_errand_knows_who_asked() -> None:
    WHO.set("ana")
    assert ThreadRunner(9).run([Errand("a", WHO.get, 10)])[0].value == "ana"


def test_no_errands_are_no_threads() -> None:
    assert ThreadRunner(9).run([]) == []
