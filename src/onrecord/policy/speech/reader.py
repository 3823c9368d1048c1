"""Whether text names who reads it, as a model, and bids it something, or tells how to treat "the user".

Nobody says that in their own name: who talks to an assistant says "you" and "me". So it is an order that was planted, in a
document and in what somebody pasted from one.
"""

from __future__ import annotations

import re

from onrecord.policy.language.pattern import regex

#: Characters around a mark in which another one counts as near.
BEFORE, BEHIND = 90, 200

#: What a model is called, by whoever writes to one.
MODELS = (
    r"(?:ais?|a\.i\.|llms?|gpt|chatgpt|claude|gemini|copilot|language models?|chat ?bots?|bots?|robots?|ki(?:-\w+)?|ia|"
    r"(?:ai|virtual|digital|chat|smart|automated|machine|personal|family|voice|intelligent|self-\w+)[- ]"
    r"(?:assistants?|agents?|helpers?|readers?|systems?|models?|butlers?))"
)
_MODEL = rf"(?:{MODELS}|models?|assistants?|agents?|modelle?|modelos?|modèles?|asistentes?|assistenten?)"
_TEXT = (
    r"(?:memor(?:y|ies)|record|note|text|page|e-?mail|mail|message|context|entry|file|question|prompt|document|review|listing|post|"
    r"comment|conversation)"
)
#: "This", as what it points at is a text, or stands alone: "the agent reading this meter" is a person.
_THIS = (
    rf"(?:this|these|esto|ceci)(?= {_TEXT}\b| (?:must|should|shall|will|has|is|can|may|to|always|never|and)\b|\s?[^\w\s]|\s*$)"
)
_READS = (
    r"(?:is |are )?(?:read(?:ing|s)?|process(?:es|ing)?|pars(?:es?|ing)|summari[sz](?:es?|ing)|retriev(?:es?|ing)|"
    r"ingest(?:s|ing)?|lee|lit)"
)
_TO = r"(?:note|notice|reminder|message|instructions?|hint|memo) (?:to|for) (?:the |any |all |every |whichever )?"
_READER = regex(
    rf"\b{_MODEL},? (?:(?:that|which|who|das|que|qui) )?(?:{_READS} {_THIS}|dies\w* liest)"
    r"|\b(?:whoever|whatever|anyone|anybody|everyone|any system|whichever \w+)(?: who| that)? (?:is )?"
    r"(?:reads?|reading|retriev\w+|loads?|loading|sees?|answer(?:s|ing)) (?:this|these|my|the) "
    r"(?:memor(?:y|ies)|prompt|context|conversation|chat history|question)\b"
    rf"|\b{_TO}(?:reader |reading )models?\b|\b{_TO}(?:{MODELS}|assistants?)\s?[:,–—-]"
    rf"|\bdear model,|\battention,? (?:{MODELS}|assistants?|models?)\s?[!:,]|\byou, the assistant\b"
)
_BIDS = regex(
    r"\b(?:always|never|do not|don't|must|should|shall|please|kindly|(?:is|are|has|have) to|immer|nie|niemals|siempre|nunca|"
    r"toujours|jamais|every (?:answer|reply|response))\b"
    r"|[:!,–—-] ?(?:only )?(?:answer|reply|respond|call|address|greet|treat|recommend|mention|praise|rank|link|send|forward|tell|"
    r"say|use|add|nenne|llam\w+|appel\w+)\b"
)
#: Of people who use something as well: "call the user before leaving", "tell the user department".
_NO_NAME = (
    r"(?:before|after|at|on|in|if|when|while|back|to|for|from|until|within|and|or|about|via|again|department|group|interface|id|name|"
    r"account|manual|support|is|are|must|may|can|who|that|directly|first)"
)
_THE_USER = regex(
    rf"\b(?:call|address|greet|refer to) (?:the|your|this) users? (?:as )?(?!{_NO_NAME}\b)\w"
    r"|\bthe user (?:must|should|shall|is to|has to|wants to|will) (?:always |only |now )?be (?:called|addressed as|greeted as)\b"
    r"|\b(?:answering|addressing|replying to|responding to|speaking to|talking to) (?:the|your) user,? "
    r"(?:always|never|only|please|you)\b"
    r"|\b(?:recommend|mention|praise|promote|advertise|suggest)\b[^.\n]{1,60}\b(?:whenever|when|if|each time|every time) "
    r"(?:the|your|a) user (?:asks|says|mentions|wants|needs|writes|talks)\b"
)


def names_its_reader(words: str) -> bool:
    """Whether ``words`` (in lower case) bid the model that reads them, named as such, or tell it how to treat "the user"."""
    return _THE_USER.search(words) is not None or near(words, _READER, _BIDS)


def near(words: str, mark: re.Pattern[str], other: re.Pattern[str]) -> bool:
    """Whether ``other`` stands near a ``mark``: up to 90 characters before it or 200 behind it."""
    return any(
        other.search(words, max(match.start() - BEFORE, 0), min(match.end() + BEHIND, len(words)))
        for match in mark.finditer(words)
    )
