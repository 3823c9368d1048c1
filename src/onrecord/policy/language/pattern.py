"""Patterns that are compiled when they are first used. Compiling all of them took half the start of a command that needs few."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands for a compiled pattern. What was asked of it once is kept as its own attribute, so that later calls cost nothing."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what a copy or a pickle asks for, before there is a text
            raise AttributeError(name)
        found = self.__dict__[name] = getattr(re.compile(self.pattern, self._flags), name)
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern of ``text``, to be used by its own methods (``found.search(...)``). Raises ``re.error`` at its first use."""
    return cast("re.Pattern[str]", _Lazy(text, flags))
