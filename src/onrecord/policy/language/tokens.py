"""Words of a sentence in normal form, with their kind: what ``polarity`` compares."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple

from onrecord.policy.language.numerals import FRACTIONS, ORDINALS, UNITS, canonical_number, read_number
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.text import stem
from onrecord.policy.temporal.words import MONTHS


class TokenKind(StrEnum):
    """What sort of word it is."""

    WORD = "word"
    NUMBER = "number"
    DATE = "date"
    CODE = "code"
    NAME = "name"
    URL = "url"


class Token(NamedTuple):
    """One word: as it stands (case folded) and in normal form.

    ``one`` marks a word that an article or the like makes singular, ``plural`` one that ends like a plural; ``after_break``
    that a comma or bracket stands before it; ``before_value`` that a colon or a form of "is" follows it.
    """

    word: str
    normal: str
    kind: TokenKind = TokenKind.WORD
    one: bool = False
    plural: bool = False
    after_break: bool = False
    before_value: bool = False


_CJK = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = regex(
    r"(?P<url>https?://[^\s<>\"']+|www\.[^\s<>\"']+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+)"
    r"|(?P<num>[+-]?\d++(?:[.,:/]\d++)*+(?![^\W\d_]))"
    rf"|(?P<cjk>[{_CJK}ー々〆]+)"
    r"|(?P<word>[^\W_]+(?:[.'’_/&-][^\W_]+)*(?:['’](?=\s|$))?[+#]{0,2})"
    r"|(?P<sign>[%€$£°=])|(?P<colon>:)|(?P<break>[,;()—–.!?。、])"
)
_BE = frozenset("is are am was were be been 's 're 'm".split())
_PREPOSITIONS = frozenset("in on at of for from with by to into near about a the".split())
_AFTER_COPULA = frozenset("it that he she there what who here where how let".split())
_SINGULAR = frozenset("a an one this that each every another ein eine einen un una une mein mi mon my his her".split())
_MONTH_AFTER = frozenset(
    "in of since by until till from every next last this early late mid im seit bis ab en desde hasta depuis".split()
)
_AMBIGUOUS_MONTHS = frozenset("may mar mars mai jun".split())  # months only beside a number


def tokens(text: str) -> list[Token]:
    """The words of ``text`` in order, in normal form. Linear; never raises."""
    raw = _raw(unicodedata.normalize("NFKC", text).replace("’", "'"))
    return _dated(_numbered(raw))


def _raw(text: str) -> list[Token]:
    found: list[Token] = []
    broken, start = False, True
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind in ("break", "colon"):
            if found:
                found[-1] = found[-1]._replace(before_value=kind == "colon" or found[-1].before_value)
            broken, start = True, start or word in ".!?。"
            continue
        for token in _read(kind or "", word, start):
            token = token._replace(after_break=broken, one=bool(found) and found[-1].word in _SINGULAR)
            found.append(_progressive(found, token))
            broken = start = False
    return found


def _read(kind: str, word: str, start: bool) -> list[Token]:
    if kind == "url":
        return [Token(word.casefold(), word.rstrip(".,;:!?)"), TokenKind.URL)]
    if kind == "num":
        return [_number(word)]
    if kind == "cjk":
        plain = re.sub(r"(?:です|ます|だ|よ|ね)$", "", word)
        return [Token(word, plain or word)]
    if any(c.isdigit() for c in word):
        return [_coded(word)]
    return _words(word, start)


def _number(word: str) -> Token:
    clock = re.fullmatch(r"(\d\d?):(\d\d)(?::00)?", word)
    if clock:
        return Token(word, f"t{int(clock[1]):02d}:{clock[2]}", TokenKind.NUMBER)
    if re.fullmatch(r"0\d+|\d{9,}|\d+(?:[./:]\d+){2,}|\d+/\d+", word):
        return Token(word, word, TokenKind.CODE)
    return Token(word, canonical_number(word.removeprefix("+")), TokenKind.NUMBER)


def _coded(word: str) -> Token:
    """A word with digits in it: a measure (``35kg``), a time (``10am``), an ordinal, a date, or a code."""
    low = word.casefold()
    if re.fullmatch(r"\d{4}-\d\d-\d\d", word):
        return Token(low, f"d{word}", TokenKind.DATE)
    if match := re.fullmatch(r"(\d\d?)(am|pm|a\.m|p\.m|h|uhr)(\d\d)?", low):
        return Token(low, _clock(int(match[1]), match[3] or "00", match[2]), TokenKind.NUMBER)
    if match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", low):
        return Token(low, f"{match[1]}th", TokenKind.NUMBER)
    if (match := re.fullmatch(r"(\d+(?:\.\d+)?)([^\W\d_]+)", low)) and match[2] in UNITS:
        return Token(low, canonical_number(match[1]) + UNITS[match[2]], TokenKind.NUMBER)
    return Token(low, word.upper(), TokenKind.CODE)


def _clock(hour: int, minute: str, half: str) -> str:
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return f"t{hour:02d}:{minute}"


def _words(word: str, start: bool) -> list[Token]:
    low = word.casefold()
    if low.endswith("n't"):
        return (
            [*_words(low[:-3], start), Token("n't", "not")]
            if low[:-3] not in ("ca", "wo", "sha")
            else [Token("can", "can"), Token("n't", "not")]
        )
    if low == "cannot":
        return [Token("can", "can"), Token("n't", "not")]
    stem_, mark, tail = low.rpartition("'")
    if (mark and tail in ("m", "re", "ve", "ll", "d")) or (mark and tail == "s" and stem_ in _AFTER_COPULA):
        expanded = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is"}[tail]
        return [Token(stem_, _plain(stem_)), Token(expanded, expanded)]
    if low in ("e-mail", "e-mails"):
        low = word = low.replace("-", "")
    if low == word or start or low == "i":
        plain = _plain(low)
        return [Token(low, plain, plural=plain != low)]
    name = low.strip("'")
    return [Token(low, name, TokenKind.NAME)]


def _plain(word: str) -> str:
    """Without the ``s`` of the third person or the plural; everything else stays, tense above all."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s", "as", "os")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def _progressive(before: list[Token], token: Token) -> Token:
    """ "is baking" says what "bakes" says; "likes baking" does not say what "likes bakes" says."""
    there_is = len(before) > 2 and before[0].word == "there" and before[1].word in _BE and before[-1].word not in _PREPOSITIONS
    being = bool(before) and before[-1].word in _BE
    if token.word.endswith("ing") and len(token.word) > 5 and (being or there_is):
        root = stem(token.word)
        return token._replace(normal=root[:-1] + "y" if root.endswith("i") else root)
    return token


def _numbered(found: list[Token]) -> list[Token]:
    """Spelled numbers as digits, and units joined to the number before or the sign before it."""
    words = [token.word for token in found]
    done: list[Token] = []
    i = 0
    while i < len(found):
        value, used = read_number(words, i)
        token = found[i]
        if used and not (used == 1 and words[i] in ("one", "once", "second", "an") and words[i] != "one"):
            token = token._replace(normal=str(value), kind=TokenKind.NUMBER)
        elif words[i] in ORDINALS and token.kind is TokenKind.WORD:
            token = token._replace(normal=f"{ORDINALS[words[i]]}th", kind=TokenKind.NUMBER)
        elif words[i] in FRACTIONS:
            token = token._replace(normal=FRACTIONS[words[i]], kind=TokenKind.NUMBER)
        i += max(used, 1)
        i = _take_unit(found, i, token, done)
    return done


def _take_unit(found: list[Token], i: int, token: Token, done: list[Token]) -> int:
    bare = token.kind is TokenKind.NUMBER and token.normal.replace(".", "").lstrip("-").isdigit()
    if bare and done and done[-1].word in ("€", "$", "£"):
        token = token._replace(normal=token.normal + UNITS[done.pop().word])
    elif bare and i < len(found):
        follower = found[i].word
        if follower in ("am", "pm", "uhr", "o'clock", "a.m", "p.m") and token.normal.isdigit() and int(token.normal) < 25:
            token, i = token._replace(normal=_clock(int(token.normal), "00", follower)), i + 1
        elif follower in UNITS and not found[i].after_break:
            token, i = token._replace(normal=token.normal + UNITS[follower]), i + 1
    done.append(token)
    return i


def _dated(found: list[Token]) -> list[Token]:
    """Month names with the day and year beside them as one date: ``21 March 2026`` → ``d2026-03-21``."""
    done: list[Token] = []
    i = 0
    while i < len(found):
        month = MONTHS.get(found[i].word)
        day = None
        if month and done and (day := _day(done[-1])):
            done.pop()
        elif month and i + 1 < len(found) and (day := _day(found[i + 1])):
            i += 1
        if month and (day or found[i].word not in _AMBIGUOUS_MONTHS or _is_month(found[i], done)):
            year = found[i + 1].normal if i + 1 < len(found) and re.fullmatch(r"(?:19|20)\d\d", found[i + 1].normal) else ""
            i += 1 if year else 0
            label = f"d{year + '-' if year else ''}{month:02d}" + (f"-{day:02d}" if day else "")
            done.append(found[i]._replace(normal=label, kind=TokenKind.DATE))
        else:
            done.append(found[i])
        i += 1
    return done


def _is_month(token: Token, before: list[Token]) -> bool:
    """Whether "May" is the month: with a capital, after a preposition."""
    return token.kind is TokenKind.NAME and bool(before) and before[-1].word in _MONTH_AFTER


def _day(token: Token) -> int | None:
    match = re.fullmatch(r"(\d\d?)(?:th)?", token.normal)
    return int(match[1]) if match and token.kind is TokenKind.NUMBER and 1 <= int(match[1]) <= 31 else None
