"""What is left of a record when a correction takes the place of one of its sentences: it retires only what it corrects."""

from __future__ import annotations

import re
from dataclasses import replace

from onrecord.model.record import Cardinality, Record, Status
from onrecord.policy.capture.polarity import denies
from onrecord.policy.correction.topic import topic_of
from onrecord.policy.language.values import telling

_SENTENCE = re.compile(r"(?<=[.;!?。])\s+|\n+")
#: A sentence of fewer telling words ("split anything heavier") leans on the one before.
_WORDS = 3


def remainder(old: Record, new: Record) -> Record | None:
    """The sentences of ``old`` that ``new`` does not speak of, as a record of their own; ``None`` if they state nothing alone.

    A sentence states something if it gives a value or denies something. What remains keeps sources, times and trust.
    """
    parts = [part.strip() for part in _SENTENCE.split(old.statement) if part.strip()]
    about = topic_of(new.statement, new.language).words
    spoken = [bool(topic_of(part, old.language).words & about) for part in parts]
    rest = [part for part, touched in zip(parts, spoken, strict=True) if not touched and _stands(part, old.language)]
    if not rest or not any(spoken):
        return None
    words = " ".join(rest)
    return replace(
        old,
        id=f"{old.id}r",
        statement=words,
        quote=words,
        key=None,
        value=None,
        cardinality=Cardinality.SINGLE,
        negation=denies(words),
        qualifier=None,
        status=Status.ACTIVE,
        conflicts_with=(),
        version=1,
    )


def _stands(part: str, language: str) -> bool:
    topic = topic_of(part, language)
    stated = any(value.kind != "name" for value in topic.values) or denies(part)
    return stated and len(telling(part)) >= _WORDS
