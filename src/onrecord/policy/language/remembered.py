"""Remembering what was read of a text: statements of one subject are compared with each other again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
#: Texts that one reading remembers: a few times the records of a subject that is compared whole, with their parts and quotations.
TEXTS = 2_048
#: Longer texts are no statements, and would only fill the memory.
_SHORT = 700


def remembered(read: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """``read`` as it is, but the last 2,048 short texts are read once. Only for what depends on nothing else and gives something
    that nobody changes."""
    kept = cast("Callable[Concatenate[str, P], T]", lru_cache(maxsize=TEXTS)(read))

    @wraps(read)
    def reading(text: str, /, *args: P.args, **more: P.kwargs) -> T:
        return (kept if len(text) <= _SHORT else read)(text, *args, **more)

    return reading
