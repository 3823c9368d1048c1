"""What came of an export or an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onrecord.model.parcel import Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A file at ``path`` of ``size`` bytes, with so many ``rows`` of each kind."""

    path: str
    size: int
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A line that was not taken in, by its number from 1 on (in a database: the number of the row), and why."""

    line: int
    fate: Fate
    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of the ``lines`` of a file: rows by kind that were ``added``, ``updated`` from an earlier state, or were the
    ``same`` already; ``conflicts`` and ``refused`` count those that were not taken in, of which ``troubles`` names the first.

    What was taken in lacks vectors, unless the file held them: maintenance makes them."""

    lines: int
    added: Mapping[str, int]
    updated: Mapping[str, int]
    same: Mapping[str, int]
    conflicts: int = 0
    refused: int = 0
    troubles: tuple[Trouble, ...] = ()
