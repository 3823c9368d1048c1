"""A thread as it stands in a list: its title, how long it is, when something was said in it last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadInfo:
    """One thread of one subject. ``turns`` counts them and is the ``seq`` of the last; ``last_at`` is when that one was said.

    ``forked_from`` is the thread that its first ``forked_upto`` turns were copied from, or ``None``. ``covered`` is the ``seq``
    of the last turn that its summary stands for, 0 without one.
    """

    id: str
    tenant: str
    subject: str
    turns: int
    last_at: datetime
    title: str = ""
    archived: bool = False
    forked_from: str | None = None
    forked_upto: int = 0
    covered: int = 0

    @property
    def place(self) -> tuple[datetime, str, str]:
        """Where it stands among others: lists run from the greatest to the least."""
        return self.last_at, self.id, self.subject
