"""Whose words they are, how far they are believed, and into whose memory they may go."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.errors import InvalidInput
from onrecord.model.record import SourceType
from onrecord.model.scope import checked_subject
from onrecord.model.turn import Role, Turn
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.frame import INTRODUCTIONS, ROW, Tag
from onrecord.policy.speech.orders import orders_model
from onrecord.policy.speech.personal import own_matter
from onrecord.policy.speech.reader import names_its_reader

_BLOCKS = tuple((tag.opening, tag.closing) for tag in Tag)

_SOURCES = {
    Role.USER: SourceType.USER_MESSAGE,
    Role.SYSTEM: SourceType.DOCUMENT,
    Role.ASSISTANT: SourceType.MODEL_INFERENCE,
    Role.TOOL: SourceType.TOOL_RESULT,
    Role.DOCUMENT: SourceType.DOCUMENT,
}
#: A person who is spoken of: where several people speak, none of whom bears the name, they are others.
_SPOKEN_OF = "person"
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


def subject_for(turn: Turn, sentence: str, before: Sequence[Turn] = ()) -> str:
    """The subject that a fact in ``sentence`` belongs to: the turn's own, or the person who speaks.

    Somebody's own taste, voiced in a conversation of an account, a project or a home, goes to ``user:`` and the author's name in
    lower case, or stays where that is no subject's name. It never goes to another person. ``before`` are the turns before it in
    the thread: where a person's own conversation is taken up by somebody else, they tell that it is.
    """
    author = turn.author.strip().casefold()
    if turn.role is not Role.USER or not author or _is_owner(turn, author, before):
        return turn.subject
    return (_person(author) if own_matter(sentence.casefold().replace("’", "'")) else None) or turn.subject


def memories_of(turn: Turn) -> list[str]:
    """The subjects in which what was told in ``turn`` may be on record: the turn's own, and that of the person who speaks."""
    person = _person(turn.author.strip().casefold()) if turn.role is Role.USER and turn.author.strip() else None
    return list(dict.fromkeys([turn.subject, *([person] if person else [])]))


def _is_owner(turn: Turn, author: str, before: Sequence[Turn]) -> bool:
    """Whether whoever speaks is the subject, as far as can be known: its name may be an id, or another name of theirs."""
    kind, _, name = turn.subject.casefold().partition(":")
    if author in name:
        return True
    if kind not in _PEOPLE:
        return False
    others = {told.author.strip().casefold() for told in before if told.role is Role.USER} - {author, ""}
    return not (others if kind == _SPOKEN_OF else any(other in name for other in others))


def _person(name: str) -> str | None:
    try:
        return checked_subject(f"user:{name}")
    except InvalidInput:  # too long, or with control characters
        return None


def instructs_model(text: str) -> bool:
    """Whether ``text`` of a tool or document gives orders to a model that reads it."""
    return orders_model(text)


def planted(sentence: str) -> bool:
    """Whether a person's ``sentence`` bids a model in somebody else's name, as what was pasted from a document does: it names its
    reader, or speaks of "the user" as of another. In their own name people say "you" and "me"."""
    words = sentence.casefold().replace("’", "'")
    return names_its_reader(words) and not _OWN_NAME.search(words)


_OWN_NAME = re.compile(r"\b(?:i|i'm|me|my|mine|we|us|our)\b")
