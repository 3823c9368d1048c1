"""Replies: a "yes" that takes its content from the question it answers, a short answer, and requests to forget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.turn import Role, Turn
from onrecord.policy.gate_features import plain
from onrecord.policy.speech import sentences

_YES = re.compile(
    r"^(?:ooh |oh |ah |um |well )?(?:yes|yeah|yep|yup|sure|correct|exactly|right|that's right|please do|do that|ja|genau|sí|si|oui|exact|はい|うん)\b",
)
_LASTING = re.compile(
    r"\b(?:rule|always|every|from now on|each|permanently|standing|default|forever|never|keep it that way|going forward|for good|immer|regel|siempre|toujours)\b|いつも"
)
_FORGET = re.compile(
    r"\b(?:forget|scrub|erase|drop|delete|remove|unlearn|take out|take back|strike|wipe|scratch|throw out|lose|clear|get rid of|stop (?:remembering|storing|holding|keeping)|don't (?:keep|hold|store|remember))\b"
    r"(?! me\b| to\b|ting\b| it,? i\b| it[.!]?$)"
    r".{0,80}?\b(?:what i (?:said|told|mentioned|gave)|i (?:gave|told|said|mentioned)|(?:that|the|my|this) (?:\w+ ){0,4}?(?:thing|bit|part|number|address|name|note|fact|entry|info|detail|details|stuff|record|rule|story|one)|"
    r"thing about|about (?:my|the|me|our|where|who|what)|who has|where i|that .{0,20}address|from (?:your )?memory|from (?:the )?(?:record|notes|profile|file)|anything (?:about|on))\b"
    r"|\b(?:forget|scratch) (?:that|what|all that|everything)\b"
    r"|\bvergiss\b|\blösch\w*\b.{0,40}\b(?:namen|adresse|nummer|eintrag|das|die|den)\b|\b(?:olvida|borra)\b|\boublie\b|\befface\b|忘れて|消して"
)
_NOT_FORGET = re.compile(
    r"\b(?:don't|do not|never|can't|won't|didn't|before i|to) forget\b|\bforget(?:s|ting) to\b|\bforget it\b"
)
_FILES = re.compile(
    r"\b(?:line|file|row|column|branch|function|class|test|commit|comma|paragraph|sentence|slide|picture|photo|timer|alarm|playlist|song|email|mail|event|meeting|item|from the (?:list|cart|basket|order|draft|calendar|playlist|page))\b"
)


def asks_to_forget(text: str) -> bool:
    """Whether ``text`` asks that something on record be let go, rather than that a thing be deleted."""
    words = plain(text)
    return bool(_FORGET.search(words)) and not _NOT_FORGET.search(words) and not _FILES.search(words)


def answered(turn: Turn, before: Sequence[Turn]) -> str | None:
    """The question that ``turn`` says yes to for good, with the person's own words before it if they name the thing."""
    words = plain(turn.text)
    if not before or before[-1].role is not Role.ASSISTANT or not _YES.match(words) or not _LASTING.search(words):
        return None
    question = next((s.text for s in reversed(sentences(before[-1].text)) if s.text.rstrip().endswith(("?", "？"))), None)
    if question is None:
        return None
    topic = next((b.text for b in reversed(before[:-1]) if b.role is Role.USER), "")
    return f"{topic}: {question}" if 0 < len(topic.split()) <= 6 else question


def joined(question: str, reply: str) -> str:
    """Question and reply as one statement within the limit; of the reply only as much as fits."""
    return f"{question} – {reply}"[:STATEMENT_LIMIT].rstrip()
