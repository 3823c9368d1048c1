"""The caller's filters: an expression over a row's fields and metadata, checked once and applied before any cut.

    {"topic": "travel"}                                  equal
    {"priority": {"gte": 3}}                             eq ne gt gte lt lte in nin contains exists
    {"AND": [f, ...]}  {"OR": [f, ...]}  {"NOT": f}      combined; several keys in one object mean AND

A field is a key of ``metadata``, or one of the row's own: ``RECORD_FIELDS``, ``TURN_FIELDS`` and ``DOCUMENT_FIELDS``.
Values of different types are never equal and never ordered; a missing field equals only ``None``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.model.document import Document
from onrecord.model.record import Record
from onrecord.model.turn import Turn

RECORD_FIELDS = ("kind", "key", "value", "status", "author", "language", "negation", "qualifier", "pinned", "scope")
TURN_FIELDS = ("role", "author")
DOCUMENT_FIELDS = ("collection", "name")
_OWN: Mapping[type, tuple[str, ...]] = {Record: RECORD_FIELDS, Turn: TURN_FIELDS, Document: DOCUMENT_FIELDS}

Predicate = Callable[[Mapping[str, Any]], bool]
_MISSING = object()


def compile_filter(expression: Mapping[str, Any] | None) -> Predicate:
    """A predicate over the mapping that ``row_fields`` makes. Raises ``InvalidInput`` for a malformed expression."""
    if expression is None:
        return lambda row: True
    if not isinstance(expression, Mapping):
        raise InvalidInput("filters", f"is a {type(expression).__name__}", "pass an object like {'topic': 'travel'}")
    parts = [_clause(name, operand) for name, operand in expression.items()]
    return lambda row: all(part(row) for part in parts)


def row_fields(row: Record | Turn | Document) -> dict[str, Any]:
    """What filters see of a row: its metadata, and its own fields, which win over metadata of the same name."""
    return {**row.metadata, **{name: getattr(row, name) for name in _OWN[type(row)]}}


def _clause(name: str, operand: Any) -> Predicate:
    if name in ("AND", "OR"):
        return _combined(name, operand)
    if name == "NOT":
        inner = [compile_filter(part) for part in (operand if isinstance(operand, list) else [operand])]
        return lambda row: not any(part(row) for part in inner)
    if not isinstance(name, str):
        raise InvalidInput("filters", f"{name!r} is not a field name", "use strings as keys")
    if isinstance(operand, Mapping):
        tests = [_test(name, op, value) for op, value in operand.items()]
        return lambda row: all(test(row.get(name, _MISSING)) for test in tests)
    return lambda row: _equal(row.get(name, _MISSING), operand)


def _combined(name: str, operand: Any) -> Predicate:
    if not isinstance(operand, list | tuple) or not operand:
        raise InvalidInput("filters", f"{name} needs a list of filters", f"write {{'{name}': [{{...}}, {{...}}]}}")
    parts = [compile_filter(part) for part in operand]
    return (lambda row: all(p(row) for p in parts)) if name == "AND" else (lambda row: any(p(row) for p in parts))


def _equal(value: Any, wanted: Any) -> bool:
    if value is _MISSING:
        return wanted is None
    if isinstance(value, bool) != isinstance(wanted, bool):
        return False
    return bool(value == wanted)


def _ordered(value: Any, wanted: Any, holds: Callable[[Any, Any], bool]) -> bool:
    numbers = all(isinstance(side, int | float) and not isinstance(side, bool) for side in (value, wanted))
    words = isinstance(value, str) and isinstance(wanted, str)
    return (numbers or words) and holds(value, wanted)


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": _equal,
    "ne": lambda value, wanted: not _equal(value, wanted),
    "gt": lambda value, wanted: _ordered(value, wanted, lambda a, b: a > b),
    "gte": lambda value, wanted: _ordered(value, wanted, lambda a, b: a >= b),
    "lt": lambda value, wanted: _ordered(value, wanted, lambda a, b: a < b),
    "lte": lambda value, wanted: _ordered(value, wanted, lambda a, b: a <= b),
    "in": lambda value, wanted: any(_equal(value, one) for one in wanted),
    "nin": lambda value, wanted: not any(_equal(value, one) for one in wanted),
    "contains": lambda value, wanted: _contains(value, wanted),
    "exists": lambda value, wanted: (value is not _MISSING and value is not None) == bool(wanted),
}


def _test(name: str, operator: Any, wanted: Any) -> Callable[[Any], bool]:
    holds = _OPERATORS.get(operator)
    if holds is None:
        raise InvalidInput("filters", f"{name} has the unknown operator {operator!r}", "use " + " ".join(_OPERATORS))
    if operator in ("in", "nin") and not isinstance(wanted, list | tuple | set | frozenset):
        raise InvalidInput("filters", f"{name}.{operator} needs a list", f"write {{'{operator}': [...]}}")
    return lambda value: holds(value, wanted)


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, list | tuple) and any(_equal(one, wanted) for one in value)
