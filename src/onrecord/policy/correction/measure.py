"""Two settings of one thing: whether a statement gives another value for what an older one measures, limits or sets.

A number is a setting if it has a unit or follows "is", a colon or a word of limit; the 4 of "dock 4" is a name. Everything that
the new clause names has to be named by the old statement, so a limit for the kitchen is no news about the bedroom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from onrecord.policy.language.numerals import UNITS
from onrecord.policy.language.text import terms
from onrecord.policy.language.tokens import Token, TokenKind, tokens
from onrecord.policy.language.values import telling

#: Words about the change rather than about what changes; and words of number and limit.
_CHANGE = telling(
    "now new old come comes came down up cut raised lowered changed change changes make set go goes went got get instead only "
    "just max maximum min minimum most least "
    "limit over under above below per each every take takes took allow allows allowed may can must should need needs keep stay "
    "stays lasting today "
    "anymore rather still actually exactly always effective pro jetzt statt nur höchstens ahora solo máximo maintenant seulement"
)
_SETTING = frozenset(
    "is are was to = : max min maximum minimum most least than over under above below exactly only limit cap ist auf es son "
    "est à".split()
)
_CLAUSE = re.compile(r"[.;!?\n]+(?:\s|$)|,\s|:\s(?!\D{0,3}\d)|\s[–—-]\s|。")
#: A clause has to name at least this much of what it is about.
_NAMED = 2
_UNIT_OF = re.compile(r"t(?=\d\d:)|[^\d.-].*$")


class Measure(NamedTuple):
    """One setting: its value, its unit (``""`` for a bare number), what its clause names, and what the whole statement names."""

    value: str
    unit: str
    about: frozenset[str]
    within: frozenset[str]


def another_setting(old: str, new: str) -> bool:
    """Whether ``new`` sets one thing to one new value, where ``old`` sets it to one other."""
    before, after = measures(old), measures(new)
    come = [m for m in after if all(m[:2] != known[:2] for known in before)]
    if len(come) != 1:
        return False
    gone = {m.value for m in before if m.unit == come[0].unit} - {m.value for m in after}
    return len(gone) == 1 and len(come[0].about) >= _NAMED and come[0].about <= before[0].within


def measures(text: str) -> tuple[Measure, ...]:
    """The settings that ``text`` states, in order."""
    return _remembered(text) if len(text) <= _SHORT else tuple(_read(text))


def _read(text: str) -> Iterator[Measure]:
    clauses = [tokens(clause or "") for clause in _CLAUSE.split(text)]
    settings = [[i for i in range(len(found)) if _is_setting(found, i)] for found in clauses]
    named = [_named(found, at) for found, at in zip(clauses, settings, strict=True)]
    within = frozenset[str]().union(*named)
    for found, at, about in zip(clauses, settings, named, strict=True):
        for i in at:
            unit = _UNIT_OF.search(found[i].normal)
            yield Measure(found[i].normal, unit[0] if unit else "", about, within)


def _named(found: list[Token], settings: list[int]) -> frozenset[str]:
    """What a clause names besides its settings and the change itself."""
    words = " ".join(token.word for i, token in enumerate(found) if i not in settings)
    return frozenset(telling(words) - _CHANGE - _UNIT_TERMS)


#: One statement is compared with many neighbours; longer texts are no statements.
_SHORT = 500


@lru_cache(maxsize=4096)
def _remembered(text: str) -> tuple[Measure, ...]:
    return tuple(_read(text))


def _is_setting(found: list[Token], at: int) -> bool:
    token = found[at]
    if token.kind is not TokenKind.NUMBER:
        return False
    if not token.normal.replace(".", "").lstrip("-").isdigit():
        return not token.normal.endswith("th")
    if "." in token.normal:
        return True
    before = found[at - 1] if at else None
    return before is not None and (before.word in _SETTING or before.before_value)


_UNIT_TERMS = frozenset(term for word in UNITS for term in terms(word))
