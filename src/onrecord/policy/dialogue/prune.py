"""Selective pruning of a dialogue: calls that failed and were repeated with success, dead ends, results that are used up.

What the current step may need (everything since the user last spoke) is left alone, but for calls that failed and were repeated
with success. Calls go together with their results, and never the user's or the system's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from onrecord.model.message import Call, Result, Words
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.formatting import rewritten, tools_of
from onrecord.policy.dialogue.parts import arguments, blank, calls, parts, result_text, results, spoken

#: Characters of a used result that stay, two thirds of them from its head. A page of output says what it is within this.
RESULT_LIMIT = 600
#: A result is never shortened below this: less would say nothing.
RESULT_FLOOR = 80
_FAILED = re.compile(
    r"\s{0,20}(?:[\[{(\"']{0,3})(?:error|fatal|exception|traceback|failed|failure|timeout|timed out|denied)\b", re.IGNORECASE
)
_EMPTY = re.compile(
    r"\s{0,20}(?:|\[\]|\{\}|null|none|no (?:results?|matches|match|hits)(?: found)?|not found|nothing found|"
    r"0 (?:results|matches|hits))[.\s]{0,20}",
    re.IGNORECASE,
)


class Why(StrEnum):
    """Why a turn was pruned or shortened."""

    RETRIED = "failed, and repeated later with success"
    DEAD_END = "led nowhere, and the dialogue went on"
    USED = "a long result that was already answered"


@dataclass(frozen=True, slots=True)
class Pruned:
    """The turns that stay, in order (shortened ones are changed copies), and by id why a turn was dropped or shortened."""

    kept: tuple[Turn, ...]
    dropped: Mapping[str, Why] = field(default_factory=dict)
    shortened: Mapping[str, Why] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Use:
    """One assistant turn whose calls were all answered, with the turns of the results."""

    places: tuple[int, ...]
    made: tuple[Call, ...]
    answers: tuple[Result, ...]

    @property
    def failed(self) -> bool:
        return all(failed(result) for result in self.answers)

    @property
    def empty(self) -> bool:
        return all(_EMPTY.fullmatch(result_text(result)[:200]) for result in self.answers)

    @property
    def target(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What is called, and with which arguments named: a retry may change their values."""
        return tuple(sorted((call.name, tuple(sorted(arguments(call)))) for call in self.made))


def failed(result: Result) -> bool:
    """Whether a result reports a failure: it is marked so, or its text begins like one."""
    return result.failed or _FAILED.match(result_text(result)[:200]) is not None


def prune(turns: Sequence[Turn], own: Collection[str] = (), *, limit: int = RESULT_LIMIT) -> Pruned:
    """The turns without failed calls that were retried and dead ends, and with used results shortened.

    They are cut to ``limit`` characters, head and tail, with a note that names the turn; but not those of the tools named in
    ``own``, which have a formatter. A turn is only dropped when nothing else is said in it.
    """
    dropped = _dropped(turns)
    named = tools_of(turns)
    kept: list[Turn] = []
    shortened: dict[str, Why] = {}
    for place, turn in enumerate(turns):
        if turn.id in dropped:
            continue
        small = _cut(turn, limit, lambda id: named.get(id) in own) if _was_used(turns, place) else turn
        kept.append(small)
        if small is not turn:
            shortened[turn.id] = Why.USED
    return Pruned(tuple(kept), dropped, shortened)


def head_and_tail(text: str, limit: int, where: str) -> str:
    """``text`` if it has at most ``limit`` characters, else its head and tail with a note of how much is left out.

    ``where`` names what holds the whole. The note is not counted in ``limit``.
    """
    if len(text) <= limit:
        return text
    tail = limit // 3
    head = limit - tail
    note = f"\n[... {len(text) - limit} characters left out; the whole is in {where} ...]\n"
    return text[:head].rstrip() + note + text[len(text) - tail :].lstrip()


def shortener(count: Callable[[Turn], int]) -> Callable[[Turn, int], Turn | None]:
    """A function for ``window``: a turn with its results cut until it has at most so many tokens, or ``None`` if it cannot."""

    def shorten(turn: Turn, room: int) -> Turn | None:
        limit = max((len(result_text(result)) for result in results(turn)), default=0)
        while count(turn) > room:
            limit //= 2
            if limit < RESULT_FLOOR:
                return None
            turn = _cut(turn, limit)
        return turn

    return shorten


def _dropped(turns: Sequence[Turn]) -> dict[str, Why]:
    uses = _uses(turns)
    current = max((place for place, turn in enumerate(turns) if spoken(turn)), default=-1)
    found: dict[str, Why] = {}
    for number, use in enumerate(uses):
        why = _fate(use, uses[number + 1 :], current)
        if why is not None and not any(_says_more(turns[place]) for place in use.places):
            found |= {turns[place].id: why for place in use.places}
    return found


def _fate(use: _Use, later: Sequence[_Use], current: int) -> Why | None:
    if use.failed and any(other.target == use.target and not other.failed for other in later):
        return Why.RETRIED
    if (use.failed or use.empty) and use.places[-1] < current:
        return Why.DEAD_END
    return None


def _uses(turns: Sequence[Turn]) -> list[_Use]:
    """Every use of tools whose calls were all answered, each id once; anything unclear is left alone."""
    where = {result.call_id: (place, result) for place, turn in enumerate(turns) for result in results(turn)}
    asked = [call.id for turn in turns for call in calls(turn)]
    uses = []
    for place, turn in enumerate(turns):
        made = calls(turn)
        if made and all(call.id in where and asked.count(call.id) == 1 for call in made):
            answers = [where[call.id] for call in made]
            uses.append(_Use((place, *sorted({at for at, _ in answers})), made, tuple(result for _, result in answers)))
    return uses


def _says_more(turn: Turn) -> bool:
    """Whether a turn says something beside its calls or results, so that it stays."""
    return (turn.role in (Role.USER, Role.SYSTEM) and spoken(turn)) or any(
        _telling(part.text) for part in parts(turn) if isinstance(part, Words)
    )


def _telling(text: str) -> bool:
    # "Let me look that up." announces a call and says no more; a longer text may hold what the user was told.
    return bool(text.strip()) and len(text) > RESULT_FLOOR


def _was_used(turns: Sequence[Turn], place: int) -> bool:
    """Whether the assistant has answered since in words, and the user has spoken again."""
    if not results(turns[place]):
        return False
    after = turns[place + 1 :]
    answered = next((i for i, turn in enumerate(after) if turn.role is Role.ASSISTANT and _speaks(turn)), None)
    return answered is not None


def _speaks(turn: Turn) -> bool:
    return any(isinstance(part, Words) and not blank(part) for part in parts(turn))


def _cut(turn: Turn, limit: int, left: Callable[[str], bool] = lambda call_id: False) -> Turn:
    """The turn with its results cut to ``limit`` characters, but those of calls that are ``left`` alone."""
    return rewritten(turn, lambda id: None if left(id) else lambda text: head_and_tail(text, limit, f"turn {turn.id}"))
