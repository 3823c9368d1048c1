"""Replies of models: every ugly one of the list is read or refused with a reason, and no text at all makes the reader raise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.replies.reply import REPLY_LIMIT, Field, Form, Refused, Rows, answer, rows
from onrecord.policy.replies.tolerant import Unreadable, read

FIELDS = {
    "turn": Field(Form.WHOLE),
    "quote": Field(Form.TEXT),
    "statement": Field(Form.TEXT, required=False),
    "about": Field(Form.WHOLES, required=False),
}
_FILE = Path(__file__).parent / "data" / "ugly_replies.jsonl"
UGLY: list[dict[str, Any]] = [json.loads(line) for line in _FILE.read_text("utf-8").split("\n") if line]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
SIGNS = ['{"facts": [', '{"turn": 1, "quote": "a"}', "]}", "<think>", "</think>", "```", "{", "[", '"', "'", "\\", ",", "\ufeff"]
PIECES = st.lists(st.sampled_from(SIGNS) | st.text(max_size=6), max_size=14).map("".join)


def test_the_list_is_long_enough() -> None:
    assert len(UGLY) >= 60
    assert len({ugly["case"] for ugly in UGLY}) == len(UGLY)


@pytest.mark.parametrize("ugly", UGLY, ids=[ugly["case"] for ugly in UGLY])
def test_an_ugly_reply_is_read_or_refused_with_a_reason(ugly: dict[str, Any]) -> None:
    found = rows(ugly["reply"], "facts", FIELDS)
    if "refused" in ugly:
        assert isinstance(found, Refused)
        assert ugly["refused"] in found.reason
        return
    assert isinstance(found, Rows), found
    assert list(found.rows) == ugly["rows"]
    assert found.cut == ugly.get("cut", False)
    assert len(found.dropped) == ugly.get("dropped", 0)


@given(st.text(max_size=200) | PIECES | PIECES.map(lambda text: f"prose {text} prose"))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    for found in (rows(text, "facts", FIELDS), answer(text, ["facts"])):
        assert not isinstance(found, Refused) or found.reason


@given(JSON)
def test_no_object_makes_the_reader_raise(value: object) -> None:
    found = rows(value, "facts", FIELDS)
    assert isinstance(found, Rows | Refused)


@given(st.lists(st.fixed_dictionaries({"turn": st.integers(0, 999), "quote": st.text(min_size=1, max_size=40)}), max_size=5))
def test_what_is_good_json_comes_back_as_it_is(given_rows: list[dict[str, Any]]) -> None:
    found = rows(json.dumps({"facts": given_rows}), "facts", FIELDS)
    told = [row for row in given_rows if row["quote"].replace("\x00", "").strip()]
    expected = [{**row, "quote": row["quote"].encode("utf-8", "replace").decode().replace("\x00", "").strip()} for row in told]
    assert ([] if isinstance(found, Refused) else list(found.rows)) == expected


@given(st.integers(0, 400))
def test_a_reply_that_breaks_off_gives_whole_rows_of_the_original_and_no_other(at: int) -> None:
    original = [{"turn": n, "quote": f"fact number {n} of it, \"quoted\" and 'so'"} for n in range(1, 7)]
    found = rows(json.dumps({"facts": original})[:at], "facts", FIELDS)
    got = [] if isinstance(found, Refused) else list(found.rows)
    assert got == original[: len(got)]


def test_a_reply_of_no_length_that_anybody_asked_for_is_refused() -> None:
    found = rows("x" * (REPLY_LIMIT + 1), "facts", FIELDS)
    assert isinstance(found, Refused)
    assert str(REPLY_LIMIT) in found.reason


@pytest.mark.parametrize("text", ["[" * 150_000, "{" * 150_000, '{"a":' * 30_000, "[{'" * 50_000, '"' * 150_000, "{[" * 75_000])
def test_brackets_without_end_are_refused(text: str) -> None:
    assert isinstance(rows(text, "facts", FIELDS), Refused)


def test_a_reply_by_its_fields_is_the_first_object_that_has_them() -> None:
    assert answer('{"note": 1} ```{"facts": [], "more": 2}```', ["facts"]) == {"facts": [], "more": 2}
    assert answer('[{"turn": 1}]', ["facts"]) == {"facts": [{"turn": 1}]}
    assert isinstance(answer("nothing", ["facts"]), Refused)


def test_a_value_that_is_no_json_cannot_be_read() -> None:
    with pytest.raises(Unreadable):
        read("{x, y}", 0)
