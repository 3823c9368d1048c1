"""time_queries: the time that a question points at steers what comes first, among records and among what was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from onrecord.memory import Memory
from onrecord.model.trace import Hit
from onrecord.providers.scripted import SteppingClock

ASKED = datetime(2026, 6, 17, 12, tzinfo=UTC)  # a Wednesday
#: One thing on several days, in words that tell none of them.
BOATS = {
    "January": (datetime(2026, 1, 14, 9, tzinfo=UTC), "Ana rowed the yellow boat to the lighthouse."),
    "March": (datetime(2026, 3, 11, 9, tzinfo=UTC), "Ana rowed the green boat to the lighthouse."),
    "May": (datetime(2026, 5, 20, 9, tzinfo=UTC), "Ana rowed the white boat to the lighthouse."),
    "weeks ago": (datetime(2026, 5, 27, 9, tzinfo=UTC), "Ana rowed the black boat to the lighthouse."),
    "yesterday": (datetime(2026, 6, 16, 9, tzinfo=UTC), "Ana rowed the red boat to the lighthouse."),
}
OTHER_THINGS = [
    "The boiler valve has part number QX-7731.",
    "Bo plays the cello in the town orchestra.",
    "The choir meets on Mondays at eight.",
    "The car needs winter tyres.",
    "My sister lives in Porto.",
    "The greenhouse key is brass.",
    "Our dentist moved to Granton.",
    "The printer takes blue cartridges.",
]
QUESTIONS = {
    "Which boat did Ana row to the lighthouse in March?": "green",
    "Which boat did Ana row to the lighthouse three weeks ago?": "black",
    "Which boat did Ana row to the lighthouse yesterday?": "red",
    "Which boat did Ana row to the lighthouse before February?": "yellow",
    "Which boat did Ana row to the lighthouse since June?": "red",
    "Which boat did Ana row to the lighthouse on 20 May?": "white",
    "Which boat did Ana row to the lighthouse the first time?": "yellow",
    "Which boat did Ana row to the lighthouse the last time?": "red",
    "Which boat did Ana first row to the lighthouse?": "yellow",
    "Which boat did Ana row to the lighthouse most recently?": "red",
}


def colours(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.text.split(" boat")[0].split()[-1] for hit in hits]


def told(memory: Memory, clock: SteppingClock, kind: str) -> dict[str, Any]:
    """The boats on record, in no order of time, and how to ask for them."""
    for name in ("May", "yesterday", "January", "weeks ago", "March"):
        at, text = BOATS[name]
        if kind == "records":
            memory.remember(text, user_id="ana", at=at)
        else:
            memory.add([{"role": "user", "content": text, "name": "ana", "at": at}], user_id="ana", session_id=name)
    for n, text in enumerate(OTHER_THINGS):
        memory.add(text, user_id="ana", session_id="other", at=datetime(2026, 4, 1 + n, tzinfo=UTC))
        memory.remember(text, user_id="ana", at=datetime(2026, 4, 1 + n, tzinfo=UTC))
    clock.now = ASKED
    return {"user_id": "ana", "include": kind}


@pytest.mark.parametrize("kind", ["records", "episodes"])
@pytest.mark.parametrize(("question", "colour"), QUESTIONS.items())
def test_what_belongs_to_the_time_asked_about_comes_first(
    real: Memory, clock: SteppingClock, kind: str, question: str, colour: str
) -> None:
    hits = real.search(question, **told(real, clock, kind)).hits
    assert colours(hits)[0] == colour


@pytest.mark.parametrize("kind", ["records", "episodes"])
def test_a_question_without_a_time_finds_them_all(real: Memory, clock: SteppingClock, kind: str) -> None:
    found = real.search("Which boats did Ana row to the lighthouse?", **told(real, clock, kind))
    assert set(colours(found.hits)) == {"yellow", "green", "white", "black", "red"}
    assert found.trace.periods == ()


def test_what_was_said_last_month_about_something_is_found_by_the_month_and_told_in_the_trace(
    real: Memory, clock: SteppingClock
) -> None:
    said = {
        3: "We talked about the roof: slate is too dear.",
        5: "We talked about the roof: zinc would do.",
        6: "The roof leaks.",
    }
    for month, text in said.items():
        real.add(text, user_id="ana", session_id=f"m{month}", at=datetime(2026, month, 12, 9, tzinfo=UTC))
    clock.now = ASKED
    found = real.search("What did we say last month about the roof?", user_id="ana")
    assert found.hits[0].text == said[5]
    (period,) = found.trace.periods
    assert (period.since, period.until) == (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("hours", "starts"), [(0, datetime(2026, 6, 13, tzinfo=UTC)), (9, datetime(2026, 6, 13, 15, tzinfo=UTC))]
)
def test_a_day_that_a_question_names_is_that_of_who_asks(
    memory: Memory, clock: SteppingClock, hours: int, starts: datetime
) -> None:
    """B101, B103: at 22:00 UTC on the 14th it is the 15th in Tokyo, and yesterday another day"""
    zone = timezone(timedelta(hours=hours))
    memory.add("The ferry was late again.", user_id="ana", at=datetime(2026, 6, 14, 20, tzinfo=UTC).astimezone(zone))
    clock.now = datetime(2026, 6, 14, 22, tzinfo=UTC)
    (period,) = memory.search("What did I say yesterday about the ferry?", user_id="ana").trace.periods
    assert (period.since, period.until) == (starts, starts + timedelta(days=1))


def test_an_exact_answer_of_another_time_is_not_lost_for_one_that_is_about_something_else(
    real: Memory, clock: SteppingClock
) -> None:
    real.remember("The boiler valve has part number QX-7731.", user_id="ana", at=datetime(2026, 1, 5, tzinfo=UTC))
    real.remember("Ana bought a kettle.", user_id="ana", at=datetime(2026, 3, 5, tzinfo=UTC))
    clock.now = ASKED
    hits = real.search("Which part number has the boiler valve that was fitted in March?", user_id="ana", include="records").hits
    assert hits[0].text == "The boiler valve has part number QX-7731."
