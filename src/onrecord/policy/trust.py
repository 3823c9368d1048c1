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
    r"(?<!not )(?<!said so )(?<!said )\b(?:for|to) me\b(?! (?:to|at)\b)|\b(?:you (?:write|send|give|show|make|tell)|(?:don't|"
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
    # one's body, what it bears and who looks after it; one's own time and plans
    r"|\bi (?:come|came|break|broke) (?:up|out) in\b|\bi(?: was| got|'ve been| have been) diagnosed\b|\bhas me on (?:the|a)\b"
    r"|\b(?:last time i|i never (?:so much as )?(?:lift|touch|handle|carry))\b|\bi (?:can't|cannot|can not|won't|"
    r"mustn't) (?:take|lift|carry|touch|"
    r"handle|make|drive|climb|bend|be)\b|\bi(?:'m| am) (?:not )?(?:supposed|allowed) to\b|\bi(?:'m| am) (?:expecting|applying)\b"
    r"|\bi(?:'ve| have) (?:applied|put in) for\b|\bi(?:'d|d| would) take \w+ over\b|\b(?:telephone|phone|ring) me\b|"
    r"\bi want [\w ]{1,20} from you\b"
    r"|\bmy (?:partner and i|chest|tubes|knees?|hips?|asthma|allergies|lungs?|diabetes|migraines?|medication|lectures|"
    r"own (?:mobile|phone|number))\b"
    r"|\bi (?:was )?(?:have|got|had) (?:adhd|asthma|dyslexia|diabetes|epilepsy|migraines?)\b"
    r"|\bich (?:vertrage|vertrag|kann (?:nicht|nur|kein)|darf (?:nicht|nur|kein))\b|\bkann ich (?:nicht|nur|kein)|"
    r"\bje ne (?:peux|supporte)\b"
    r"|\bno puedo (?:comer|tomar|beber|coger|trabajar|ir|cargar|levantar)\b"
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
