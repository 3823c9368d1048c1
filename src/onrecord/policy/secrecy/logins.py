"""What a person logs in with, told beside other words: after a user name, after an address, spelt out, before its cue.

Shape counts here as much as the words around: a word that a person made for the purpose holds letters together with digits or
signs, and no everyday word, handle or model does so beside these cues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onrecord.policy.language.pattern import regex
from onrecord.policy.secrecy import signs as secrets
from onrecord.policy.secrecy.confided import chosen
from onrecord.policy.secrecy.openers import around, sentence_ends

Span = tuple[int, int, str]

_NAMED = rf"(?:{secrets.PASSWORD}|pas+w+o?r?d|pw|pwd|pass|clave|key)"
_QUOTE = r"[\"'`“”„«»「」]?"
#: A user name, and what goes with it.
_AFTER_USER = regex(
    rf"(?i)\b(?:user ?(?:name)?|identifiant|usuario|benutzer(?:name)?|login|log-in|creds[^:\n]{{0,30}}:)(?: (?:is|est|es|"
    rf"ist))?[:\s]\s{{0,2}}"
    rf"[^\s,;]{{2,40}}(?:,|;|\sand\b|\sy\b|\set\b|\sund\b|\sthen\b)(?: (?:and|then|the|y|et|und|la|le|el|das))*"
    rf" (?P<named>{_NAMED}(?: (?:is|es|est|ist))?:? )?(?:the word )?{_QUOTE}(?P<value>[^\s,;\"'”»]{{4,60}})"
)
_AFTER_ADDRESS = regex(
    rf"[\w.+-]{{2,40}}@[\w.-]{{3,60}}\w(?:,|;|\s[/|]| and| then|:)(?: (?:and|"
    rf"then))* (?:{_NAMED} )?{_QUOTE}(?P<value>[^\s,;\"'”»@]{{6,60}})"
)
#: An account or device, and what is put in there.
_PUT = regex(
    r"(?i)\b(?:portal|account|laptop|computer|pc|server|box|camera|site|drive|archive|zip|bank|payroll|tax|internet|wi-?fi|"
    r"wlan|hotspot|router|"
    r"network|ssid|root|admin|clave|konto|cuenta|compte|get(?:s)? (?:you |me |us )?in(?:to)?|log-in|"
    r"log(?:ging)? ?(?:me )?(?:in|on)|login|"
    r"sign(?:ing)? in)\b"
)
_HANDED = regex(
    r"(?i)(?:\b(?:i put|i use|i chose|puts?|takes|use|changed it to|set it to|is|it['’]s|reads|types? in|then|that|key|pass|"
    r"or|so|es|est|ist|with)|['’]s|[:,])"
    r"\s{1,2}[\"'`“„«]?$"
)
_TOKEN = regex(r"[^\s,;\"'`“”„«»()<>。、/]{6,60}")
#: Words made for the purpose: a word with digits behind it, or with signs and digits in it.
_MADE = regex(
    r"[^\W\d_]{4,}\d{1,4}[!?#*$&]{0,2}|(?=\S*[^\W_])(?=\S*[_!$#&*+=-])(?=\S*(?:\d|[!$#&*]))(?=\S*[^\W\d_]{4})[\w!$#&*+=?-]+",
    re.IGNORECASE,
)
_NETWORK_DIGITS = regex(r"(?i)\b(?:wi-?fi|wlan|hotspot|wpa2?|ssid)\b[^\d\n]{0,40}[\s:,](?P<value>\d{8,16})(?![\w-])")
#: Issued keys in groups, where a word says that they are entered.
_GROUPS = regex(
    r"(?i)\b(?:licen[cs]e|activation|(?:setup|wpa2?|recovery|reset|product|windows|network|wifi|security) (?:key|code)|key|"
    r"2fa|lizenz\w*|licencia|gift ?(?:card|voucher|code)|voucher|\w*gutschein\w*|geschenkkarte|tarjeta regalo|cheque regalo|"
    r"(?:carte|chèque) cadeau|cadeau(?:bon|kaart)|buono regalo)\b"
    r"[^\n]{0,50}?(?<![\w-])(?P<value>(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[A-Za-z0-9]{3,6}(?:-[A-Za-z0-9]{2,6}){2,7})(?![\w-])"
)
_NOT_KEYS = regex(r"(?i)\b(?:serial|part|policy|order|model|tracking|invoice|case)\b")
_SETUP = regex(
    r"(?i:\b(?:setup|authenticator|totp|2fa|mfa|otp)(?: setup)? (?:key|secret|seed)\b)[^\n]{0,20}?\b(?P<value>[A-Z2-7]{16,64})\b"
)
_BEARER = regex(r"(?i)\b(?:bearer|cookie)\b[^\n]{0,40}?(?:[:=]|\bis)\s{0,2}(?P<name>\w{1,12}=)?(?P<value>[\w-]{10,200})")
_WORDS = regex(
    r"(?i)\b(?:twelve|twenty-?four|12|24) words\b[^\n:]{0,60}:\s{0,2}(?P<value>(?:[a-z]{3,10}[ ,]{1,2}){7,23}[a-z]{3,10})"
)
_PHRASE = regex(
    r"(?i)\bpass ?phrase(?: (?:for|on|of|to) [\w' ]{1,40}?)?(?: is|:|"
    r" =)[ \t]{1,2}(?P<value>(?:[a-z]{2,12}[ ,]{1,2}){2,11}[a-z]{2,12})"
)
#: Told letter by letter, or by how it is written.
_SPELT = regex(r"(?<![\w-])(?P<value>(?:\w[- ]){4,24}\w)(?![\w-])")
_GETS_IN = regex(rf"(?i)gets? (?:you|me|us) in|\b{secrets.PASSWORD}|\blog-?in\b|\bwi-?fi\b|\bpw\b")
_WRITTEN = regex(
    rf"(?i){secrets.PASSWORD}[^.!?\n]{{0,30}}?[:\s]\s?(?P<value>(?:capital|big|small|upper ?case|lower ?case|gro(?:ß|ss)es|"
    rf"mayúscula|majuscule) \w\b[^.!?\n]{{2,80}})"
)
#: A network and words joined for it, without a digit: "the wifi is apple-horse-door".
_NETWORK_WORDS = regex(
    r"(?i)\b(?:wi-?fi|wlan|hotspot|ssid|internet)\b[^.!?\n]{0,50}?(?:\bis|\bist|\bes|\best|['’]s|:|=)\s{1,2}[\"'“]?"
    r"(?P<value>[^\W\d_]{2,20}(?:[-_][^\W_]{2,20}){2,5})(?![\w-])"
)
#: A name and what goes with it: "hector / Margin_7".
_PAIR = regex(
    r"(?<![\w/:.])[\w.-]{2,40} [/|] "
    r"(?P<value>(?=\S{0,60}\d)(?=\S{0,60}[^\W\d_]{4})(?=\S{0,60}[_!$#*-])(?=\S{0,60}[A-Z!$#*])[\w!$#*-]{6,60})(?![\w/])"
)
#: Signs in the middle of letters and digits, as no word, address or path has them.
_SIGNED = regex(
    r"(?<![^\s:\"'(,])(?=[^\s]{8,60}(?:[\s.,;)\"']|"
    r"$))(?=\S{0,60}\d)(?=\S{0,60}[^\W\d_]{4})(?P<value>[^\W_]+[!$*#][^\W_]+[!$*#]?)(?=[\s.,;)\"']|$)"
)
_PROTECTED = regex(
    r"(?i)\b(?:protected|encrypted|locked)\b[^.!?\n]{0,30}?\b(?:the|das|la|le) (?:word|wort|palabra|"
    r"mot) (?:is|ist|es|est) [\"“']?(?P<value>[^\s,.;\"”']{3,40})"
)
#: Characters around an account in which a password for it is looked for.
_REACH = 160
_SPOKEN = regex(r"(?i)\blog-?in\b[^.!?\n]{0,60}\bthe words? (?:is |are )?[\"“']?(?P<value>[^\s,.;\"”']{3,40})")
#: The same where only the thing to log into is named: then the word has to be one made for it.
_SPOKEN_MADE = regex(
    r"(?i)\b(?:portal|account|website|app|site|konto|cuenta|compte|user(?:name)?)\b[^.!?\n]{0,120}?\b(?:the|das|la|le|het) "
    r"(?:word|wort|palabra|mot|woord)s? (?:is|ist|es|est)? ?[\"“']?(?P<value>[^\s,.;\"”']{6,40})"
)


def logins(text: str) -> Iterator[Span]:
    """``(start, end, kind)`` of passwords, keys and phrases that stand beside an account; spans may overlap."""
    for match in _AFTER_USER.finditer(text):
        plain = match["value"].casefold().strip(".:!?()")
        if (match["named"] and plain not in secrets.NOT_A_VALUE) or chosen(match["value"]):
            yield *_bare(text, *match.span("value")), "password"
    for match in _AFTER_ADDRESS.finditer(text):
        if _MADE.fullmatch(match["value"].rstrip(".")):
            yield *_bare(text, *match.span("value")), "password"
    yield from _put(text)
    for pattern, kind in (
        (_NETWORK_DIGITS, "password"),
        (_SETUP, "token"),
        (_WORDS, "recovery_phrase"),
        (_WRITTEN, "password"),
        (_SPOKEN, "password"),
        (_SIGNED, "password"),
        (_PAIR, "password"),
        (_PROTECTED, "password"),
    ):
        for match in pattern.finditer(text):
            yield *match.span("value"), kind
    for match in _SPOKEN_MADE.finditer(text):
        if chosen(match["value"]):
            yield *match.span("value"), "password"
    for match in _NETWORK_WORDS.finditer(text):
        if not any(part in secrets.NOT_A_VALUE for part in re.split("[-_]", match["value"].casefold())):
            yield *match.span("value"), "password"
    yield from _issued(text)
    for match in _PHRASE.finditer(text):
        if sum(word in secrets.NOT_A_VALUE for word in match["value"].casefold().split()) <= 1:
            yield *match.span("value"), "password"
    if _GETS_IN.search(text):
        for match in _SPELT.finditer(text):
            yield *match.span("value"), "password"


def _issued(text: str) -> Iterator[Span]:
    for match in _GROUPS.finditer(text):
        if not _NOT_KEYS.search(text, max(match.start() - 20, 0), match.end()):
            yield *match.span("value"), "api_key"
    for match in _BEARER.finditer(text):
        if secrets.looks_random(match["value"]) or (match["name"] and re.search(r"\d", match["value"])):
            yield *match.span("value"), "token"


def _put(text: str) -> Iterator[Span]:
    """Words made for the purpose in a sentence that names an account, or in the two behind it."""
    ends = sentence_ends(text)
    for cue in _PUT.finditer(text):
        start, stop = around(ends, cue.start(), cue.end())
        for match in _TOKEN.finditer(text, max(start, cue.start() - _REACH), min(stop, cue.end() + _REACH)):
            first, last = _bare(text, *match.span())
            value = text[first:last]
            itself = first < cue.end() and cue.start() < last
            if not itself and _HANDED.search(text[max(first - 18, 0) : first]) and _MADE.fullmatch(value) and _is_made(value):
                yield first, last, "password"


def _is_made(value: str) -> bool:
    if value.count("-") == 1 and re.fullmatch(r"[^\W_]+-[^\W_]+", value):
        return False  # a host or a model: "router-4"
    return chosen(value) or re.search(r"\w[!$#&*]+\w", value) is not None


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1] in ".:,)]}":
        end -= 1
    return start, end
