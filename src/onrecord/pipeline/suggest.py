"""Suggest: a model is asked which records of a subject say the same, and which cannot both be true; consolidation holds each
suggestion to its own checks."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from onrecord.errors import ModelError, ModelUnavailable
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.pipeline.spending import ask
from onrecord.policy.consolidation.merge import Proposal, Row, may_merge, stays, words
from onrecord.policy.prompts.prompt import prompt
from onrecord.policy.reading.suggest import GROUPS, grouped, records_shown
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine

_log = logging.getLogger("onrecord")


class Suggester:
    """One run over subjects. A model that is away is not asked again in it, and one that fails costs a call and nothing else."""

    def __init__(self, engine: Engine, *, on: bool) -> None:
        self._engine, self._away = engine, not on or engine.chat is None

    def proposals(self, reach: Reach, rows: Sequence[Row]) -> tuple[Proposal, ...]:
        """The merges that the model suggests for the current records of one subject, the newest ``policy.suggest_records``."""
        return tuple(map(_proposal, self._groups("consolidation", reach, rows))) if self._engine.policy.suggest_merges else ()

    def contests(self, reach: Reach, rows: Sequence[Row]) -> tuple[tuple[Record, Record], ...]:
        """The pairs of which the model says that they contradict each other, the older record first."""
        if not self._engine.policy.suggest_conflicts:
            return ()
        groups = [[record for record, _ in group] for group in self._groups("conflict", reach, rows)]
        return tuple((group[0], group[1]) for group in groups if len(group) == 2)

    def _groups(self, name: str, reach: Reach, rows: Sequence[Row]) -> list[list[Row]]:
        free = sorted((row for row in rows if may_merge(row[0])), key=lambda row: (row[0].said_at, row[0].id))
        shown = free[-self._engine.policy.suggest_records :]
        if self._away or len(shown) < 2:
            return []
        try:
            return self._asked(name, reach, shown)
        except ModelError as error:
            self._away = isinstance(error, ModelUnavailable)
            _log.warning("the suggestions of a model are not used: %s", error)
            return []

    def _asked(self, name: str, reach: Reach, shown: Sequence[Row]) -> list[list[Row]]:
        """The groups of the model's answer, each in the order in which its records were said."""
        assert self._engine.chat is not None
        records = [masked(record) for record, _ in shown]
        reply = ask(self._engine, self._engine.chat, reach.tenant, prompt(name).text, records_shown(records), GROUPS)
        place = {record.id: at for at, record in enumerate(records)}
        return [[shown[at] for at in sorted(place[record.id] for record in group)] for group in grouped(reply, records)]


def _proposal(group: Sequence[Row]) -> Proposal:
    """The statement is one of theirs, never the model's."""
    keep = stays(group)
    gone = tuple(record for record, _ in group if record.id != keep.id)
    return Proposal(keep, gone, words(keep, gone))
