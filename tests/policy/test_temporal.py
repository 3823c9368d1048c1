from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onrecord.errors import InvalidInput
from onrecord.policy.temporal.phrases import Role, When, mentions
from onrecord.policy.temporal.rules import RULES, Rule

#: A Wednesday morning in Warsaw.
AT = datetime(2026, 2, 18, 10, 30, tzinfo=timezone(timedelta(hours=1)))


def one(text: str, at: datetime = AT) -> When:
    (when,) = mentions(text, at)
    return when


def days(when: When) -> tuple[str, str]:
    """First and last day."""
    return when.start.date().isoformat(), (when.end - timedelta(microseconds=1)).date().isoformat()


DAYS = """
yesterday | 2026-02-17
tomorrow | 2026-02-19
today | 2026-02-18
the day after tomorrow | 2026-02-20
the day before yesterday | 2026-02-16
on Friday | 2026-02-20
this Friday | 2026-02-20
next Friday | 2026-02-27
last Friday | 2026-02-13
last Tuesday | 2026-02-17
next Monday | 2026-02-23
we met on Friday | 2026-02-13
see you on Wednesday | 2026-02-25
a week from today | 2026-02-25
a week from tomorrow | 2026-02-26
a week from Tuesday | 2026-03-03
a week from this coming Monday | 2026-03-02
Monday week | 2026-03-02
a week on Tuesday | 2026-03-03
a week this Friday | 2026-02-27
Friday of next week | 2026-02-27
in two weeks | 2026-03-04
in a fortnight | 2026-03-04
in three days | 2026-02-21
10 days from now | 2026-02-28
in two months | 2026-04-18
three days ago | 2026-02-15
21 March | 2026-03-21
March 21 | 2026-03-21
the 21st of March | 2026-03-21
March 21, 2026 | 2026-03-21
March 21st, 2027 | 2027-03-21
2026-03-21 | 2026-03-21
3/4/2026 | 2026-04-03
3/25/2026 | 2026-03-25
25/3/2026 | 2026-03-25
21.3.2026 | 2026-03-21
I bought it on 21 March | 2025-03-21
we moved here on 3 January | 2026-01-03
the exam is on 3 January | 2027-01-03
the meeting was moved to Friday | 2026-02-20
I'm free on the 3rd | 2026-03-03
until the 21st | 2026-02-21
Easter Monday | 2026-04-06
New Year's Eve 2026 | 2026-12-31
Good Friday | 2026-04-03
EOD | 2026-02-18
EOM | 2026-02-28
by EOW | 2026-02-22
morgen | 2026-02-19
übermorgen | 2026-02-20
gestern | 2026-02-17
am Freitag | 2026-02-20
am 21. März | 2026-03-21
am 21.3. | 2026-03-21
in drei Tagen | 2026-02-21
am Sonntag in einer Woche | 2026-03-01
ayer | 2026-02-17
mañana | 2026-02-19
el lunes | 2026-02-23
en tres días | 2026-02-21
21 de marzo de 2026 | 2026-03-21
demain | 2026-02-19
avant-hier | 2026-02-16
lundi prochain | 2026-02-23
il y a trois jours | 2026-02-15
le 21 mars | 2026-03-21
le 1er avril | 2026-04-01
明日 | 2026-02-19
昨日 | 2026-02-17
来週の金曜日 | 2026-02-27
3月21日 | 2026-03-21
2026年3月21日 | 2026-03-21
3日前 | 2026-02-15
明天 | 2026-02-19
"""
WINDOWS = """
next week | 2026-02-23 | 2026-03-01
last week | 2026-02-09 | 2026-02-15
this week | 2026-02-16 | 2026-02-22
the week after next | 2026-03-02 | 2026-03-08
last month | 2026-01-01 | 2026-01-31
next month | 2026-03-01 | 2026-03-31
next year | 2027-01-01 | 2027-12-31
last quarter | 2025-10-01 | 2025-12-31
this weekend | 2026-02-21 | 2026-02-22
last weekend | 2026-02-14 | 2026-02-15
next weekend | 2026-02-28 | 2026-03-01
two weekends ago | 2026-02-07 | 2026-02-08
the weekend before last | 2026-02-07 | 2026-02-08
a few days ago | 2026-02-13 | 2026-02-16
two weeks ago | 2026-02-01 | 2026-02-07
three months ago | 2025-11-01 | 2025-11-30
end of March | 2026-03-22 | 2026-03-31
early May | 2026-05-01 | 2026-05-10
mid-June | 2026-06-11 | 2026-06-20
late 2026 | 2026-09-02 | 2026-12-31
the end of the year | 2026-12-01 | 2026-12-31
the end of next month | 2026-03-22 | 2026-03-31
this summer | 2026-06-01 | 2026-08-31
last summer | 2025-06-01 | 2025-08-31
next winter | 2026-12-01 | 2027-02-28
in the spring of 2027 | 2027-03-01 | 2027-05-31
Q3 | 2026-07-01 | 2026-09-30
Q1 2027 | 2027-01-01 | 2027-03-31
the third quarter | 2026-07-01 | 2026-09-30
in March | 2026-03-01 | 2026-03-31
last March | 2025-03-01 | 2025-03-31
next March | 2026-03-01 | 2026-03-31
in 2025 | 2025-01-01 | 2025-12-31
first week of April | 2026-04-01 | 2026-04-07
the past seven days | 2026-02-11 | 2026-02-18
in the last three weeks | 2026-01-28 | 2026-02-18
last fortnight | 2026-02-04 | 2026-02-17
nächste Woche | 2026-02-23 | 2026-03-01
letzten Monat | 2026-01-01 | 2026-01-31
Ende März | 2026-03-22 | 2026-03-31
la semana que viene | 2026-02-23 | 2026-03-01
el mes pasado | 2026-01-01 | 2026-01-31
la semaine prochaine | 2026-02-23 | 2026-03-01
le mois dernier | 2026-01-01 | 2026-01-31
fin mars | 2026-03-22 | 2026-03-31
先週 | 2026-02-09 | 2026-02-15
来月 | 2026-03-01 | 2026-03-31
今年 | 2026-01-01 | 2026-12-31
"""
ROLES = """
until Friday | until
till the 8th of May | until
through 6 April | until
by the end of the year | until
for the next three months | until
within two weeks | until
ends May 22 | until
since last Tuesday | since
starting tomorrow | since
from now on | since
as of 1 June | since
effective 1 June | since
from 3 May onwards | since
before Easter Monday | before
prior to 1 June | before
after the 21st | after
on Tuesdays | recurring
every Friday | recurring
every other Tuesday | recurring
on weekends | recurring
weekdays | recurring
every day | recurring
on Friday | on
bis Freitag | until
bis zum 21. | until
spätestens am Freitag | until
ab dem 1. April | since
seit Montag | since
vor Freitag | before
montags | recurring
jeden Freitag | recurring
hasta el viernes | until
desde el 3 de mayo | since
antes del lunes | before
los lunes | recurring
jusqu'à vendredi | until
depuis lundi | since
avant vendredi | before
tous les lundis | recurring
金曜日まで | until
4月から | since
毎週月曜日 | recurring
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("phrase", "day"), rows(DAYS))
def test_a_phrase_means_one_day(phrase: str, day: str) -> None:
    assert days(one(phrase)) == (day, day)


@pytest.mark.parametrize(("phrase", "first", "last"), rows(WINDOWS))
def test_a_phrase_means_a_stretch_of_days(phrase: str, first: str, last: str) -> None:
    assert days(one(phrase)) == (first, last)


@pytest.mark.parametrize(("phrase", "role"), rows(ROLES))
def test_a_phrase_says_how_its_time_is_used(phrase: str, role: str) -> None:
    assert one(phrase).role == role


@pytest.mark.parametrize(
    "text",
    [
        "it may rain",
        "we march on",
        "the second time",
        "order 3/4 of it",
        "version 3.2.1",
        "the first floor",
        "give me a second",
        "a 24/7 service",
        "I have 3 cats and 12 dogs",
        "mon chat",
        "sat on the mat",
        "room 21",
        "no. 4417",
        "31 February",
        "今は",
        "",
    ],
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert mentions(text, AT) == []


def test_a_range_begins_and_ends() -> None:
    for text in (
        "from 16 March until 5 April",
        "16 March to 5 April",
        "16 March – 5 April",
        "between 16 March and 5 April",
        "vom 16. März bis 5. April",
    ):
        first, last = mentions(text, AT)
        assert (first.role, last.role) == (Role.SINCE, Role.UNTIL), text
        assert (days(first)[0], days(last)[1]) == ("2026-03-16", "2026-04-05"), text


def test_the_days_of_a_range_share_a_month() -> None:
    first, last = mentions("we are away 16–20 March", AT)
    assert (days(first)[0], days(last)[1]) == ("2026-03-16", "2026-03-20")


def test_another_date_tells_that_the_month_comes_first() -> None:
    first, second = mentions("due 3/4/2026, paid 3/25/2026", AT)
    assert (days(first)[0], days(second)[0]) == ("2026-03-04", "2026-03-25")


def test_late_in_the_evening_in_auckland_it_is_already_another_day_than_in_london() -> None:
    at = datetime(2026, 3, 3, 23, 30, tzinfo=ZoneInfo("Pacific/Auckland"))
    when = one("call me tomorrow", at)
    assert when.start.date() == date(2026, 3, 4)
    assert when.start.utcoffset() == timedelta(hours=13)
    assert when.start.astimezone(UTC) == datetime(2026, 3, 3, 11, tzinfo=UTC)


def test_the_same_instant_reads_differently_in_its_two_zones() -> None:
    there = datetime(2026, 3, 3, 23, 30, tzinfo=timezone(timedelta(hours=13)))
    assert one("today", there).start.date() != one("today", there.astimezone(timezone(timedelta(hours=-12)))).start.date()


def test_a_day_of_the_clock_change_has_its_true_length() -> None:
    at = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Warsaw"))
    when = one("tomorrow", at)
    assert when.end.astimezone(UTC) - when.start.astimezone(UTC) == timedelta(hours=23)


def test_monday_said_on_a_monday_is_the_next_one() -> None:
    monday = datetime(2026, 3, 9, 8, 44, tzinfo=UTC)
    assert days(one("from next Monday I am walking", monday))[0] == "2026-03-16"
    assert days(one("until Monday", monday))[0] == "2026-03-16"


def test_tonight_and_last_night() -> None:
    assert one("tonight").start.hour == 18
    assert one("last night").start == AT.replace(day=17, hour=18, minute=0)


def test_minutes_and_hours_count_from_the_moment() -> None:
    assert one("in 20 minutes").start == AT + timedelta(minutes=20)
    assert one("3 hours ago").start == AT - timedelta(hours=3)


def test_the_phrase_is_given_without_its_preposition() -> None:
    text = "no deliveries until the 5th of April, please"
    when = one(text)
    assert when.text == "the 5th of April"
    assert text[slice(*when.span)] == when.text


def test_the_last_leap_day_and_the_next() -> None:
    assert days(one("29 February", datetime(2027, 1, 5, tzinfo=UTC)))[0] == "2028-02-29"
    assert days(one("born on 29 February", AT))[0] in ("2024-02-29", "2028-02-29")


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(InvalidInput):
        mentions("tomorrow", datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize("year", [1, 1582, 9999])
def test_the_edges_of_the_calendar_do_not_break(year: int) -> None:
    for phrase, *_ in [*rows(DAYS), *rows(WINDOWS), *rows(ROLES)]:
        mentions(phrase, datetime(year, 1 if year < 5000 else 12, 1 if year < 5000 else 31, 12, tzinfo=UTC))


_PHRASES = st.sampled_from([row[0] for table in (DAYS, WINDOWS, ROLES) for row in rows(table)])
_TEXTS = st.one_of(st.text(), st.lists(st.one_of(_PHRASES, st.text(max_size=8)), max_size=8).map(" ".join))
_MOMENTS = st.datetimes(timezones=st.timezones(), allow_imaginary=False)


@given(_TEXTS, _MOMENTS)
def test_any_text_gives_ordered_windows_inside_it(text: str, at: datetime) -> None:
    end = 0
    for when in mentions(text, at):
        assert end <= when.span[0] < when.span[1] <= len(text)
        assert text[slice(*when.span)] == when.text
        assert when.start.timestamp() < when.end.timestamp()
        assert when.start.tzinfo is at.tzinfo
        end = when.span[1]


@given(_TEXTS)
def test_reading_is_deterministic(text: str) -> None:
    assert mentions(text, AT) == mentions(text, AT)


@pytest.mark.parametrize("rule", RULES, ids=[str(n) for n in range(len(RULES))])
def test_whatever_a_rule_matches_is_read_without_a_fault(rule: Rule) -> None:
    @settings(max_examples=25, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(re.compile(rule.pattern.pattern, rule.pattern.flags)))
    def read(text: str) -> None:
        mentions(text, AT)

    read()
