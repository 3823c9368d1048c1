"""What a program printed and somebody pasted in: it makes no statement, and what is said around it is kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.turn import Role
from onrecord.model.verdict import Act, Reason
from onrecord.policy.capture.propose import propose
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.judge import judge, judge_turn
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.policy.speech.printed import printed
from onrecord.policy.speech.sentences import Form, own_words, sentences
from onrecord.testing.builders import a_turn

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    run()\nValueError: it must never be empty'

PRINTED = [
    TRACE,
    'Traceback (most recent call last): File "app.py", line 10, in <module> main() ValueError: invalid literal for int()',
    'Exception in thread "main" java.lang.IllegalStateException: Pool must never be empty\n'
    "    at com.acme.Pool.take(Pool.java:88)\n"
    "Caused by: java.io.IOException: always closed\n    ... 3 more",
    "TypeError: Cannot read properties of undefined (reading 'map')\n    at App (/src/App.jsx:12:20)",
    "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:8 +0x1d",
    "thread 'main' panicked at src/main.rs:4:5:\nindex must never exceed 3\nnote: run with `RUST_BACKTRACE=1`",
    "2026-01-05 09:00:01 ERROR db: connection refused, we always retry only 3 times\n2026-01-05 09:00:02 INFO shutting down",
    "Jan  5 09:00:01 host sshd[123]: Failed password for root from 10.0.0.1 port 22",
    "[2026-01-05T09:00:01Z] WARN must never be called from main thread",
    "[INFO] Building the app that only runs on Tuesdays\n[WARNING] it must never be called twice",
    "$ git status\nOn branch main\nYour branch is always up to date with 'origin/main'.",
    "function add(a, b) {\n  return a + b; // must never be null\n}",
    "import os\nMY_NAME = 'always'\nfor i in range(3):\n    print(i)",
    "SELECT * FROM users WHERE id = 3;",
    "FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2\n1 failed, 3 passed in 0.12s",
    "make: *** [all] Error 2, exit status 2",
    "CONTAINER ID   IMAGE     STATUS\n3f2a   postgres:15   Up 3 hours",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-I prefer tea\n+I prefer coffee",
    '{"name": "sam", "prefers": "tea", "always": true}',
    "<p>I only eat fish</p>",
    "src/a.c:14:5: error: 'x' undeclared; each undeclared identifier is reported only once",
]
#: In the forms of print by half, and said by people.
SAID = [
    "$50 is my limit per order.",
    "$ is the currency I use.",
    "CRITICAL: penicillin allergy, never give it.",
    "WARNING: I am allergic to penicillin.",
    "ERROR logs always go to #ops-alerts.",
    "make: toyota",
    "public holidays are always off limits",
    "private dining room only",
    "class A:\nmeets on Mondays",
    "budget = 500\nrooms = 3",
    "2026-01-05 09:00: dentist appointment every half year",
    "10.0.0.5 - the printer in my office",
    "<customer> never pays by card",
    "from Leeds import duties always apply",
    "src/app.py:12: we keep the retry limit at 3 there",
    "ConnectionError: we get this whenever the VPN is off, so always start the VPN first.",
    "I get a ValueError whenever the VPN is off, so I always start the VPN first.",
    "CEO: Dana\nCTO: Lee",
    "DO NOT CALL ME",
    "Name: Sam\nDiet: vegan\nAllergies: nuts",
    "@home I only use Linux",
    "return flights are always booked by me",
    "# House rules\nNever ring after nine.",
    "Warning: the back door sticks, always lift it.",
    "I have two goats;\nI keep four hens;\nmy dog is Rex;",
    "At Acme (Leeds) I lead the team.",
    "```make ship``` is how we always deploy.",
]


def kept(text: str) -> list[str]:
    turn = a_turn(text=text, at=NOW)
    if judge_turn(turn, Policy()) is not None:
        return []
    return [c.statement for c in propose(turn, [], Policy(), DEFAULT) if judge(c, turn, [], Policy()).accepted]


@pytest.mark.parametrize("text", PRINTED)
def test_what_a_program_printed_makes_no_statement(text: str) -> None:
    refused = judge_turn(a_turn(text=text, at=NOW), Policy())
    assert refused is not None
    assert refused.reason is Reason.TOOL_OUTPUT
    assert not kept(f"Here is the output:\n{text}")
    assert not kept(f"Why does it say this?\n\n{text}\n\nCan you fix it?")


@pytest.mark.parametrize("text", PRINTED)
def test_what_is_said_around_it_is_kept_alone(text: str) -> None:
    assert kept(f"I always deploy on Fridays.\n{text}\n\nBy the way, I use Helix as my editor.") == [
        "I always deploy on Fridays.",
        "I use Helix as my editor.",
    ]


@pytest.mark.parametrize("text", SAID)
def test_what_people_say_in_like_forms_is_theirs(text: str) -> None:
    assert all(sentence.form is not Form.PRINTED for sentence in sentences(text))
    assert own_words(text)


def test_a_trace_in_the_middle_of_a_line_ends_what_is_said_before_it() -> None:
    said = f"When I run it I get {TRACE}"
    assert own_words(said).strip() == "When I run it I get"


def test_the_reader_of_a_line_may_go_on_behind_it() -> None:
    assert kept("KeyError: 'x'. I use Helix as my editor.") == ["I use Helix as my editor."]


def test_what_a_program_printed_takes_nothing_back() -> None:
    turn = a_turn(text="Look at this:\n2026-01-05 09:00:01 INFO cache: forget what I told you about the address", at=NOW)
    assert all(candidate.act is not Act.FORGET for candidate in propose(turn, [], Policy(), DEFAULT))


def test_an_output_ends_where_its_reader_speaks() -> None:
    assert kept("$ uv run pytest\n3 passed\nI use Helix as my editor.") == ["I use Helix as my editor."]


def test_what_a_tool_or_document_prints_is_read_as_before() -> None:
    text = "2026-01-05 09:00:01 limits\nERROR: uploads are limited to 500 requests per minute"
    for role in (Role.TOOL, Role.DOCUMENT):
        assert all(c.statement for c in propose(a_turn(text=text, role=role), [], Policy(), DEFAULT))


@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_lines_have_places_of_their_own(lines: list[str]) -> None:
    assert printed(lines) <= frozenset(range(len(lines)))
    assert all(lines[place].strip() for place in printed(lines))


@given(st.lists(st.sampled_from(PRINTED), min_size=1, max_size=3))
def test_prints_on_end_are_print(blocks: list[str]) -> None:
    assert not own_words("\n\n".join(blocks)).strip()
