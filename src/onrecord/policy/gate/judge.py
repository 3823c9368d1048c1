"""The write test: durable, specific, about a stable entity, not to be had from a system of record. When unsure, refuse.

Rules refuse what is plainly something else (a question, a secret, a pasted quotation) and name the reason. Statements that are
lasting on their face pass (``plain``). What is left is weighed by a small linear model over cues (``gate_model``). What is
refused is still found by searching the turns themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Act, Candidate, Reason
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.features import cues
from onrecord.policy.gate.model import score, weights
from onrecord.policy.gate.plain import asks_to_keep, is_plain
from onrecord.policy.gate.reasons import likely_reason, refusal, turn_refusal
from onrecord.policy.language.again import says_again

#: What is plain by its words passes unless the weighing finds it out of the question: "I work for my cat".
_PLAIN_FLOOR = 0.15
#: What is said for once, in jest, in theory or by somebody else is no news of anything.
_NO_NEWS = frozenset({"once", "joke", "suppose", "quote_frame"})


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether a candidate or turn passes, the reason code, and one sentence for a reader.

    ``likely`` is refused alone, but passes as news of what is on record: that it is there says that its subject lasts."""

    accepted: bool
    reason: Reason
    detail: str
    likely: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate with its ruling."""

    candidate: Candidate
    ruling: Ruling


def judge_turn(turn: Turn, policy: Policy) -> Ruling | None:
    """The refusal of a turn from which nothing at all may be captured, or ``None`` if its candidates are to be judged."""
    found = turn_refusal(turn, policy)
    return Ruling(False, *found) if found else None


def judge(candidate: Candidate, turn: Turn, before: Sequence[Turn], policy: Policy) -> Ruling:
    """The verdict on one candidate."""
    if candidate.act is Act.FORGET:
        return Ruling(True, Reason.FORGET_REQUEST, "asks that something on record be let go")
    found = refusal(candidate, turn, before)
    if found:
        return Ruling(False, *found)
    if turn.role is not Role.USER:
        return Ruling(True, Reason.KEPT, "states a lasting limit; kept as data of low trust")
    return _weighed(candidate, turn, policy)


def _weighed(candidate: Candidate, turn: Turn, policy: Policy) -> Ruling:
    sure = score(candidate.statement, turn.text)
    if sure >= weights().threshold:
        return Ruling(True, Reason.KEPT, f"lasting and specific ({sure:.2f})")
    if (sure >= _PLAIN_FLOOR or asks_to_keep(candidate.statement)) and is_plain(candidate.statement):
        return Ruling(True, Reason.KEPT, "says something lasting in plain words")
    likely = may_be_news(candidate.statement, turn.text, policy)
    return Ruling(False, likely_reason(candidate.statement), f"not plainly lasting ({sure:.2f})", likely=likely)


def may_be_news(statement: str, message: str, policy: Policy) -> bool:
    """Whether a statement of a message that was weighed and found too light may still be news of what is on record."""
    heard = says_again(statement) or score(statement, message) >= policy.news_floor  # what it repeats was weighed when first said
    return heard and not cues(statement) & _NO_NEWS
