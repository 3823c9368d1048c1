"""Subjects as the database knows them: the key under which their rows lie, and the counters that tell what moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from onrecord.model.scope import Reach
from onrecord.stores.sqlite.statements import every, first, run, scalar


@dataclass(slots=True)
class Subject:
    """A row of the subject table."""

    sid: int
    tid: int
    name: str
    epoch: int
    turn_epoch: int
    vector_epoch: int
    purges: int
    records: int
    turns: int

    def next_record(self) -> int:
        """The key of a new record."""
        self.records += 1
        return self.sid << 32 | self.records

    @property
    def last_turn(self) -> int:
        """The key of the newest turn."""
        return self.sid << 32 | self.turns

    def next_turn(self) -> int:
        """The key of a new turn."""
        self.turns += 1
        return self.last_turn


def find(connection: apsw.Connection, tenant: str, name: str) -> Subject | None:
    """A subject, or ``None`` if nothing was ever written for it."""
    row = first(connection, "subject", tenant, name)
    return Subject(*row) if row else None


def within(connection: apsw.Connection, reach: Reach) -> list[Subject]:
    """The known subjects of a reach."""
    found = (find(connection, reach.tenant, name) for name in dict.fromkeys(reach.subjects))
    return [subject for subject in found if subject]


def peopled(connection: apsw.Connection, limit: int | None, after: tuple[str, str] | None) -> list[tuple[str, str]]:
    """See ``Store.subjects``."""
    rows = every(connection, "subjects", *(after or ("", "")), -1 if limit is None else max(limit, 0))
    return [(tenant, name) for tenant, name in rows]


def named(connection: apsw.Connection, tenant: str, name: str) -> Subject:
    """A subject, made known if it is not. Only in a write."""
    subject = find(connection, tenant, name)
    if subject is None:
        run(connection, "add_tenant", tenant)
        tid = scalar(connection, "tenant", tenant)
        run(connection, "add_subject", tid, name)
        subject = find(connection, tenant, name)
        assert subject is not None
    return subject


def save(connection: apsw.Connection, subjects: Iterable[Subject]) -> None:
    """Writes the counters back."""
    for s in subjects:
        counters = (s.epoch, s.turn_epoch, s.vector_epoch, s.purges, s.records, s.turns)
        run(connection, "save_subject", *counters, s.sid)
