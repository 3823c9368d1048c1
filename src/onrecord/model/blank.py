"""Blank: text in which nothing is to be seen."""

from __future__ import annotations

import unicodedata

#: Categories of Unicode without a glyph: controls, formats, halves of pairs, separators. What is not assigned yet may have one.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})


def blank(text: str) -> bool:
    """Whether ``text`` has no visible character."""
    return all(unicodedata.category(char) in _UNSEEN for char in text)
