"""Secrets told in passing in five languages, and what looks like them, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from onrecord.policy.secrecy.asked import redact_reply

_LINES = Path(__file__).parent / "data" / "secrets.tsv"
#: What is still told: a word without a digit ("it's pinkelephant"), a password named by how it is made, a key with digits inside.
_STILL_TOLD = 10


def _rows(label: str) -> list[tuple[str, str, str]]:
    rows = [line.split("\t") for line in _LINES.read_text(encoding="utf-8").splitlines() if line.startswith(f"{label}\t")]
    return [(row[1], row[2], row[3] if len(row) > 3 else "") for row in rows]


def test_all_but_a_few_secrets_told_in_passing_are_taken_out() -> None:
    rows = _rows("hidden")
    told = [text for text, secret, asked in rows if secret in redact_reply(text, asked).text]
    assert len(rows) >= 190
    assert len(told) <= _STILL_TOLD, told


@pytest.mark.parametrize(("text", "kept", "asked"), _rows("stays"))
def test_what_only_looks_like_a_secret_stays(text: str, kept: str, asked: str) -> None:
    assert kept in redact_reply(text, asked).text


def test_a_question_about_a_password_makes_no_secret_of_the_answer() -> None:
    assert redact_reply("Tuesday", "When does the password expire?").text == "Tuesday"
    assert redact_reply("yes, please", "What is the door code?").text == "yes, please"
