"""What an undone run gave back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.model.change import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """``changes`` put records back as they stood before the run; ``left`` are ids of those that changed since and stay as they
    are, with what went into them; ``reread`` are turns that are captured again, since they were merged into what is undone."""

    run: str
    changes: Sequence[Change]
    left: Sequence[str]
    reread: Sequence[str]
    dry_run: bool = False
