"""One rule for each way of naming a time: a pattern, and the window it means when read at a given moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from onrecord.policy import almanac, temporal_words as words
from onrecord.policy.almanac import DAY, WEEK, Window, days

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """When and how a phrase is read: ``now`` is local and naive; ``lean`` is -1 for past, 1 for future, 0 for unknown."""

    now: datetime
    lean: int
    month_first: bool = False

    @property
    def today(self) -> date:
        """The local date."""
        return self.now.date()


@dataclass(frozen=True, slots=True)
class Found:
    """A window with its place in the text. ``role`` is set where the phrase itself says it (``until``, ``recurring``)."""

    window: Window
    span: tuple[int, int]
    role: str | None = None


Rule = tuple[re.Pattern[str], Callable[[Match, Reading], Window | None], str | None]


def found(text: str, reading: Callable[[Match], Reading]) -> Iterator[Found]:
    """All phrases of all rules; they may overlap. What no calendar holds (31 February, year 12000) is left out."""
    for pattern, resolve, role in RULES:
        for match in pattern.finditer(text):
            try:
                window = resolve(match, reading(match))
            except (ValueError, OverflowError):
                continue
            if window is not None and window.start < window.end:
                yield Found(window, match.span(), role)


# --- choosing a year or a week


def nearest(candidates: list[Window], reading: Reading) -> Window:
    """The window that fits the tense: the last begun, the next not over, or, where nothing tells, the one closest to now."""
    day = almanac.midnight(reading.today)
    past = [w for w in candidates if w.start <= day]
    future = [w for w in candidates if w.end > day]
    if reading.lean < 0 and past:
        return past[-1]
    if reading.lean > 0 and future:
        return future[0]
    return min(candidates, key=lambda w: (abs((w.start - day).days), w.start < day))


def _yearly(make: Callable[[int], Window], reading: Reading) -> Window:
    made = []
    for year in (reading.today.year - 1, reading.today.year, reading.today.year + 1, reading.today.year + 4):
        try:
            made.append(make(year))
        except (ValueError, OverflowError):
            continue
    return nearest(sorted(made), reading)


def _weekday(reading: Reading, weekday: int, offset: int = 0) -> Window:
    """The coming one, or the last one where the tense says so; today's own name means the one in a week."""
    ahead = (weekday - reading.today.weekday() - 1) % 7 + 1
    if reading.lean < 0 and not offset:
        ahead -= 7 if ahead < 7 else 7
    return days(reading.today + ahead * DAY + offset * WEEK)


# --- dates


def _iso(m: Match, r: Reading) -> Window:
    day = date(int(m["y"]), int(m["m"]), int(m["d"]))
    if m["h"] is None:
        return days(day)
    start = almanac.midnight(day) + timedelta(hours=int(m["h"]), minutes=int(m["min"]))
    return Window(start, start + timedelta(minutes=1), "minute") if int(m["h"]) < 24 and int(m["min"]) < 60 else days(day)


def _numeric(m: Match, r: Reading) -> Window:
    first, second = int(m["a"]), int(m["b"])
    day, month = (second, first) if second > 12 or (r.month_first and m["sep"] == "/" and first <= 12) else (first, second)
    return days(date(_full_year(m["y"]), month, day))


def _short(m: Match, r: Reading) -> Window:
    first, second = int(m["a"]), int(m["b"])
    day, month = (second, first) if second > 12 or (r.month_first and "/" in m[0]) else (first, second)
    return _yearly(lambda year: days(date(year, month, day)), r)


def _full_year(digits: str) -> int:
    return int(digits) + (2000 if len(digits) == 2 else 0)


def _day_month(m: Match, r: Reading) -> Window:
    month = words.MONTHS[m["month"].casefold()]
    day = int(m["d"] or words.ORDINALS[m["word"].casefold()])
    return days(date(int(m["y"]), month, day)) if m["y"] else _yearly(lambda year: days(date(year, month, day)), r)


def _month(m: Match, r: Reading) -> Window | None:
    name = m["month"].casefold()
    month, which = words.MONTHS[name], (m["rel"] or "").casefold()
    if name in words.AMBIGUOUS_MONTHS and not (m["prep"] or which or m["y"]):
        return None
    if m["y"]:
        return almanac.months(int(m["y"]), month)
    return _which_year(which, lambda year: almanac.months(year, month), r)


def _which_year(which: str, make: Callable[[int], Window], r: Reading) -> Window:
    year, day = r.today.year, almanac.midnight(r.today)
    if re.fullmatch(words.LAST, which):
        return next(w for w in (make(year), make(year - 1)) if w.end <= day)
    if re.fullmatch(words.NEXT, which):
        return next(w for w in (make(year), make(year + 1), make(year + 2)) if w.start > day)
    if re.fullmatch(words.THIS, which):
        return make(year)
    return _yearly(make, r)


def _ordinal_day(m: Match, r: Reading) -> Window:
    number = int(m["d"]) if m["d"] else words.ORDINALS[m["word"].casefold()]
    made = []
    for offset in range(-2, 4):
        try:
            made.append(days(almanac.add_months(r.today.replace(day=1), offset).replace(day=number)))
        except ValueError:
            continue
    if m["rel"]:
        offset = {"this": 0, "next": 1, "last": -1}[m["rel"].casefold()]
        return days(almanac.add_months(r.today.replace(day=1), offset).replace(day=number))
    day = almanac.midnight(r.today)
    if r.lean < 0:
        return [w for w in made if w.start <= day][-1]
    return next(w for w in made if w.start >= day)


def _feast(m: Match, r: Reading) -> Window:
    rule = words.FEASTS[" ".join(m["feast"].casefold().split())]

    def make(year: int) -> Window:
        if rule.startswith("easter"):
            return days(almanac.easter(year) + int(rule[6:]) * DAY)
        return days(date.fromisoformat(f"{year:04d}-{rule}"))

    return make(int(m["y"])) if m["y"] else _which_year((m["rel"] or "").casefold(), make, r)


def _year(m: Match, r: Reading) -> Window:
    return almanac.year_of(int(m["y"]))


def _quarter(m: Match, r: Reading) -> Window:
    number = int(m["q"]) if m["q"] else words.ORDINALS[m["word"].casefold()]
    if number > 4:
        raise ValueError("no such quarter")
    return almanac.quarter(_full_year(m["y"]), number) if m["y"] else _yearly(lambda year: almanac.quarter(year, number), r)


def _half(m: Match, r: Reading) -> Window:
    number = 1 if m["h"] in ("1", "first") else 2
    year = int(m["y"]) if m["y"] else r.today.year
    return almanac.months(year, number * 6 - 5, 6, "half")


def _season(m: Match, r: Reading) -> Window:
    name = words.SEASONS[m["season"].casefold()]
    if m["y"]:
        return almanac.season(int(m["y"]), name)
    which = (m["rel"] or m["rel2"] or "").casefold()
    if re.fullmatch(f"{words.LAST}|{words.LAST_AFTER}", which):
        which = "last"
    elif re.fullmatch(f"{words.NEXT}|{words.NEXT_AFTER}", which):
        which = "next"
    return _which_year(which, lambda year: almanac.season(year, name), r)


# --- days near today


def _near_day(offset: int) -> Callable[[Match, Reading], Window]:
    return lambda m, r: days(r.today + offset * DAY)


def _hours(first: int, length: int, offset: int = 0, grain: str = "part_of_day") -> Callable[[Match, Reading], Window]:
    def resolve(m: Match, r: Reading) -> Window:
        start = almanac.midnight(r.today + offset * DAY) + timedelta(hours=first)
        return Window(start, start + timedelta(hours=length), grain)

    return resolve


def _named_weekday(m: Match, r: Reading) -> Window | None:
    name = m["day"].casefold()
    weekday, which = words.WEEKDAYS[name], (m["rel"] or m["rel2"] or "").casefold()
    if name in words.AMBIGUOUS_WEEKDAYS and not (m["prep"] or which):
        return None
    if re.fullmatch(f"{words.LAST}|{words.LAST_AFTER}", which):
        return _weekday(Reading(r.now, -1), weekday)
    if re.fullmatch(r"next|the next|nächste[rnms]?", which):
        return days(almanac.monday(r.today) + WEEK + weekday * DAY)
    if re.fullmatch(words.THIS, which):
        return days(r.today + (weekday - r.today.weekday()) % 7 * DAY)
    return _weekday(Reading(r.now, 1) if which else r, weekday)


def _weekday_in_week(m: Match, r: Reading) -> Window:
    offset = -1 if re.fullmatch(words.LAST, m["rel"].casefold()) else 1 if re.fullmatch(words.NEXT, m["rel"].casefold()) else 0
    return days(almanac.monday(r.today) + offset * WEEK + words.WEEKDAYS[m["day"].casefold()] * DAY)


def _weekday_plus(m: Match, r: Reading) -> Window:
    count = words.how_many(m["n"] or "a")[0] if "n" in m.re.groupindex else 1
    return _weekday(Reading(r.now, 1), words.WEEKDAYS[m["day"].casefold()], count)


def _plural_weekday(m: Match, r: Reading) -> Window:
    name = next(m[group] for group in ("plural", "day", "iberian", "french") if group in m.re.groupindex and m[group]).casefold()
    weekday = words.PLURAL_WEEKDAYS.get(name, words.WEEKDAYS.get(name.rstrip("s"), words.WEEKDAYS.get(name, 0)))
    return days(r.today + (weekday - r.today.weekday()) % 7 * DAY)


# --- so many units from now


def shift(now: datetime, unit: str, count: int) -> datetime:
    """``now``, ``count`` units later (earlier if negative); days and longer units give midnights."""
    if unit in ("minute", "hour"):
        return now + count * timedelta(**{unit + "s": 1})
    day = now.date()
    if unit in ("day", "week", "fortnight"):
        return almanac.midnight(day + count * {"day": DAY, "week": WEEK, "fortnight": 2 * WEEK}[unit])
    if unit == "weekend":
        return almanac.weekend(day, count).start
    return almanac.midnight(almanac.add_months(day, count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit]))


def _ago(m: Match, r: Reading) -> Window:
    unit = words.UNITS[m["unit"].casefold()]
    least, most = words.how_many(m["n"])
    if unit == "weekend":
        return almanac.weekend(r.today, -least)
    first, last = shift(r.now, unit, -most), shift(r.now, unit, -least)
    if unit in ("minute", "hour"):
        return Window(first, last + timedelta(minutes=1), unit)
    if unit == "month":
        return Window(almanac.months(first.year, first.month).start, almanac.months(last.year, last.month).end, unit)
    if unit in ("year", "decade", "quarter"):
        return Window(almanac.year_of(first.year).start, almanac.year_of(last.year).end, unit)
    slack = 3 * DAY if unit in ("week", "fortnight") else timedelta()
    return Window(first - slack, last + DAY + slack, unit)


def _ahead(m: Match, r: Reading) -> Window:
    unit = words.UNITS[m["unit"].casefold()]
    least, most = words.how_many(m["n"])
    if unit == "weekend":
        return almanac.weekend(r.today, least)
    start = shift(r.now, unit, least)
    length = timedelta(minutes=1) if unit in ("minute", "hour") else DAY
    return Window(start, shift(r.now, unit, most) + length, unit)


def _from_day(m: Match, r: Reading) -> Window:
    """"a week from today", "two weeks from tomorrow"."""
    base = r.now + (DAY if re.search("tomorrow|morgen|mañana|demain", m["base"].casefold()) else timedelta())
    start = shift(base, words.UNITS[m["unit"].casefold()], words.how_many(m["n"])[0])
    return Window(start, start + DAY, "day")


def _coming(m: Match, r: Reading) -> Window:
    """From now to the end of so many units: "for the next three months", "within two weeks"."""
    unit = words.UNITS[m["unit"].casefold()]
    most = words.how_many(m["n"] or "a")[1]
    return Window(r.now, max(shift(r.now, unit, most), r.now + timedelta(minutes=1)) + (DAY if unit not in ("minute", "hour") else timedelta()), unit)


def _recent(m: Match, r: Reading) -> Window:
    """The last so many units up to now: "the past two weeks", "in the last few days"."""
    unit = words.UNITS[m["unit"].casefold()]
    most = words.how_many(m["n"] or "a")[1]
    return Window(shift(r.now, "day" if unit == "weekend" else unit, -most * (7 if unit == "weekend" else 1)), r.now + timedelta(minutes=1), unit)


# --- this, next, last, and parts


def period(unit: str, offset: int, today: date) -> Window:
    """The calendar week, weekend, month, quarter or year that is ``offset`` away from the present one."""
    if unit == "week":
        return almanac.week(today, offset)
    if unit == "weekend":
        return almanac.weekend(today, offset)
    if unit == "fortnight":
        return days(today + (offset * 14 if offset < 0 else 1) * DAY, 14, unit)
    if unit == "quarter":
        first = almanac.add_months(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * offset)
        return almanac.quarter(first.year, (first.month + 2) // 3)
    if unit == "month":
        first = almanac.add_months(today.replace(day=1), offset)
        return almanac.months(first.year, first.month)
    if unit == "year":
        return almanac.year_of(today.year + offset)
    if unit == "decade":
        return almanac.months(today.year // 10 * 10 + 10 * offset, 1, 120, unit)
    return days(today + offset * DAY)


def _offset(which: str) -> int:
    if re.fullmatch(f"{words.NEXT}|{words.NEXT_AFTER}", which):
        return 1
    return -1 if re.fullmatch(f"{words.LAST}|{words.LAST_AFTER}", which) else 0


def _period(m: Match, r: Reading) -> Window:
    which = (m["rel"] if "rel" in m.re.groupindex else None) or (m["rel2"] if "rel2" in m.re.groupindex else None) or ""
    return period(words.UNITS[m["unit"].casefold()], _offset(which.casefold()), r.today)


def _beyond(m: Match, r: Reading) -> Window:
    return period(words.UNITS[m["unit"].casefold()], 2 if m["side"].casefold() in ("after next", "nach der nächsten") else -2, r.today)


def _the_weekend(m: Match, r: Reading) -> Window:
    return almanac.weekend(r.today, -1 if r.lean < 0 else 0)


def _part(m: Match, r: Reading) -> Window | None:
    which = next(name for name in words.PARTS if m[name])
    if m["month"]:
        month = words.MONTHS[m["month"].casefold()]
        if m["y"]:
            return almanac.part(almanac.months(int(m["y"]), month), which)
        return almanac.part(_which_year((m["rel"] or "").casefold(), lambda year: almanac.months(year, month), r), which)
    if m["season"]:
        name = words.SEASONS[m["season"].casefold()]
        return almanac.part(_which_year((m["rel"] or "").casefold(), lambda year: almanac.season(year, name), r), which)
    if m["only_year"]:
        return almanac.part(almanac.year_of(int(m["only_year"])), which)
    unit = words.UNITS[m["unit"].casefold()]
    whole = period(unit, _offset((m["rel"] or m["rel2"] or "").casefold()), r.today)
    return days(r.today) if unit == "day" and not m["rel"] else almanac.part(whole, which) if unit not in ("minute", "hour") else None


def _week_of(m: Match, r: Reading) -> Window:
    day = _day_month(m, r)
    return almanac.week(day.start.date())


def _nth_week(m: Match, r: Reading) -> Window:
    month = words.MONTHS[m["month"].casefold()]
    number = {"last": 4, "letzte": 4}.get(m["word"].casefold(), words.ORDINALS.get(m["word"].casefold(), 1))
    whole = almanac.months(int(m["y"]), month) if m["y"] else _yearly(lambda year: almanac.months(year, month), r)
    first = whole.start.date() + (number - 1) * WEEK
    return days(whole.end.date() - WEEK, 7, "week") if m["word"].casefold() in ("last", "letzte") else days(first, 7, "week")


# --- Japanese and Chinese


def _eastern_day(m: Match, r: Reading) -> Window:
    return days(r.today + words.EASTERN_DAYS[m[0]] * DAY)


def _eastern_period(m: Match, r: Reading) -> Window:
    unit, offset = words.EASTERN_PERIODS[m["p"]]
    if m["w"]:
        return days(almanac.monday(r.today) + offset * WEEK + words.EASTERN_WEEKDAYS.index(m["w"]) * DAY)
    return period(unit, offset, r.today)


def _eastern_date(m: Match, r: Reading) -> Window:
    month, day = int(m["m"]), m["d"] and int(m["d"])

    def make(year: int) -> Window:
        return days(date(year, month, day)) if day else almanac.months(year, month)

    return make(int(m["y"])) if m["y"] else _yearly(make, r)


def _eastern_count(m: Match, r: Reading) -> Window:
    unit, count = words.EASTERN_UNITS[m["u"]], int(m["n"])
    start = shift(r.now, unit, -count if m["side"] == "前" else count)
    if m["side"] == "前" and unit == "month":
        return almanac.months(start.year, start.month)
    return Window(start, start + (timedelta(hours=1) if unit == "hour" else DAY), unit)


def _eastern_weekday(m: Match, r: Reading) -> Window:
    return _weekday(r, words.EASTERN_WEEKDAYS.index(m["w"]))


_PREP = r"in|on|by|until|till|since|of|from|through|before|after|during|to|im|am|bis|seit|ab|vor|nach|en|desde|hasta|el|de|depuis|jusqu'en|le|avant|après|every|and|or|und"
_Y = r"(?P<y>(?:19|20)\d\d)"
_COUNTED = rf"(?P<n>{words.HOW_MANY})[ -]?(?P<unit>{words.UNIT})"


def _rule(pattern: str, resolve: Callable[[Match, Reading], Window | None], role: str | None = None) -> Rule:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE), resolve, role


def _eastern(pattern: str, resolve: Callable[[Match, Reading], Window | None], role: str | None = None) -> Rule:
    return re.compile(pattern), resolve, role


RULES: tuple[Rule, ...] = (
    _rule(r"(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?:[T ](?P<h>\d\d):(?P<min>\d\d)(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?", _iso),
    _rule(r"(?P<a>\d\d?)(?P<sep>[./-])(?P<b>\d\d?)(?P=sep)(?P<y>(?:19|20)\d\d|\d\d)", _numeric),
    _rule(r"(?<=\bon )(?P<a>\d\d?)/(?P<b>\d\d?)(?!/)|(?<=\bby )(?P<a2>\d\d?)/(?P<b2>\d\d?)(?!/)", lambda m, r: None),
    _rule(rf"(?:the )?(?:(?P<d>\d\d?)(?:st|nd|rd|th|er|\.|º)?|(?P<word>{words.ORDINAL}))(?:[ -]?(?:of|de|of the)?[ -]?)(?P<month>{words.MONTH})\b\.?(?:,? (?:de |del )?{_Y})?", _day_month),
    _rule(rf"(?P<month>{words.MONTH})\.? (?:the )?(?:(?P<d>\d\d?)(?:st|nd|rd|th)?(?![\d:]|[.,]\d| ?(?:am|pm|%|€|\$|kg|km|euros?|dollars?))|(?P<word>{words.ORDINAL}))(?:,? {_Y})?", _day_month),
    _rule(rf"(?:(?P<prep>{_PREP}) )?(?:(?P<rel>{words.THIS}|{words.NEXT}|{words.LAST}) )?(?P<month>{words.MONTH})(?:,? (?:de |del )?{_Y})?", _month),
    _rule(rf"the (?:(?P<d>\d\d?)(?:st|nd|rd|th)|(?P<word>{words.ORDINAL}))(?: of (?P<rel>this|next|last) month)?(?=\s*(?:$|[.,;:!?)\n]|(?:and|or|until|till|to|through|at|so|because|but|for|we|i|is|if|then|every|of each)\b))", _ordinal_day),
    _rule(r"(?<=\bam )(?P<d>\d\d?)\.(?P<word>)(?P<rel>)(?=\s*(?:$|[,;:!?)\n]|[a-zäöü]))", _ordinal_day),
    _rule(rf"(?:(?P<rel>{words.THIS}|{words.NEXT}|{words.LAST}) )?(?P<feast>{words.FEAST})(?: {_Y})?", _feast),
    _rule(rf"(?<=\bin ){_Y}|(?<=\bsince ){_Y.replace('<y>', '<y2>')}", lambda m, r: almanac.year_of(int(m["y"] or m["y2"]))),
    _rule(rf"(?:the )?(?:Q(?P<q>[1-4])|(?P<word>{words.ORDINAL}) quarter)(?: of)?(?:[ /-]?{_Y})?", _quarter),
    _rule(rf"(?:the )?(?:H(?P<h>[12])(?: {_Y})?)", _half),
)  # fmt: skip
