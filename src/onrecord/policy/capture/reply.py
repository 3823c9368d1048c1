"""Replies: a "yes" that takes its content from the question it answers, a short answer, and requests to forget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.gate.features import plain
from onrecord.policy.speech.sentences import sentences

_YES = re.compile(
    r"^(?:ooh |oh |ah |um |well )?(?:yes|yeah|yep|yup|sure|correct|exactly|right|that's right|"
    r"please do|do that|ja|genau|sí|si|oui|exact|はい|うん)\b",
)
_LASTING = re.compile(
    r"\b(?:rule|always|every|from now on|each|permanently|standing|default|forever|never|keep it that way|"
    r"going forward|for good|immer|regel|siempre|toujours)\b|いつも"
)
_MEMORY = (
    r"(?:what i (?:said|told|mentioned|gave)|i (?:gave|told|said|mentioned)|(?:that|the|my|this) (?:[\w'-]+ ){0,4}?(?:thing|"
    r"bit|part|business|carry-on|number|address|name|note|fact|entry|info|details?|stuff|record|"
    r"rule|story|one)|"
    r"thing about|about (?:my|the|me|our|where|who|what)|who has|where i|from (?:your |the )?(?:memory|"
    r"record|notes|profile|file|book|mind)|anything (?:about|on))"
)
_FORGET = re.compile(
    # verbs of memory forget whatever they are said of; verbs of things need a word that points at what was told
    r"\b(?:forget|unlearn|scrub|erase|wipe|vergiss|olvida|oublie)\b(?! me\b| to\b| about it\b|"
    r" how\b| why\b| i\b| it,? i\b)(?= \w)"
    rf"|\b(?:drop|delete|remove|take out|take back|strike|scratch|scrap|throw out|lose|clear|get rid of|"
    rf"stop (?:remembering|storing|holding|keeping)|don't (?:keep|hold|store|remember))\b.{{0,80}}?\b{_MEMORY}\b"
    r"|\b(?:rub|take|strike|cross|scrub|wipe|blot) (?:that|it|this|them|her|him)(?: right)? (?:out|"
    r"off|down|from)\b|\bscratch (?:that|what|all that|everything)\b"
    r"|\b(?:any ?more|scrap|mixed up|wrong|off)\b.{0,60}\bforget (?:it|that)\b"
    r"|\blösch\w*\b.{0,40}\b(?:namen|adresse|nummer|eintrag|das|die|den)\b|\bborra\b|\befface\b|忘れて|消して"
)
_NOT_FORGET = re.compile(
    r"\b(?:don't|do not|never|can't|won't|didn't|before i|to|i|always|we|you|lest we) forget\b|"
    r"\b(?:i|you|he|she|we|they)(?:'d|'ll| would| will| might| could| often| sometimes)? forget\b|"
    r"\bforget(?:s|ting) to\b|^\W*forget (?:it|that)\W*$|\bi forget\b"
)
_THINGS = re.compile(
    r"\b(?:line|file|row|column|branch|function|class|test|commit|comma|paragraph|sentence|slide|"
    r"picture|photo|timer|alarm|playlist|song|email|mail|event|meeting|item|request|draft|format|"
    r"footer|layout|"
    r"from the (?:list|cart|basket|order|draft|calendar|playlist|page|table|report|letter))\b"
)
_VERB = re.compile(
    r"\b(?:forget|unlearn|scrub|erase|wipe|drop|delete|remove|take out|take back|strike|scratch|"
    r"scrap|throw out|lose|clear|get rid of|stop \w+ing|don't (?:keep|hold|store|remember)|rub|"
    r"take|cross|blot|vergiss|lösch\w*|"
    r"olvida|borra|oublie|efface)\b\s*(?:bitte|please|por favor)?\s*"
)
_PRONOUN = re.compile(
    r"^(?:it|that|this|them|that one|this one|those|das|es|eso|ça|le)\b(?! \w+ (?:thing|number|address|"
    r"name|bit|business))"
)
_BREAK = re.compile(r"[,.;:!?–—]\s|\s[–—]\s|[。、]")


def asks_to_forget(text: str) -> bool:
    """Whether ``text`` asks that something on record be let go, rather than that a thing be deleted."""
    words = plain(text)
    return bool(_FORGET.search(words)) and not _NOT_FORGET.search(words) and not _THINGS.search(words)


def forgotten(text: str) -> str | None:
    """The words for what ``text`` asks to forget: the object of the verb, or what stands before it where that is a pronoun."""
    words = plain(text)
    found = _FORGET.search(words)
    verb = _VERB.search(words, found.start()) if found else None
    if verb is None:
        return None
    thing = _BREAK.split(words[verb.end() :], maxsplit=1)[0].strip()
    if not thing or _PRONOUN.match(thing):
        before = [part for part in _BREAK.split(words[: verb.start()]) if len(part.split()) > 1]
        thing = before[0] if before else thing
    return thing[:120] or None


def answered(turn: Turn, before: Sequence[Turn]) -> str | None:
    """The question that ``turn`` says yes to for good, with the person's own words before it if they name the thing."""
    words = plain(turn.text)
    if not before or before[-1].role is not Role.ASSISTANT or not _YES.match(words) or not _LASTING.search(words):
        return None
    question = next((s.text for s in reversed(sentences(before[-1].text)) if s.text.rstrip().endswith(("?", "？"))), None)
    if question is None:
        return None
    topic = next((b.text for turn in reversed(before[:-1]) for b in voices(turn) if b.role is Role.USER), "")
    return f"{topic}: {question}" if 0 < len(topic.split()) <= 6 else question


def joined(question: str, reply: str) -> str:
    """Question and reply as one statement within the limit; of the reply only as much as fits."""
    return f"{question} – {reply}"[:STATEMENT_LIMIT].rstrip()
