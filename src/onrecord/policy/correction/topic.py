"""What a statement is about and which values it gives: the reading by which two statements of one attribute find each other.

Words of talk, of change and of measure say nothing about a topic. A value has a kind (a sum of money, an hour, a weekday, a code,
a name), and only values of one kind can take each other's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from onrecord.policy.language.numerals import UNITS
from onrecord.policy.language.text import STOP_WORDS, fold, stem, terms
from onrecord.policy.language.tokens import Token, TokenKind, tokens
from onrecord.policy.language.values import telling
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.policy.temporal.words import PLURAL_WEEKDAYS, WEEKDAYS

#: Words that stand in talk of anything: doing, saying, thinking, time, degree, change. None of them makes a topic.
_TALK = telling(
    "say said tell told ask asked know think thought mean meant want wanted need needed like get got getting give gave given "
    "go goes going gone went come comes came make made take takes took put keep kept let leave left see saw look find found "
    "use used using try tried work works happen call thing things stuff bit way lot one ones time times day days today "
    "tomorrow week month year now then new old current former previous last next first end start always never ever again "
    "still also just only even really very much many more most less least well good better best bad right wrong sure okay "
    "yes no not please thanks thank hello hi hey btw anyway actually instead anymore longer already yet back up down out off "
    "over around away about because since though although while until till before after from everyone everybody nobody "
    "anyone someone something anything nothing everything people person guy man woman "
    "change changed changes changing switch switched move moved moves moving update updated correct correction correct "
    "number value rule rules note notes remember forget mind matter point fact lasting effective "
    "max maximum minimum min limit cap above below under exactly another other others same different own "
    "stay stays remain remains wait check checks stand sit turn us whole real even lately sort kind "
    "every each all both either per half whole part two three four five six seven eight nine ten "
    "myself yourself himself herself itself themselves whoever whatever wherever whenever however without within "
    "dont doesnt didnt isnt wont cant im ive ill id youre theyre weve hes shes thats its there theres "
    "be been being have has had do does did will would shall should can could may might must "
    "ich du er sie wir ihr es mein meine dein der die das den dem des ein eine einen einem und oder aber auch noch schon nur "
    "nicht kein keine keinen mehr jetzt jetz immer nie ist sind war hat haben wird werden mit von bei fur auf aus nach vor zu "
    "im in an am um ab bis dass weil wenn als wie was wo so da dann mal bitte statt neu neuer neue alt alte alles pro "
    "yo tu el la los las un una unos y o pero no si que de del en por para con mi mis su es son esta ya ahora siempre nunca "
    "je tu il elle nous vous ils on le la les un une des du de et ou mais ne pas plus que qui ce cet cette ces c est sont a au "
    "aux en dans par pour avec sur mon ma mes son sa ses tout toute tous toutes bien deja donc comme quand si maintenant "
    "deux trois quatre "
    "qu jusqu lorsqu puisqu cinq six zwei drei vier funf dos tres cuatro cinco peu chose choses elle elles lui leur eux moi toi "
    "ihm ihn ihnen mir mich dich ihm ello ellos ella ellas him her hers them"
)
_SILENT = _TALK | {term for word in STOP_WORDS for term in terms(word)}
_UNIT_WORDS = frozenset(term for word in UNITS for term in terms(word))
_DAYS = {fold(word): str(number) for table in (WEEKDAYS, PLURAL_WEEKDAYS) for word, number in table.items()}
#: Words that are weekdays in one language and something else in another.
_NOT_DAYS = frozenset("mar sat sun mon mer".split())
_AT = frozenset("before after until till at from by around past ab um bis vor nach gegen antes despues hasta avant apres".split())
#: A number behind the first noun of a statement and before one of these names the thing: "aisle 3 has tea".
_SAYS = frozenset("is are was were has have had must may can will does holds goes ist sind hat es son tiene est sont a".split())
_SPELLED = frozenset("one once first second third half quarter twice".split())
_NOUN, _ROW, _WINDOW, _OPENING = 4, 4, 10, 2
TITLES = frozenset(
    "i mr mrs ms dr doctor prof professor sir lady herr frau doktor m mme madame monsieur don dona senor senora".split()
)
#: "64 000" is one number in French; "a week", "per week" and "pro Woche" are one measure.
_GROUPED = re.compile(r"(?<![\d.,])(\d{1,3})((?:[ \u00a0\u202f]\d{3})+)(?![\d])")
_PER = re.compile(r"\b(?:an?|per|each|every|pro|jede[nrs]?|par|por|al|chaque|cada)\s+([^\W\d_]+)|/\s?([^\W\d_]+)")
_PART = re.compile(r"[^\W_]+")


class Value(NamedTuple):
    """A value in normal form. ``kind`` is a unit, ``time``, ``weekday``, ``day``, ``code`` or ``name``; for a number without a
    unit ``#`` and the word behind it ("430 seats"), ``""`` if there is none.
    """

    kind: str
    normal: str


@dataclass(frozen=True, slots=True)
class Topic:
    """``words`` are the stems of what a statement is about, with ``key:…`` for each attribute that its words name.

    ``values`` come with the words around them. ``beside`` holds, for a word, the telling words directly before it: the "bedroom"
    of "bedroom heating"; ``labels`` the number that follows it as a name: the 4 of "dock 4".
    """

    words: frozenset[str]
    values: Mapping[Value, frozenset[str]]
    beside: Mapping[str, frozenset[str]]
    labels: Mapping[str, str]


def topic_of(text: str, language: str = "en") -> Topic:
    """The topic of a statement. German nouns have capitals and are no names by that."""
    return _read(text[:_SHORT], language == "de")


#: One statement is compared with every other of its subject; longer texts are cut, they are no statements.
_SHORT = 1_000


@lru_cache(maxsize=8192)
def _read(text: str, nouns: bool) -> Topic:
    text = _GROUPED.sub(lambda m: m[1] + re.sub(r"\D", "", m[2]), text)
    found = tokens(text)
    values = [_value(found, at, nouns) for at in range(len(found))]
    named = [_telling(token) if _names(value) else [] for token, value in zip(found, values, strict=True)]
    words = frozenset(word for each in named for word in each)
    around: dict[Value, set[str]] = {}
    for at, value in enumerate(values):
        if value is not None:
            near = named[max(0, at - _WINDOW) : at + _WINDOW + 1]
            around.setdefault(value, set()).update(word for each in near for word in each)
    return Topic(
        words | {f"key:{key}" for key in DEFAULT.attribute_of(text)} | set(_rates(text)),
        {value: frozenset(near) for value, near in around.items()},
        _beside(found, named),
        dict(_labels(found, named, values)),
    )


def _names(value: Value | None) -> bool:
    """Whether a token can be a part of the topic: names and codes are, measures are not."""
    return value is None or value.kind in ("name", "code")


def _beside(found: list[Token], named: list[list[str]]) -> dict[str, frozenset[str]]:
    beside: dict[str, set[str]] = {}
    before = ""
    for token, words in zip(found, named, strict=True):
        if token.after_break:
            before = ""
        for word in words:
            if before and before != word:
                beside.setdefault(word, set()).add(before)
            before = word
        if not words:
            before = ""
    return {word: frozenset(left) for word, left in beside.items()}


def _labels(found: list[Token], named: list[list[str]], values: list[Value | None]) -> Iterator[tuple[str, str]]:
    """Numbers and codes that stand behind a noun as its name, not as what is said of it."""
    for at in range(1, len(found)):
        value, noun = values[at], named[at - 1]
        plain = value is not None and (value.kind in ("", "code") or value.kind.startswith("#"))
        if (plain or _names_subject(found, at)) and noun and not found[at].after_break and not found[at - 1].before_value:
            yield noun[-1], found[at].normal


def _rates(text: str) -> Iterator[str]:
    for match in _PER.finditer(text.casefold()):
        unit = UNITS.get(match[1] or match[2])
        if unit:
            yield f"per:{unit}"


def _telling(token: Token) -> list[str]:
    if token.kind is TokenKind.CODE:
        return [token.normal.casefold()]
    parts = [stem(part) for part in _PART.findall(fold(token.word.removesuffix("'s")))]
    return [part for part in parts if part not in _SILENT and part not in _UNIT_WORDS and (len(part) > 1 or part.isdigit())]


def _value(found: list[Token], at: int, nouns: bool) -> Value | None:
    token = found[at]
    word = fold(token.word.removesuffix("'s"))
    if _names_subject(found, at):
        return None
    if word in _DAYS and (word not in _NOT_DAYS):
        return Value("weekday", _DAYS[word])
    match token.kind:
        case TokenKind.NUMBER:
            return _number(found, at)
        case TokenKind.DATE:
            return Value("day", token.normal)
        case TokenKind.CODE | TokenKind.URL:
            return Value("code", token.normal)
        case TokenKind.NAME if not nouns and word not in TITLES and word not in STOP_WORDS:
            return Value("name", stem(word))
    return None


def _names_subject(found: list[Token], at: int) -> bool:
    bare = found[at].kind is TokenKind.CODE or found[at].normal.isdigit()
    if not bare or not 0 < at < len(found) - 1 or not _telling(found[at - 1]):
        return False
    opening = at <= _OPENING or found[at - 1].after_break
    after = found[at + 1]
    says = after.word in _SAYS or (after.plural and after.word not in UNITS and not after.after_break)
    return opening and says and not found[at].after_break and not found[at].before_value


def _number(found: list[Token], at: int) -> Value | None:
    token = found[at]
    if token.word in _SPELLED:
        return None
    if token.normal.startswith("t"):
        return Value("time", token.normal)
    if token.normal.endswith("th"):
        return Value("day", token.normal)
    digits = re.match(r"-?[\d.]+", token.normal)
    if digits is None:
        return None
    unit = token.normal[digits.end() :]
    before = found[at - 1].word if at else ""
    if not unit and before in _AT and digits[0].isdigit() and int(digits[0]) <= 24:
        return Value("time", f"t{int(digits[0]):02d}:00")
    if unit:
        return Value(unit, digits[0])
    return _bare(digits[0], found[at + 1] if at + 1 < len(found) else None)


def _bare(digits: str, after: Token | None) -> Value | None:
    """A number without a unit. "Three of us" sets nothing; a row of four digits that counts nothing is an identifier."""
    if after is None or after.after_break or after.kind is not TokenKind.WORD or len(after.word) < _NOUN:
        counted = after is not None and after.word == "of"
        return None if counted else Value("code" if len(digits) >= _ROW and digits.isdigit() else "", digits)
    return Value(f"#{stem(fold(after.word))}", digits)
