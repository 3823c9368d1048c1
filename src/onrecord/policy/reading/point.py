"""From a model's reply to candidates: each is what a person said, or is refused with a reason. What it names is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onrecord.errors import ModelError
from onrecord.model.record import Kind
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import MODEL_RULE, Act, Candidate, Reason
from onrecord.policy.capture.group import Group
from onrecord.policy.capture.propose import candidate_of, record_id
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.judge import Ruling
from onrecord.policy.language.shorten import shortened
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.prompts.prompt import prompt
from onrecord.policy.reading.ask import FIELDS, NAME, Shown
from onrecord.policy.reading.ground import Pointed, Ungrounded, ground
from onrecord.policy.replies.reply import Refused, rows

#: The first candidate of a model: behind all that rules may propose of the same turn.
_FIRST = 100
#: Facts of one turn that are looked at; who finds more found none.
_FACTS = 12


@dataclass(frozen=True, slots=True)
class Told:
    """What a model told of one turn: a candidate, and the refusal of one that was not said."""

    candidate: Candidate
    refused: Ruling | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a reply: by the id of a turn what was told of it; what was left out of account, a line each: rows that cannot
    be used, turns that were not asked about, records that were not shown."""

    told: Mapping[str, tuple[Told, ...]]
    strays: tuple[str, ...] = ()


def pointed_at(reply: object, shown: Shown, policy: Policy, vocabulary: Vocabulary) -> Reading:
    """What a reply says of the turns that were asked about. Raises ``ModelError`` for one that cannot be used."""
    found = rows(reply, NAME, FIELDS)
    if isinstance(found, Refused):
        raise ModelError(f"the answer cannot be used: {found.reason}")
    told: dict[str, list[Told]] = {}
    strays = [*found.dropped, *(["the answer breaks off"] if found.cut else [])]
    for row in found.rows:
        pointed = _pointed(row)
        turn = shown.turn(pointed.turn)
        strays += [f"record {n} was not shown" for n in pointed.about if shown.record(n) is None]
        if turn is None or turn.id not in shown.asked or turn.role is not Role.USER:
            strays.append(f"turn {pointed.turn} {'is not there' if turn is None else 'is not asked about'}")
        elif len(mine := told.setdefault(turn.id, [])) < _FACTS:
            mine.append(_told(pointed, turn, len(mine), policy, vocabulary))
    return Reading({id: _distinct(every) for id, every in told.items()}, tuple(strays))


def _pointed(row: Mapping[str, Any]) -> Pointed:
    return Pointed(row["turn"], row["quote"], row.get("statement", ""), tuple(row.get("about", ())))


def _told(pointed: Pointed, turn: Turn, n: int, policy: Policy, vocabulary: Vocabulary) -> Told:
    grounded = ground(pointed, turn, policy.capture_limit)
    words = Group(shortened(pointed.quote), "", item=False) if isinstance(grounded, Ungrounded) else grounded
    made = replace(
        candidate_of(turn, _FIRST + n, words, policy, vocabulary),
        id=record_id(turn.id, _FIRST + n),
        rule=f"{MODEL_RULE}{prompt('capture').tag}",
    )
    if isinstance(grounded, Ungrounded):
        return Told(replace(made, kind=Kind.MODEL_INFERENCE), Ruling(False, grounded.reason, grounded.detail))
    if made.act is Act.FORGET:  # what is asked for is read by rules alone, out of all that was said
        return Told(made, Ruling(False, Reason.UNTRUSTED, "a model does not ask that something be forgotten"))
    return Told(made)


def _distinct(every: Sequence[Told]) -> tuple[Told, ...]:
    return tuple({(told.candidate.statement, told.refused is None): told for told in reversed(every)}.values())[::-1]
