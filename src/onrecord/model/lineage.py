"""Where something comes from and how far it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.model.change import Change
from onrecord.model.record import Record
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """From a record or turn back to the ``turns`` and ``sources`` (records) it was made from, and forward to the records that
    were ``made`` from it, the threads whose ``summaries`` cover its turns, the ``contexts`` that showed any of it to a model, and
    the ``runs`` in which that was. Rows are in order of time; ``missing`` are sources that are not there any more."""

    id: str
    record: Record | None
    turns: Sequence[Turn] = ()
    sources: Sequence[Record] = ()
    made: Sequence[Record] = ()
    summaries: Sequence[ThreadInfo] = ()
    contexts: Sequence[Trace] = ()
    runs: Sequence[str] = ()
    missing: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What taking something back did: ``changes`` of records, turns ``withheld`` from every model, and turns ``reread``.
    ``visible`` are the turns of people in which what was named was said: they answer nothing any more, and stay in their dialogue
    unless they are named too. ``lineages`` are those of what was named, as they were before."""

    changes: Sequence[Change] = ()
    withheld: Sequence[str] = ()
    reread: Sequence[str] = ()
    visible: Sequence[str] = ()
    lineages: Sequence[Lineage] = ()
    dry_run: bool = False
