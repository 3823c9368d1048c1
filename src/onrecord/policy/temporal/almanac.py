"""Days, weeks, months and feasts as half-open windows of local time. All times are naive and local; the caller knows the zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


class Window(NamedTuple):
    """``start`` inclusive, ``end`` exclusive; ``grain`` is the unit that the words named."""

    start: datetime
    end: datetime
    grain: str


def midnight(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time())


def days(first: date, count: int = 1, grain: str = "day") -> Window:
    """``count`` days from ``first`` on."""
    return Window(midnight(first), midnight(first + count * DAY), grain)


def monday(day: date) -> date:
    """The Monday of the week of ``day``; weeks begin on Monday."""
    return day - day.weekday() * DAY


def week(day: date, offset: int = 0) -> Window:
    """The week of ``day``, or one ``offset`` weeks away."""
    return days(monday(day) + offset * WEEK, 7, "week")


def weekend(day: date, offset: int = 0) -> Window:
    """Saturday and Sunday of the week of ``day``, or of one ``offset`` weeks away."""
    return days(monday(day) + 5 * DAY + offset * WEEK, 2, "weekend")


def add_months(day: date, count: int) -> date:
    """The same day ``count`` months later, or the last of that month. Raises ``ValueError`` beyond the years 1 to 9999."""
    months = day.year * 12 + day.month - 1 + count
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, month_length(year, month + 1)))


def month_length(year: int, month: int) -> int:
    """The number of days of a month."""
    following = date(year + month // 12, month % 12 + 1, 1) if (year, month) != (9999, 12) else None
    return (following - DAY).day if following else 31


def months(year: int, month: int, count: int = 1, grain: str = "month") -> Window:
    """``count`` whole months from the given one on."""
    first = date(year, month, 1)
    return Window(midnight(first), midnight(add_months(first, count)), grain)


def quarter(year: int, number: int) -> Window:
    """Quarter 1 to 4 of a year."""
    return months(year, number * 3 - 2, 3, "quarter")


def year_of(year: int) -> Window:
    """A calendar year."""
    return months(year, 1, 12, "year")


def season(year: int, name: str) -> Window:
    """A meteorological season of the northern hemisphere; the winter of a year begins in its December."""
    return months(year, {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}[name], 3, "season")


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm published in *Nature*, 20 April 1876)."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    r = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * r) // 451
    month, day = divmod(h + r - 7 * m + 114, 31)
    return date(year, month, day + 1)


def part(window: Window, which: str) -> Window:
    """The ``early``, ``mid`` or ``late`` third of a window in whole days; the ``end`` of a year is its December."""
    first, length = window.start.date(), (window.end - window.start) // DAY
    if window.grain == "year" and which == "end":
        return months(first.year, 12)._replace(grain="part")
    third = max(1, length // 3)
    if which == "early":
        return days(first, third, "part")
    if which == "mid":
        return days(first + third * DAY, max(1, length - 2 * third), "part")
    return Window(midnight(window.end.date() - third * DAY), window.end, "part")
