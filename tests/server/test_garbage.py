"""What a server holds for long is looked at once by the collection of garbage, and all of it when there is nothing to do."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from onrecord.server import garbage
from onrecord.server.host import workers


class Node:
    """One of a circle."""

    def __init__(self) -> None:
        self.other: Node | None = None


def circle() -> tuple[Node, weakref.ref[Node]]:
    one, other = Node(), Node()
    one.other, other.other = other, one
    return one, weakref.ref(one)


@pytest.fixture
def settled() -> Iterator[None]:
    garbage.settle()
    yield
    gc.callbacks.remove(garbage._set_aside)
    gc.unfreeze()


@pytest.mark.usefixtures("settled")
def test_what_a_full_collection_leaves_is_not_looked_at_again() -> None:
    held, seen = circle()
    gc.collect()
    assert all(one is not held for one in gc.get_objects())
    del held
    gc.collect()
    assert seen() is not None
    garbage.look_through()
    assert seen() is None


@pytest.mark.usefixtures("settled")
def test_what_becomes_garbage_between_two_collections_is_collected() -> None:
    held, seen = circle()
    del held
    gc.collect()
    assert seen() is None


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("idle", [True, False])
def test_all_is_looked_through_when_nobody_waits(idle: bool) -> None:
    held, seen = circle()
    gc.collect()
    del held
    asked: list[bool] = []

    async def main() -> None:
        twice = asyncio.Event()

        def waits() -> bool:
            asked.append(idle)
            if len(asked) == 2:
                twice.set()
            return idle

        task = asyncio.create_task(garbage.tidy(waits, 0.0))
        await twice.wait()
        task.cancel()

    asyncio.run(main())
    assert (seen() is None) is idle


def test_threads_are_bounded_by_the_processors_and_by_the_policy() -> None:
    assert workers(1) == 1
    assert 3 <= workers(10_000) < 10_000
