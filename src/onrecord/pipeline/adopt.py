"""Adopt: what another memory system kept becomes turns of a document, and facts that are believed as far as one.

Nobody here heard a person say it: it was made by somebody else's model from words that are not there. So it is a ``tool_fact``
with the trust of a document, and whatever gives orders to a model becomes no record. Its time is kept. What was taken over before
is recognised by the id it had.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from onrecord.errors import InvalidInput
from onrecord.model.foreign import Foreign, Unread
from onrecord.model.parcel import Fate
from onrecord.model.receipt import Receipt, Result, TurnResult
from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.transfer import Imported, Trouble
from onrecord.model.turn import Role
from onrecord.pipeline.progress import Progress
from onrecord.pipeline.remember import take_in
from onrecord.policy.address import Address, address
from onrecord.policy.dialogue.messages import Message
from onrecord.policy.trust import instructs_model
from onrecord.ports import Engine

_TOLD = 100
_SAID_ONLY = "kept as what a document said, and as no record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose memory it is to be; with nobody named, each row goes to the user or agent that it names itself."""

    tenant: str
    user_id: str | None = None
    agent_id: str | None = None
    subject: str | None = None


@dataclass(slots=True)
class _Tally:
    lines: int = 0
    added: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    troubles: list[Trouble] = field(default_factory=list)

    def left(self, number: int, what: str, why: str) -> None:
        self.refused += 1
        if len(self.troubles) < _TOLD:
            self.troubles.append(Trouble(number, Fate.REFUSED, what, why))


def adopt(engine: Engine, rows: Iterable[Foreign | Unread], source: str, owner: Owner, progress: Progress) -> Imported:
    """What became of every row. Safe to repeat. Raises ``InvalidInput`` for a name that is none, ``StoreError``."""
    tally = _Tally()
    for row in rows:
        tally.lines += 1
        progress("rows", tally.lines, 0)
        if isinstance(row, Unread):
            tally.left(row.number, row.what, row.why)
            continue
        where = _place(row, source, owner)
        if isinstance(where, str):
            tally.left(row.number, row.id, where)
        else:
            _count(tally, row, _taken_in(engine, row, source, where))
    return Imported(
        lines=tally.lines,
        added=dict(tally.added),
        updated={},
        same=dict(tally.same),
        refused=tally.refused,
        troubles=tuple(sorted(tally.troubles, key=lambda trouble: trouble.line)),
    )


def _place(row: Foreign, source: str, owner: Owner) -> Address | str:
    """Where a row goes, or why it goes nowhere."""
    tenant, thread = owner.tenant, f"import:{source}"
    if any(name is not None for name in (owner.user_id, owner.agent_id, owner.subject)):
        if owner.user_id and row.user and row.user != owner.user_id:
            return f"is of the user {row.user}"
        return address(tenant, session_id=thread, subject=owner.subject, user_id=owner.user_id, agent_id=owner.agent_id)
    if not (row.user or row.agent):
        raise InvalidInput("user_id", "is missing, and the file does not say whose memory it is", "name the owner")
    return address(tenant, session_id=thread, user_id=row.user, agent_id=None if row.user else row.agent)


def _taken_in(engine: Engine, row: Foreign, source: str, where: Address) -> Receipt:
    """The receipt of a row as the words of a document, kept as they are where they can be one statement."""
    mark = hashlib.sha256(f"{row.id}\0{row.text}".encode()).hexdigest()[:32]
    told = {**row.metadata, "from": source}
    message = Message(Role.DOCUMENT, row.text, {}, author=source, at=row.at, client_id=f"{source}:{mark}", metadata=told)
    as_it_is = len(row.text.strip()) <= STATEMENT_LIMIT and not instructs_model(row.text)
    return take_in(engine, [message], where, at=None, metadata={}, infer=not as_it_is, dry_run=False)


def _count(tally: _Tally, row: Foreign, receipt: Receipt) -> None:
    (turn,) = receipt.turns
    kept = [item for item in receipt.items if item.result is not Result.REFUSED]
    if turn.result is TurnResult.REFUSED:
        tally.left(row.number, row.id, turn.detail)
    elif turn.result is TurnResult.EXISTING and not receipt.items:
        tally.same["turn"] += 1
    elif kept:
        tally.added["turn"] += 1
        tally.added["record"] += any(item.result is not Result.RESTATED for item in kept)
        tally.same["record"] += all(item.result is Result.RESTATED for item in kept)
    else:
        tally.added["turn"] += 1
        tally.left(row.number, row.id, "; ".join([_SAID_ONLY, *(item.detail for item in receipt.items[:1])]))
