"""The very words of an older statement with another value of what has one alone: "the locker is 14", "the locker is 41".

Both name one thing ("my …", "the …", a name), say the same of it in the same words, and differ in one number, time, day, code or
name behind the verb. What somebody does or has ("I know Ana"), what recurs ("on Mondays"), and a thing that bears a number of its
own ("locker 3") can be several.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from onrecord.policy.language.polarity import difference
from onrecord.policy.language.tokens import Token, TokenKind, tokens

#: Behind what names one thing.
_IS = frozenset("is ist es está est".split())
_ARE = frozenset("are sind son están sont".split())
#: What a thing does at one time, at one place, or in one measure.
_DOES = frozenset(
    """opens closes starts begins ends leaves departs arrives lasts costs weighs measures lives belongs expires seats holds has
    meets öffnet schließt beginnt endet kostet wohnt gehört abre cierra empieza termina cuesta vive ouvre ferme commence finit
    coûte habite""".split()
)
#: Of these a name says nothing of the rest: a house has many names in it.
_COUNTED_ALONE = frozenset("holds has seats".split())
_ONE = frozenset(
    "my our his her their its the mein meine unser unsere der die das mi nuestro nuestra el la mon ma notre le".split()
)
#: Of these there may be several, and each is called so.
_SEVERAL = frozenset(
    """son daughter child kid brother sister sibling twin cousin aunt uncle nephew niece grandson granddaughter friend colleague
    neighbour neighbor classmate flatmate roommate teammate dog cat pet horse rabbit hamster tortoise parrot hen goat sheep
    student patient client customer guest member sohn tochter kind bruder schwester hund katze hijo hija hermano hermana perro
    gato fils fille frère sœur chien chat""".split()
)
#: What these are is a value whatever the word.
_ATTRIBUTES = frozenset(
    """name nickname hint code word codeword colour color password passphrase title motto theme brand model make breed flavour
    flavor keyword callsign""".split()
)
#: What somebody is, does or has done at one time or place alone.
_ONCE = frozenset(
    {("i", "was", "born"), ("i", "am"), ("i", "live"), ("i", "wake"), ("i", "weigh"), ("we", "live"), ("we", "open")}
)
#: Which one it is changes from one time to the next, or it is one of several.
_SHIFTING = frozenset("next last latest previous current other another one some each every today's tomorrow's".split())
_FIGURES = frozenset({TokenKind.NUMBER, TokenKind.DATE, TokenKind.CODE})
_OPENERS = frozenset("correction sorry actually no wait oops well so now and but oh ok okay maybe perhaps hm btw right".split())
#: Tokens of a value: "14", "8:30", "Ana Lopez".
_VALUE = 3
#: One statement is compared with many; longer texts are no bare statement of a value.
_LONGEST = 16


def in_other_value(old: str, new: str) -> bool:
    """Whether two statements agree in all but one value, the polarity or an antonym."""
    return difference(old, new) is not None or revalued(old, new)


def revalued(old: str, new: str) -> bool:
    """Whether ``new`` says in the words of ``old`` that one thing has another value, of which only one can be so."""
    one, two = _words(old), _words(new)
    if not (0 < len(one) <= _LONGEST and 0 < len(two) <= _LONGEST):
        return False
    begin, end = _common(one, two), _common(one[::-1], two[::-1])
    gone, come = one[begin : len(one) - end], two[begin : len(two) - end]
    if _of_oneself(one[:begin]):
        return _of_one_kind(gone, come, one[1].word)
    verb = next((place for place, token in enumerate(one[:begin]) if place and token.word in _IS | _ARE | _DOES), None)
    if verb is None or not _names_one(one[:verb]):
        return False
    direct = verb == begin - 1 and one[verb].word in _IS and one[verb - 1].word in _ATTRIBUTES
    return _of_one_kind(gone, come, one[verb].word) or (direct and len(gone) == len(come) == 1)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[Token, ...]:
    """The tokens of a statement behind what it opens with ("sorry, …", "correction: …")."""
    found = tokens(text[:200])
    begin = next((n for n, token in enumerate(found) if token.word not in _OPENERS), 0)
    return tuple(token._replace(after_break=False) for token in found[begin:])


def _common(one: Sequence[Token], two: Sequence[Token]) -> int:
    """How many tokens both begin with. Two that share all but a value share no part of it."""
    pairs = zip(one, two, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a.normal != b.normal), min(len(one), len(two)))


def _of_oneself(said: Sequence[Token]) -> bool:
    words = tuple(token.word for token in said[:3])
    return words in _ONCE or words[:2] in _ONCE


def _names_one(thing: Sequence[Token]) -> bool:
    if thing[-1].word in _SEVERAL or any(token.kind in _FIGURES or token.word in _SHIFTING for token in thing):
        return False
    return (len(thing) > 1 and thing[0].word in _ONE) or all(token.kind is TokenKind.NAME for token in thing)


def _of_one_kind(gone: Sequence[Token], come: Sequence[Token], verb: str) -> bool:
    if not (0 < len(gone) <= _VALUE and 0 < len(come) <= _VALUE):
        return False
    if all(token.kind in _FIGURES for token in (*gone, *come)):
        return True
    names = all(token.kind is TokenKind.NAME and not token.word.endswith("days") for token in (*gone, *come))
    return names and verb not in _ARE | _COUNTED_ALONE
