"""Echo: who repeats something after it was planted. What an assistant or a person took from a source that is not trusted stands
in their own words, and no link tells where they had it from; the words do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from onrecord.model.record import Record
from onrecord.model.turn import CaptureState, Turn
from onrecord.policy.defaults import Policy
from onrecord.policy.language.text import query_terms, terms
from onrecord.policy.speech.sentences import sentences

#: What stands in a dialogue in place of words whose source is not trusted.
WITHHELD = "[withheld: its source is not trusted]"
#: What stands in a dialogue in place of words that were not kept any longer.
SHED = "[no longer kept]"


@dataclass(frozen=True, slots=True)
class Saying:
    """The telling terms of a statement, and when it was planted."""

    terms: frozenset[str]
    at: datetime


def sayings(turns: Iterable[Turn], records: Iterable[Record], policy: Policy) -> list[Saying]:
    """What turns and records say, sentence by sentence; what has too few telling words to be known again is left out."""
    texts = [(sentence.text, turn.written_at) for turn in turns for sentence in sentences(turn.text)]
    texts += [(record.statement, record.written_at) for record in records]
    found = (Saying(frozenset(query_terms(text)), at) for text, at in texts)
    return [saying for saying in found if len(saying.terms) >= policy.echo_terms]


def echoes(turn: Turn, told: Sequence[Saying], policy: Policy) -> bool:
    """Whether a turn repeats one of the sayings after it was planted: it holds nearly all of its telling words, its numbers and
    names among them."""
    held = frozenset(terms(turn.text))
    return any(turn.written_at > s.at and _repeated(s.terms, held, policy) for s in told)


def _repeated(wanted: frozenset[str], held: frozenset[str], policy: Policy) -> bool:
    figures = {term for term in wanted if any(sign.isdigit() for sign in term)}
    return figures <= held and len(wanted & held) >= policy.echo_share * len(wanted)


def withheld(turn: Turn) -> Turn:
    """The turn as a model may see it: one whose source is not trusted, or that was shed, keeps its place and has no words."""
    words = _INSTEAD.get(turn.state)
    if words is None:
        return turn
    payload: dict[str, Any] = dict(turn.payload)
    if payload:
        payload["content"] = words
    return replace(turn, text=words, payload=payload)


_INSTEAD = {CaptureState.QUARANTINED: WITHHELD, CaptureState.SHED: SHED}
