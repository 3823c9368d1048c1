"""The parts of a statement that each say something: its sentences, and the clauses of a long one.

People put several facts into one breath. A statement is compared with what is on record part by part, so that what it says of one
thing is not drowned by what else it says; and a correction retires the part that it corrects.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from onrecord.model.record import STATEMENT_LIMIT, Record, text_of
from onrecord.model.verdict import Candidate
from onrecord.policy.capture.fields import corrects, qualifier_of
from onrecord.policy.capture.polarity import denies

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|(?<=[。！？])|\n+|\s[–—-]\s|[()]")
_CLAUSE = re.compile(
    r",\s+(?=(?:and|but|so|because|since|as|which|where|who|though|until|it's|that's|i'm|und|aber|weil|denn|y|pero|porque|et|"
    r"mais|parce)\b)|\s+(?=(?:but|because|although|aber|pero|mais)\b)",
    re.IGNORECASE,
)
_BESIDE = re.compile(r",\s+(?:and|but|und|aber|y|pero|et|mais)\s+", re.IGNORECASE)
#: A piece of fewer words leans on its neighbour; a sentence of more is taken apart at its clauses.
_LEAST, _LONG = 4, 22
#: What is compared of one statement besides the whole of it.
_MOST = 8


@lru_cache(maxsize=4096)
def parts_of(text: str) -> tuple[str, ...]:
    """The parts of ``text`` in order, at least one; words in between (breaks, brackets) are left out."""
    found: list[str] = []
    for piece in _pieces(text):
        if found and min(len(found[-1].split()), len(piece.split())) < _LEAST:
            found[-1] = f"{found[-1]}, {piece}"
        else:
            found.append(piece)
    return tuple(dict.fromkeys(found)) or (text,)


def clauses_of(text: str) -> tuple[str, ...]:
    """The parts of ``text``, and those of a short sentence that says one thing beside another: each says something alone."""
    return tuple(clause for part in parts_of(text) for clause in _halves(part))


def _halves(part: str) -> list[str]:
    halves = [half.strip(" ,;:") for half in _BESIDE.split(part)]
    return halves if all(len(half.split()) >= _LEAST for half in halves) else [part]


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for sentence in _SENTENCE.split(text):
        clauses = _CLAUSE.split(sentence) if len(sentence.split()) > _LONG else [sentence]
        pieces += [clause.strip(" ,;:") for clause in clauses if clause.strip(" ,;:")]
    return pieces


def record_parts(record: Record) -> tuple[Record, ...]:
    """``record`` as it is, and behind it each of its parts as if it were all that was said, where it has several."""
    return (record, *(_part(record, part) for part in _several(record)))


def record_part(record: Record, n: int) -> Record:
    """The ``n``-th of ``record_parts``: making them all costs more than reading one."""
    return _part(record, _several(record)[n - 1]) if n else record


def count_of(record: Record) -> int:
    """How many ``record_parts`` there are."""
    return 1 + len(_several(record))


def part_texts(record: Record) -> tuple[str, ...]:
    """What vectors are made of, for each of ``record_parts``."""
    return (record.text, *(text_of(part[:STATEMENT_LIMIT], _heard(part)[1]) for part in _several(record)))


def _several(record: Record) -> tuple[str, ...]:
    parts = parts_of(record.quote or record.statement)
    return parts[:_MOST] if len(parts) > 1 else ()


def said_parts(candidate: Candidate, record: Record) -> tuple[tuple[Candidate, Record], ...]:
    """A candidate with the record it would become, and behind them the same of each of its parts, where it has several."""
    parts = record_parts(record)
    whole = (candidate, record)
    return (whole, *((_spoken(candidate, part), part) for part in parts[1:]))


def _part(record: Record, part: str) -> Record:
    negation, qualifier = _heard(part)
    return record.reworded(part[:STATEMENT_LIMIT], part, negation, qualifier)


@lru_cache(maxsize=16_384)
def _heard(part: str) -> tuple[bool, str | None]:
    """Whether a part denies, and in which situation it holds: the same of every record that is compared again and again."""
    return denies(part), qualifier_of(part)


def _spoken(candidate: Candidate, part: Record) -> Candidate:
    words = part.statement
    return replace(candidate, statement=words, quote=part.quote, negation=part.negation, correction=corrects(words, words)[0])
