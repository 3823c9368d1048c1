"""Suggest: a model is asked which records of a subject say the same; consolidation holds each suggestion to its own checks."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from onrecord.errors import ModelError, ModelUnavailable
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
        self._engine, self._away = engine, not on or engine.chat is None or not engine.policy.suggest_merges

    def proposals(self, reach: Reach, rows: Sequence[Row]) -> tuple[Proposal, ...]:
        """The merges that the model suggests for the current records of one subject, the newest ``policy.suggest_records``."""
        free = sorted((row for row in rows if may_merge(row[0])), key=lambda row: (row[0].said_at, row[0].id))
        shown = free[-self._engine.policy.suggest_records :]
        if self._away or len(shown) < 2:
            return ()
        try:
            return self._asked(reach, shown)
        except ModelError as error:
            self._away = isinstance(error, ModelUnavailable)
            _log.warning("the suggestions of a model are not used: %s", error)
            return ()

    def _asked(self, reach: Reach, shown: Sequence[Row]) -> tuple[Proposal, ...]:
        assert self._engine.chat is not None
        records = [masked(record) for record, _ in shown]
        asked = records_shown(records)
        reply = ask(self._engine, self._engine.chat, reach.tenant, prompt("consolidation").text, asked, GROUPS)
        rows = {record.id: (record, usage) for record, usage in shown}
        return tuple(self._proposal([rows[record.id] for record in group]) for group in grouped(reply, records))

    def _proposal(self, group: Sequence[Row]) -> Proposal:
        """The statement is one of theirs, never the model's."""
        keep = stays(group)
        gone = tuple(record for record, _ in group if record.id != keep.id)
        return Proposal(keep, gone, words(keep, gone))
