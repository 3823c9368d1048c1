"""What a merge must not lose, turn round, alter or make up: the check of compaction, on records."""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.model.record import Record, SourceType
from onrecord.model.scope import Origin
from onrecord.model.summary import Fault
from onrecord.model.turn import Role, Turn
from onrecord.policy.compaction.protect import ledger
from onrecord.policy.compaction.verify import check
from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.claim import telling

_ROLES = {SourceType.TOOL_RESULT: Role.TOOL, SourceType.DOCUMENT: Role.DOCUMENT, SourceType.MODEL_INFERENCE: Role.ASSISTANT}


def faults(statement: str, sources: Sequence[Record]) -> list[Fault]:
    """What ``statement`` gets wrong of what its sources say: numbers, names, dates, negations, rules; empty if all survives."""
    turns = [_turn(record) for record in sources]
    return check(statement, ledger(turns), turns)


def holds_all(statement: str, source: Record) -> bool:
    """Whether ``statement`` has every telling word of a source."""
    return telling(source.statement) <= telling(statement)


def _turn(record: Record) -> Turn:
    """The statement as a turn of whoever it comes from, as the check reads them; an aside binds nobody."""
    return Turn(
        id=record.id,
        tenant=record.tenant,
        subject=record.subject,
        origin=Origin(),
        role=_ROLES.get(record.source.type, Role.USER),
        author=record.author,
        text=without_asides(record.text),
        at=record.said_at,
        written_at=record.written_at,
    )
