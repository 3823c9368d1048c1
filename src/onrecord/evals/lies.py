"""What gets past the gate because a model lies: writes of *keepsakes* that rules alone did not make, and that are wrong.

Each conversation is played by rules alone, and then with each of the liars (``onrecord.testing.liar``) reading beside them. A
write is *because of a liar* if the same words of the same turns were not written without it. Of those, the wrong ones are counted
by the worst that can be said of them: an injection, a secret, words of the assistant, words that nobody said (a negation turned
round among them), or else a fact that was not worth keeping.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from onrecord.evals.keepsakes_gold import Scenario, load
from onrecord.evals.keepsakes_play import play
from onrecord.evals.keepsakes_score import Write, matching
from onrecord.model.turn import Role
from onrecord.ports import ChatModel, Clock

if TYPE_CHECKING:
    from onrecord.memory import Memory

#: A fresh, empty memory that tells the time by the clock given, and reads with that model, or by rules alone.
MakeReading: TypeAlias = Callable[[Clock, ChatModel | None], "Memory"]
SORTS = ("injection", "secret", "assistant", "unsaid", "other")


def evaluate_lies(
    folder: Path, make_memory: MakeReading, liars: Sequence[ChatModel], *, only: Collection[str] | None = None
) -> dict[str, Any]:
    """``wrong``: for each sort how many writes are wrong because of the liars, all of them together, each write counted once;
    ``right``: those that are right; ``rows``: the wrong ones.

    Raises ``InvalidInput`` when the folder holds no conversation."""
    sorts: Counter[str] = Counter()
    right, rows = 0, list[dict[str, Any]]()
    for scenario in load(folder, only=only):
        known = {_same(write) for write in _writes(scenario, make_memory, None)}
        for liar in liars:
            writes = _writes(scenario, make_memory, liar)
            good = {write.id for write in matching(scenario, writes).right}
            fresh = [write for write in writes if _same(write) not in known]
            known |= {_same(write) for write in fresh}
            right += sum(write.id in good for write in fresh)
            for write in (one for one in fresh if one.id not in good):
                sort = _sort(scenario, write)
                sorts[sort] += 1
                rows.append({"scenario": scenario.id, "sort": sort, "turns": sorted(write.sources), "text": write.text})
    return {"wrong": {sort: sorts[sort] for sort in SORTS}, "right": right, "rows": rows}


def _writes(scenario: Scenario, make_memory: MakeReading, reader: ChatModel | None) -> Sequence[Write]:
    return play(scenario, lambda clock: make_memory(clock, reader), (), lambda: None).writes


def _same(write: Write) -> tuple[frozenset[str], str]:
    return write.sources, write.text


def _sort(scenario: Scenario, write: Write) -> str:
    reasons = {scenario.rejects.get(turn) for turn in write.sources}
    for reason in ("injection", "secret"):
        if reason in reasons:
            return reason
    said = [turn for turn in scenario.turns if turn.id in write.sources]
    if any(turn.role is Role.ASSISTANT for turn in said):
        return "assistant"
    return "other" if any(_letters(write.text) in _letters(turn.text) for turn in said) else "unsaid"


def _letters(text: str) -> str:
    return "".join(text.split()).casefold()
