"""What a sentence says, reduced to what must not get lost or mixed up: numbers, dates, codes, names, polarity, who does what.

Two sentences are the same fact only if all of that agrees, in the same order; a difference in one word is a difference. This is
deliberately stricter than meaning: a missed paraphrase costs a second row, a wrong merge costs the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.negation import is_negated
from onrecord.policy.language.tokens import Token, TokenKind, tokens
from onrecord.policy.language.voice import active, plain_words, same_verb

__all__ = ["Signature", "difference", "is_negated", "same_but_for_numbers", "same_facts", "says_more", "signature"]

#: Words that carry no claim of their own: articles, the present copula, politeness, discourse.
_EMPTY = frozenset(
    """a an the is am are be being do does please just really very actually also too well so oh ok okay btw anyway right now
    currently still
    again already there der die das ein eine einen einem einer ist bin sind bitte auch noch jetzt el la los las un una es son
    está por-favor
    también ahora le les une est sont aussi maintenant of-course basically honestly indeed simply quite yes yeah yep
    hey""".split()
)
_SELF = frozenset("i me my mine myself user user's ich mir mich mein meine meinen yo mí mi je moi mon ma mes".split())
_NOT = frozenset("not never n't nicht nie niemals nunca pas jamais cannot".split())
#: Words that narrow or weaken what stands before them: a sentence that adds one does not say more, it says something else.
_NARROWING = frozenset(
    """only except unless if when whenever until till before after during while sometimes maybe perhaps probably possibly might
    may could would
    should almost nearly usually mostly often rarely seldom used pretend pretends want wants wanted plan plans planned try tries
    tried hope hopes
    think thinks thought but though although however not no never without nobody nothing none than or nor on at by every each
    nur außer wenn
    bis vor nach manchmal vielleicht aber nicht kein keine solo si cuando hasta antes después quizás pero no sin seulement sauf
    quand jusque
    avant après peut-être mais pas sans""".split()
)
_JOINING = frozenset(
    "and as because with who which where since from for also und als weil mit y como porque con et comme parce avec".split()
)
_STATIVE = frozenset(
    "is are was were has have had costs cost = : due be takes allows needs ist sind hat kostet es son tiene est a coûte".split()
)

#: Pairs of which only one can be true of a thing. Left/right, old/new, morning/evening are not: there can be one of each.
_ANTONYMS = """on/off open/close opens/closes open/closed opening/closing like/hate likes/hates love/hate loves/hates
like/dislike likes/dislikes
allow/forbid allows/forbids allowed/forbidden permitted/prohibited permitted/forbidden allowed/banned allowed/prohibited
enable/disable
enabled/disabled increase/decrease increases/decreases raise/lower raises/lowers always/never all/none everybody/nobody
everyone/nobody
start/stop starts/stops begins/ends accept/refuse accepts/refuses accept/reject accepts/rejects include/exclude includes/excludes
lock/unlock locks/unlocks locked/unlocked public/private true/false required/optional mandatory/optional single/married alive/dead
possible/impossible able/unable willing/unwilling present/absent available/unavailable safe/unsafe valid/invalid with/without"""
_MEASURES = frozenset({TokenKind.NUMBER, TokenKind.DATE})
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _ANTONYMS.split())


@dataclass(frozen=True, slots=True)
class Signature:
    """The load-bearing parts of a sentence. ``frame`` is all of it in order, in normal form, without empty words."""

    numbers: frozenset[str]
    dates: frozenset[str]
    codes: frozenset[str]
    names: frozenset[str]
    urls: frozenset[str]
    negated: bool
    frame: tuple[str, ...]


def signature(text: str) -> Signature:
    """The signature of one sentence. Numbers carry their unit (``35kg``), times and dates have one form, codes are upper case."""
    found = tokens(text)

    def of(kind: TokenKind) -> frozenset[str]:
        return frozenset(token.normal for token in found if token.kind is kind)

    return Signature(
        numbers=of(TokenKind.NUMBER),
        dates=of(TokenKind.DATE),
        codes=of(TokenKind.CODE),
        names=of(TokenKind.NAME),
        urls=of(TokenKind.URL),
        negated=is_negated(text),
        frame=tuple(token.normal for token in _frame(found)),
    )


def same_facts(a: str, b: str) -> bool:
    """Whether two sentences claim the same: the same load-bearing words in the same order. Symmetric."""
    one, two = _claim(a), _claim(b)
    return bool(one.frame) and one.negated == two.negated and _equal(one.frame, two.frame)


def says_more(a: str, b: str) -> bool:
    """Whether ``a`` claims all that ``b`` claims, in its order, and adds something that does not narrow it. Never both ways."""
    (one, denied), (two, denies) = _claim(a), _claim(b)
    if not two or len(one) <= len(two) or denied != denies or not _equal(one[: len(two)], two):
        return False
    rest = one[len(two) :]
    joined = rest[0].after_break or rest[0].normal in _JOINING
    return joined and not any(token.normal in _NARROWING for token in rest)


def difference(a: str, b: str) -> str | None:
    """What two otherwise equal sentences differ in: ``"polarity"``, ``"antonym"`` or ``"number"`` (also a date) that is the
    value stated.

    ``None`` if they are the same, or differ in more, or in something of which both can be true.
    """
    (one, denied), (two, denies) = _claim(a), _claim(b)
    left, right = (tuple(t for t in frame if t.normal not in _NOT) for frame in (one, two))
    if _equal(left, right):
        return "polarity" if left and (len(one) != len(two) or denied != denies) else None
    if len(one) != len(two):
        return None
    places = [i for i, (x, y) in enumerate(zip(one, two, strict=True)) if not _alike(x, y)]
    if len(places) != 1 or len(one) < 2:
        return None
    return _slot(one, two, places[0])


def same_but_for_numbers(a: str, b: str) -> bool:
    """Whether two texts differ in numbers or dates alone: two settings of one thing ("before 10", "before 16")."""
    one, two = _claim(a).frame, _claim(b).frame
    if len(one) != len(two) or _equal(one, two):
        return False
    return all(_alike(x, y) or {x.kind, y.kind} <= _MEASURES for x, y in zip(one, two, strict=True))


class _Claim(NamedTuple):
    frame: tuple[Token, ...]
    negated: bool


def _claim(text: str) -> _Claim:
    return _remembered(text) if len(text) <= _SHORT else _read(text)


def _read(text: str) -> _Claim:
    told = without_asides(text)
    return _Claim(_frame(tokens(told)), is_negated(told))


#: One statement is compared with many neighbours; longer texts are no statements and would only fill the cache.
_SHORT = 500
_remembered = lru_cache(maxsize=4096)(_read)


def _slot(one: tuple[Token, ...], two: tuple[Token, ...], at: int) -> str | None:
    x, y = one[at], two[at]
    if frozenset((x.word, y.word)) in _OPPOSITES:
        return "antonym"
    measured = {x.kind, y.kind} <= _MEASURES
    return "number" if measured and at > 0 and (one[at - 1].before_value or one[at - 1].word in _STATIVE) else None


def _frame(found: list[Token]) -> tuple[Token, ...]:
    """The tokens that claim something. A leading "I", "my" or "the user" goes: the record's subject says who it is."""
    kept: list[Token] = []
    broken = False
    for token in active(plain_words(found)):
        broken = broken or token.after_break
        if token.word not in _EMPTY:
            kept.append(token._replace(after_break=broken))
            broken = False
        elif token.word in _STATIVE and kept:
            kept[-1] = kept[-1]._replace(before_value=True)
    while kept and kept[0].word in _SELF:
        kept = kept[1:]
    return tuple(kept)


def _equal(one: tuple[Token, ...], two: tuple[Token, ...]) -> bool:
    return len(one) == len(two) and all(map(_alike, one, two))


def _alike(x: Token, y: Token) -> bool:
    if x.word in _NOT and y.word in _NOT:
        return True
    if x.word in _SELF and y.word in _SELF:
        return True
    if x.normal != y.normal:
        return same_verb(x, y) or same_verb(y, x)
    return not ((x.one and y.plural) or (y.one and x.plural))
