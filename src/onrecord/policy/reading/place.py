"""Where a quotation stands in a text: letter for letter, but for case, spaces, and the form of quotation marks and dashes."""

from __future__ import annotations

from itertools import pairwise

_SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "…": "."})
_AROUND = " \t\n\"'.,;:!?…"
#: A reader of JSON takes the letters behind a backslash for signs; a path or pattern has them as they are.
_UNREAD = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"})


def place_of(quote: str, text: str) -> tuple[int, int] | None:
    """Where ``quote`` begins and ends in ``text``, whole words only; ``None`` if it does not stand there."""
    for wanted in dict.fromkeys((quote, quote.translate(_UNREAD))):
        found = _found(wanted.strip(_AROUND), text)
        if found is not None:
            return found
    return None


def _found(quote: str, text: str) -> tuple[int, int] | None:
    wanted, _ = _plain(quote)
    words, places = _plain(text)
    at = words.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _inside_a_word(words, at) and not _inside_a_word(words, end):
            return places[at], places[end - 1] + 1
        at = words.find(wanted, at + 1)
    return None


def _inside_a_word(words: str, at: int) -> bool:
    if not 0 < at < len(words):
        return False
    return all(sign.isascii() and sign.isalnum() for sign in words[at - 1 : at + 1])


def _plain(text: str) -> tuple[str, list[int]]:
    """The text in one form, and for each of its signs the place in the original."""
    signs: list[tuple[str, int]] = []
    for place, sign in enumerate(text):
        folded = " " if sign.isspace() else sign.translate(_SAME).casefold()
        signs += [(one, place) for one in folded]
    kept = [(sign, place) for (before, _), (sign, place) in pairwise([(" ", -1), *signs]) if not sign == before == " "]
    return "".join(sign for sign, _ in kept), [place for _, place in kept]
