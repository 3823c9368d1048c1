"""Sizes: the tokens of turns, counted once for each counter and kept in the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from onrecord.errors import StoreError
from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.policy.dialogue.parts import COUNTING, turn_tokens
from onrecord.ports import Engine, TokenCounter

#: Tokens of a turn as messages.
Size = Callable[[Turn], int]


def sizes(engine: Engine, reach: Reach, thread: str, turns: Sequence[Turn]) -> Size:
    """A function that gives the tokens of ``turns``, from the store where they were counted before by the same counter.

    It counts any other turn anew, also a shortened copy of one of them."""
    count = engine.tokens.count
    found = _known(engine, reach, thread, turns)

    def size(turn: Turn) -> int:
        stored, tokens = found.get(turn.id, (None, 0))
        return tokens if stored is turn else turn_tokens(turn, count)

    return size


def counter_name(counter: TokenCounter) -> str | None:
    """The name under which the counts of a counter are kept; ``None`` for one that has no name, so that none are kept."""
    name = getattr(counter, "name", None)
    return f"{name}+{COUNTING}" if isinstance(name, str) and name else None


def _known(engine: Engine, reach: Reach, thread: str, turns: Sequence[Turn]) -> dict[str, tuple[Turn, int]]:
    name = counter_name(engine.tokens)
    known = engine.store.token_counts(reach, thread, name) if name else {}
    fresh = {turn.id: turn_tokens(turn, engine.tokens.count) for turn in turns if turn.id not in known}
    if name and fresh:
        with suppress(StoreError):  # they are counted again the next time
            engine.store.put_token_counts(reach, name, fresh)
    return {turn.id: (turn, known.get(turn.id, fresh.get(turn.id, 0))) for turn in turns}
