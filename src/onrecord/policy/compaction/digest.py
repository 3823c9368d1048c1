"""Digest: how a model is asked for a summary, and how its answer is read. Whether it may be used is for ``verify`` to say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from onrecord.model.summary import Line, Section, Span
from onrecord.model.turn import Role, Turn
from onrecord.policy.prompts.prompt import prompt
from onrecord.policy.trust import instructs_model

SYSTEM = prompt("summary").text
#: What the model fills in.
SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "required": ["lines"],
        "properties": {
            "lines": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["section", "text", "turns"],
                    "properties": {
                        "section": {"type": "string", "enum": [section.value for section in Section]},
                        "text": {"type": "string"},
                        "turns": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
                    },
                },
            }
        },
    }
)
#: Whose orders to a model are the conversation's own.
_HEARD = frozenset({Role.USER, Role.SYSTEM})


def question(turns: Sequence[Turn], ledger: Iterable[Span], tokens: int) -> str:
    """What the model is shown: the turns, numbered from 1, what must be in the answer, and how long it may be."""
    numbers = {turn.id: place for place, turn in enumerate(turns, 1)}
    rows = [_row({"turn": numbers[turn.id], "role": turn.role.value, "author": turn.author, "text": turn.text}) for turn in turns]
    clauses = dict.fromkeys((numbers.get(span.turn_id, 0), span.text) for span in ledger if span.required)
    must = [_row({"turn": number, "text": text}) for number, text in clauses]
    kept = ["These clauses must come through with their meaning unchanged:", *must] if must else []
    return "\n".join((*rows, *kept, f"Use at most {tokens} tokens."))


def read(reply: object, turns: Sequence[Turn]) -> tuple[Line, ...]:
    """The lines of an answer, by section, then by turn. Raises ``ValueError`` that says what is wrong with it.

    What only a tool or a document said, and gives a model orders, is left out."""
    rows = reply.get("lines") if isinstance(reply, Mapping) else None
    if not isinstance(rows, list):
        raise ValueError("it holds no lines")
    made = [_line(row, turns) for row in rows]
    heard = {turn.id for turn in turns if turn.role in _HEARD}
    order = list(Section)
    sound = [line for line in made if heard.intersection(line.turn_ids) or not instructs_model(line.text)]
    if not sound:
        raise ValueError("it says nothing")
    return tuple(sorted(sound, key=lambda line: (order.index(line.section), line.place)))


def _line(row: object, turns: Sequence[Turn]) -> Line:
    if not isinstance(row, Mapping):
        raise ValueError("a line is no object")
    text, numbers = row.get("text"), row.get("turns")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("a line has no text")
    if not isinstance(numbers, list) or not numbers or not all(_is_place(number, len(turns)) for number in numbers):
        raise ValueError("a line names no turn that there is")
    try:
        section = Section(str(row.get("section")))
    except ValueError:
        raise ValueError("a line has no section that there is") from None
    ids = tuple(turns[number - 1].id for number in sorted(set(numbers)))
    return Line(section=section, text=" ".join(text.split()), turn_ids=ids, author="", place=min(numbers) - 1)


def _is_place(number: object, last: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= last


def _row(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False)
