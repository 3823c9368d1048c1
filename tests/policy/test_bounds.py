"""A policy that can't work is refused when it is made, with the field and what it may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.model.context import Preset, Share
from onrecord.model.record import Kind
from onrecord.policy.defaults import Policy

NAMES = [field.name for field in fields(Policy)]


def bad(example: Any) -> list[Any]:
    match example:
        case None:
            return [timedelta(0), timedelta(days=-1), 30, object()]
        case bool():
            return [None, 1, "yes"]
        case int():
            return [None, -1, 1.5, True, "8"]
        case float():
            return [None, -0.1, math.nan, math.inf, True, "0.5"]
        case timedelta():
            return [None, timedelta(0), timedelta(days=-1), 30]
        case Mapping():
            key = next(iter(example), "x")
            return [None, [], {object(): 1}, *({key: value} for value in bad(next(iter(example.values()))))]
    return [None, object()]


@pytest.mark.parametrize("name", NAMES)
def test_no_field_takes_what_cannot_be(name: str) -> None:
    for value in bad(getattr(Policy(), name)):
        with pytest.raises(InvalidInput) as refused:
            Policy(**{name: value})
        assert refused.value.field.split(".")[0] == name
        assert refused.value.fix


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"call_threads": 0}, "call_threads: is 0 (use 1 or more)"),
        ({"search_limit": 0}, "search_limit: is 0 (use 1 or more)"),
        ({"vector_weight": 1.5}, "vector_weight: is 1.5 (use 0 to 1)"),
        ({"lifespan": {Kind.DECISION: timedelta(0)}}, "lifespan.decision: is 0:00:00 (use a span of more than no time)"),
        ({"lifespan": {"decision": timedelta(1)}}, "lifespan: has the key 'decision' (use a Kind)"),
        ({"shares": {Preset.ASSISTANT: {Share.RECORDS: 0.8, Share.SYSTEM: 0.4}}}, "shares.assistant: add up to 1.2"),
    ],
)
def test_the_error_names_field_and_fix(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Policy(**given)
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize("name", ["return_limit", "pointer_limit", "standing_limit", "trace_limit"])
def test_what_counts_something_that_may_be_absent_may_be_none(name: str) -> None:
    none: dict[str, Any] = {name: 0}
    assert getattr(Policy(**none), name) == 0
