"""What an erasure did, and how it was proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The proof: every byte of ``files`` (bytes by name) was read, and none of ``parts`` was in them.

    The parts are what was distinctive about what was erased, in texts and vectors: what no surviving row holds as well. ``first``
    counts those that still stood there before the file was written anew; nothing of them was left after."""

    files: Mapping[str, int]
    parts: int
    first: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """The receipt. ``counts`` are rows taken away by what they were, ``emptied`` those that stay without their words.

    ``kept`` are ids of turns that stay because other records rest on them too. ``scan`` is there if it was asked for. After a dry
    run nothing was taken away: the counts tell what would be."""

    counts: Mapping[str, int]
    emptied: Mapping[str, int]
    kept: tuple[str, ...] = ()
    scan: Scan | None = None
    dry_run: bool = False
