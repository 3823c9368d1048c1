"""What a matched phrase means at a given moment: one function for each way of naming a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from onrecord.policy.temporal import almanac, words
from onrecord.policy.temporal.almanac import DAY, WEEK, Window, days

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """When and how a phrase is read: ``now`` is local and naive; ``tense`` tells -1 for past, 1 for future, 0 for unknown.

    The tense is asked for only by phrases that need it.
    """

    now: datetime
    tense: Callable[[], int]
    month_first: bool = False

    @property
    def lean(self) -> int:
        """Where the words around the phrase look to."""
        return self.tense()

    def leaning(self, lean: int) -> Reading:
        """The same reading with the tense given."""
        return Reading(self.now, lambda: lean, self.month_first)

    @property
    def today(self) -> date:
        """The local date."""
        return self.now.date()


Resolve = Callable[[Match, Reading], Window | None]


# --- choosing a year or a week


def nearest(candidates: list[Window], reading: Reading) -> Window:
    """The window that fits the tense: the last begun, the next not over, or, where nothing tells, the coming one.

    An event just past is still talked about, though; one of half a year ago hardly without its year.
    """
    day = almanac.midnight(reading.today)
    past = [w for w in candidates if w.start <= day]
    future = [w for w in candidates if w.end > day]
    lean = reading.lean
    if lean < 0 and past:
        return past[-1]
    if lean > 0 and future:
        return future[0]
    return min(candidates, key=lambda w: (w.start - day).days if w.end > day else 6 * (day - w.start).days)


def yearly(make: Callable[[int], Window], reading: Reading) -> Window:
    this = reading.today.year
    # only a 29 February is not in one of three years
    return nearest(_possible(make, range(this - 1, this + 2)) or _possible(make, range(this - 8, this + 9)), reading)


def _possible(make: Callable[[int], Window], years: Iterable[int]) -> list[Window]:
    made = []
    for number in years:
        try:
            made.append(make(number))
        except (ValueError, OverflowError):
            continue
    return made


def _first(windows: Iterable[Window]) -> Window:
    for window in windows:
        return window
    raise ValueError("not in this calendar")


def coming_weekday(reading: Reading, weekday: int, offset: int = 0) -> Window:
    """The coming one, or the last one where the tense says so; today's own name means the one in a week."""
    ahead = (weekday - reading.today.weekday() - 1) % 7 + 1
    if not offset and reading.lean < 0:
        ahead -= 7
    return days(reading.today + ahead * DAY + offset * WEEK)


# --- dates


def iso(m: Match, r: Reading) -> Window:
    day = date(int(m["y"]), int(m["m"]), int(m["d"]))
    if m["h"] is None:
        return days(day)
    start = almanac.midnight(day) + timedelta(hours=int(m["h"]), minutes=int(m["min"]))
    return Window(start, start + timedelta(minutes=1), "minute") if int(m["h"]) < 24 and int(m["min"]) < 60 else days(day)


def numeric(m: Match, r: Reading) -> Window:
    first, second = int(m["a"]), int(m["b"])
    day, month = (second, first) if second > 12 or (r.month_first and m["sep"] == "/" and first <= 12) else (first, second)
    return days(date(full_year(m["y"]), month, day))


def short(m: Match, r: Reading) -> Window:
    first, second = int(m["a"]), int(m["b"])
    day, month = (second, first) if second > 12 or (r.month_first and "/" in m[0]) else (first, second)
    return yearly(lambda year: days(date(year, month, day)), r)


def full_year(digits: str) -> int:
    return int(digits) + (2000 if len(digits) == 2 else 0)


def day_month(m: Match, r: Reading) -> Window:
    month = words.MONTHS[m["month"].casefold()]
    day = int(m["d"] or words.ORDINALS[m["word"].casefold()])
    return days(date(int(m["y"]), month, day)) if m["y"] else yearly(lambda year: days(date(year, month, day)), r)


def range_start(m: Match, r: Reading) -> Window:
    """The first day of "16–20 March" or "March 3–7"; the second is a date of its own, or the same month's."""
    name, day = words.MONTHS[m["month"].casefold()], int(m["a"])
    year = int(m["y"]) if "y" in m.re.groupindex and m["y"] else None
    return days(date(year, name, day)) if year else yearly(lambda y: days(date(y, name, day)), r)


def month(m: Match, r: Reading) -> Window | None:
    name = m["month"].casefold()
    month, which = words.MONTHS[name], (m["rel"] or "").casefold()
    if name in words.AMBIGUOUS_MONTHS and not (m["prep"] or which or m["y"]):
        return None
    if m.string[max(0, m.start() - 2) : m.start()].strip().isdigit():  # the rest of a date that no calendar has
        return None
    if m["y"]:
        return almanac.months(int(m["y"]), month)
    return which_year(which, lambda year: almanac.months(year, month), r)


def which_year(which: str, make: Callable[[int], Window], r: Reading) -> Window:
    year, day = r.today.year, almanac.midnight(r.today)
    if re.fullmatch(words.LAST, which):
        return _first(w for w in (make(year), make(year - 1)) if w.end <= day)
    if re.fullmatch(words.NEXT, which):
        return _first(w for w in (make(year), make(year + 1), make(year + 2)) if w.start > day)
    if re.fullmatch(words.THIS, which):
        return make(year)
    return yearly(make, r)


def ordinal_day(m: Match, r: Reading) -> Window:
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
        return _first(w for w in reversed(made) if w.start <= day)
    return _first(w for w in made if w.start >= day)


def feast(m: Match, r: Reading) -> Window:
    rule = words.FEASTS[" ".join(m["feast"].casefold().split())]

    def make(year: int) -> Window:
        if rule.startswith("easter"):
            return days(almanac.easter(year) + int(rule[6:]) * DAY)
        return days(date.fromisoformat(f"{year:04d}-{rule}"))

    return make(int(m["y"])) if m["y"] else which_year((m["rel"] or "").casefold(), make, r)


def year(m: Match, r: Reading) -> Window:
    return almanac.year_of(int(m["y"]))


def quarter(m: Match, r: Reading) -> Window:
    number = int(m["q"]) if m["q"] else words.ORDINALS[m["word"].casefold()]
    if number > 4:
        raise ValueError("no such quarter")
    return almanac.quarter(full_year(m["y"]), number) if m["y"] else yearly(lambda year: almanac.quarter(year, number), r)


def half(m: Match, r: Reading) -> Window:
    number = 1 if m["h"] in ("1", "first") else 2
    year = int(m["y"]) if m["y"] else r.today.year
    return almanac.months(year, number * 6 - 5, 6, "half")


def season(m: Match, r: Reading) -> Window:
    name = words.SEASONS[m["season"].casefold()]
    if m["y"]:
        return almanac.season(int(m["y"]), name)
    which = (m["rel"] or m["rel2"] or "").casefold()
    if re.fullmatch(f"{words.LAST}|{words.LAST_AFTER}", which):
        which = "last"
    elif re.fullmatch(f"{words.NEXT}|{words.NEXT_AFTER}", which):
        which = "next"
    return which_year(which, lambda year: almanac.season(year, name), r)


# --- days near today


def near_day(offset: int) -> Callable[[Match, Reading], Window]:
    return lambda m, r: days(r.today + offset * DAY)


def hours(first: int, length: int, offset: int = 0, grain: str = "part_of_day") -> Callable[[Match, Reading], Window]:
    def resolve(m: Match, r: Reading) -> Window:
        start = almanac.midnight(r.today + offset * DAY) + timedelta(hours=first)
        return Window(start, start + timedelta(hours=length), grain)

    return resolve


def named_weekday(m: Match, r: Reading) -> Window | None:
    name = m["day"].casefold()
    weekday, which = words.WEEKDAYS[name], (m["rel"] or m["rel2"] or "").casefold()
    if name in words.AMBIGUOUS_WEEKDAYS and not (m["prep"] or which):
        return None
    if re.fullmatch(f"{words.LAST}|{words.LAST_AFTER}", which):
        return coming_weekday(r.leaning(-1), weekday)
    if re.fullmatch(r"next|the next|nächste[rnms]?", which):
        return days(almanac.monday(r.today) + WEEK + weekday * DAY)
    if re.fullmatch(words.THIS, which):
        return days(r.today + (weekday - r.today.weekday()) % 7 * DAY)
    return coming_weekday(r.leaning(1) if which else r, weekday)


def weekday_in_week(m: Match, r: Reading) -> Window:
    offset = -1 if re.fullmatch(words.LAST, m["rel"].casefold()) else 1 if re.fullmatch(words.NEXT, m["rel"].casefold()) else 0
    return days(almanac.monday(r.today) + offset * WEEK + words.WEEKDAYS[m["day"].casefold()] * DAY)


def weekday_plus(m: Match, r: Reading) -> Window:
    count = words.how_many(m["n"] or "a")[0] if "n" in m.re.groupindex else 1
    return coming_weekday(r.leaning(1), words.WEEKDAYS[m["day"].casefold()], count)


def plural_weekday(m: Match, r: Reading) -> Window:
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


def ago(m: Match, r: Reading) -> Window:
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


def ahead(m: Match, r: Reading) -> Window:
    unit = words.UNITS[m["unit"].casefold()]
    least, most = words.how_many(m["n"])
    if unit == "weekend":
        return almanac.weekend(r.today, least)
    start = shift(r.now, unit, least)
    length = timedelta(minutes=1) if unit in ("minute", "hour") else DAY
    return Window(start, shift(r.now, unit, most) + length, unit)


def lately(m: Match, r: Reading) -> Window:
    """The last week before today."""
    return days(r.today - WEEK, 7)


def from_day(m: Match, r: Reading) -> Window:
    """ "a week from today", "two weeks from tomorrow"."""
    base = r.now + (DAY if re.search("tomorrow|morgen|mañana|demain", m["base"].casefold()) else timedelta())
    start = shift(base, words.UNITS[m["unit"].casefold()], words.how_many(m["n"])[0])
    return Window(start, start + DAY, "day")


def coming(m: Match, r: Reading) -> Window:
    """From now to the end of so many units: "for the next three months", "within two weeks"."""
    unit = words.UNITS[m["unit"].casefold()]
    most = words.how_many(m["n"] or "a")[1]
    return Window(
        r.now,
        max(shift(r.now, unit, most), r.now + timedelta(minutes=1)) + (DAY if unit not in ("minute", "hour") else timedelta()),
        unit,
    )


def recent(m: Match, r: Reading) -> Window:
    """The last so many units up to now: "the past two weeks", "in the last few days"."""
    unit = words.UNITS[m["unit"].casefold()]
    most = words.how_many(m["n"] or "a")[1]
    return Window(
        shift(r.now, "day" if unit == "weekend" else unit, -most * (7 if unit == "weekend" else 1)),
        r.now + timedelta(minutes=1),
        unit,
    )


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


def offset(which: str) -> int:
    if re.fullmatch(f"{words.NEXT}|{words.NEXT_AFTER}", which):
        return 1
    return -1 if re.fullmatch(f"{words.LAST}|{words.LAST_AFTER}", which) else 0


def period_of(m: Match, r: Reading) -> Window:
    which = (m["rel"] if "rel" in m.re.groupindex else None) or (m["rel2"] if "rel2" in m.re.groupindex else None) or ""
    return period(words.UNITS[m["unit"].casefold()], offset(which.casefold()), r.today)


def end_of(m: Match, r: Reading) -> Window:
    """ "EOD", "EOM": the last day of the present day, week, month, quarter or year."""
    unit = {"W": "week", "M": "month", "Q": "quarter", "Y": "year"}.get((m["unit"] or "D").upper(), "day")
    return days(period(unit, 0, r.today).end.date() - DAY)


def rest_of(m: Match, r: Reading) -> Window:
    """What is left, or what is over, of the present week, month or year."""
    whole = period(words.UNITS[m["unit"].casefold()], 0, r.today)
    if m["side"].casefold() == "later":
        return Window(max(whole.start, r.now), whole.end, "part")
    return Window(whole.start, max(r.now, whole.start + timedelta(minutes=1)), "part")


def beyond(m: Match, r: Reading) -> Window:
    return period(
        words.UNITS[m["unit"].casefold()], 2 if m["side"].casefold() in ("after next", "nach der nächsten") else -2, r.today
    )


def the_weekend(m: Match, r: Reading) -> Window:
    return almanac.weekend(r.today, -1 if r.lean < 0 else 0)


def part_of(m: Match, r: Reading) -> Window | None:
    which = next(name for name in words.PARTS if m[name])
    if m["month"]:
        month = words.MONTHS[m["month"].casefold()]
        if m["y"]:
            return almanac.part(almanac.months(int(m["y"]), month), which)
        return almanac.part(which_year((m["rel"] or "").casefold(), lambda year: almanac.months(year, month), r), which)
    if m["season"]:
        name = words.SEASONS[m["season"].casefold()]
        return almanac.part(which_year((m["rel"] or "").casefold(), lambda year: almanac.season(year, name), r), which)
    if m["only_year"]:
        return almanac.part(almanac.year_of(int(m["only_year"])), which)
    unit = words.UNITS[m["unit"].casefold()]
    whole = period(unit, offset((m["rel"] or m["rel2"] or "").casefold()), r.today)
    return (
        days(r.today)
        if unit == "day" and not m["rel"]
        else almanac.part(whole, which)
        if unit not in ("minute", "hour")
        else None
    )


def week_of(m: Match, r: Reading) -> Window:
    day = day_month(m, r)
    return almanac.week(day.start.date())


def nth_week(m: Match, r: Reading) -> Window:
    month = words.MONTHS[m["month"].casefold()]
    number = {"last": 4, "letzte": 4}.get(m["word"].casefold(), words.ORDINALS.get(m["word"].casefold(), 1))
    whole = almanac.months(int(m["y"]), month) if m["y"] else yearly(lambda year: almanac.months(year, month), r)
    first = whole.start.date() + (number - 1) * WEEK
    return days(whole.end.date() - WEEK, 7, "week") if m["word"].casefold() in ("last", "letzte") else days(first, 7, "week")


# --- Japanese and Chinese


def eastern_day(m: Match, r: Reading) -> Window:
    return days(r.today + words.EASTERN_DAYS[m[0]] * DAY)


def eastern_period(m: Match, r: Reading) -> Window:
    unit, offset = words.EASTERN_PERIODS[m["p"]]
    if m["w"]:
        return days(almanac.monday(r.today) + offset * WEEK + words.EASTERN_WEEKDAYS.index(m["w"]) * DAY)
    return period(unit, offset, r.today)


def eastern_date(m: Match, r: Reading) -> Window:
    month, day = int(m["m"]), m["d"] and int(m["d"])

    def make(year: int) -> Window:
        return days(date(year, month, day)) if day else almanac.months(year, month)

    return make(int(m["y"])) if m["y"] else yearly(make, r)


def eastern_count(m: Match, r: Reading) -> Window:
    unit, count = words.EASTERN_UNITS[m["u"]], int(m["n"])
    start = shift(r.now, unit, -count if m["side"] == "前" else count)
    if m["side"] == "前" and unit == "month":
        return almanac.months(start.year, start.month)
    return Window(start, start + (timedelta(hours=1) if unit == "hour" else DAY), unit)


def eastern_weekday(m: Match, r: Reading) -> Window:
    return coming_weekday(r, words.EASTERN_WEEKDAYS.index(m["w"]))
