"""Keys that mean the same: one spelling, one order of words, no word that says nothing; or what one says more is said beside the
other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from onrecord.model.record import Record
from onrecord.policy.language.text import stem, terms
from onrecord.policy.language.vocabulary import Vocabulary

#: Words in a key that tell it from no other.
_SILENT = frozenset("my the a of for user users current is".split())
#: Words that say of what sort the value is, and not of what it is one.
_SORTS = frozenset(map(stem, "name company firm provider".split()))

Meaning = tuple[str, ...]


def joined_keys(records: Iterable[Record], vocabulary: Vocabulary) -> Mapping[str, str]:
    """The key that each key of these records is to have, for those that are to have another.

    Of keys that mean the same a declared one wins, then one in the spelling of the vocabulary, then the one that most records
    have, then the shortest. Keys of other words mean the same if they share one, and whatever else tells the one stands in all
    that is said under the other: "The car is insured with Helvia" is of ``insurance_of_car`` under any name. That holds of no
    key with two such partners."""
    keyed = [record for record in records if record.key]
    counts = Counter(record.key or "" for record in keyed)
    known = set(vocabulary.keys)
    joined: dict[str, str] = {}
    for same in _together(keyed, vocabulary):
        best = min(same, key=lambda key: (key not in known, vocabulary.canonical(key) != key, -counts[key], len(key), key))
        joined |= {key: best for key in same if key != best}
    return joined


def _together(records: Sequence[Record], vocabulary: Vocabulary) -> Iterator[list[str]]:
    """Keys that mean the same, each once."""
    groups: dict[Meaning, list[Record]] = {}
    for record in records:
        groups.setdefault(_meaning(record.key or "", vocabulary), []).append(record)
    partners = {
        one: [other for other in groups if other != one and _same(one, groups[one], other, groups[other])] for one in groups
    }
    for one, rows in groups.items():
        alone = [other for other in partners[one] if partners[one] == [other] and partners[other] == [one]]
        if not alone or one < alone[0]:
            yield sorted({record.key or "" for record in (*rows, *(row for other in alone for row in groups[other]))})


def _same(one: Meaning, its: Sequence[Record], other: Meaning, theirs: Sequence[Record]) -> bool:
    shared = {*one} & {*other}
    return bool(shared) and _alike(its, theirs) and (_named_beside(one, other, its) or _named_beside(other, one, theirs))


def _named_beside(one: Meaning, other: Meaning, its: Sequence[Record]) -> bool:
    """Whether ``one`` says no more than of what sort its values are, and all else that ``other`` says stands in every statement
    under ``one``."""
    more = {*other} - {*one} - _SORTS
    return bool(more) and {*one} - {*other} <= _SORTS and all(more <= {*terms(record.statement)} for record in its)


def _alike(its: Sequence[Record], theirs: Sequence[Record]) -> bool:
    """Whether all values are of one shape, with figures or without."""
    return len({any(map(str.isdigit, record.value or "")) for record in (*its, *theirs)}) == 1


def _meaning(key: str, vocabulary: Vocabulary) -> Meaning:
    words = [stem(word) for word in vocabulary.canonical(key).split("_")]
    return tuple(sorted(word for word in words if word not in _SILENT)) or (key,)
