"""Words for the full-text index: the same terms are made for texts and for questions, on every store.

Western words are folded (case, accents, compatibility forms) and stemmed with the English Snowball stemmer (M. F. Porter,
snowballstem.org), which other European languages survive. Chinese, Japanese and Korean runs become overlapping pairs of
characters, since no word boundary is written there; so do Thai, Lao, Burmese and Khmer ones. Names with signs in them (``c++``,
``v2.3.1``, ``a-17``) give the whole and its parts.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache

import Stemmer

from onrecord.policy.language.remembered import remembered

#: Grows with every change of what ``terms`` makes of a text: stores make their full text anew then.
TERMS_VERSION = 2
#: Words that say nothing about what a text is about.
STOP_WORDS = frozenset(
    """a an the and or but if of at by for with about to from in on is are was were be been being am do does did doing have
    has had having i me my we our you your he him his she her it its they them their this that these those there here what
    which who whom whose when where why how as so than then too very can could will would shall should may might must just
    any some""".split()
)
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f"
_SOUTHEAST = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\ua9e0-\ua9ef\uaa60-\uaa7f\u1780-\u17d3"
)
_RUNS = _CJK + _SOUTHEAST
_TOKEN = re.compile(rf"[{_RUNS}]+|[^\W_{_RUNS}]+(?:[.\-_/@:'’&][^\W_{_RUNS}]+)*[+#]{{0,2}}")
_PART = re.compile(r"[^\W_]+")
_RUN = re.compile(rf"[{_RUNS}]+")
_PLURAL = re.compile(r"['’](?:s|re|ve|ll|d|m|t)$")
#: Longer words are cut: nobody searches for them whole, and a base64 blob must not fill the index.
_TERM_LIMIT = 64

_stemmers = threading.local()  # a Snowball stemmer object is not safe to share between threads


def fold(text: str) -> str:
    """``text`` in compatibility form, without case and without accents."""
    if text.isascii():  # which has neither accents nor compatibility forms
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The English stem of a folded word."""
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    return str(stemmer.stemWord(word))


def terms(text: str) -> list[str]:
    """The index terms of ``text`` in order, with repeats, stop words included. Empty for text without a word."""
    return list(_terms(text))


@remembered
def _terms(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for token in _TOKEN.findall(_compose(text)):
        found.extend(_pairs(token) if _RUN.fullmatch(token) else _western(token))
    return tuple(found)


def query_terms(text: str) -> list[str]:
    """The distinct terms to look for: those of ``text`` without stop words, unless nothing else is left."""
    every = list(dict.fromkeys(terms(text)))
    telling = [term for term in every if term not in _STOP_STEMS]
    return telling or every


def _compose(text: str) -> str:
    # Hangul and kana must be composed again after folding, or a syllable would fall apart into its letters.
    return unicodedata.normalize("NFC", fold(text))


def _western(token: str) -> list[str]:
    token = _PLURAL.sub("", token)
    parts = _PART.findall(token)
    whole = [] if len(parts) == 1 and parts[0] == token else [token[:_TERM_LIMIT]]
    return whole + [stem(part[:_TERM_LIMIT]) for part in parts]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]


_STOP_STEMS = frozenset(STOP_WORDS | {stem(word) for word in STOP_WORDS})
