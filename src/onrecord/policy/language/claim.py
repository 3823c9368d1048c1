"""What a statement claims, in a form in which two restatements agree: without asides, in stems, its adjuncts in any order.

Stricter than meaning and looser than ``polarity``: that decides while a statement comes in, one word apart from
another is another fact; here both stand on record already, and what is given up is only how it was put.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.text import STOP_WORDS, fold, stem
from onrecord.policy.language.tokens import Token, TokenKind, tokens

#: Words that claim nothing: articles, the present copula, politeness.
_EMPTY = frozenset(
    "a an the is am are 's 'm 're be please just really very actually also too well so oh ok okay btw anyway right currently "
    "still already there again der die das ein eine einen einem einer ist bin sind bitte auch noch el la los las un una es son "
    "está le les une est sont aussi".split()
)
_SELF = frozenset("i me my mine myself user user's we our ich mir mich mein meine meinen wir unser yo mi je mon ma".split())
_LEADING = frozenset("and so well also und also y et".split())
#: Where an adjunct begins. Not "of", which ties to what stands before it.
_ADJUNCT = frozenset(
    "in at on from to with for by near via since into über im am um bei mit nach von aus en con desde dans chez avec".split()
)
#: With more than so many, which of them belongs to which is said by their order alone.
_MOVABLE = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """``head`` in order, ``adjuncts`` ("in leeds", "at 12 quay street") in none. ``one`` and ``many`` are words that stand as one
    thing or as several."""

    head: tuple[str, ...]
    adjuncts: frozenset[tuple[str, ...]]
    one: frozenset[str]
    many: frozenset[str]

    @property
    def key(self) -> tuple[tuple[str, ...], frozenset[tuple[str, ...]]]:
        """By which claims are put together before they are compared."""
        return self.head, self.adjuncts


def claim_of(text: str, name: str = "") -> Claim:
    """The claim of a statement; a leading ``name`` of its subject, like a leading "I", says nothing."""
    return _read(without_asides(text)[:_SHORT], fold(name))


def same_claim(one: Claim, other: Claim) -> bool:
    """Whether two claims agree, in number too: "a cat" is not "cats"."""
    return bool(one.head) and one.key == other.key and not (one.one & other.many or other.one & one.many)


def telling(text: str) -> frozenset[str]:
    """The stems of a statement that say something, its asides left out."""
    return frozenset(_form(token) for token in tokens(without_asides(text)) if token.word not in _SILENT)


#: Statements are short; longer texts are cut.
_SHORT = 500
_SILENT = _EMPTY | _SELF | STOP_WORDS


@lru_cache(maxsize=16_384)
def _read(text: str, name: str) -> Claim:
    found = [token for token in tokens(text) if token.word not in _EMPTY]
    while found and (
        found[0].word in _SELF or found[0].word in _LEADING or (name and fold(found[0].word).removesuffix("'s") == name)
    ):
        found = found[1:]
    parts = _parts(found)
    if len(parts) > _MOVABLE + 1:
        parts = [[token for part in parts for token in part]]
    head, rest = parts[0], parts[1:]
    return Claim(
        _forms(head),
        frozenset(_forms(part) for part in rest),
        frozenset(_form(token) for token in found if token.one),
        frozenset(_form(token) for token in found if token.plural and not token.one),
    )


def _parts(found: Sequence[Token]) -> list[list[Token]]:
    """The head, then each adjunct with its preposition. A comma ends what may be moved."""
    parts: list[list[Token]] = [[]]
    for token in found:
        if token.word in _ADJUNCT and parts[0]:
            parts.append([])
        parts[-1].append(token)
    return [list(found)] if any(token.after_break for token in found[1:]) else parts


def _forms(part: Sequence[Token]) -> tuple[str, ...]:
    return tuple(_form(token) for token in part)


def _form(token: Token) -> str:
    return stem(fold(token.word)) if token.kind in (TokenKind.WORD, TokenKind.NAME) else token.normal
