"""Errands on threads of their own, of which nobody waits for longer than was said."""

from __future__ import annotations

import contextvars
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from onrecord.ports import Errand, Outcome

T = TypeVar("T")


class ThreadRunner:
    """Runs each errand on a thread, with the context variables of who asked.

    A thread cannot be stopped from outside: one that is late is left behind, its result is dropped, and it does not keep the
    process from ending. So that they don't pile up, of one name at most ``most`` run at a time; more are refused.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._pid, self._lock = os.getpid(), threading.Lock()
        self._running: Counter[str] = Counter()

    def run(self, errands: Sequence[Errand[T]]) -> list[Outcome[T]]:
        """See ``Runner.run``."""
        if self._pid != os.getpid():  # threads do not come along into the child of a fork
            self._begin()
        began = time.monotonic()
        calls = [self._begun(errand) for errand in errands]
        return [
            Outcome(refused=True) if call is None else call.outcome(began + errand.timeout - time.monotonic())
            for errand, call in zip(errands, calls, strict=True)
        ]

    def _begun(self, errand: Errand[T]) -> _Call[T] | None:
        with self._lock:
            if self._running[errand.name] >= self._most:
                return None
            self._running[errand.name] += 1
        call = _Call(errand, self._ended)
        run = contextvars.copy_context().run
        threading.Thread(target=run, args=(call.do,), name="onrecord-errand", daemon=True).start()
        return call

    def _ended(self, name: str) -> None:
        with self._lock:
            self._running[name] -= 1


class _Call(Generic[T]):
    """An errand under way."""

    def __init__(self, errand: Errand[T], ended: Callable[[str], None]) -> None:
        self._errand, self._ended, self._back = errand, ended, threading.Event()
        self._outcome: Outcome[T] = Outcome()

    def do(self) -> None:
        """Runs it to its end, on the thread that was made for it."""
        try:
            self._outcome = Outcome(done=True, value=self._errand.do())
        except BaseException as error:  # noqa: BLE001 - the end of a thread: whatever it was is told to who waits for it
            self._outcome = Outcome(error=error)
        finally:
            self._back.set()
            self._ended(self._errand.name)

    def outcome(self, within: float) -> Outcome[T]:
        """What came of it within so many seconds."""
        return self._outcome if self._back.wait(max(within, 0.0)) else Outcome()
