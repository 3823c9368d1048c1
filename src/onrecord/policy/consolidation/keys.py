"""Keys that mean the same: one spelling, one order of words, no word that says nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from onrecord.policy.language.text import stem
from onrecord.policy.language.vocabulary import Vocabulary

#: Words in a key that tell it from no other.
_SILENT = frozenset("my the a of for user users current is".split())


def joined_keys(keys: Iterable[str], vocabulary: Vocabulary) -> Mapping[str, str]:
    """The key that each of ``keys`` (one a record) is to have, for those that are to have another.

    Of keys that mean the same a declared one wins, then one in the spelling of the vocabulary, then the one that most records
    have, then the shortest."""
    counts = Counter(keys)
    groups: dict[tuple[str, ...], list[str]] = {}
    for key in counts:
        groups.setdefault(_meaning(key, vocabulary), []).append(key)
    known = set(vocabulary.keys)
    joined: dict[str, str] = {}
    for same in groups.values():
        best = min(same, key=lambda key: (key not in known, vocabulary.canonical(key) != key, -counts[key], len(key), key))
        joined |= {key: best for key in same if key != best}
    return joined


def _meaning(key: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    words = [stem(word) for word in vocabulary.canonical(key).split("_")]
    return tuple(sorted(word for word in words if word not in _SILENT)) or (key,)
