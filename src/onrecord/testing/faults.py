"""A store that fails on purpose, to show that what stands above it loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from onrecord.errors import StoreError
from onrecord.ports import Store


class FaultyStore:
    """Any store, of which the calls chosen by ``fails(n, method)`` raise ``StoreError`` before they do anything.

    ``n`` counts all calls from 1. ``calls`` lists the methods called so far. With ``after`` they raise when the work is done, as
    when the answer is lost on its way.
    """

    def __init__(self, inner: Store, fails: Callable[[int, str], bool], *, after: bool = False) -> None:
        self._inner, self._fails, self._after = inner, fails, after
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(name)
            number = len(self.calls)
            failing = self._fails(number, name)
            answer = method(*args, **kwargs) if self._after or not failing else None
            if failing:
                raise StoreError(f"scripted failure of call {number} ({name})")
            return answer

        return call


def faulty(inner: Store, fails: Callable[[int, str], bool], *, after: bool = False) -> Store:
    """A ``FaultyStore`` typed as the store it stands for."""
    return cast("Store", FaultyStore(inner, fails, after=after))
