"""The words for days, months, units and relations, in English, German, Spanish, French and Japanese."""

from __future__ import annotations

from collections.abc import Iterable

from onrecord.policy.language.numerals import ORDINALS as ORDINALS
from onrecord.policy.language.numerals import word_value


def _numbered(groups: str, start: int) -> dict[str, int]:
    return {name: i for i, names in enumerate(groups.split("|"), start) for name in names.split()}


MONTHS = _numbered(
    """january jan januar jänner enero janvier|
    february feb februar febrero février fevrier|march mar märz marzo mars|
    april apr abril avril|
    may mai mayo|june jun juni junio juin|july jul juli julio juillet|august aug agosto août aout|
    september sep sept septiembre setiembre septembre|october oct okt oktober octubre octobre|november nov noviembre novembre|
    december dec dez dezember diciembre décembre decembre""",
    1,
)
#: Month names that are other words too; alone they need a word of time before them.
AMBIGUOUS_MONTHS = frozenset("may march mar mars mai jan jun sep dec nov oct aug apr feb jul".split())
WEEKDAYS = _numbered(
    """monday mon montag lunes lundi|
    tuesday tue tues dienstag martes mardi|
    wednesday wed weds mittwoch miércoles miercoles mercredi|
    thursday thu thur thurs donnerstag jueves jeudi|
    friday fri freitag viernes vendredi|
    saturday sat samstag sonnabend sábado sabado samedi|
    sunday sun sonntag domingo dimanche""",
    0,
)
AMBIGUOUS_WEEKDAYS = frozenset("mon tue wed thu fri sat sun mar".split())
PLURAL_WEEKDAYS = _numbered(
    "mondays montags|tuesdays dienstags|wednesdays mittwochs|thursdays donnerstags|fridays freitags|"
    "saturdays samstags sonnabends|sundays sonntags",
    0,
)
UNITS = {
    **dict.fromkeys("minute minutes min mins minuten minuto minutos".split(), "minute"),
    **dict.fromkeys("hour hours hr hrs stunde stunden hora horas heure heures".split(), "hour"),
    **dict.fromkeys("day days tag tage tagen día días dia dias jour jours".split(), "day"),
    **dict.fromkeys("night nights nacht nächte noche noches nuit nuits".split(), "day"),
    **dict.fromkeys("week weeks woche wochen semana semanas semaine semaines".split(), "week"),
    **dict.fromkeys("weekend weekends wochenende wochenenden week-end week-ends".split(), "weekend"),
    **dict.fromkeys("fortnight fortnights".split(), "fortnight"),
    **dict.fromkeys("month months monat monate monaten mes meses mois".split(), "month"),
    **dict.fromkeys("quarter quarters quartal quartale trimestre trimestres".split(), "quarter"),
    **dict.fromkeys("year years jahr jahre jahren año años an ans année années".split(), "year"),
    **dict.fromkeys("decade decades".split(), "decade"),
}
SEASONS = {
    **dict.fromkeys("spring frühling frühjahr primavera printemps".split(), "spring"),
    **dict.fromkeys("summer sommer verano été".split(), "summer"),
    **dict.fromkeys("autumn fall herbst otoño automne".split(), "autumn"),
    **dict.fromkeys("winter invierno hiver".split(), "winter"),
}
#: Words for how many; a range where the words are vague.
_VAGUE = {
    "a few": (2, 5),
    "a couple of": (2, 2),
    "a couple": (2, 2),
    "several": (3, 6),
    "some": (2, 5),
    "few": (2, 5),
    "couple of": (2, 2),
    "couple": (2, 2),
    "ein paar": (2, 5),
    "einigen": (2, 5),
    "einige": (2, 5),
    "un par de": (2, 2),
    "unos": (2, 5),
    "unas": (2, 5),
    "quelques": (2, 5),
}
_ONE = "a an one ein eine einem einer einen un una une the".split()


def alternatives(words: Iterable[str]) -> str:
    """The words as a regex alternation, longest first so that none hides a longer one."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_SPELLED = (
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety zwei drei vier "
    "fünf sechs sieben acht "
    "neun zehn zwölf dos tres cuatro cinco seis siete ocho nueve diez deux trois quatre cinq sept huit neuf dix quinze"
).split()
HOW_MANY = rf"(?:\d{{1,4}}|{alternatives([*_VAGUE, *_ONE, *_SPELLED])})"


def how_many(words: str) -> tuple[int, int]:
    """The least and the greatest number that ``words`` can mean."""
    plain = " ".join(words.casefold().split())
    if plain in _VAGUE:
        return _VAGUE[plain]
    if plain in _ONE or not plain:
        return 1, 1
    number = int(plain) if plain.isdecimal() else (word_value(plain) or {"quinze": 15}.get(plain, 1))
    return number, number


MONTH = alternatives(MONTHS)
WEEKDAY = alternatives(WEEKDAYS)
PLURAL = alternatives(PLURAL_WEEKDAYS)
UNIT = alternatives(UNITS)
SEASON = alternatives(SEASONS)
ORDINAL = alternatives(ORDINALS)

THIS = r"this|the current|current|diese[rnms]?|este|esta|cette|cet|ce"
NEXT = r"next|the next|this coming|the coming|coming|upcoming|nächste[rnms]?|kommende[rnms]?|próxim[oa]|proxim[oa]"
LAST = r"last|the last|previous|letzte[rnms]?|vergangene[rnms]?|vorige[rnms]?"
#: After the noun, as in "la semana que viene".
NEXT_AFTER = r"que viene|próxim[oa]|proxim[oa]|prochaine?|qui vient"
LAST_AFTER = r"pasad[oa]|derni[eè]re?|passée?"

PARTS = {
    "early": r"early|(?:the )?(?:beginning|start|first (?:third|days|half)) of|beginning|anfang|"
    r"(?:a )?(?:principios|comienzos) de|"
    r"début(?: de| d')?|au début de",
    "mid": r"mid|(?:the )?middle of|mitte|(?:a )?mediados de|mi(?=-)",
    "end": r"(?:the )?end of|ende|(?:a )?(?:finales|fines|fin) de|(?:la )?fin(?: de| d')?",
    "late": r"late|(?:the )?(?:second|last|latter) (?:third|days|half|part) of",
}
PART = "|".join(f"(?P<{name}>{words})" for name, words in PARTS.items())

FEASTS = {
    **dict.fromkeys(("christmas eve", "heiligabend", "nochebuena", "christmas day eve"), "12-24"),
    **dict.fromkeys(("christmas day", "christmas", "xmas", "weihnachten", "navidad", "noël"), "12-25"),
    **dict.fromkeys(("boxing day",), "12-26"),
    **dict.fromkeys(("new year's eve", "new years eve", "silvester", "nochevieja"), "12-31"),
    **dict.fromkeys(("new year's day", "new year's", "new year", "neujahr", "año nuevo", "nouvel an"), "01-01"),
    **dict.fromkeys(("valentine's day",), "02-14"),
    **dict.fromkeys(("halloween",), "10-31"),
    **dict.fromkeys(("good friday", "karfreitag", "viernes santo", "vendredi saint"), "easter-2"),
    **dict.fromkeys(("easter monday", "ostermontag", "lunes de pascua", "lundi de pâques"), "easter+1"),
    **dict.fromkeys(("easter sunday", "easter", "ostersonntag", "ostern", "pascua", "pâques"), "easter+0"),
    **dict.fromkeys(("ascension day", "christi himmelfahrt"), "easter+39"),
    **dict.fromkeys(("whit monday", "pfingstmontag"), "easter+50"),
    **dict.fromkeys(("pentecost", "whitsun", "pfingsten"), "easter+49"),
}
FEAST = alternatives(FEASTS)

EASTERN_DAYS = {
    "今日": 0,
    "本日": 0,
    "明日": 1,
    "昨日": -1,
    "明後日": 2,
    "あさって": 2,
    "一昨日": -2,
    "おととい": -2,
    "今天": 0,
    "明天": 1,
    "昨天": -1,
    "后天": 2,
    "前天": -2,
}
EASTERN_PERIODS = {
    "先週": ("week", -1),
    "今週": ("week", 0),
    "来週": ("week", 1),
    "再来週": ("week", 2),
    "先月": ("month", -1),
    "今月": ("month", 0),
    "来月": ("month", 1),
    "去年": ("year", -1),
    "昨年": ("year", -1),
    "今年": ("year", 0),
    "来年": ("year", 1),
    "明年": ("year", 1),
    "上周": ("week", -1),
    "这周": ("week", 0),
    "下周": ("week", 1),
    "上个月": ("month", -1),
    "这个月": ("month", 0),
    "下个月": ("month", 1),
    "先週末": ("weekend", -1),
    "今週末": ("weekend", 0),
    "週末": ("weekend", 0),
    "来週末": ("weekend", 1),
}
EASTERN_UNITS = {
    "日": "day",
    "日間": "day",
    "週間": "week",
    "週": "week",
    "ヶ月": "month",
    "か月": "month",
    "カ月": "month",
    "年": "year",
    "天": "day",
    "个月": "month",
    "時間": "hour",
}
EASTERN_WEEKDAYS = "月火水木金土日"
