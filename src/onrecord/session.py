"""``Session``: one thread of dialogue, saved after every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from onrecord.model.context import Context
from onrecord.model.receipt import Receipt
from onrecord.model.turn import Turn
from onrecord.pipeline.assemble import Ask, assemble
from onrecord.pipeline.remember import take_in
from onrecord.policy.address import Address
from onrecord.policy.messages import parse_messages
from onrecord.ports import Engine

__all__ = ["Session"]


class Session:
    """A handle on one thread; ``Memory.session`` makes it. Any process can hold one on the same thread."""

    def __init__(self, engine: Engine, where: Address) -> None:
        self._engine, self._where = engine, where
        self.id = where.origin.thread or ""

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str],
        *,
        metadata: Mapping[str, Any] | None = None,
        at: datetime | None = None,
        infer: bool = True,
    ) -> Receipt:
        """What became of the messages; each is durable when this returns. As ``Memory.add``."""
        parsed = parse_messages(messages)
        return take_in(self._engine, parsed, self._where, at=at, metadata=metadata or {}, infer=infer, dry_run=False)

    def turns(self, *, last: int | None = None) -> list[Turn]:
        """The turns in order; only the last ``last`` if given."""
        return self._engine.store.thread(self._where.reach, self.id, last=last)

    def context(
        self, message: str, *, system: str = "", budget: int | None = None, limit: int | None = None, subjects: Sequence[str] = ()
    ) -> Context:
        """What to send to the model for ``message``, within ``budget`` tokens. The message is not stored: ``add`` it when sent."""
        policy = self._engine.policy
        reach = self._where.reach
        if subjects:
            reach = type(reach)(reach.tenant, tuple(dict.fromkeys((*reach.subjects, *subjects))))
        ask = Ask(
            reach=reach,
            thread=self.id,
            message=message,
            system=system,
            budget=policy.context_budget if budget is None else budget,
            limit=policy.context_limit if limit is None else limit,
        )
        return assemble(self._engine, ask)
