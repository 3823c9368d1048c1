"""A statement cut to its limit, at the end of a sentence or of a word."""

from __future__ import annotations

import re

from onrecord.model.record import STATEMENT_LIMIT

_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")


def shortened(statement: str, limit: int = STATEMENT_LIMIT) -> str:
    """``statement`` without outer blanks, if it has at most ``limit`` characters; else its first sentences, or words and "…"."""
    text = statement.strip()
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text[:limit])]
    if ends and ends[-1] >= limit // 3:
        return text[: ends[-1]]
    head = text[: limit - 1]
    at = head.rfind(" ")
    return (head[:at] if at >= limit // 2 else head).rstrip(" ,;:–—-") + "…"
