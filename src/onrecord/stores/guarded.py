"""The state of the in-memory store, as the parts of it that stand in modules of their own reach it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Any


class Guarded(ABC):
    """Something with a state that is read and changed under a lock."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Any]:
        """The state; nobody changes it meanwhile."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Any]:
        """A copy of the state, which takes its place if nothing goes wrong."""
