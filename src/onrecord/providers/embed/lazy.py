"""Loads a model at its first use, once, and says what to install where it cannot."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from onrecord.errors import EmbedderUnavailable

T = TypeVar("T")


class Lazy(Generic[T]):
    """What ``load`` gives, called once among all threads; after a failure it is called again.

    ``what`` names it in errors, ``extra`` is the extra of onrecord that brings its package.
    """

    def __init__(self, what: str, extra: str, load: Callable[[], T]) -> None:
        self._what, self._extra, self._load = what, extra, load
        self._lock = threading.Lock()
        self._found: list[T] = []

    def __call__(self) -> T:
        """The loaded one. Raises EmbedderUnavailable: the package is not installed, or the model is not there."""
        with self._lock:
            if not self._found:
                self._found.append(self._loaded())
            return self._found[0]

    def _loaded(self) -> T:
        try:
            return self._load()
        except ImportError as error:
            raise EmbedderUnavailable(
                f"{self._what} needs the package {error.name}; install it with: pip install 'onrecord[{self._extra}]'"
            ) from error
        except (OSError, ValueError, RuntimeError) as error:  # a hub that is out of reach, a folder without a model
            raise EmbedderUnavailable(
                f"{self._what} cannot be loaded ({type(error).__name__}: {_first_line(error)}); name a model of that library, or "
                "a folder that holds one"
            ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
