"""What is printed is plain text for a pipe, fits the width, and can't steer the terminal."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest

from onrecord.cli import render
from onrecord.cli.jsonable import as_json, jsonable
from onrecord.cli.lines import blank, harmless, line, one_line


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    colour: Colour = Colour.RED
    at: datetime = datetime(2026, 3, 3, 11, 42, tzinfo=UTC)
    names: frozenset[str] = frozenset({"b", "a"})
    inner: tuple[Sample, ...] = ()
    _secret: str = field(default="hidden")


def printed(capsys: pytest.CaptureFixture[str], *lines: object) -> str:
    render.show(lines)  # type: ignore[arg-type]
    return capsys.readouterr().out


def stdout(monkeypatch: pytest.MonkeyPatch, encoding: str) -> io.BytesIO:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, write_through=True))
    return raw


def test_a_dataclass_becomes_json_by_its_public_fields() -> None:
    assert jsonable(Sample("x", inner=(Sample("y"),))) == {
        "name": "x",
        "colour": "red",
        "at": "2026-03-03T11:42:00+00:00",
        "names": ["a", "b"],
        "inner": [{"name": "y", "colour": "red", "at": "2026-03-03T11:42:00+00:00", "names": ["a", "b"], "inner": []}],
    }


def test_values_json_lacks_find_a_form() -> None:
    values = [float("nan"), timedelta(days=1), Path("a"), np.float32(0.5), np.array([1, 2]), {Colour.RED: None}]
    assert jsonable(values) == [None, 86400.0, "a", 0.5, [1, 2], {"red": None}]


def test_what_has_no_json_form_is_an_error_and_not_a_guess() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        as_json(object())


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("\x1b[2J\x1b[31mred", "\\x1b[2J\\x1b[31mred"),
        ("bell\x07 null\x00 del\x7f c1\x9b31m", "bell\\x07 null\\x00 del\\x7f c1\\x9b31m"),
        ("over\rwrite", "over\\rwrite"),
        ("turn\u202eed", "turn\\u202eed"),
        ("line\u2028break", "line\\u2028break"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("half \ud800", "half \\ud800"),
        ("tab\tand\r\nbreak\n", "tab    and\nbreak\n"),
        ("日本 é 👩‍👩‍👧 می‌خواهم", "日本 é 👩‍👩‍👧 می‌خواهم"),
    ],
)
def test_control_characters_are_shown_and_never_sent(stored: str, shown: str) -> None:
    assert harmless(stored) == shown


def test_stored_escapes_reach_no_output(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, line("\x1b]0;title\x07", label=("\x1b[1m", "bad"), width=8))
    assert "\x1b" not in out
    assert "\x07" not in out


def test_words_wrap_beside_their_label(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = printed(capsys, line("one two three four five six seven eight nine ten", label="label", width=8, indent=2))
    assert out.splitlines() == ["  label   one two three four five six", "          seven eight nine ten"]


def test_a_line_break_in_stored_text_stays_inside_its_column(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, line("a\nb", label="x", width=4)).splitlines() == ["x   a", "    b"]


def test_markup_in_stored_text_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, line("[bold]no[/bold] :smile:")) == "[bold]no[/bold] :smile:\n"


@pytest.mark.parametrize("columns", ["1", "5", "20", "33", "100", "x", "-4"])
def test_no_width_breaks_the_page(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    words = "日本語の長い文 and a word_that_is_longer_than_any_narrow_terminal_could_ever_hold"
    out = printed(capsys, line(words, label=("superseded", "note"), width=11, indent=2), blank())
    assert "".join(out.split()) == "superseded" + "".join(words.split())


def test_an_output_without_our_signs_gets_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = stdout(monkeypatch, "ascii")
    render.show([line("a · b → “c”… é 日")])
    render.show_json({"é": "日"})
    assert raw.getvalue().decode("ascii").splitlines()[0] == 'a - b -> "c"... \\xe9 \\u65e5'
    assert json.loads(raw.getvalue().split(b"\n", 1)[1]) == {"é": "日"}


def test_an_output_that_has_them_gets_letters_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = stdout(monkeypatch, "utf-8")
    render.show_json({"é": "日"})
    assert "日" in raw.getvalue().decode()


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    render.show_error("field: is\n\x1b[31mwrong")
    assert capsys.readouterr().err == "error: field: is \\x1b[31mwrong\n"


def test_progress_off_a_terminal_is_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with render.meter() as meter:
        for done in range(101):
            meter("reading", done, 100)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [f"reading: {done}/100" for done in range(0, 101, 10)]


def test_a_quiet_meter_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with render.meter(quiet=True) as meter:
        meter("reading", 1, 2)
    assert capsys.readouterr().err == ""


def test_a_long_text_is_cut_at_the_limit() -> None:
    assert one_line("a  b\nc", 100) == "a b c"
    assert one_line("abcdefgh", 5) == "abcd…"
