"""Seasons: what holds in winter is no news of what holds in summer."""

from __future__ import annotations

import re

from onrecord.policy.language.remembered import remembered
from onrecord.policy.language.text import fold
from onrecord.policy.temporal.words import MONTHS, SEASONS

#: Words that are seasons, and more often something else.
_OTHER_WORDS = frozenset({"fall", "spring"})
_NAMES = {fold(word): season for word, season in SEASONS.items() if word not in _OTHER_WORDS}
_NAMED = re.compile(rf"\b({'|'.join(map(re.escape, _NAMES))})s?\b")
#: "from May to September" is a season as well; "since May" is when something changed.
_STRETCH = re.compile(
    rf"\b(?:from|between|von|de|desde|du) (?:the )?({'|'.join(re.escape(fold(word)) for word in MONTHS)})\b"
    rf"[^.;!?]{{0,40}}?\b(?:till?|until|to|through|and|bis|hasta|a|au|jusqu\w*)\b"
)
_MONTHS = {fold(word): number for word, number in MONTHS.items()}
_OF_MONTH = (
    "winter",
    "winter",
    "spring",
    "spring",
    "spring",
    "summer",
    "summer",
    "summer",
    "autumn",
    "autumn",
    "autumn",
    "winter",
)


def other_season(one: str, other: str) -> bool:
    """Whether both texts speak of seasons and of none in common."""
    mine, theirs = _seasons(one), _seasons(other)
    return bool(mine and theirs) and not mine & theirs


@remembered
def _seasons(text: str) -> frozenset[str]:
    words = fold(text)
    stretches = {_OF_MONTH[_MONTHS[match[1]] % 12] for match in _STRETCH.finditer(words)}
    return frozenset(_NAMES[match[1]] for match in _NAMED.finditer(words)) | stretches
