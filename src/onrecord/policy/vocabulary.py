"""Names for attributes: which words mean which key, which keys are the same, and how many values a key can hold.

A key that nobody declared is allowed: it is single-valued and means itself. Every ``favourite_…`` is a key of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from onrecord.errors import InvalidInput
from onrecord.model.record import Cardinality, Kind
from onrecord.policy.attributes import ATTRIBUTES, Attribute
from onrecord.policy.text import fold, terms

__all__ = ["DEFAULT", "Attribute", "Vocabulary", "snake_case"]

_KEY_LIMIT = 64
_SEPARATORS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPELLINGS = {
    "favorite": "favourite",
    "fave": "favourite",
    "fav": "favourite",
    "color": "colour",
    "neighbor": "neighbour",
    "preferred": "preferred",
}
_FAVOURITE = re.compile(
    r"\b(?:favou?rites?|fave)\s+((?!is\b|was\b|are\b)[^\W\d_]{2,30}(?:\s(?!is\b|was\b|are\b|in\b|at\b|on\b|of\b|for\b|to\b|"
    r"and\b|or\b|has\b|used\b|now\b|these\b|again\b|"
    r"today\b|with\b|from\b|than\b|but\b|we\b|i\b|you\b|changed\b)[^\W\d_]{2,30}){0,2})",
)


def snake_case(name: str) -> str:
    """``name`` as a key: lower case, accents folded, words joined by ``_``, at most 64 characters; empty if it holds no letter."""
    words = _SEPARATORS.sub("_", fold(_CAMEL.sub("_", name))).strip("_")
    plain = re.sub(r"[^a-z0-9_]", "", words)
    return re.sub(r"_+", "_", plain.lstrip("0123456789_"))[:_KEY_LIMIT].strip("_")


class Vocabulary:
    """An immutable set of attributes; ``Vocabulary()`` holds those that agents meet most."""

    def __init__(self, attributes: Iterable[Attribute] = ATTRIBUTES) -> None:
        self._attributes = {attribute.key: attribute for attribute in attributes}
        self._aliases = {snake_case(alias): a.key for a in self._attributes.values() for alias in a.aliases}
        self._cues = _index(self._attributes.values())

    def with_attributes(self, *attributes: Attribute) -> Vocabulary:
        """A vocabulary with these too; one with a known key takes its place, and its aliases win over older ones.

        Raises ``InvalidInput`` for a key that is not snake_case.
        """
        for attribute in attributes:
            if snake_case(attribute.key) != attribute.key or not attribute.key:
                raise InvalidInput("key", f"{attribute.key[:40]!r} is not snake_case", "write it like contact_channel")
        fresh = {attribute.key: attribute for attribute in attributes}
        kept = [attribute for key, attribute in self._attributes.items() if key not in fresh]
        return Vocabulary([*kept, *fresh.values()])

    @property
    def keys(self) -> tuple[str, ...]:
        """The known keys, in the order they were declared."""
        return tuple(self._attributes)

    def get(self, key: str) -> Attribute | None:
        """The attribute of a key or alias, or ``None`` if nobody declared it."""
        return self._attributes.get(self.canonical(key))

    def canonical(self, key: str) -> str:
        """The one key that ``key`` stands for: aliases and spellings resolved, in snake_case. Unknown keys stand for themselves.

        Raises ``InvalidInput`` for a name without a Latin letter, which could not be told from others.
        """
        plain = snake_case(key)
        if not plain:
            raise InvalidInput("key", f"{key[:40]!r} has no Latin letter", "write it like contact_channel")
        if plain in self._attributes:
            return plain
        spelled = "_".join(_SPELLINGS.get(word, word) for word in plain.split("_"))
        return self._aliases.get(plain) or self._aliases.get(spelled) or spelled[:_KEY_LIMIT]

    def cardinality(self, key: str) -> Cardinality:
        """How many values a key holds at a time; ``single`` for one that nobody declared."""
        attribute = self.get(key)
        return attribute.cardinality if attribute else Cardinality.SINGLE

    def kind(self, key: str) -> Kind:
        """What a statement of this key usually is: ``preference`` for favourites, ``stated_fact`` where nobody declared it."""
        attribute = self.get(key)
        if attribute:
            return attribute.kind
        return Kind.PREFERENCE if self.canonical(key).startswith("favourite_") else Kind.STATED_FACT

    def is_identity(self, key: str | None) -> bool:
        """Whether a key says who somebody is, which does not lapse with the years."""
        attribute = self.get(key) if key else None
        return attribute is not None and attribute.identity

    def attribute_of(self, text: str) -> list[str]:
        """The keys that a question or statement is about, most telling first: longer cues before shorter, then as they come.

        Empty when no cue is found.
        """
        words = terms(text)
        best: dict[str, tuple[int, int]] = {}
        for at, word in enumerate(words):
            for cue, key in self._cues.get(word, ()):
                if tuple(words[at : at + len(cue)]) == cue and -len(cue) < best.get(key, (0, 0))[0]:
                    best[key] = (-len(cue), at)
        return [*_favourites(text), *sorted(best, key=lambda key: best[key])]


def _index(attributes: Iterable[Attribute]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Cues as sequences of terms, by their first term."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for attribute in attributes:
        names = [name.replace("_", " ") for name in (attribute.key, *attribute.aliases)]
        for cue in dict.fromkeys(tuple(terms(phrase)) for phrase in (*attribute.cues, *names)):
            if cue:
                found.setdefault(cue[0], []).append((cue, attribute.key))
    return found


def _favourites(text: str) -> Sequence[str]:
    things = (match[1] for match in _FAVOURITE.finditer(fold(text)))
    return list(dict.fromkeys(DEFAULT.canonical(f"favourite_{snake_case(thing)}") for thing in things if snake_case(thing)))


#: The vocabulary where none is given.
DEFAULT = Vocabulary()
