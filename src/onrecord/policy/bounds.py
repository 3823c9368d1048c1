"""Bounds: what the numbers of a policy may be. Each field is checked by the type of its default, and by name where that says too
little; what is off is refused with the field and the way out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any, TypeVar

from onrecord.errors import InvalidInput
from onrecord.policy.arguments import flag, whole

E = TypeVar("E")

#: Whole numbers that may be 0, which turns off what they count.
_MAY_BE_NONE = frozenset(
    "return_limit neighbour_limit whole_subject trace_limit misses_traces standing_limit standing_pool episode_limit "
    "pointer_limit thread_turns rerank_depth reinforcement_cap recap_size "
    "passage_overlap knowledge_limit knowledge_traced reading_before reading_records model_tokens merge_limit".split()
)
#: Numbers that are no shares: from the least that makes sense upward.
_LEAST: Mapping[str, float] = {
    "half_life_stretch": 1.0,
    "topic_overlap": 0.0,
    "named_overlap": 0.0,
    "bm25_k1": 0.0,
    "model_cost": 0.0,
    "price_given": 0.0,
    "price_written": 0.0,
    "freshness_days": 0.001,  # it divides
}


def check_fields(policy: Any, defaults: Mapping[str, Any]) -> None:
    """Raises ``InvalidInput`` for the first field of ``policy`` that can't be what ``defaults`` has an example of."""
    for field in fields(policy):
        _check(getattr(policy, field.name), defaults[field.name], field.name)


def _check(value: Any, example: Any, field: str) -> None:
    """``field`` may be a path such as ``lifespan.preference``; its first part is the field of the policy."""
    name = field.partition(".")[0]
    match example:
        case None:  # a retention, and for good where there is none
            if value is not None:
                _span(value, field)
        case bool():
            flag(value, field)
        case int():
            whole(0 if name in _MAY_BE_NONE else 1)(value, field)
        case float():
            _number(value, field, _LEAST.get(name, 0.0), math.inf if name in _LEAST else 1.0)
        case timedelta():
            _span(value, field)
        case Mapping():
            _table(value, example, field)
        case _:
            if not isinstance(value, type(example)):
                raise InvalidInput(field, f"is a {type(value).__name__}", f"pass a {type(example).__name__}")


def _number(value: Any, field: str, least: float, most: float) -> None:
    wanted = f"use {least:g} to {most:g}" if math.isfinite(most) else f"use {least:g} or more"
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidInput(field, f"is a {type(value).__name__}", f"{wanted}, as a number")
    if not math.isfinite(value) or not least <= value <= most:
        raise InvalidInput(field, f"is {value}", wanted)


def _span(value: Any, field: str) -> None:
    if not isinstance(value, timedelta):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a timedelta")
    if value <= timedelta(0):
        raise InvalidInput(field, f"is {value}", "use a span of more than no time")


def _table(value: Any, example: Mapping[Any, Any], field: str) -> None:
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"is a {type(value).__name__}", "pass a mapping")
    if not example:
        return
    kind, sample = type(next(iter(example))), next(iter(example.values()))
    for key, entry in value.items():
        if not isinstance(key, kind):
            raise InvalidInput(field, f"has the key {key!r:.40}", f"use a {kind.__name__}")
        _check(entry, sample, f"{field}.{key}")
    if isinstance(sample, float) and field.startswith("shares.") and sum(value.values()) > 1.0 + 1e-9:
        raise InvalidInput(field, f"add up to {sum(value.values()):g}", "use shares of one budget: 1 together at the most")
