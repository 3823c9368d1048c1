"""What is left of a record when a correction takes the place of one of its parts: it retires only what it corrects."""

from __future__ import annotations

from dataclasses import replace

from onrecord.model.record import Cardinality, Record, Status
from onrecord.policy.capture.polarity import denies
from onrecord.policy.correction.parts import clauses_of
from onrecord.policy.correction.topic import Topic, topic_of
from onrecord.policy.gate.model import score
from onrecord.policy.language.values import telling

#: A part of fewer telling words leans on the one before; one without a value has to say more, and be likely to last.
_WORDS, _TOLD, _LASTING = 2, 3, 0.5


def remainder(old: Record, new: Record, part: Record | None = None) -> Record | None:
    """The parts of ``old`` that ``new`` does not speak of, as a record of their own; ``None`` if they state nothing alone.

    ``part`` is the one that it is known to speak of. What states something gives a value or denies something, and does not give
    the value that is over. What remains keeps sources, times and trust.
    """
    parts = clauses_of(old.statement)
    about = topic_of(new.statement, new.language).words
    known = [piece for piece in parts if part is None or piece in part.quote or part.quote in piece]
    touched = [piece for piece in known if topic_of(piece, old.language).words & about] or (known if part else [])
    over = [topic_of(piece, old.language) for piece in touched]
    rest = [piece for piece in parts if piece not in touched and _stands(piece, old.language, over)]
    if not rest or not touched:
        return None
    words = " ".join(piece if piece[-1] in ".;!?" else f"{piece};" for piece in rest).rstrip(";")
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


def _stands(piece: str, language: str, over: list[Topic]) -> bool:
    topic = topic_of(piece, language)
    if any(topic.values.keys() & gone.values.keys() for gone in over):
        return False
    stated = any(value.kind != "name" for value in topic.values) or denies(piece)
    least = _WORDS if stated else _TOLD
    return len(telling(piece)) >= least and (stated or score(piece, piece) >= _LASTING)
