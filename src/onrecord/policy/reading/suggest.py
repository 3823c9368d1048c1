"""Suggestions of a model about records: which of those it was shown belong together. It names numbers; every one is checked, and
what becomes of a suggestion is decided by the checks that hold without a model too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from onrecord.errors import ModelError
from onrecord.model.record import Record
from onrecord.policy.reading.ask import record_lines
from onrecord.policy.replies.reply import Field, Form, Refused, rows

_NAME = "groups"
_FIELDS: Mapping[str, Field] = MappingProxyType({"records": Field(Form.WHOLES)})
#: What the model fills in.
GROUPS: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "required": [_NAME],
        "properties": {
            _NAME: {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["records"],
                    "properties": {"records": {"type": "array", "items": {"type": "integer"}}},
                },
            }
        },
    }
)


def records_shown(records: Sequence[Record]) -> str:
    """The lines that the model gets: number, statement and day of each record, one JSON object a line."""
    return "\n".join(record_lines(records))


def grouped(reply: object, records: Sequence[Record]) -> list[tuple[Record, ...]]:
    """The groups of two or more records that a reply names, each record in one group at most, the first.

    A group that names a record which was not shown is left out. Raises ``ModelError`` for a reply that cannot be used."""
    found = rows(reply, _NAME, _FIELDS)
    if isinstance(found, Refused):
        raise ModelError(f"the answer cannot be used: {found.reason}")
    taken: set[int] = set()
    groups = []
    for row in found.rows:
        numbers = list(dict.fromkeys(row["records"]))
        if len(numbers) > 1 and taken.isdisjoint(numbers) and all(1 <= n <= len(records) for n in numbers):
            taken.update(numbers)
            groups.append(tuple(records[n - 1] for n in numbers))
    return groups
