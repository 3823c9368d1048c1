"""Codes told by what they open: "the padlock is 6-1-9-4", "punch in 3318", "left 32, right 7", "they ask for the memorable word".

What is opened and how it is entered are named somewhere in the sentence or the one before; the value follows or precedes. A
number that says what it counts (a unit, a room, an order, an hour) is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from onrecord.policy.language.pattern import regex
from onrecord.policy.secrecy import signs as secrets

Span = tuple[int, int, str]

#: How a code is entered, or what is entered with a code and nothing else.
_ENTERED = regex(
    r"(?i)(?<![\w-])(?:key ?pads?|(?:on|into|in|by) the (?:pad|panel)\b|punch(?:es|ed|ing)?(?: it)? in|tap in|"
    r"(?:you|just|then|gate opens if you) (?:type|press|enter|dial|key in|punch)|padlock|combination lock|"
    r"combination(?= for| of| on)|"
    r"(?:un)?locks? with|opens? (?:it\b|if|with|when|up with)|unlocks? (?:her|his|my|their|the)\b|to (?:unlock|open it|"
    r"disarm|shut it up|turn it off|"
    r"get (?:in|on))\b|"
    r"(?:gets|lets|let) (?:you|me|us|him|her|them|yourself) in|panic code|duress|disarm\w*|entry ?phone|street door|digicode|"
    r"burglar alarm|alarm off|puk|badge plus|parcel box|lock ?box|key ?safe|code (?:for|on|of|to) the [\w ]{3,30}|"
    r"zahlenschloss|tippst du|tippen|gibst? du|alarmanlage|tresor\w*|cadenas|tu tapes|tapez|s'ouvre avec|boîte à clés|candado|"
    r"se abre con|quitar la alarma|marca(?:s|r)?|(?:for|number for|from|at) the (?:machine|cashpoint|atm)|telephone banking|"
    r"online banking|"
    r"voicemail|(?:my|the|her|his) (?:phone|tablet)(?= unlocks| is \d| for \w+ \w+ is \d)|"
    r"code (?:de|de la|du) (?:la )?(?:carte|porte)|carte de [\w ]{2,20} est|"
    r"(?:bank|card|they) (?:just )?(?:texted|messaged) me|pin\b(?!g)|pins?\b)(?![\w-])"
    r"|暗証番号|オートロック|金庫|门|密码|密碼"
)
#: Things that are locked: their code is told of them directly.
_LOCKED = regex(
    r"(?i)(?<![\w-])(?:back |front |side |street |churchyard |cellar |garage )?(?:gate|door|alarm|safe|locker|lift|garage|"
    r"barn|cellar|"
    r"shed|store|server room|haustür|tür|tor|puerta|porte|portail|porta|boîte)(?: code)?\b[^.!?\n]{0,50}?"
    r"(?:['’]s|\bis|:|,|\bneeds|\bwants|\btakes|\bstill|\bplus|\bis still|\bit['’]s|\bist|\bgeht mit|\bes|"
    r"\best)\s{1,2}(?:still |now )?"
    r"(?P<value>\d{4,8}|\d{2,3}B\d{2}|\d(?:-\d){2,5})(?![\w-]|[.,:]\d)"
)
_VALUE = regex(
    r"(?<![A-Za-z0-9_.,:/€$£+#-])(?P<value>\d{3,8}|\d{2}(?:[ -]\d{2}){2}|\d{3}[ -]\d{3}|\d(?:[ -]\d{1,2}){2,7}|"
    r"[A-Z]{1,2}\d{3,6}[A-Z]?|\d{2,4}[A-Z]\d{1,4}|"
    rf"(?:{secrets.DIGIT_WORDS}[ -]){{3,7}}{secrets.DIGIT_WORDS})(?![A-Za-z0-9_-])(?![.,:]\d)"
)
#: What a number counts, before or behind it.
_COUNTED = regex(
    r"(?i)(?:number|no\.?|nr\.?|room|row|bay|unit|order|invoice|flight|gate|bus|line|flat|apartment|extension|ext\.?|ticket|"
    r"batch|run|sample|"
    r"chapter|pin on|hook|street|at|before|after|until|till|by|around|about|set for|to|ral|yale|model|error|section|"
    r"area code|version|v|code|about|over|under|was|nummer|um|gegen|ab|seit|n°|número|pedido|mide|fait|comma?nde)\s{1,2}$"
)
_MEASURED = regex(
    r"(?i)\s?(?:mg|millimet\w+|mm|cm|m|km|kg|g|l|ml|%|percent|euros?|eur|€|chf|usd|dollars?|pounds?|quid|grand|years?|"
    r"people|steps?|hours?|hrs?|h|mins?|minutes?|"
    r"seconds?|days?|weeks?|months?|times|points?|pieces|am|pm|uhr|o'clock|watts?|w|v|volts?|wide|long|high|tall|deep|old|"
    r"each|fitted|mhz|nails?|"
    r"keys|locks|doors|gates|meters?|metres?|miles?|degrees|x|by \d+)\b"
)
_YEAR_OF = regex(r"(?i)(?:in|since|from|of|born|year|seit|von|de|en|desde|depuis)\s(?:19|20)\d\d$")
#: Turns of a dial.
_SIDE = r"(?:left|right|links|rechts|derecha|izquierda|droite|gauche|右|左)"
_DIAL = regex(
    rf"(?i)(?<![A-Za-z0-9])(?:{_SIDE}\s?(?:に|a|to|auf|bei|la)?\s?\d{{1,2}}|\d{{1,2}}\s?(?:a la |à |nach |to the )?{_SIDE})"
    rf"(?:[\s,、;]{{1,3}}(?:and |then |und |y |luego |et |dann )?(?:{_SIDE}\s?(?:に|to|auf)?\s?\d{{1,2}}|"
    rf"\d{{1,2}}\s?(?:a la |à |nach |to the )?{_SIDE})){{1,4}}"
)
#: What a bank or a service asks to know whom it speaks to, and the answer.
_ANSWER = regex(
    r"(?i)(?:\b(?:(?:memorable|secret|security|challenge) (?:word|date|place|name|answer)|(?:unlock|duress|safe|alarm) word)\b|"
    r"\bsecurity question\b|"
    r"\bsecret (?:answer|question)\b|\bsicherheitsfrage\b|\bpregunta (?:de seguridad|secreta)\b|\bquestion (?:secrète|"
    r"de sécurité)\b)"
    r"(?:[^.!?\n]{0,60}?)(?:['’]s|\bis|:|\bare|\bwas|\bist|\bes|"
    r"\best)\s{1,2}[\"“'„«]?(?P<value>[^\s.,;!?\"”'’][^.,;!?\n\"”]{1,60})"
)
_MAIDEN = regex(
    r"(?i)(?:maiden name|mädchenname|geburtsname|apellido de soltera|nom de jeune fille|place i was born|first pet|first school)"
    r"(?=[^.!?\n]{0,90}?)(?:[^.!?\n]{0,80}?)(?:['’]s|\bis|:|\bas|\bist|\bes|"
    r"\best)\s{1,2}(?:gave as )?[\"“'„«]?(?P<value>[^\W\d_][^.,;!?\n\"”]{2,40})"
)
_ASKED_FOR = regex(
    r"(?i)\b(?:banks?|banco|banque|verif\w+|security question|security|account|konto|cuenta|compte|sicherheit\w*|seguridad|"
    r"sécurité|helpline|"
    r"if they ask)\b"
)
#: The digits on a card that its number needs beside it.
_BACK = regex(
    r"(?i)(?:(?:three|four|3|4|last) digits?|number|code|cv[vc]2?)[^.!?\n\d]{0,30}?\b(?:on|at) the (?:back|reverse|front)"
    r"[^\d\n]{0,30}?(?P<value>\d{3,4})(?!\d)"
)
_FRONT = regex(
    r"(?i)\b(?:long number|number (?:on|across) the (?:front|card)|card|visa|mastercard|amex|karte|tarjeta|carte)\b[^\d\n]{0,40}"
    r"(?P<value>\d{4}(?:[ -]?\d{4}){3})(?!\d)"
)
#: Things that somebody is let into, or that are unlocked.
_ACCESS = (
    r"(?:gates?|doors?|alarm|safe|lockers?|lift|elevator|garage|barn|cellar|shed|store|room|house|flat|building|hall|kiosk|"
    r"shutter|toilet|loo|"
    r"nursery|buzzer|intercom|bike|lock|box|vault|till|phone|tablet|handy|card|office|gym|pool|club|keller|tür|tor|schloss|"
    r"aufzug|karte|puerta|"
    r"garaje|portal|tarjeta|ascensor|porte|portail|immeuble|cave|carte|vélo|coffre|鍵|玄関|スマホ|カード|门|卡|手机)"
)
_PLACE = regex(rf"(?i)(?<![^\W_])\w{{0,12}}{_ACCESS}(?:'s|s)?(?![a-z])")
#: What stands right before a value that is told.
_TOLD = regex(
    r"(?i)(?:\b(?:is|are|it['’]s|mine['’]s|with|on|to|needs|wants|takes|then|ist|sind|es|est|c'est|lautet|numbers?|code|pin|"
    r"puk)|['’]s|[:,—–])\s{1,2}$|[はがをで:：]$"
)
#: What is said of a code alone: who is to be told, what is pressed behind it, that it is to stay between them.
_CODELIKE = regex(
    r"(?i)\b(?:then|star|hash|bell|button|press|push|dial|tell (?:him|her|them)|for everybody|for everyone|for staff|"
    r"for the manager|don't (?:shout|tell|"
    r"spread|pass)|keep (?:it|that) (?:quiet|to)|between us|codes?|numbers? for|the (?:four |six )?(?:numbers|digits)|pin|"
    r"unlocks?|combination|código|"
    r"geheimzahl)\b|です"
)
#: A code of another sort.
_OTHER_CODE = regex(
    r"(?i)\b(?:error|product|post(?:al)?|zip|area|sort|dress|country|discount|promo|qr|bar|colou?r|building|source|model|"
    r"icd|ral|tax|part|status|"
    r"booking|reference|fault|hex|voucher) ?codes?\b|\bcode(?:s)? (?:postal|vestimentaire|promo)|postleitzahl|código postal|"
    r"郵便番号|serial|meter"
)
#: "The code for it is 4471", whatever it opens.
_THE_CODE = regex(
    r"(?i)\b(?:code|código|codice|pin|puk|one[- ]time password|otp)(?: (?:for|of|to|on|at|vom|von|für|fürs|zum|del?|de la|"
    r"de l'|du|pour|della)\b[^.!?\n\d]{0,40}?| de [^.!?\n\d]{0,30}?)?"
    r"(?:,? (?:is|it['’]s|ist|es|est|c'est|lautet|now|still)|:|,)\s{1,2}(?:still |now )?(?P<value>[A-Z]?\d{3,8}[A-Z]?|"
    r"\d{1,4}[A-Z]{1,6}\d{1,4}|"
    r"\d{2,3}[ -]\d{2,3}(?:[ -]\d{2,3})?)(?![\w-]|[.,:]\d)"
)
#: Turns of a dial without their sides.
_TURNS = regex(r"(?i)\b(?P<value>\d{1,2},? (?:then|dann|luego|puis) \d{1,2}(?:,? (?:then|dann|luego|puis) \d{1,2})+)\b")
_SENTENCE = regex(r"[.!?。！？]+(?=\s|$)|[。！？\n]")
_REACH = 110
#: A code that only its surroundings give away has so many characters at the least.
_CODE_DIGITS = 4


def opened(text: str) -> Iterator[Span]:
    """``(start, end, kind)`` of codes that open something, and of what a service asks to be sure of a person."""
    for start, end in _windows(text):
        yield from _entered(text, start, end)
    for match in _LOCKED.finditer(text):
        if not _counted(text, *match.span("value"), strict=False):
            yield *match.span("value"), "code"
    for pattern, kind in ((_BACK, "pin"), (_FRONT, "card")):
        for match in pattern.finditer(text):
            yield *match.span("value"), kind
    if _locks(text):
        for match in _DIAL.finditer(text):
            yield *match.span(), "code"
        for match in _TURNS.finditer(text):
            yield *match.span("value"), "code"
    yield from _told(text)
    for match in _ANSWER.finditer(text):
        if not _QUALITY.match(match["value"]):
            yield *match.span("value"), "password"
    for match in _MAIDEN.finditer(text):
        if _ASKED_FOR.search(text, max(match.start() - 60, 0), match.end() + 40):
            yield *match.span("value"), "password"


def _told(text: str) -> Iterator[Span]:
    """Numbers that are told of a thing that opens, with a word that is said of codes alone; and of "the code"."""
    if _OTHER_CODE.search(text):
        return
    for match in _THE_CODE.finditer(text):
        if not _counted(text, *match.span("value"), strict=False):
            yield *match.span("value"), "code"
    for match in _VALUE.finditer(text):
        start, end = match.span("value")
        near = text[max(start - 70, 0) : end + 40]
        told = _TOLD.search(text[max(start - 12, 0) : start]) and _PLACE.search(near) and _CODELIKE.search(near)
        if told and end - start >= _CODE_DIGITS and not _counted(text, start, end, strict=True):
            yield start, end, "code"


#: What may be said of such a word without telling it.
_QUALITY = regex(
    r"(?i)(?:the |a |an )?(?:not|never|no|in|on|at|with|required|stored|kept|written|changed|different|same|wrong|something|"
    r"still|for|what|to)\b"
)


def _locks(text: str) -> bool:
    return re.search(r"(?i)safe|lock|combination|vault|tresor|schloss|caja|coffre|cadenas|candado|金庫|dial", text) is not None


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of ``text`` end, ascending; the first is 0, the last its length."""
    return [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]


def around(ends: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """From the beginning of the sentence in which ``start`` stands to the end of the second behind that of ``end``."""
    return ends[max(bisect_right(ends, start) - 1, 0)], ends[min(bisect_left(ends, end) + 2, len(ends) - 1)]


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Where a cue and its value are looked for together: from each cue, the sentence it stands in and the two behind it."""
    ends = sentence_ends(text)
    for cue in _ENTERED.finditer(text):
        start, end = around(ends, cue.start(), cue.end())
        yield max(start, cue.start() - _REACH), min(end, cue.end() + _REACH)


def _entered(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _VALUE.finditer(text, start, end):
        if not _counted(text, *match.span("value"), strict=True):
            yield *match.span("value"), "code"


def _counted(text: str, start: int, end: int, *, strict: bool) -> bool:
    """Whether the number says what it counts, or is a year that something is from."""
    before = text[max(start - 16, 0) : start]
    return (
        _MEASURED.match(text, end) is not None
        or (strict and _COUNTED.search(before) is not None)
        or _YEAR_OF.search(text[max(start - 8, 0) : end]) is not None
    )
