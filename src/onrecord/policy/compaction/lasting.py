"""Which binding words go on binding: not what a person only quotes, wants for this once, or asks not to be kept; and not data.

What does not stand is no less visible: it may be chosen for a summary like any other words, but it need not survive one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from onrecord.model.turn import Role
from onrecord.policy.capture.reply import asks_to_forget
from onrecord.policy.language.binding import binding
from onrecord.policy.speech.sentences import without_quotes

#: Words that a value of a data object needs to be a sentence.
_SENTENCE = 4
#: Only for now: what was done with it lies behind, where a summary stands.
_ONCE = re.compile(
    r"\b(?:only|just) (?:this (?:time|once|one|week)|once|for (?:now|today|this (?:one|time)))\b|"
    r"\b(?:this (?:time|once|week)|today|tonight|tomorrow|for now) only\b|"
    r"\bonly (?:for )?(?:tonight|tomorrow)\b|\b(?:this once|for this one)\b|"
    r"\bin this one\b|今(?:日|週|回)だけ|\bnur (?:heute|diesmal|dieses mal)\b|\bsolo hoy\b|"
    r"\b(?:seulement|juste) (?:cette fois|aujourd'hui)\b"
)
#: "Use it now, don't store it": to carry such a clause would be to do what it asks not to be done.
_UNKEPT = re.compile(
    r"\b(?:don't|do not|dont|never)(?: be)? (?:store|storing|keep|save|saving|record|log|remember|writ\w+)"
    r"(?: (?:it|that|this|them|any of (?:it|this|that))\b| ?(?:$|[.,;!]))|\bnicht (?:merken|speichern)\b|"
    r"\bno lo (?:guardes|recuerdes)\b|\bne (?:le |la |l')?(?:retiens|garde|note) pas\b|\bin confidence\b"
)
#: Said without meaning to be bound by it.
_LOOSE = re.compile(
    r"\b(?:just|only) (?:spitballing|brainstorming|musing|daydreaming|joking|kidding|an idea)\b|\bthinking (?:aloud|out loud)\b|"
    r"\bnot (?:making it a rule|a promise|set in stone)\b|\bno promises\b|\bdon't quote me\b|"
    r"\bnur (?:so eine idee|laut gedacht)\b"
)


def stands(role: Role, text: str) -> bool:
    """Whether what ``text`` binds to goes on, after the moment in which it was said."""
    if role is not Role.USER:
        said = _sentences_of_data(text)
        return said is None or any(binding(sentence) for sentence in said)
    folded = text.casefold().replace("’", "'")
    if _ONCE.search(folded) or _LOOSE.search(folded) or _UNKEPT.search(folded) or asks_to_forget(text):
        return False
    told = without_quotes(text)
    return told == text or bool(binding(told))


def _sentences_of_data(text: str) -> list[str] | None:
    """The values of a JSON object or list that are sentences; ``None`` where ``text`` is no such data."""
    if text[:1] not in "{[":
        return None
    try:
        return [value for value in _strings(json.loads(text)) if len(value.split()) >= _SENTENCE]
    except (ValueError, RecursionError):
        return None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
