"""What the in-memory store holds."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields

from onrecord.model.change import Event
from onrecord.model.document import Document, Passage
from onrecord.model.key import ApiKey
from onrecord.model.query import Corpus
from onrecord.model.record import Record, Usage
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict
from onrecord.stores.dialogues import Dialogues

#: A row by tenant and id.
Key = tuple[str, str]


@dataclass(slots=True)
class State:
    """Rows by tenant and id, or by what the key says."""

    records: dict[Key, Record] = field(default_factory=dict)
    usage: dict[Key, Usage] = field(default_factory=dict)
    epochs: dict[Key, int] = field(default_factory=dict)
    turns: dict[Key, Turn] = field(default_factory=dict)
    #: Ids of the turns of a (tenant, subject, thread), in order.
    threads: dict[tuple[str, str, str | None], tuple[str, ...]] = field(default_factory=dict)
    vectors: dict[tuple[Corpus, str, str, str], bytes] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    #: For each event the seq of the first event of the same change; and the seq given last.
    changes: list[int] = field(default_factory=list)
    last: tuple[int, ...] = (0,)
    verdicts: dict[Key, Verdict] = field(default_factory=dict)
    traces: dict[Key, Trace] = field(default_factory=dict)
    dialogues: Dialogues = field(default_factory=Dialogues)
    keys: dict[str, ApiKey] = field(default_factory=dict)
    documents: dict[Key, Document] = field(default_factory=dict)
    passages: dict[Key, Passage] = field(default_factory=dict)

    def copy(self) -> State:
        """A copy to write on."""
        return State(**{part.name: copy(getattr(self, part.name)) for part in fields(self)})
