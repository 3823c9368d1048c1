"""Times in text: which stretch of time a phrase means when it is read at the moment it was said, and how it is used.

Rules, not a model: what is not understood is left out, never guessed. Weeks begin on Monday, seasons are the northern ones, and
``3/4/2026`` is 3 April unless another date with slashes in the same text puts the month first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from onrecord.errors import InvalidInput
from onrecord.policy.language.pattern import regex
from onrecord.policy.temporal.reading import Match, Reading
from onrecord.policy.temporal.rules import Found, found


class Role(StrEnum):
    """How a time is used: the thing happens then, ends then, begins then, lies before or after it, or comes back then."""

    ON = "on"
    UNTIL = "until"
    SINCE = "since"
    BEFORE = "before"
    AFTER = "after"
    RECURRING = "recurring"


@dataclass(frozen=True, slots=True)
class When:
    """One mention of a time.

    ``start`` inclusive and ``end`` exclusive are aware, in the zone of the moment of reading, ``start < end``. With ``until`` the
    day named is still included, so validity ends at ``end``; with ``before`` it ends at ``start``. ``grain`` is the unit named
    (``minute`` to ``year``, or ``part``, ``season``, ``weekend``); a ``recurring`` one gives its next occurrence. ``text`` is the
    phrase at ``span`` of the text, without its preposition.
    """

    start: datetime
    end: datetime
    text: str
    span: tuple[int, int]
    grain: str
    role: Role


def mentions(text: str, at: datetime) -> list[When]:
    """The times that ``text``, said at ``at``, mentions, in order, none overlapping.

    A date without a year is the one that the tense points at: the last one beside a past tense, the next one otherwise or after
    "until". Raises ``InvalidInput`` for a naive ``at``; never for any text.
    """
    if at.tzinfo is None:
        raise InvalidInput("at", "has no time zone", "pass an aware datetime")
    plain = text.replace("’", "'")
    now = at.replace(tzinfo=None, fold=0)
    month_first = _MONTH_FIRST.search(plain) is not None and not _DAY_FIRST.search(plain)
    tense = _Tense(plain)
    hits = _without_overlaps(list(found(plain, lambda m: Reading(now, lambda: tense.of(m), month_first))))
    roles = _roles(plain, hits)
    made = (_when(text, hit, role, at) for hit, role in zip(hits, roles, strict=True))
    return [when for when in made if when is not None]


def _when(text: str, hit: Found, role: Role, at: datetime) -> When | None:
    start, end = hit.window.start.replace(tzinfo=at.tzinfo), hit.window.end.replace(tzinfo=at.tzinfo)
    try:
        if not start.timestamp() < end.timestamp():
            return None
    except (OverflowError, ValueError, OSError):
        return None
    return When(start, end, text[slice(*hit.span)], hit.span, hit.window.grain, role)


def _without_overlaps(hits: list[Found]) -> list[Found]:
    """The longest phrases first; of equally long ones the rule that stands first."""
    kept: list[Found] = []
    taken: set[int] = set()
    for hit in sorted(hits, key=lambda h: (h.span[0] - h.span[1], h.span[0])):
        if taken.isdisjoint(range(*hit.span)):
            kept.append(hit)
            taken.update(range(*hit.span))
    return sorted(kept, key=lambda h: h.span)


# --- tense

_MONTH_FIRST = regex(r"(?<!\d)\d\d?/(?:1[3-9]|2\d|3[01])/(?:\d\d)?\d\d(?!\d)")
_DAY_FIRST = regex(r"(?<!\d)(?:1[3-9]|2\d|3[01])/\d\d?/(?:\d\d)?\d\d(?!\d)")
_REACH = 160
_SENTENCE = regex(r"[.!?;\n。！？](?=\s|$)|\n|。")
_PAST = regex(
    r"\b(?:was|were|wasn't|weren't|did|didn't|had|went|met|said|told|bought|got|made|came|left|began|saw|spoke|wrote|sent|paid|"
    r"took|gave|broke|fell|"
    r"found|forgot|held|kept|knew|lost|put|ran|sold|sat|slept|spent|stood|thought|won|born|been|ate|drank|drove|flew|chose|"
    r"became|"
    r"(?!need|feed|speed|proceed|succeed|indeed|embed|bleed|breed|seed|weed|bed\b|red\b|shed\b|hundred|sacred|naked|wicked|"
    r"united|limited|allowed|required|supposed|scheduled|"
    r"planned|booked|expected|delayed|postponed|moved|pushed|closed|fed\b)[a-z]{2,}ed|"
    r"war|waren|hatte|hatten|habe|haben|hat|ging|kam|wurde|gekauft|gesagt|gemacht|fue|fueron|era|estaba|estuve|tuve|hice|dijo|"
    r"dije|compré|fui|"
    r"était|étaient|avait|ai|été|allé|acheté|dit)\b|ました|でした|かった|した",
    re.IGNORECASE,
)
_FUTURE = regex(
    r"\b(?:is on|are on|is due|is at|will|won't|shall|going to|gonna|about to|plan|plans|planning|due|starts|begins|ends|"
    r"expires|leaves|arrives|comes|"
    r"runs|please|book|schedule|remind|"
    r"until|till|by|from|before|wird|werde|werden|bitte|bis|ab|voy a|va a|vamos a|hasta|vais|va|allons|jusqu'\w+)\b|'ll\b|まで|"
    r"ください|予定|つもり",
    re.IGNORECASE,
)
_AIMED = regex(
    r"\b(?:to|until|till|by|for|from|between|starting|due|through|bis|auf|ab|hasta|para|jusqu'au|pour)\s(?:the\s|den\s|el\s|"
    r"le\s)?$",
    re.IGNORECASE,
)
_BACK = regex(r"\b(?:since|seit|desde|depuis)\s(?:the\s|dem\s|el\s|le\s)?$", re.IGNORECASE)


class _Tense:
    """Whether the words around a phrase look back (-1) or ahead (1), sentence by sentence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.end() for match in _SENTENCE.finditer(text)]
        self._known: dict[tuple[int, int], int] = {}

    def of(self, match: Match) -> int:
        """The tense of the preposition before the phrase, else of its sentence; 0 where nothing tells."""
        start = match.start()
        if "prep" in match.re.groupindex and match["prep"]:
            start = match.end("prep") + 1
        before = self._text[max(0, start - 24) : start]
        if _BACK.search(before):
            return -1
        if _AIMED.search(before):
            return 1
        place = self._sentence(start)
        if place not in self._known:
            self._known[place] = _tense(self._text[slice(*place)])
        return self._known[place]

    def _sentence(self, at: int) -> tuple[int, int]:
        """The sentence around a place; of a very long one the stretch around it."""
        i = bisect_right(self._ends, at)
        left = self._ends[i - 1] if i else 0
        right = self._ends[i] if i < len(self._ends) else len(self._text)
        stretch = at // _REACH * _REACH
        return max(left, stretch - _REACH), min(right, stretch + 2 * _REACH)


def _tense(sentence: str) -> int:
    past, future = _PAST.search(sentence) is not None, _FUTURE.search(sentence) is not None
    return int(future) - int(past)


# --- role

_ARTICLE = r"(?:the |that |this |am |den |dem |zum |el |la |los |le |la |les |l')?"
_BEFORE_ROLES = (
    (
        Role.UNTIL,
        r"(?:up )?(?:until|till|til|'til|through|thru|by|no later than|not later than|at the latest (?:by|on)|up to|valid to|"
        r"ends|ends on|expires|expires on|runs out|runs out on|bis|bis zum|bis zu|bis einschließlich|"
        r"spätestens|hasta|jusqu'à|jusqu'au|jusqu'en|d'ici|d'ici à)",
    ),
    (
        Role.SINCE,
        r"(?:since|from|starting|starting on|starts|starts on|begins|begins on|kicks off|kicks off on|beginning|beginning on|"
        r"as of|as from|effective|effective from|ab|ab dem|seit|seit dem|von|vom|desde|a partir de|a partir del|"
        r"depuis|à partir de|à partir du|dès|between|zwischen|entre)",
    ),
    (Role.BEFORE, r"(?:before|prior to|ahead of|earlier than|vor|vor dem|antes de|antes del|avant)"),
    (Role.AFTER, r"(?:after|later than|nach|nach dem|después de|después del|tras|après)"),
)
_BEFORE = tuple((role, regex(rf"(?<!\w){words} {_ARTICLE}$|(?<!\w)d'ici $", re.IGNORECASE)) for role, words in _BEFORE_ROLES)
_AFTER_ROLES = (
    (Role.UNTIL, regex(r"(?:\s?(?:まで|迄))|\s(?:at the latest|inclusive)", re.IGNORECASE)),
    (Role.SINCE, regex(r"(?:\s?(?:から|以降|より))|\s(?:on|onwards?|and later)(?=\s*(?:[.,;!?]|$))", re.IGNORECASE)),
    (Role.BEFORE, regex(r"\s?(?:より前|以前|までに)", re.IGNORECASE)),
)
_RANGE = regex(
    r"\s?(?:to|until|till|through|thru|and|bis|bis zum|und|a|al|hasta|y|à|au|et|から|[-–—~〜])\s?" + _ARTICLE, re.IGNORECASE
)
_JUST_RANGE = regex(r"\s?(?:to|until|till|through|thru|bis|bis zum|al|hasta|au|から|[-–—~〜])\s?" + _ARTICLE, re.IGNORECASE)


def _roles(text: str, hits: list[Found]) -> list[Role]:
    roles: list[Role] = []
    for i, hit in enumerate(hits):
        role = Role(hit.role) if hit.role else _role(text, hit.span)
        gap = text[hits[i - 1].span[1] : hit.span[0]] if i else None
        if gap is not None and len(gap) < 20 and role in (Role.ON, Role.UNTIL):
            opened = roles[-1] is Role.SINCE and _RANGE.fullmatch(gap)
            if opened or (roles[-1] is Role.ON and _JUST_RANGE.fullmatch(gap)):
                roles[-1], role = Role.SINCE, Role.UNTIL
        roles.append(role)
    return roles


def _role(text: str, span: tuple[int, int]) -> Role:
    before, after = text[max(0, span[0] - 40) : span[0]], text[span[1] : span[1] + 20]
    for role, pattern in _BEFORE:
        if pattern.search(before):
            return role
    return next((role for role, pattern in _AFTER_ROLES if pattern.match(after)), Role.ON)
