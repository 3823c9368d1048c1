"""What the words of a turn are worth as an answer, by what the gate said of them. Pure.

A turn is kept whatever it says, so most turns are no statement of what is so: questions, requests, what somebody else is
supposed to have said. The ledger of verdicts tells them apart. Who asks what *is* gets statements; who asks what *happened*
also gets what was told in passing; who asks what was *said* gets all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from onrecord.model.record import Status
from onrecord.model.trace import Standing
from onrecord.model.turn import Turn
from onrecord.model.verdict import MODEL_RULE, Reason, Verdict
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.model import score
from onrecord.policy.recall.question import Aim

#: What became of a record that only its events tell of, and of one whose stated end has passed.
ERASED, ENDED = "erased", "past its end"
#: States of records whose words are not so any more.
GONE = frozenset({str(Status.SUPERSEDED), str(Status.RETRACTED), str(Status.QUARANTINED), ERASED})
_PAST = GONE | {ENDED, str(Status.EXPIRED)}
#: Refused for its weight alone: the words do state something.
_LIGHT = frozenset({Reason.NOT_DURABLE, Reason.NOT_SPECIFIC})
#: Refused for what it does: it tells what happened, or was so or wanted for a moment, and nothing of what is so.
_TOLD = frozenset(
    {
        Reason.ONE_OFF_REQUEST,
        Reason.EPHEMERAL,
        Reason.MOOD,
        Reason.THIRD_PARTY,
        Reason.SMALL_TALK,
        Reason.TOOL_OUTPUT,
        Reason.DERIVABLE,
    }
)
_BEST_FIRST = (Standing.LIKELY, Standing.LIGHT, Standing.TOLD, Standing.UNSAID)
_STATES = frozenset({Standing.OPEN, Standing.HOLDS, Standing.LIKELY, Standing.LIGHT})
_ANSWERS: Mapping[Aim, frozenset[Standing]] = {
    Aim.STATE: _STATES,
    Aim.STOOD: _STATES | {Standing.OVER},
    Aim.STORY: _STATES | {Standing.TOLD, Standing.OVER},
    Aim.SAID: frozenset(Standing),
}
#: Standings whose words may be taken for what is so.
SO = frozenset({Standing.OPEN, Standing.HOLDS, Standing.LIKELY})


def standing(turn: Turn, verdicts: Sequence[Verdict], states: Iterable[str], policy: Policy) -> Standing:
    """The standing of a turn. ``states`` are those of the records that its verdicts name."""
    known = set(states)
    verdicts = [verdict for verdict in verdicts if not _of_a_model(verdict)]
    if any(verdict.reason is Reason.SECRET for verdict in verdicts):
        return Standing.UNSAID
    if known & _PAST:
        return Standing.OVER
    if known:
        return Standing.HOLDS
    if all(verdict.accepted for verdict in verdicts):  # none, or of records that are out of reach
        return Standing.OPEN
    found = {_of(verdict, turn, policy) for verdict in verdicts}
    return next(one for one in _BEST_FIRST if one in found)


def _of_a_model(verdict: Verdict) -> bool:
    """Whether a refusal is one of what a model pointed at, or of its answers: it says what the model is worth, and nothing of the
    turn."""
    return not verdict.accepted and (verdict.rule.startswith(MODEL_RULE) or verdict.reason is Reason.UNREAD)


def _of(verdict: Verdict, turn: Turn, policy: Policy) -> Standing:
    """The standing that one refusal gives. What was nearly kept is weighed again: the ledger holds words, not weights."""
    if verdict.reason not in _LIGHT | _TOLD:
        return Standing.UNSAID
    if verdict.kind is not None and score(verdict.statement, turn.text) >= policy.nearly_kept:
        return Standing.LIKELY
    return Standing.LIGHT if verdict.reason in _LIGHT else Standing.TOLD


def answers(aim: Aim, stands: Standing) -> bool:
    """Whether words of this standing answer a question with this aim; others may stand beside an answer."""
    return stands in _ANSWERS[aim]


def note(stands: Standing, verdicts: Sequence[Verdict], states: Iterable[str]) -> str:
    """What a reader of the turn should know about it; empty where there is nothing to say."""
    changed = sorted(set(states) - {str(Status.ACTIVE)})
    if changed:
        return f"what it said is {' and '.join(changed)} now"
    if stands in (Standing.LIGHT, Standing.TOLD, Standing.UNSAID):
        why = dict.fromkeys(
            str(verdict.reason).replace("_", " ") for verdict in verdicts if not (verdict.accepted or _of_a_model(verdict))
        )
        return f"what was said, not what is so ({', '.join(why)})" if why else "what was said, not what is so"
    return ""
