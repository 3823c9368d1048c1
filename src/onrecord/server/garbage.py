"""Garbage: Python looks through all it holds now and then for circles that nobody needs, and every thread stands still meanwhile.

What a server holds is mostly kept for long: what was looked at once is set aside, so that a look takes as long as there is news,
however much is held. What is set aside and becomes a circle later stays; so all is looked through when there is nothing to do.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Mapping

#: Seconds between moments at which a server that has nothing to do looks through all, and after which a busy one does.
_OFTEN, _AT_LAST = 60.0, 3_600.0


def settle() -> None:
    """Sets aside what is there now, and from here on what every full collection leaves."""
    if _set_aside not in gc.callbacks:
        gc.callbacks.append(_set_aside)
    gc.collect()


def look_through() -> None:
    """Collects what became garbage of all that was set aside."""
    gc.unfreeze()
    gc.collect()


async def tidy(idle: Callable[[], bool], pause: float = _OFTEN) -> None:
    """Looks through all, again and again, while ``idle`` says that nobody waits; until cancelled."""
    last = time.monotonic()
    while True:
        await asyncio.sleep(pause)
        if _set_aside in gc.callbacks and (idle() or time.monotonic() - last > _AT_LAST):
            look_through()
            last = time.monotonic()


def _set_aside(phase: str, info: Mapping[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
