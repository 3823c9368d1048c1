"""A reply that is a secret only because of what was asked: "What is the door code?" – "4418"."""

from __future__ import annotations

from onrecord.policy.language.pattern import regex
from onrecord.policy.secrecy import signs as secrets
from onrecord.policy.secrecy.redact import Redaction, redact

#: What a question asks for if its answer is to stay out.
_FOR = regex(
    rf"(?i)(?:(?<![\w-]){secrets.PASSWORD}|(?<![\w-]){secrets.PIN}(?![\w-])|(?<![\w-]){secrets.CODE}(?![\w-])|\bcombination\b|"
    r"\b(?:door|gate|alarm|entry|access|safe|security|verification|one[- ]time|unlock)[- ](?:code|number|combination)\b|"
    r"\bcode (?:for|of|to) (?:the|your|my) (?:[\w-]+ )?(?:door|gate|alarm|safe|lock|garage|house|building)|\b(?:api|access|"
    r"secret|licen[cs]e) key\b|"
    r"\b(?:maiden name|memorable (?:word|date|place)|secret answer|security (?:question|answer|word))\b|\brecovery (?:words|"
    r"phrase|code)|"
    r"\b(?:wi-?fi|wlan)[- ](?:key|schlüssel)|geheimzahl|türcode|clave\b|digicode|código (?:de|del) |code d'accès)"
)
#: Questions about such a thing, not for it.
_ABOUT = regex(
    r"(?i)\b(?:where|who|when|why|how (?:often|many|long)|"
    r"remind|reset|change|rotate|wo|wer|wann|dónde|quién|où|quand)\b|どこ|誰|いつ"
    r"|^\W*(?:shall i|should i|do you want|would you like|may i|did you|have you|is (?:there|it)|are you|soll ich)\b"
)
_QUESTION = regex(r"[^.!?？\n]*[?？]")
#: Replies that tell nothing.
_IDLE = regex(
    r"(?i)\W*(?:yes|no|yeah|nope|sure|ok(?:ay)?|thanks|please|none|nothing|unchanged|same|later|never ?mind|i (?:don't|"
    r"do not|can't|won't)\b.*|"
    r"you (?:have|don't)\b.*|not (?:telling|now|yet)\b.*|ask \w+.*|it's (?:in|on|with|written)\b.*|in (?:the|my)\b.*|"
    r"on (?:the|my)\b.*|"
    r"forget it|skip it|ja|nein|sí|oui|non)\b[^\d:_-]*"
)
_DIGITS = regex(r"(?<![\w.])\d[\d -]{1,20}\d(?!\w)")
_ODD = regex(r"(?<!\S)[\"'“`]?(?P<value>(?=\S*\d)(?=\S*[^\W\d_])\S{4,60}?|[^\W\d_]+(?:[-_][^\W_]+){1,8})[\"'”`]?(?=[\s.,;!?]|$)")
#: A reply of so many words is the value itself.
_FEW, _SHORT = 3, 25


def may_answer(text: str) -> bool:
    """Whether ``text`` is short enough to be an answer, so that what was asked must be looked at."""
    return 0 < len(text.split()) <= _SHORT


def asks_for_a_secret(asked: str) -> bool:
    """Whether the last question in ``asked`` is for a password, code, PIN or security answer."""
    questions = _QUESTION.findall(asked[-600:])
    return bool(questions) and _FOR.search(questions[-1]) is not None and not _ABOUT.search(questions[-1])


def redact_reply(text: str, asked: str) -> Redaction:
    """``redact``, and what answers ``asked`` goes too where that asks for a secret. Never raises."""
    done = redact(text)
    if done.found or not may_answer(text) or not asks_for_a_secret(asked) or _IDLE.fullmatch(text):
        return done
    spans = [match.span() for match in _DIGITS.finditer(text)] or [match.span("value") for match in _ODD.finditer(text)]
    if not spans and len(text.split()) <= _FEW:
        spans = [(0, len(text.rstrip(" .!")))]
    for start, end in reversed(spans):
        text = f"{text[:start]}[secret:password]{text[end:]}"
    return Redaction(text, ("password",) * len(spans))
