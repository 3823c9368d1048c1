"""Names for attributes: which words mean which key, which keys are the same, and how many values a key can hold.

A key that nobody declared is allowed: it is single-valued and means itself. Every ``favourite_…`` is a key of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from onrecord.errors import InvalidInput
from onrecord.model.record import Cardinality, Kind
from onrecord.policy.language.attributes import ATTRIBUTES, Attribute
from onrecord.policy.language.text import fold, terms

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
    """``name`` as a key: lower case, no accents, words joined by ``_``, at most 64 characters; empty if it holds no letter."""
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

    @property
    def identity_keys(self) -> frozenset[str]:
        """The keys that say who somebody is."""
        return frozenset(key for key, attribute in self._attributes.items() if attribute.identity)

    def is_identity(self, key: str | None) -> bool:
        """Whether a key says who somebody is, which does not lapse with the years."""
        attribute = self.get(key) if key else None
        return attribute is not None and attribute.identity

    def attribute_of(self, text: str) -> list[str]:
        """The keys that a question or statement is about, most telling first: longer cues before shorter, then as they come.

        The bare name of a key is a cue in a question, in a few words, after "my" or "her", and before "is"; in the middle of a
        story ("a phone rang") it is a word like any other. Empty when no cue is found.
        """
        words = terms(_THIRD.sub("do I", text))
        asked = len(words) <= _FEW or _ASKS.search(text) is not None
        best: dict[str, tuple[int, int]] = {}
        for at, word in enumerate(words):
            for cue, key, bare in self._cues.get(word, ()):
                if tuple(words[at : at + len(cue)]) != cue or -len(cue) >= best.get(key, (0, 0))[0]:
                    continue
                if asked or not bare or _is_anchored(words, at):
                    best[key] = (-len(cue), at)
        return [*_favourites(text), *sorted(best, key=lambda key: best[key])]


#: Names of keys that are verbs and adverbs in any sentence.
_NO_LABELS = {tuple(terms(word)) for word in "like likes dislike build due reports".split()}
_Cue = tuple[tuple[str, ...], str, bool]
#: Text of so few terms is a label rather than a story.
_FEW = 4
_ASKS = re.compile(
    r"[?？]|か[。\s]*$|^\W*(?:what|which|who|whom|whose|when|where|why|how|is|are|do|does|did|can|could|should|was|wer|wie|wo|"
    r"wann|warum|welche\w?|"
    r"qué|cuál|quién|cuándo|dónde|cómo|quel\w*|qui|quand|où|comment)\b",
    re.IGNORECASE,
)
#: "does Ana (live)" asks of a third person what "do I (live)" asks of oneself; the cues know the latter.
_THIRD = re.compile(r"\bdoes (?:[A-Z][\w'-]*(?: [A-Z][\w'-]*)?|she|he|the user)(?= \w)")
_OWNERS = frozenset(
    "my his her their our your its mein mein meine sein ihr unser mi mis su sus tu nuestro mon ma mes son sa ses votre notre "
    "leur".split()
)
_BEFORE_VALUE = frozenset("is are was were be ist sind es son est sont".split())


def _is_anchored(words: Sequence[str], at: int) -> bool:
    """Whether a term stands after "my", with a word between at most, or before "is"."""
    return not _OWNERS.isdisjoint(words[max(0, at - 2) : at]) or not _BEFORE_VALUE.isdisjoint(words[at + 1 : at + 2])


def _index(attributes: Iterable[Attribute]) -> dict[str, list[_Cue]]:
    """Cues as sequences of terms, with their key, by their first term; the bare names of keys are marked."""
    found: dict[str, list[_Cue]] = {}
    for attribute in attributes:
        names = [name.replace("_", " ") for name in (attribute.key, *attribute.aliases)]
        phrases = dict.fromkeys(tuple(terms(phrase)) for phrase in attribute.cues)
        labels = dict.fromkeys(tuple(terms(name)) for name in names)
        for cue in {**phrases, **labels}:
            if cue and cue not in _NO_LABELS:
                found.setdefault(cue[0], []).append((cue, attribute.key, cue not in phrases and len(cue) == 1))
    return found


def _favourites(text: str) -> Sequence[str]:
    things = (match[1] for match in _FAVOURITE.finditer(fold(text)))
    return list(dict.fromkeys(DEFAULT.canonical(f"favourite_{snake_case(thing)}") for thing in things if snake_case(thing)))


#: The vocabulary where none is given.
DEFAULT = Vocabulary()
