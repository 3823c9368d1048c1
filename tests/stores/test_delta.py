"""The difference of two JSON values makes one of the other, and is small where little changed."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from onrecord.stores.delta import changed, difference, same

NAMES = st.sampled_from(["a", "b", "~", "-", "+", "="])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_a_value_changed_by_a_difference_is_the_other(old: Any, new: Any) -> None:
    kept = json.dumps(old, sort_keys=True)
    told = json.loads(json.dumps(difference(old, new)))
    assert same(changed(old, told), new)
    assert json.dumps(old, sort_keys=True) == kept


@given(st.dictionaries(NAMES, VALUES, min_size=1), st.lists(st.text(max_size=3), min_size=1), st.text(max_size=3))
def test_a_list_that_goes_on_is_told_by_what_is_new(rest: dict[str, Any], sources: list[str], more: str) -> None:
    old, new = {**rest, "sources": sources}, {**rest, "sources": [*sources, more]}
    assert difference(old, new) == {"~": {"sources": {"+": [more]}}}


def test_false_and_zero_are_two_values() -> None:
    assert changed({"a": 0}, difference({"a": 0}, {"a": False}))["a"] is False
    assert changed([[1]], difference([[1]], [[True], 2])) == [[True], 2]
