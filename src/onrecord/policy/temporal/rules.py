"""The ways of naming a time, as a table of patterns with what they mean. Every pattern looks at a bounded stretch of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from onrecord.policy.language.pattern import regex
from onrecord.policy.temporal import reading as read
from onrecord.policy.temporal import words
from onrecord.policy.temporal.almanac import Window
from onrecord.policy.temporal.reading import Match, Reading, Resolve


@dataclass(frozen=True, slots=True)
class Found:
    """A window with its place in the text. ``role`` is set where the phrase itself says it (``until``, ``recurring``)."""

    window: Window
    span: tuple[int, int]
    role: str | None = None


class Rule(NamedTuple):
    """A pattern, what it means, the role it implies, and the words of which a text needs one for the pattern to be tried."""

    pattern: re.Pattern[str]
    resolve: Resolve
    role: str | None
    needs: frozenset[str]


def found(text: str, reading: Callable[[Match], Reading]) -> Iterator[Found]:
    """All phrases of all rules; they may overlap. What no calendar holds (31 February, year 12000) is left out."""
    present = frozenset(_WORDS.findall(text.casefold()))
    for rule in RULES:
        if rule.needs.isdisjoint(present):
            continue
        for match in rule.pattern.finditer(text):
            try:
                window = rule.resolve(match, reading(match))
            except (ValueError, OverflowError):
                continue
            if window is not None and window.start < window.end:
                yield Found(window, _place(match), rule.role)


def _place(match: Match) -> tuple[int, int]:
    """The phrase without the preposition that a pattern needed to see."""
    start, end = match.span()
    if "prep" in match.re.groupindex and match["prep"]:
        start = match.end("prep")
        start += len(match.string[start:end]) - len(match.string[start:end].lstrip())
    return start, end


_WORDS = regex(r"[a-z\u00df-\u017f]+|\d|[\u3040-\u30ff\u4e00-\u9fff]")


def _first_words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(_WORDS.findall(name)[0] for name in names)


_MONTHS = _first_words(words.MONTHS)
_WEEKDAYS = _first_words(words.WEEKDAYS)
_UNITS = _first_words(words.UNITS)
_SEASONS = _first_words(words.SEASONS)
_WEEKENDS = frozenset("weekend weekends wochenende fin fines week".split())
_DIGITS = frozenset("0123456789")
_Y = r"(?P<y>(?:19|20)\d\d)"
_REL = rf"(?P<rel>{words.THIS}|{words.NEXT}|{words.LAST})"
_REL2 = rf"(?P<rel2>{words.NEXT_AFTER}|{words.LAST_AFTER})"
_COUNT = rf"(?P<n>{words.HOW_MANY})"
_UNIT = rf"(?P<unit>{words.UNIT})"
_IN = (
    r"(?P<prep>in|on|by|until|till|til|since|of|from|through|before|after|during|to|late|every|each|and|or|the|im|am|bis|seit|"
    r"ab|vor|nach|ende|"
    r"anfang|mitte|und|en|desde|hasta|el|de|y|o|depuis|jusqu'en|jusqu'à|avant|après|et)"
)
_DAY_NUMBER = r"(?P<d>\d\d?)(?:st|nd|rd|th|er|º|ª|\.)?"
_NOT_A_MEASURE = r"(?![\d:]|[.,]\d|\s?(?:am|pm|uhr|h|%|€|\$|£|kg|km|euros?|dollars?|people|times)\b)"
_SENTENCE_GOES_ON = (
    r"(?=\s*(?:$|[.,;:!?)\n–—-]|(?:and|or|until|till|to|through|at|so|because|but|for|we|i|if|then|each|every|this|next|"
    r"instead|now|not|please)\b))"
)


def _rule(pattern: str, resolve: Resolve, needs: Iterable[str], role: str | None = None) -> Rule:
    return Rule(regex(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE), resolve, role, frozenset(needs))


def _eastern(pattern: str, resolve: Resolve, needs: str, role: str | None = None) -> Rule:
    return Rule(regex(pattern), resolve, role, frozenset(needs))


def _phrases(meanings: Mapping[str, Resolve], role: str | None = None) -> Rule:
    """Fixed phrases, given as alternatives separated by ``|``."""
    table = {phrase: resolve for phrases, resolve in meanings.items() for phrase in phrases.split("|")}

    def resolve(m: Match, r: Reading) -> Window | None:
        return table[" ".join(m[0].casefold().split())](m, r)

    return _rule(words.alternatives(table).replace(" ", r"\s"), resolve, _first_words(table), role)


_DATES = (
    _rule(
        rf"{_Y}-(?P<m>\d\d)-(?P<d>\d\d)(?:[T ](?P<h>\d\d):(?P<min>\d\d)(?::\d\d(?:\.\d{{1,6}})?)?(?:Z|[+-]\d\d:?\d\d)?)?",
        read.iso,
        _DIGITS,
    ),
    _rule(r"(?P<a>\d\d?)(?P<sep>[./-])(?P<b>\d\d?)(?P=sep)(?P<y>(?:19|20)\d\d|\d\d)(?![./-]\d)", read.numeric, _DIGITS),
    _rule(
        r"(?P<prep>on|by|until|since|from|before|after|due|starting|to)\s(?P<a>\d\d?)/(?P<b>\d\d?)(?!/|\d)", read.short, _DIGITS
    ),
    _rule(r"(?P<prep>am|vom|bis|zum|ab|seit|den|dem|der|bis zum)\s(?P<a>\d\d?)\.\s?(?P<b>\d\d?)\.(?!\d)", read.short, _DIGITS),
    _rule(
        rf"(?:the |den |dem |el |le )?(?:{_DAY_NUMBER}|(?P<word>{words.ORDINAL}))[ -]?(?:(?:day )?of (?:the )?|de |d')?"
        rf"(?P<month>{words.MONTH})\b\.?(?:,? (?:de |del )?{_Y})?",
        read.day_month,
        _MONTHS,
    ),
    _rule(
        rf"(?P<month>{words.MONTH})\.?[ -](?:the )?(?:(?P<d>\d\d?)(?:st|nd|rd|th)?{_NOT_A_MEASURE}|"
        rf"(?P<word>{words.ORDINAL}))(?:,? {_Y})?",
        read.day_month,
        _MONTHS,
    ),
    _rule(rf"(?:{_IN} )?(?:{_REL} )?(?P<month>{words.MONTH})(?:,? (?:de |del |of )?{_Y})?", read.month, _MONTHS),
    _rule(
        rf"(?P<prep>on|by|until|till|til|through|since|from|before|after|due|to|the|and) (?:the )?(?:(?P<d>\d\d?)(?:st|nd|rd|"
        rf"th)|(?P<word>{words.ORDINAL}))"
        rf"(?: of (?P<rel>this|next|last) month)?{_SENTENCE_GOES_ON}",
        read.ordinal_day,
        _DIGITS | _first_words(words.ORDINALS),
    ),
    _rule(
        r"(?P<prep>am|zum|ab dem|seit dem|vom) (?P<d>\d\d?)\.(?P<word>(?!))?(?P<rel>(?!))?(?=\s*(?:$|[,;:!?)\n]|[a-zäöü]))",
        read.ordinal_day,
        _DIGITS | _first_words(words.ORDINALS),
    ),
    _rule(
        r"(?P<prep>el|hasta el|desde el|le|jusqu'au|au) (?:día )?(?P<d>\d\d?)(?P<word>(?!))?(?P<rel>(?!))?(?=\s*(?:$|"
        r"[,;:!?)\n]))",
        read.ordinal_day,
        _DIGITS | _first_words(words.ORDINALS),
    ),
    _rule(
        rf"(?P<a>\d\d?)(?:st|nd|rd|th|\.)?(?=\s?(?:-|–|—|to|and|until|till|through|bis|und|al?|y|au|et)\s?(?:the "
        rf")?(?P<b>\d\d?)(?:st|nd|rd|th|\.)?"
        rf"[ ]?(?:of |de )?(?P<month>{words.MONTH})\b(?:,? (?:de )?{_Y})?)",
        read.range_start,
        _MONTHS,
    ),
    _rule(
        rf"(?P<month>{words.MONTH}) (?P<a>\d\d?)(?:st|nd|rd|th)?(?=\s?(?:-|–|—|to|until|through)\s?\d\d?(?!\d|:))",
        read.range_start,
        _MONTHS,
    ),
    _rule(rf"(?:{_REL} )?(?P<feast>{words.FEAST})(?:(?: of)? {_Y})?", read.feast, _first_words(words.FEASTS)),
    _rule(
        rf"(?P<prep>in|since|until|till|by|before|after|during|of|from|to|through|im jahr|seit|bis|ab|vor|nach|en|desde|hasta|"
        rf"depuis|avant|après) {_Y}(?![-/.]?\d)",
        read.year,
        _DIGITS,
    ),
    _rule(
        rf"(?:the )?(?:Q(?P<q>[1-4])|(?P<word>{words.ORDINAL}) quarter)(?: of)?(?:[ /-]?(?P<y>(?:19|20)\d\d))?",
        read.quarter,
        ["q", "quarter"],
    ),
    _rule(rf"(?:the )?(?P<h>first|second|H1|H2)(?(h)(?: half of|(?<=H[12])))(?: the year)?(?: {_Y})?", read.half, ["half", "h"]),
    _rule(
        rf"(?:the )?week of (?:the )?(?:{_DAY_NUMBER}|(?P<word>{words.ORDINAL}))[ -]?(?:of )?(?P<month>{words.MONTH})(?:,? "
        rf"{_Y})?",
        read.week_of,
        _MONTHS,
    ),
    _rule(
        rf"(?:the |die |der )?(?P<word>last|letzten?|{words.ORDINAL}) (?:week|woche) (?:of|in|im) (?P<month>{words.MONTH})(?: "
        rf"{_Y})?",
        read.nth_week,
        _MONTHS,
    ),
)

_NEAR = (
    _phrases(
        {
            "today|heute|hoy|aujourd'hui": read.near_day(0),
            "tomorrow|tmrw|morgen|mañana|demain": read.near_day(1),
            "yesterday|gestern|ayer": read.near_day(-1),
            "the day after tomorrow|day after tomorrow|übermorgen|pasado mañana|après-demain": read.near_day(2),
            "the day before yesterday|day before yesterday|vorgestern|anteayer|antier|avant-hier": read.near_day(-2),
            "this morning|heute früh|heute morgen|heute vormittag|esta mañana|ce matin": read.hours(5, 7),
            "this afternoon|heute nachmittag|esta tarde|cet après-midi": read.hours(12, 6),
            "tonight|this evening|heute abend|esta noche|ce soir": read.hours(18, 6),
            "tomorrow morning|morgen früh|mañana por la mañana|demain matin": read.hours(5, 7, 1),
            "tomorrow afternoon|morgen nachmittag|mañana por la tarde|demain après-midi": read.hours(12, 6, 1),
            "tomorrow night|tomorrow evening|morgen abend|mañana por la noche|demain soir": read.hours(18, 6, 1),
            "yesterday morning|gestern früh|gestern morgen|hier matin": read.hours(5, 7, -1),
            "yesterday afternoon|gestern nachmittag|hier après-midi": read.hours(12, 6, -1),
            "last night|yesterday evening|yesterday night|gestern abend|anoche|hier soir": read.hours(18, 12, -1),
            "the other day|neulich|el otro día|l'autre jour": read.lately,
        }
    ),
    _phrases(
        {
            "from now on|from now onwards|ab jetzt|ab sofort|von nun an|de ahora en adelante|a partir de ahora|à partir de "
            "maintenant|désormais|"
            "dorénavant": read.near_day(0)
        },
        "since",
    ),
    _rule(r"hier(?= (?:j|on|nous|il|elle|à|je|tu|vous)\b| ?[.,!?]|$)", read.near_day(-1), ["hier"]),
    _rule(
        rf"(?:{_IN} )?(?:(?P<rel>{words.THIS}|{words.NEXT}|{words.LAST}) )?(?P<day>{words.WEEKDAY})\.?(?: {_REL2})?",
        read.named_weekday,
        _WEEKDAYS,
    ),
    _rule(rf"(?P<day>{words.WEEKDAY}),? (?:of )?{_REL} (?:week|woche|semana|semaine)", read.weekday_in_week, _WEEKDAYS),
    _rule(
        rf"(?P<rel>{words.THIS}|{words.NEXT}|{words.LAST}) (?:week|woche) (?:on )?(?P<day>{words.WEEKDAY})",
        read.weekday_in_week,
        _WEEKDAYS,
    ),
    _rule(rf"(?P<day>{words.WEEKDAY}) week", read.weekday_plus, _WEEKDAYS),
    _rule(rf"a week (?:on|this) (?P<day>{words.WEEKDAY})", read.weekday_plus, _WEEKDAYS),
    _rule(
        rf"{_COUNT} weeks? (?:from|after) (?:this coming |this |the coming |coming |next |on )?(?P<day>{words.WEEKDAY})",
        read.weekday_plus,
        _WEEKDAYS,
    ),
    _rule(rf"(?P<day>{words.WEEKDAY}) in (?P<n>{words.HOW_MANY}) wochen?", read.weekday_plus, _WEEKDAYS),
    _rule(rf"(?P<day>{words.WEEKDAY}) after next", read.weekday_plus, _WEEKDAYS),
)

_COUNTED = (
    _rule(rf"{_COUNT}[ -]{_UNIT} (?:ago|back|earlier|before now)", read.ago, _UNITS),
    _rule(rf"(?:vor|hace|il y a) {_COUNT} {_UNIT}", read.ago, _UNITS),
    _rule(rf"(?:in|en|dans|dentro de) {_COUNT} {_UNIT}(?:'?s? time)?(?! (?:ago|from))", read.ahead, _UNITS),
    _rule(rf"{_COUNT} {_UNIT} (?:from now|hence|later)", read.ahead, _UNITS),
    _rule(
        rf"{_COUNT} {_UNIT} (?:from|after|ab|a partir de) (?P<base>today|tomorrow|heute|morgen|hoy|mañana)", read.from_day, _UNITS
    ),
    _rule(r"(?P<base>heute|morgen) in (?P<n>einer|zwei|drei|vier) (?P<unit>wochen?|monaten?)", read.from_day, _UNITS),
    _rule(
        rf"(?:for |over |during |in |within )?(?:the |die |los |las |les )?(?:next|coming|following|nächsten|kommenden|"
        rf"próxim[oa]s|prochain(?:e?s)?) {_COUNT} {_UNIT}",
        read.coming,
        _UNITS,
        "until",
    ),
    _rule(rf"(?:within|inside of|innerhalb von|en menos de|d'ici) (?:the next )?{_COUNT} {_UNIT}", read.coming, _UNITS, "until"),
    _rule(
        rf"(?:in |over |during |for |within )?(?:the |die |den |los |las |les |ces )?(?:last|past|previous|letzten|vergangenen|"
        rf"últim[oa]s|derni(?:ers|ères)) "
        rf"(?:{_COUNT} )?(?P<unit>days|nights|weeks|months|years|hours|minutes|weekends|tage|wochen|monate|jahre|días|semanas|"
        rf"meses|años|jours|semaines|mois|ans)",
        read.recent,
        _UNITS,
    ),
    _rule(
        r"(?:in |over |during )?the past (?P<unit>day|week|month|quarter|year|hour|fortnight)(?P<n>(?!))?", read.recent, _UNITS
    ),
)

_PERIODS = (
    _rule(
        r"EO(?P<unit>[DWMQY])|end of (?:the )?(?P<unit2>day|business)|COB",
        read.end_of,
        ["eod", "eow", "eom", "eoq", "eoy", "end", "cob"],
    ),
    _rule(rf"(?P<side>later|earlier) this (?P<unit>{words.UNIT})", read.rest_of, ["later", "earlier"]),
    _rule(rf"(?:the )?{_REL} (?P<unit>{words.UNIT})", read.period_of, _UNITS),
    _rule(rf"(?:la |el |le |l')?(?P<unit>{words.UNIT}) {_REL2}", read.period_of, _UNITS),
    _rule(r"(?:the )?(?P<unit>week|weekend|month|year|quarter) (?P<side>after next|before last)", read.beyond, _UNITS),
    _rule(r"(?P<unit>weekend) (?P<side>before last|after next)", read.beyond, _UNITS),
    _rule(
        r"(?:over|at|on|during) the weekend|am wochenende|el fin de semana|le week-end|ce week-end", read.the_weekend, _WEEKENDS
    ),
    _rule(
        rf"(?:the )?(?:{words.PART})[ -]?(?:in |of )?(?:the |des |der |dieses |diesen |del |de la |de l'|du |de )?(?:{_REL} )?"
        rf"(?:(?P<month>{words.MONTH})(?:,? (?:de )?{_Y})?|(?P<season>{words.SEASON})|(?P<only_year>(?:19|20)\d\d)|"
        rf"(?P<unit>{words.UNIT})(?: {_REL2})?)",
        read.part_of,
        _UNITS | _MONTHS | _SEASONS | _DIGITS,
    ),
    _rule(
        rf"(?:{_REL} |in (?:the )?|the |im |en |cet |cette |l')(?P<season>{words.SEASON})(?:(?: of)? {_Y})?(?: {_REL2})?",
        read.season,
        _SEASONS,
    ),
    _rule(rf"(?P<season>{words.SEASON}) (?:of )?{_Y}(?P<rel>(?!))?(?P<rel2>(?!))?", read.season, _SEASONS),
)

_RECURRING = (
    _rule(rf"(?:on |every |each )?(?P<plural>{words.PLURAL})", read.plural_weekday, words.PLURAL_WEEKDAYS, "recurring"),
    _rule(
        rf"(?:every|each|jeden|cada|todos los|tous les|chaque)(?: other| second)? (?P<day>{words.WEEKDAY}s?)",
        read.plural_weekday,
        _WEEKDAYS | frozenset(words.PLURAL_WEEKDAYS) | _first_words(f"{day}s" for day in words.WEEKDAYS),
        "recurring",
    ),
    _rule(
        rf"(?:los|les) (?P<day>(?:{words.WEEKDAY})s?)",
        read.plural_weekday,
        _WEEKDAYS | _first_words(f"{day}s" for day in words.WEEKDAYS),
        "recurring",
    ),
    _rule(
        r"(?:on |at |every )weekends?(?<=weekends)|every weekend|jedes wochenende|los fines de semana|le week-end",
        read.the_weekend,
        _WEEKENDS,
        "recurring",
    ),
    _rule(
        r"(?:on |every )?(?:weekdays|work ?days|working days)|every weekday|(?:every|each) (?:day|morning|evening|night|week|"
        r"month|quarter|year)|daily|nightly|"
        r"jeden (?:tag|morgen|abend)|täglich|cada (?:día|semana|mes)|todos los días|tous les (?:jours|matins|soirs|mois)|"
        r"chaque (?:jour|semaine|mois)",
        read.near_day(0),
        "weekdays weekday work workdays working every each daily nightly jeden täglich cada todos tous chaque".split(),
        "recurring",
    ),
)

_COUNTERS = words.alternatives(words.EASTERN_UNITS)
_NAMED_DAY = r"(?P<w>[月火水木金土日])曜日?"
_EASTERN = (
    _eastern(words.alternatives(words.EASTERN_DAYS), read.eastern_day, "日天昨あお"),
    _eastern("今後|これから", read.near_day(0), "今こ", "since"),
    _eastern(
        rf"(?P<p>{words.alternatives(words.EASTERN_PERIODS)})(?:の?{_NAMED_DAY})?", read.eastern_period, "先今来再去昨明上这下週"
    ),
    _eastern(r"(?:(?P<y>(?:19|20)\d\d)年)?(?<!\d)(?P<m>\d\d?)月(?:(?P<d>\d\d?)[日号])?", read.eastern_date, "月"),
    _eastern(rf"(?<!\d)(?P<n>\d{{1,3}})(?P<u>{_COUNTERS})(?P<side>前|後|后)", read.eastern_count, "前後后"),
    _eastern(r"毎(?:日|朝|晩|週|月|年)(?!曜)", read.near_day(0), "毎", "recurring"),
    _eastern(rf"毎週(?:の)?{_NAMED_DAY}", read.eastern_weekday, "曜", "recurring"),
    _eastern(rf"(?<![先今来毎]週)(?<![先今来毎]週の){_NAMED_DAY}", read.eastern_weekday, "曜"),
)

RULES = (*_DATES, *_NEAR, *_COUNTED, *_PERIODS, *_RECURRING, *_EASTERN)
