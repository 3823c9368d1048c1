"""Probable misses of retrieval: what somebody says again, or corrects, although it was on record and a search left it out. Pure.

A memory that was not found is a silent failure; the person notices, and says it once more. So each later statement of a record is
held against the searches made for that turn and for the one before it, in the same thread. Where none of them returned the
record, and something tells that it belonged there, the search is a probable miss. News is not told from a correction of what
was missed: both are listed, with the words that tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from onrecord.model.record import Record
from onrecord.model.trace import Drop, Miss, Scored, Trace
from onrecord.model.turn import Turn
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.polarity import is_negated
from onrecord.policy.language.text import fold, query_terms

#: The searches of a turn and of the one before.
_SEARCHES = 2
#: Telling words that a reminder shares with a record, at least, and as a share of the record's.
_FEWEST, _MOST = 3, 0.6
#: A search without a thread belongs to a turn that came so soon after it.
_SOON = timedelta(hours=1)
_SAID_BEFORE = regex(
    r"\b(?:(?:as|like) i (?:\w+ )?(?:said|told|mentioned)|i (?:\w+ )?(?:told|said|mentioned)|again|already|once more|i repeat|"
    r"wie gesagt|schon (?:gesagt|mal)|nochmal|noch einmal|como (?:te )?dije|ya (?:te )?dije|otra vez|de nuevo|"
    r"je l['’]ai deja dit|comme je l['’]ai dit|encore une fois)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A record that was stated again. ``record`` is how it stood before ``turn`` said it (``corrected``: said that it is
    otherwise), and ``since`` when it came on record."""

    record: Record
    turn: Turn
    corrected: bool
    since: datetime


def restates(said: str, record: Record) -> bool:
    """Whether words that the gate found too light say a record again: most of its telling words, its numbers, its polarity.

    "As I said, window seats" is a reminder and no statement that lasts, so it changes no record; a miss it still tells of.
    """
    words, there = set(query_terms(record.statement)), set(query_terms(said))
    both = words & there
    same = len(both) >= _FEWEST and len(both) >= _MOST * len(words)
    return same and _numbers(words) == _numbers(there) and is_negated(said) == record.negation


def _numbers(words: Iterable[str]) -> set[str]:
    return {word for word in words if any(char.isdigit() for char in word)}


def misses(told: Iterable[Told], traces: Sequence[Trace]) -> list[Miss]:
    """The probable misses, those of the latest turns first; one for each record and turn."""
    found = (_miss(one, traces) for one in told)
    return sorted((miss for miss in found if miss), key=lambda miss: (miss.turn.written_at, miss.record.id), reverse=True)


def _miss(told: Told, traces: Sequence[Trace]) -> Miss | None:
    searches = _searches(told.turn, traces)
    known = [trace for trace in searches if trace.at > told.since]
    if any(told.record.id in (*trace.returned, *trace.injected) for trace in searches):
        return None
    expected = [(trace, why) for trace in known if (why := _why(told, trace))]
    return Miss(told.record, told.turn, expected[0][0], told.corrected, expected[0][1]) if expected else None


def _searches(turn: Turn, traces: Sequence[Trace]) -> list[Trace]:
    """The last searches before the turn was written, of its thread or soon before it, oldest first."""
    mine = [trace for trace in traces if turn.subject in trace.subjects and trace.at <= turn.written_at and _near(turn, trace)]
    return sorted(mine, key=lambda trace: (trace.at, trace.id))[-_SEARCHES:]


def _near(turn: Turn, trace: Trace) -> bool:
    if trace.origin.thread is not None:
        return trace.origin.thread == turn.origin.thread
    return turn.written_at - trace.at <= _SOON


def _why(told: Told, trace: Trace) -> str:
    """What tells that the record belonged into the answer; empty for nothing."""
    seen = next((one for one in trace.candidates if one.id == told.record.id), None)
    if seen is not None:
        return f"it was looked at and left out: {_left_out(seen)}"
    shared = [term for term in query_terms(told.record.text) if term in trace.terms]
    if shared:
        return f"it was not looked at, and shares with the question: {', '.join(shared)}"
    if _SAID_BEFORE.search(fold(told.turn.text)):
        return "the person says that it was said before"
    return ""


def _left_out(seen: Scored) -> str:
    match seen.dropped:
        case Drop.OVER_LIMIT:
            return "others were better"
        case Drop.DUPLICATE:
            return "it says the same as another"
        case _:
            return f"its relevance of {seen.relevance:.2f} was not enough"
