"""Whether two records hold the same value, in whatever words: case, articles, number words and units do not count."""

from __future__ import annotations

import re

from onrecord.model.record import Record
from onrecord.policy.language.polarity import same_facts, signature
from onrecord.policy.language.remembered import remembered
from onrecord.policy.language.text import STOP_WORDS, fold, terms

_AROUND = frozenset(
    "in at on by via per through using with to for from the a an my our as is mit per von bei por con en par avec".split()
)
_LIST = re.compile(r"\s*(?:,|;|/|\band\b|\bund\b|\by\b|\bet\b|&|\+)\s*")


_STOP = frozenset(term for word in STOP_WORDS for term in terms(word))


def normal_value(value: str) -> tuple[str, ...]:
    """``value`` in normal form: parts of a list in alphabetical order, numbers as digits with their unit, no articles."""
    parts = [signature(_joined(part)).frame for part in _LIST.split(value.strip()) if part.strip()]
    bare = [tuple(word for word in _stripped(part)) for part in parts]
    return tuple(word for part in sorted(bare) for word in (*part, "&"))[:-1]


def value_of(record: Record) -> str:
    """The value of a record, or its statement where no value is given."""
    return record.value or record.statement


def same_value(old: Record, new: Record) -> bool:
    """Whether two records hold the same value; where one has none, whether they state the same."""
    if old.value and new.value:
        return normal_value(old.value) == normal_value(new.value)
    return same_facts(old.statement, new.statement)


def same_qualifier(one: str | None, two: str | None) -> bool:
    """Whether two statements hold in the same situation; none is the same as none only."""
    return one == two or _situation(one or "") == _situation(two or "")


def mentions_value(record: Record, thing: str) -> bool:
    """Whether all telling words of ``thing`` are in the record's value, statement or key."""
    wanted = telling(thing)
    return bool(wanted) and wanted <= set(
        terms(f"{record.value or ''} {record.statement} {(record.key or '').replace('_', ' ')}")
    )


@remembered
def telling(text: str) -> frozenset[str]:
    """The index terms of ``text`` without stop words."""
    return frozenset(terms(text)) - _STOP


def _joined(part: str) -> str:
    """ "e-mail" as "email": one hyphen more or less is no other value, but the sign of a number is."""
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "", fold(part))


def _stripped(part: tuple[str, ...]) -> tuple[str, ...]:
    while len(part) > 1 and part[0] in _AROUND:
        part = part[1:]
    return part


@remembered
def _situation(text: str) -> tuple[str, ...]:
    return tuple(word for word in signature(_joined(text)).frame if word not in _AROUND)
