"""What a model is shown of a conversation, and the form of its answer. Nothing that it is shown can leave its line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from onrecord.model.record import Record
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.replies.reply import Field, Form
from onrecord.policy.trust import without_context

NAME = "facts"
FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "turn": Field(Form.WHOLE),
        "quote": Field(Form.TEXT),
        "statement": Field(Form.TEXT, required=False),
        "about": Field(Form.WHOLES, required=False),
    }
)
#: What the model fills in. Every field is required and none may be added: some endpoints take no other schema.
SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "required": [NAME],
        "properties": {
            NAME: {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["turn", "quote", "statement", "about"],
                    "properties": {
                        "turn": {"type": "integer"},
                        "quote": {"type": "string"},
                        "statement": {"type": "string"},
                        "about": {"type": "array", "items": {"type": "integer"}},
                    },
                },
            }
        },
    }
)
#: Characters of a turn that is only shown, and of one that is asked about.
_GLANCE, _READ = 400, 4_000


@dataclass(frozen=True, slots=True)
class Shown:
    """What one call shows: the turns in order, those of them that are asked about, and records. Numbers count from 1."""

    turns: tuple[Turn, ...]
    asked: frozenset[str]
    records: tuple[Record, ...] = ()

    def turn(self, number: int) -> Turn | None:
        """The turn of that number."""
        return self.turns[number - 1] if 1 <= number <= len(self.turns) else None

    def record(self, number: int) -> Record | None:
        """The record of that number."""
        return self.records[number - 1] if 1 <= number <= len(self.records) else None


def question(shown: Shown) -> str:
    """The lines that the model gets: records, then turns with role, author and time, each one JSON object."""
    said = [_line({"turn": n, **_turn(turn, turn.id in shown.asked)}) for n, turn in enumerate(shown.turns, 1)]
    return "\n".join((*record_lines(shown.records), *said))


def record_lines(records: Sequence[Record]) -> list[str]:
    """Number (from 1), statement and day of each record, each a JSON object."""
    return [_line({"record": n, **_record(record)}) for n, record in enumerate(records, 1)]


def own_words(turn: Turn) -> str:
    """What a person says in a turn, without data and recalled context; empty for what no person says."""
    mine = voices(turn)[0]
    return without_context(mine.text) if mine.role is Role.USER else ""


def _record(record: Record) -> dict[str, Any]:
    return {"statement": record.statement, "said": record.said_at.date().isoformat()}


def _turn(turn: Turn, asked: bool) -> dict[str, Any]:
    text = own_words(turn) if turn.role is Role.USER else without_context(turn.text)
    told = {"role": turn.role.value, "author": turn.author, "at": turn.at.isoformat(timespec="minutes"), "read": asked}
    return {**told, "text": text[: _READ if asked else _GLANCE]}


def _line(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False)
