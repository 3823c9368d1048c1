"""When a candidate begins and ends to hold. Only an end that is said of the fact itself is an end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from onrecord.model.record import ExpiryBasis
from onrecord.policy.gate.features import plain
from onrecord.policy.temporal.phrases import Role, When, mentions

#: Only units that a fact can last by; "until 10" is an hour of the day, not an end.
_GRAINS = frozenset("day week weekend month season year quarter".split())
_ENDS = re.compile(
    r"\b(?:ends?|ending|ended|expires?|runs? out|runs? (?:until|to|through)|lasts?|is over|läuft (?:aus|"
    r"bis)|endet|vence|termina|expire|finit)\b[^.;]{0,20}$"
    r"|\b(?:up to and including|including|in force to|right up to|through to|bis einschließlich|hasta el|jusqu'au) (?:the )?$"
)
_EVENT = re.compile(
    r"\b(?:exam|test|appointment|registered|trip|wedding|deadline|flight|interview|surgery|operation|"
    r"concert|demo|launch|conference|audit|hearing|inspection|"
    r"mock|pr[üu]fung|probetest|termin|hochzeit|examen|boda|cita|viaje|rendez-vous|mariage|voyage|試験|手術)\b"
)
_CHANGED = re.compile(
    r"\b(?:moved|started|began|changed|switched|quit|left|joined|became|retired|married|decided|"
    r"agreed|bought|sold|opened|closed|ended|stopped)\b"
)
_NEAR = timedelta(days=730)
_STARTS = frozenset({Role.SINCE, Role.AFTER})


@dataclass(frozen=True, slots=True)
class Validity:
    """World time of a candidate; ``until`` is ``None`` where no end was said."""

    since: datetime
    until: datetime | None
    basis: ExpiryBasis


def validity(statement: str, at: datetime) -> Validity:
    """From when until when ``statement`` holds, read at ``at`` in the speaker's own zone."""
    found = [when for when in mentions(statement, at) if when.grain in _GRAINS and when.role is not Role.RECURRING]
    until = _end(statement, found, at)
    since = next((w.start for w in found if w.role in _STARTS and (until is None or w.start < until)), None)
    since = since or _start_of_event(statement, found, at, until) or at
    if until is None or until <= since:
        return Validity(since, None, ExpiryBasis.DEFAULT)
    return Validity(since, until, ExpiryBasis.STATED)


def _end(statement: str, found: Sequence[When], at: datetime) -> datetime | None:
    said = [w.end for w in found if w.role is Role.UNTIL and w.end > at and not _weekday_range(statement, w)]
    said += [
        w.end for w in found if w.role in (Role.ON, Role.AFTER) and w.end > at and _ENDS.search(plain(statement[: w.span[0]]))
    ]
    if said:
        return max(said)
    events = [w.end for w in found if w.role is Role.ON and w.grain == "day" and w.start > at]
    return max(events) if events and _EVENT.search(plain(statement)) else None


def _weekday_range(statement: str, when: When) -> bool:
    """ "Monday to Friday" comes back every week: it is no end."""
    words = plain(statement[max(0, when.span[0] - 24) : when.span[1]])
    return (
        re.search(
            r"\b(?:mon|tue|wed|thu|fri|sat|sun)\w* (?:to|through|thru|until|till|bis|-|–) (?:mon|tue|wed|thu|fri|sat|sun)\w*$",
            words,
        )
        is not None
    )


def _start_of_event(statement: str, found: Sequence[When], at: datetime, until: datetime | None) -> datetime | None:
    """The day of an event to come or of a change that is told of; further off than two years it was misread."""
    on = [w.start for w in found if w.role is Role.ON and w.grain != "year" and abs(w.start - at) < _NEAR]
    ahead = [start for start in on if start > at]
    if ahead:
        return min(ahead) if until is None or min(ahead) < until else None
    return max(on) if on and _CHANGED.search(plain(statement)) else None
