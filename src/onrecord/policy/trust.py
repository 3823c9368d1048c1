"""Whose words they are, how far they are believed, and into whose memory they may go."""

from __future__ import annotations

import re

from onrecord.errors import InvalidInput
from onrecord.model.record import SourceType
from onrecord.model.scope import checked_subject
from onrecord.model.turn import Role, Turn
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.frame import INTRODUCTIONS, ROW, Tag
from onrecord.policy.speech.orders import orders_model

_BLOCKS = tuple((tag.opening, tag.closing) for tag in Tag)

_SOURCES = {
    Role.USER: SourceType.USER_MESSAGE,
    Role.SYSTEM: SourceType.DOCUMENT,
    Role.ASSISTANT: SourceType.MODEL_INFERENCE,
    Role.TOOL: SourceType.TOOL_RESULT,
    Role.DOCUMENT: SourceType.DOCUMENT,
}
#: Subjects that are one person; what that person says of themselves belongs there.
_PEOPLE = frozenset(
    "user customer patient client person member student learner guest employee tenant resident caller guardian".split()
)


def source_of(turn: Turn) -> SourceType:
    """What a fact of ``turn`` would rest on."""
    return _SOURCES[turn.role]


def trust_of(turn: Turn, policy: Policy) -> float:
    """How far a fact of ``turn`` is believed, 0..1."""
    return policy.trust[source_of(turn)]


def carries_context(text: str) -> bool:
    """Whether ``text`` holds a mark or a row of the engine's own context blocks."""
    return any(mark in text for pair in _BLOCKS for mark in pair) or ROW.search(text) is not None


def without_context(text: str) -> str:
    """``text`` without context blocks and their rows; a block whose end is missing reaches to the end of the text."""
    for start, end in _BLOCKS:
        text = _without(text, start, end)
    for note in INTRODUCTIONS.values():
        text = text.replace(note, "")
    return ROW.sub("", text)


def _without(text: str, start: str, end: str) -> str:
    kept: list[str] = []
    while True:
        head, mark, rest = text.partition(start)
        kept.append(head)
        if not mark:
            break
        _, closed, text = rest.partition(end)
        if not closed:
            break
    return "".join(kept).replace(end, "")


# --- whose memory

# Somebody speaks of their own taste, need, work or standing: not of a thing of the house ("I always forget it") or of a
# source ("my counts").
_OWN = re.compile(
    r"(?<!not )\b(?:for|to) me\b(?! to\b)|\b(?:you (?:write|send|give|show|make|tell)|(?:don't|"
    r"never|please|always|just) (?:call|text|mail|ping|address|write|send|show|give)|when you \w+) (?:for )?me\b"
    r"|\bi(?: really| still| now)? (?:can (?:go|only|sign|approve|do|come|work)|can't (?:stand|"
    r"eat|drink|do|come|work|sleep|hear|see|read)|need|prefer|like|love|hate|dislike|work|live|"
    r"eat|drink|sleep|wake|start at|finish at|teach|study|"
    r"go by|don't (?:eat|drink|drive|do|work|like)|never (?:eat|drink|work|pick)|would rather|'d rather|won't (?:eat|work|do))\b"
    r"|\b(?:i'm|i am) (?:on (?!it|the way|my way)|off (?:on|every)|allergic|vegan|vegetarian|a \w+|"
    r"down to|up to|left-handed|colou?r)|\bi've (?:moved to|switched to|gone)\b"
    r"|\bas for me\b|\bunlike (?:him|her|them)\b|\bif i (?:don't|do not|dont) (?:pick up|answer|reply)\b"
    r"|\bmy (?:own commission|name|birthday|pronouns|phone|number|email|mail|desk|shifts?|hours|"
    r"diet|allergy|glasses|eyes|commute|calendar|backup|deputy|stand-in|limit|approval)\b"
    r"|\bfür mich\b|\bich (?:bin|mag|esse|trinke|brauche|arbeite|hasse)\b|\bmir (?:bitte|immer|lieber|nie)\b"
    r"|\bpara mí\b|\bpour moi\b|\bje (?:suis|préfère|déteste|travaille|mange|bois)\b|私は|僕は",
)
_TOGETHER = re.compile(
    r"\b(?:we|us|our|ours|everyone|everybody|nobody|no one|the team|all of us|wir|uns|unser|nosotros|nous|notre)\b"
)


def subject_for(turn: Turn, sentence: str) -> str:
    """The subject that a fact in ``sentence`` belongs to: the turn's own, or the person who speaks.

    Somebody's own taste, voiced in a conversation of an account, a project or a home, goes to ``user:`` and the author's name in
    lower case, or stays where that is no subject's name. It never goes to another person.
    """
    kind, _, name = turn.subject.partition(":")
    author = turn.author.strip().casefold()
    if turn.role is not Role.USER or not author or kind in _PEOPLE or author in name.casefold():
        return turn.subject
    words = sentence.casefold().replace("’", "'")
    if _OWN.search(words) and not _TOGETHER.search(words):
        return _person(author) or turn.subject
    return turn.subject


def _person(name: str) -> str | None:
    try:
        return checked_subject(f"user:{name}")
    except InvalidInput:  # too long, or with control characters
        return None


def instructs_model(text: str) -> bool:
    """Whether ``text`` of a tool or document gives orders to a model that reads it."""
    return orders_model(text)
