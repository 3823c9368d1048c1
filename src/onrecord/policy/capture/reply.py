"""Replies: a "yes" that takes its content from the question it answers, a short answer, and requests to forget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.gate.features import plain
from onrecord.policy.language.remembered import remembered
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
#: What was told, spoken of as such.
_TOLD = (
    r"(?:what(?:ever)? (?:i|we)(?: once)? (?:said|told|mentioned|gave|wrote|let slip)|(?:that|the) (?:bit|thing|stuff|business|"
    r"part|"
    r"piece|note|entry|matter|story) (?:about|on|with|of|regarding)|(?:the|that) [\w'-]+ (?:thing|business|bit|stuff|story|"
    r"matter)(?=\W)|(?:the|that) [\w'-]+ i (?:told|gave) you)"
)
#: Out of a memory, as people call it.
_OUT = (
    r"(?:out|off|from|away)(?: of| from)?(?: (?:your|my|the|his|her) (?:notes?|files?|memory|books?|records?|mind|head|"
    r"list)| there| here)?"
)
_GONE = r"(?:struck|rubbed|crossed|wiped|scrubbed|taken|blotted) (?:out|off|away)|wiped|erased|deleted|forgotten|unsaid"
_FORGET = re.compile(
    # verbs of memory forget whatever they are said of; verbs of things need a word that points at what was told
    r"\b(?:forget|unlearn|scrub|erase|wipe|vergiss|olvida|oublie)\b(?! me\b| to\b| about it\b|"
    r" how\b| why\b| i\b| it,? i\b| (?:it|that)[.!;])(?= \w)"
    rf"|\b(?:drop(?!-| (?:[\w']+ ){{1,3}}an? (?:note|line|mail|message|text|card|copy)\b)|delete|remove|take out|"
    rf"take back|strike|scratch|scrap|throw out|lose|clear|get rid of|"
    rf"stop (?:remembering|storing|holding|keeping)|don't (?:keep|hold|store|remember))\b[^.!?\n]{{0,80}}?\b{_MEMORY}\b"
    # what was told comes first, the verb after it
    rf"|\b{_TOLD}\b.{{0,200}}?\b(?:(?:drop|delete|remove|take|wipe|lose|erase|bin|lift|strike|scrap|cross|rub|put) "
    rf"(?:it|that|this|them|those|all of (?:it|that))|let (?:it|that|them) (?:go|drop|rest)|come {_OUT}|be (?:{_GONE}))\b"
    rf"|\b(?:take|get|strike|rub|wipe|cross|leave) {_TOLD} [^.!?\n]{{1,60}}?\b{_OUT}\b"
    r"|\b(?:take|get|put|strike|leave) (?:the|that|my|this|all) (?:[\w'-]+ ){1,5}?(?:out|off)(?: of)? "
    r"(?:whatever|what|everything|anything|wherever|all) you(?:'ve| have)?\b"
    rf"|\b(?:i(?:'d| would| should) like|i want) [^.!?\n]{{2,60}}? (?:{_GONE})(?=\W)"
    r"|\bas (?:though|if) (?:i|we|it)(?:'d| had| were| was)? never (?:been )?(?:told|said|mentioned|asked|spoken)\b"
    r"|(?:\b(?:rub|strike|cross|scrub|wipe|blot)|(?:^|[.!?,;:–—]\s+|\b(?:please|can|just|then|so|and|kindly|would|could|"
    r"you) )take) "
    r"(?:that|it|this|them|her|him)(?: right)? (?:out|off|down (?:from|off)|from)\b(?! (?:for|to|of the|when|often)\b)"
    r"|\bscratch (?:that|what|all that|everything)\b"
    r"|\b(?:any ?more|scrap|mixed up|wrong|off)\b.{0,60}\bforget (?:it|that)\b"
    r"|\blösch\w*\b.{0,40}\b(?:namen|adresse|nummer|eintrag|das|die|den)\b|\b(?:das mit|was ich)\b.{1,60}\b(?:lösch|streich|"
    r"vergiss|"
    r"vergessen)\w*|\b(?:vergessen|löschen|streichen) sie\b.{0,20}\b(?:das|was|die|den)\b"
    r"|\b(?:vergeet|schrap|wis|verwijder) (?:dat|wat|die|het)\b"
    r"|\bb[óo]rr[ae](?:l[oa]s?|me)?\b|\bolv[íi]d(?:a|e)(?:l[oa]s?|te)\b|\blo (?:del?|que (?:te|le|os) (?:dije|"
    r"conté))\b.{1,80}?\b(?:qu[íi]t|"
    r"b[óo]rr|olv[íi]d|t[áa]ch|elim[íi]n)\w+|\b(?:quit|borr|olvid|tach|elimin)[ae]\b(?: por favor)? lo (?:del?|que)\b"
    r"|\b(?:elimin|apag|esque[cç]|remov)\w* o que (?:tens|tem|te|lhe|eu)\b|\b(?:cancell|dimentic|elimin)\w* (?:quello|ciò|"
    r"quel) che\b"
    r"|\befface\b|\b(?:efface|oublie|supprime|raye)[zr]?-(?:l[ea]s?|moi)\b|忘れて|消して"
)
#: What the told was about, where it is named as such.
_TOPIC = re.compile(
    r"\b(?:what(?:ever)? (?:i|we)(?: once)? (?:said|told|mentioned|gave|wrote)(?: to)?(?: you)?(?: all)?(?: (?:in|last|on|"
    r"back in) "
    r"[\w ]{2,20}?)?|(?:that|the) (?:bit|thing|stuff|business|part|piece|note|entry|matter|story)(?: i (?:said|told|"
    r"gave)[\w ]{0,24}?)?|"
    r"what(?:ever)? you(?:'ve| have)?(?: got| have)?(?: down)?) (?:about|on|with|of|regarding) (?P<told>[^.,;:!?\n]{2,80})"
    r"|\b(?:that|the) (?P<named>[\w'-]+) (?:thing|business|stuff|story|matter)\b"
    rf"|\b(?:should like|would like|i'd like|i want) (?P<liked>[^.!?\n]{{2,60}}?) (?:{_GONE})(?=\W)"
    r"|\blo (?:del|de) (?P<spanish>[^.,;:!?\n]{2,60})|\bdas mit (?P<german>[^.,;:!?\n]{2,60}?)(?= (?:lösch|streich|vergess)|"
    r"[.,;]|$)"
    r"|\b(?:dat van) (?P<dutch>[^.,;:!?\n]{2,60})|\bo que (?:tens|tem) sobre (?P<portuguese>[^.,;:!?\n]{2,60})"
)
#: What is left of "… off there" behind the thing.
_TRAIL = re.compile(rf"\s{_OUT}\s*$|\s(?:maar|bitte|please|por favor)\b.*$")
_NOT_FORGET = re.compile(
    r"\b(?:don't|do not|never|can't|won't|didn't|before i|to|i|always|we|you|lest we) forget\b|"
    r"\b(?:i|you|he|she|we|they)(?:'d|'ll| would| will| might| could| often| sometimes)? forget\b|"
    r"\bforget(?:s|ting) to\b|^\W*forget (?:it|that)\W*$|\bi forget\b"
)
_THINGS = re.compile(
    r"\b(?:line|(?<!my )(?<!your )(?<!his )(?<!her )(?<!their )file|row|column|branch|function|class|test|commit|comma|"
    r"paragraph|sentence|slide|"
    r"picture|photo|timer|alarm|playlist|song|email|mail|event|meeting|item|request|draft|format|"
    r"footer|layout|"
    r"from the (?:list|cart|basket|order|draft|calendar|playlist|page|table|report|letter))\b"
)
_VERB = re.compile(
    r"\b(?:forget|unlearn|scrub|erase|wipe|drop|delete|remove|take out|take back|strike|scratch|"
    r"scrap|throw out|lose|clear|get rid of|stop \w+ing|don't (?:keep|hold|store|remember)|rub|"
    r"take|cross|blot|let|come|vergiss|vergeet|schrap|wis|verwijder|streich\w*|lösch\w*|"
    r"olvida|b[óo]rra(?:lo|la)?|olv[íi]da(?:lo|la)|oublie|efface|put|bin|lift)\b\s*(?:bitte|please|por favor)?\s*"
)
_PRONOUN = re.compile(
    r"^(?:-|it|that|this|them|that one|this one|those|das|es|eso|ça|le)\b(?! \w+ (?:thing|number|address|"
    r"name|bit|business))"
)
#: Where the thing ends and the reason begins, in talk without stops.
_REASON = re.compile(
    r"\s(?:(?:will|would|could|can) (?:you|ya)\b|(?:he|she|it|they|there|i|we|that)(?:'s|'ve|'m|'re| was| were| is| has|"
    r" have| can| "
    r"had)\b|had better\b|because\b|since\b|so\b|as (?:he|she|it|they|i|we)\b)"
)
_BREAK = re.compile(r"[,.;:!?–—]\s|\s[–—]\s|[。、]")


@remembered
def asks_to_forget(text: str) -> bool:
    """Whether ``text`` asks that something on record be let go, rather than that a thing be deleted."""
    words = plain(text)
    return bool(_FORGET.search(words)) and not _NOT_FORGET.search(words) and not _THINGS.search(words)


def forgotten(text: str) -> str | None:
    """The words for what ``text`` asks to forget: the object of the verb, or what stands before it where that is a pronoun."""
    words = plain(text)
    found = _FORGET.search(words)
    topic = _TOPIC.search(words) if found else None
    thing = _TRAIL.sub("", _cut(topic[topic.lastgroup or 0])) if topic else _object(words, found.start() if found else 0)
    return thing[:120] or None


def _object(words: str, start: int) -> str:
    """The object of the verb behind ``start``, or what stands before the verb where that is a pronoun."""
    verb = _VERB.search(words, start)
    if verb is None:
        return ""
    thing = _cut(words[verb.end() :])
    if thing and not _PRONOUN.match(thing):
        return thing
    told = words[start : verb.start()]
    before = [part for part in _BREAK.split(told if len(told.split()) > 1 else words[: verb.start()]) if len(part.split()) > 1]
    return before[0] if before else thing


def _cut(words: str) -> str:
    """``words`` up to the next stop, or up to the reason that follows without one."""
    return _REASON.split(_BREAK.split(words, maxsplit=1)[0], maxsplit=1)[0].strip()


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
