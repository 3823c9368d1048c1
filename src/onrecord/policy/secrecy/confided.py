"""Secrets that people hand over in passing, without naming them as such: "wifi for the plumber is …", "log in for me, ana / …".

A cue says what is opened; what follows is taken for the secret if it has the shape that such a thing has, and stands where a
value is handed over. The stronger the cue, the less shape is asked for. Words, ids, versions, dates and measures stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onrecord.policy.language.pattern import regex
from onrecord.policy.secrecy import signs as secrets

Span = tuple[int, int, str]

#: Characters from a cue to the value that it announces, at the most.
_REACH = 90
#: Characters that a value has at the least where it stands beside its cue and nothing hands it over: a shorter one may be a name.
_BESIDE = 8
_TOKEN = regex(r"[^\s,;\"'`“”„«»()<>。、/]{4,80}")
#: What stands right before a value that is handed over.
_HANDED = regex(
    r"(?:[:=：/,+?.–—→-]|\b(?:is|it's|its|that's|mine's|are|was|now|use|uses?|to|with|and|or|as|wants|takes|ist|lautet|sind|"
    r"jetzt|"
    r"und|mit|"
    r"es|está|ahora|y|con|est|c'est|et|avec|maintenant|è|e|ora)):?\s{1,2}[\"'`“„«(]?$|^[\"'`“„«(]?$|[:=(/][\"'`“„«]?$|"
    r"\n\s{0,4}$|\b(?:pass|pw|pwd|passw|pword|clave|mdp)\s{1,2}$"
)
_END = regex(r"\n|[.!](?=\s)")

#: Words for what a person logs in with.
_LOGIN = regex(
    rf"(?i)(?<![\w-])(?:{secrets.PASSWORD}|pas+w+o?r?d|(?:\w{{1,20}}-)(?:passwort|kennwort)|pw|passw|"
    r"pass(?= (?:for|to|is|für)\b|:| (?=\S{0,40}\d)(?=\S{0,40}[A-Za-z])\S{6,40})|"
    rf"log-?ins?"
    r"|(?:log|sign|logging|signing)(?: \w+)?(?: back)? (?:in|into)\b|creds|credentials|zugang(?:sdaten)?|anmeldung|"
    r"anmeldedaten|"
    r"identifiants|connexion|credenciales|usuario y clave|clave(?: del?)? (?:wi-?fi|acceso|la cuenta)|credenziali|"
    r"admin panel|api[- ]?key|access[- ]?token|"
    r"(?:thrown|locked|kicked|signed|logged|shut) (?:me|us|him|her|them) out|locked out|"
    r"(?:installer|engineer|service|master|unlock|entry|access|alarm|door|gate|security|admin|parental) code)(?![\w-])"
)
#: Words for a network or machine that is entered with a key.
_NETWORK = regex(
    r"(?i)(?<![\w-])(?:wi-?fi(?:'s)?|internet|wlan|hotspot|router|guest network|gästenetz|red de invitados|"
    r"réseau invité)(?![\w-])"
)
#: Things that open with digits alone, wherever those stand in the sentence.
_LOCK = regex(
    r"(?i)(?<![\w-])(?:(?:pad|menu |bike |screen |door |cable )?lock(?= (?:is|on|for|code)\b|:)|"
    r"lock[- ]?box|key[- ]?safe|key ?pad|key ?box|schlüsseltresor|schlüsselkasten|caja de llaves|"
    r"boîte à clés|atm|alarm (?:panel|pad|system|box)|"
    r"(?:bank|debit|credit|sim|ec)[- ]?(?:card|karte) pin|(?:my|his|her|their|our|the|'s|mum's|dad's|card|banking|phone|"
    r"tablet|sim) "
    r"pin|pin (?:for|of|to|de|del|für|pour)|geheimnummer|"
    r"code (?:they|you|he|she|we|it) (?:just )?(?:texted|sent|mailed|gave)|code (?:from|in) the (?:text|sms|app)|"
    r"c[oó]digo (?:del?|de la|para la|para el) (?:puerta|portal|alarma|entrada|garaje|caja|verja|verificación)|"
    r"code (?:de|du|pour) (?:la |le |l')?(?:porte|portail|alarme|immeuble|garage|coffre|entrée|grille)|"
    r"codice (?:della|del|di|per il|per la) (?:porta|portone|cancello|allarme|garage)|(?:tür|haustür|alarm|"
    r"tor)-?code)(?![\w-])"
)
#: Things that open with digits where those are said of them directly.
_DOOR = regex(
    r"(?i)(?<![\w-])(?:alarm|door|gate|safe|vault|garage|shed|locker|entry|tresor|safe|haustür|puerta|caja fuerte|coffre|"
    r"portail)"
    r"(?: (?:code|combination|combo|number|for [^\n.,;:]{1,30}|in [^\n.,;:]{1,30}|at [^\n.,;:]{1,30}))?"
    r"(?:['’]s|:| is| takes| opens with| wants| geht mit| ist| es| est)? ?(?=\d)"
)
#: What is said of a thing whose number the digits are: "Locker 3-12 belongs to Bo".
_NUMBERED = regex(
    r"(?i)\s+(?:(?:is|are|was|were|ist|war|es|era|est|était)(?!\s+(?:the|der|die|el|la|le)\s+(?:code|pin|combo|número|clave))|"
    r"belongs?|opens?|closes?|has|had|needs?|leads?|goes|stands?|sticks?|gehört|hat|pertenece|tiene|appartient)\b"
)
_DIGITS = regex(
    r"(?<![\w.,:/€$£+-])(\d{4,8}|\d{3}[- ]\d{3}|\d{1,2}(?:-\d{1,3}){1,4}|\d{3,6}[A-Z]\b|"
    r"(?=[A-Z0-9 -]{0,20}\d[A-Z0-9 -]{0,20}\d)"
    r"(?:[A-Z]{2,6}[-* ]?\d{2,8}|\d{1,6}-?[A-Z]{2,6}-?\d{1,6})(?:-?\d{1,6})*[A-Z]?)[#*]?(?![\w:%€$£]|[.,/-]\d)"
)
#: The groups of a payment card where one of them is not of digits, as people mask or mistype it.
_CARD = regex(
    r"(?i)\b(?:card|visa|mastercard|amex|tarjeta|karte|carte)\b[^\n]{0,60}?(?<![\w-])(\d{4}(?:[ -](?:\d{4}|"
    r"[A-Z*]{4})){2,3})(?![\w-])"
)
_WORDS = regex(
    r"(?i)\b(?:(?:recovery|backup|mnemonic|wallet) (?:words|phrase|list)|seed (?:words|phrase))[^\n:]{0,60}(?::| are|"
    r" is)\s{0,3}(?P<value>(?:[a-z]{3,10}[ ,]{1,2}){3,23}[a-z]{3,10})"
)
#: A capital inside a word that goes on with digits: nobody writes so but for a network ("harbourRED77").
_INNER_CAPITAL = regex(r"[a-zäöüß]{3,}[A-Z]+\w*\d")
_UNIT = regex(
    r"\s?(?:mm|cm|m|km|kg|g|l|ml|eur|euros?|chf|usd|dollars?|pounds?|years?|people|persons?|steps?|hours?|hrs?|h|mins?|"
    r"minutes?|days?|"
    r"times|points?|pieces|am|pm|uhr|o'clock|watts?|w|v|volts?|mg|millimet\w+|wide|long|high|tall|deep|old|fitted|each|"
    r"by \d+|x \d+)\b",
    re.IGNORECASE,
)
_YEAR = regex(r"(?:19|20)\d\d")
#: "a Yale 1109": what it is made by, with its number.
_MODEL = regex(r"\b(?:an?|eine?|une?|una?) [A-Z][\w-]+ $")
#: A name or address and what goes with it, where somebody logs in or a service is named.
_PAIR = regex(r"(?<![\w/])[\w.+-]{2,40}(?:@[\w.-]{3,60})? ?[/|] ?(?P<value>[^\s,;/|]{6,60})")
_TO_ENTER = regex(
    r"(?i)\b(?:use|enter|type|try|put in|tipp|gib|usa|introduce|tape)\b[ :]{1,2}[\"'`“]?(?P<value>[^\s,;\"'`”]{6,60})[\"'`”]?"
    r" (?:ein,? )?(?:to|um|para|pour) (?:get|log|sign|unlock|enter|open|zu|entrar|entrer|rein)"
)


def confided(text: str) -> Iterator[Span]:
    """``(start, end, kind)`` of what is handed over in passing; spans may overlap."""
    yield from _logins(text)
    yield from _digits(text)
    for match in _CARD.finditer(text):
        yield *match.span(1), "card"
    for match in _WORDS.finditer(text):
        yield *match.span("value"), "recovery_phrase"
    for match in _TO_ENTER.finditer(text):
        if chosen(match["value"]):
            yield *match.span("value"), "password"
    for match in _PAIR.finditer(text):
        if "@" in match[0] and not _in_address(text, match.start("value")) and _mixed(match["value"]):
            yield *match.span("value"), "password"


def _logins(text: str) -> Iterator[Span]:
    for pattern, fits in ((_LOGIN, chosen), (_NETWORK, _homely)):
        for cue in pattern.finditer(text):
            for match in _TOKEN.finditer(text, cue.end(), _stop(text, cue.end())):
                end = match.end() - (len(match[0]) - len(match[0].rstrip(".:!?]}")))
                value = text[match.start() : end]
                between = text[cue.end() : match.start()]
                beside = not between.strip() and len(value) >= _BESIDE
                made = pattern is _NETWORK and _INNER_CAPITAL.search(value) is not None
                handed = beside or made or _HANDED.search(between[-16:])
                if handed and fits(value) and not _in_address(text, match.start()):
                    yield match.start(), end, "password"


def _digits(text: str) -> Iterator[Span]:
    for cue in _LOCK.finditer(text):
        for match in _DIGITS.finditer(text, cue.end(), _stop(text, cue.end())):
            if not _UNIT.match(text, match.end()) and not _dated(text, match) and not _MODEL.search(text[: match.start()][-30:]):
                yield *match.span(1), "pin" if "pin" in cue[0].casefold() else "code"
    for cue in _DOOR.finditer(text):
        spaced = _DIGITS.match(text, cue.end())
        if (
            spaced
            and not _UNIT.match(text, spaced.end())
            and not _YEAR.fullmatch(spaced[1])
            and re.search(r"\W|is|st|es", cue[0][4:])
            and not (cue[0].rstrip().isalpha() and _NUMBERED.match(text, spaced.end()))
        ):
            yield *spaced.span(1), "code"


def _in_address(text: str, at: int) -> bool:
    """Whether ``at`` lies in a web address."""
    return "://" in text[max(at - 100, 0) : at].rsplit(None, 1)[-1] if text[at - 1 : at].strip() else False


def _dated(text: str, match: re.Match[str]) -> bool:
    """Whether the digits are the year that something is from."""
    before = text[max(match.start() - 6, 0) : match.start()].casefold()
    return _YEAR.fullmatch(match[1]) is not None and before.endswith(("from ", "in ", "since ", "von ", "de "))


def _stop(text: str, start: int) -> int:
    """Where the value of a cue must have begun: within the sentence or the one behind it, and not far."""
    limit = min(start + _REACH, len(text))
    ends = [match.end() for match in _END.finditer(text, start, limit)][:2]
    return ends[1] if len(ends) == 2 else limit


def chosen(value: str) -> bool:
    """Whether a word has the shape of a password that a person chose: letters and a digit, and no everyday form of the two."""
    plain = value.rstrip("!?#*$&")
    mixed = any(c.isdigit() for c in value) and sum(c.isalpha() for c in value) >= 3
    return mixed and len(value) >= 6 and not secrets.is_ordinary(plain) and not _EVERYDAY.fullmatch(plain)


def _homely(value: str) -> bool:
    """``chosen``, with a word in it: model names of routers and norms have none."""
    return chosen(value) and re.search(r"[^\W\d_A-Z]{4,}", value) is not None


def _mixed(value: str) -> bool:
    """``chosen`` with capitals or signs in it, as the words of an address or a path seldom are."""
    return chosen(value) and (re.search(r"[A-Z].*\d|\d.*[A-Z]|[!$&*#?]", value) is not None)


#: Words with digits that are no secret: models, counted words, protocols, handles with a year.
_EVERYDAY = regex(
    r"(?:gpt|claude|llama|oauth|argon|bcrypt|sha|md|utf|ipv|http|tls|ssl|python|node|java|php|mysql|postgres|windows|win|ios|"
    r"android|covid|mp|h|x|s|ec|route|base|pkcs|aes|rsa|web|k)-?\d[\w.-]*|\d+[-–]?[^\W\d_]+|\d+(?:st|nd|rd|th)(?:-\w+)*|"
    r"\d{1,4}[-/]\w{1,10}[-/]\d{1,4}|[\w-]+-v?\d{1,2}(?:\.\d+)*\.\w+",
    re.IGNORECASE,
)
