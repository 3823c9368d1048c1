from __future__ import annotations

from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.policy.filter import compile_filter

ROW: dict[str, Any] = {"topic": "travel", "priority": 3, "tags": ["a", "b"], "done": False, "kind": "preference", "note": None}


@pytest.mark.parametrize(
    ("expression", "admitted"),
    [
        (None, True),
        ({}, True),
        ({"topic": "travel"}, True),
        ({"topic": "work"}, False),
        ({"topic": "travel", "priority": 4}, False),
        ({"priority": {"gte": 3, "lt": 4}}, True),
        ({"priority": {"gt": 3}}, False),
        ({"priority": {"gt": "2"}}, False),
        ({"priority": "3"}, False),
        ({"done": 0}, False),
        ({"done": False}, True),
        ({"topic": {"in": ["work", "travel"]}}, True),
        ({"topic": {"nin": ["work", "travel"]}}, False),
        ({"tags": {"contains": "a"}}, True),
        ({"topic": {"contains": "rave"}}, True),
        ({"priority": {"contains": 3}}, False),
        ({"missing": None}, True),
        ({"missing": {"ne": 1}}, True),
        ({"missing": {"exists": False}}, True),
        ({"note": {"exists": True}}, False),
        ({"OR": [{"topic": "work"}, {"priority": 3}]}, True),
        ({"AND": [{"topic": "travel"}, {"NOT": {"priority": 3}}]}, False),
        ({"NOT": [{"topic": "work"}, {"priority": 4}]}, True),
    ],
)
def test_an_expression_admits_exactly_what_it_says(expression: dict[str, Any] | None, admitted: bool) -> None:
    assert compile_filter(expression)(ROW) is admitted


@pytest.mark.parametrize(
    "expression",
    ["topic", [{"topic": 1}], {"OR": {}}, {"AND": []}, {"priority": {"above": 3}}, {"priority": {"in": 3}}, {1: 2}, {"NOT": 3}],
)
def test_a_malformed_expression_is_refused_before_any_row_is_seen(expression: Any) -> None:
    with pytest.raises(InvalidInput, match="filters"):
        compile_filter(expression)
