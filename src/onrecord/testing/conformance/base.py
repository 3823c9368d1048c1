"""What all parts of the suite share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from onrecord.model.query import Corpus
from onrecord.model.record import Record
from onrecord.model.scope import Reach
from onrecord.model.turn import Turn
from onrecord.ports import Store
from onrecord.testing.builders import SUBJECT, TENANT

OTHER_SUBJECT = Reach(TENANT, ("user:bob",))
OTHER_TENANT = Reach("globex", (SUBJECT,))
#: Records and turns: what somebody said.
SAID = (Corpus.RECORDS, Corpus.TURNS)
BOTH = Reach(TENANT, (SUBJECT, "user:bob"))


class Conformance:
    """Gives each test an empty store."""

    def make_store(self) -> Store:
        """An empty store; the suite closes it."""
        raise NotImplementedError

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """An empty store."""
        store = self.make_store()
        yield store
        store.close()


def ids(rows: Sequence[Record | Turn]) -> list[str]:
    """The ids of rows, in their order."""
    return [row.id for row in rows]
