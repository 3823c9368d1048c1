"""Refusals that need no weighing: what a turn or candidate plainly is instead of a lasting fact, with its reason code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Candidate, Reason
from onrecord.policy.capture.notices import notices
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.features import cues, cues_by_sentence, plain
from onrecord.policy.speech.sentences import Form, own_words, sentences
from onrecord.policy.trust import carries_context, instructs_model, planted, without_context

Refusal = tuple[Reason, str]

_PLACEHOLDER = re.compile(r"\[secret:\w+\]")
_KEEP_OUT = re.compile(
    r"\b(?:don't|do not|never|no need to|please don't|without) (?:be )?(?:stor(?:e|ing)|keep|sav(?:e|"
    r"ing)|writ(?:e|ing)|remember|note|record|log) (?:(?:it|this|that|them|anything|any of (?:it|"
    r"this))\b(?: down| anywhere| in| on)?|$)|"
    r"\b(?:off the record|(?:bitte )?nicht (?:merken|speichern|notieren)|"
    r"no lo (?:guardes|apuntes)|ne (?:le |la )?(?:retiens|garde|note) pas)\b|覚えないで"
)
#: Words of a line from which on it is no chance that it stands in an earlier message.
_PASTED = 4
_STUB = re.compile(r"^\W*(?:\[(?:image|photo|file|audio|video|attachment)[^\]]{0,60}\]\W*)+$", re.IGNORECASE)


def turn_refusal(turn: Turn, policy: Policy) -> Refusal | None:
    """Why nothing may be captured from ``turn``, or ``None``."""
    text = without_context(turn.text)[: policy.capture_limit]
    if _wordless(text):
        return (Reason.FEEDBACK, "is only what was recalled") if carries_context(turn.text) else (Reason.EMPTY, "has no words")
    if turn.role is Role.ASSISTANT:
        return Reason.ASSISTANT_WORDS, "the assistant said it, nobody else"
    if turn.role is Role.SYSTEM:
        return Reason.UNTRUSTED, "is a prompt, and states no fact about anybody"
    return _data_refusal(turn, text) if turn.role is not Role.USER else _own_refusal(text)


def _wordless(text: str) -> bool:
    return not any(c.isalnum() for c in text) or _STUB.match(text[:200]) is not None


def _data_refusal(turn: Turn, text: str) -> Refusal | None:
    if instructs_model(text):
        return Reason.INJECTION, "gives orders to a model that reads it"
    if not notices(text, document=turn.role is Role.DOCUMENT):
        kind = "tool's output" if turn.role is Role.TOOL else "document"
        return Reason.TOOL_OUTPUT, f"is a {kind} that states no lasting limit; it can be looked up again"
    return None


def _own_refusal(text: str) -> Refusal | None:
    if _KEEP_OUT.search(plain(text)):
        return Reason.SECRET, "was said with the wish that it not be kept"
    if _wordless(own_words(text)):
        return _pasted(text)
    return None


def _pasted(text: str) -> Refusal:
    if any(sentence.form is Form.PRINTED for sentence in sentences(text)):
        return Reason.TOOL_OUTPUT, "is what a program printed, and nobody's own words"
    return Reason.QUOTED, "is pasted in, and nobody's own words"


def refusal(candidate: Candidate, turn: Turn, before: Sequence[Turn]) -> Refusal | None:
    """Why ``candidate`` plainly fails the write test, or ``None``."""
    if _PLACEHOLDER.search(candidate.statement) or _PLACEHOLDER.search(candidate.quote):
        return Reason.SECRET, "holds a secret"
    if turn.role is not Role.USER and instructs_model(candidate.quote or candidate.statement):
        return Reason.INJECTION, "gives orders to a model that reads it"
    if turn.role is not Role.USER:
        return None
    if any(planted(sentence.text) for sentence in sentences(candidate.statement)):
        return Reason.INJECTION, "gives orders to the model that reads it, and not in its speaker's own name"
    if _hands_back(candidate, turn, before):
        return Reason.FEEDBACK, "is a line of this thread handed back word for word"
    return _plain_act(candidate.statement)


def _hands_back(candidate: Candidate, turn: Turn, before: Sequence[Turn]) -> bool:
    """Whether it is a line of an earlier message, pasted above words of its own; a whole message said again is said again.

    The person's own lines count too: a memory block without its frame is made of them, and an echo must not pass for mentions.
    """
    line, _, more = candidate.quote.strip().partition("\n")
    alone = not more and line.strip() == turn.text.strip()
    return not alone and len(line.split()) >= _PASTED and any(line in other.text.splitlines() for other in before)


def _plain_act(statement: str) -> Refusal | None:
    if _wordless(own_words(statement)):
        return Reason.QUOTED, "is somebody else's words"
    found = cues_by_sentence(statement)
    if all("ask_final" in one for one in found):
        return Reason.QUESTION, "asks"
    if all("ack" in one for one in found):
        return Reason.SMALL_TALK, "only acknowledges"
    return None


#: Which act an unconvincing candidate most likely is, strongest first; what is left was not specific enough.
_LIKELY = (
    ("suppose", Reason.HYPOTHETICAL),
    ("ask_open", Reason.QUESTION),
    ("joke", Reason.JOKE),
    ("quote_frame", Reason.QUOTED),
    ("order_open", Reason.ONE_OFF_REQUEST),
    ("once", Reason.ONE_OFF_REQUEST),
    ("order_ask", Reason.ONE_OFF_REQUEST),
    ("they_open", Reason.THIRD_PARTY),
    ("greet", Reason.SMALL_TALK),
    ("thank", Reason.SMALL_TALK),
    ("mood", Reason.MOOD),
    ("cry", Reason.MOOD),
    ("moment", Reason.EPHEMERAL),
    ("doing", Reason.EPHEMERAL),
    ("past", Reason.NOT_DURABLE),
)


def likely_reason(statement: str) -> Reason:
    """The reason code of a candidate that was weighed and found too light."""
    found = cues(statement)
    return next((reason for cue, reason in _LIKELY if cue in found), Reason.NOT_SPECIFIC)
