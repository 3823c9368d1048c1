"""The suite by which a store proves itself. It needs pytest::

class TestMyStore(StoreConformance):
    def make_store(self) -> Store:
        return MyStore()
"""

from onrecord.testing.conformance.account import AccountConformance
from onrecord.testing.conformance.changes import ChangeConformance
from onrecord.testing.conformance.documents import DocumentConformance
from onrecord.testing.conformance.erasing import ErasingConformance
from onrecord.testing.conformance.keys import KeyConformance
from onrecord.testing.conformance.moving import MovingConformance
from onrecord.testing.conformance.retention import RetentionConformance
from onrecord.testing.conformance.searching import SearchConformance
from onrecord.testing.conformance.threads import ThreadConformance
from onrecord.testing.conformance.turns import TurnConformance
from onrecord.testing.conformance.upkeep import UpkeepConformance
from onrecord.testing.conformance.views import ViewConformance

__all__ = ["StoreConformance"]


class StoreConformance(
    ChangeConformance,
    TurnConformance,
    ThreadConformance,
    ViewConformance,
    SearchConformance,
    AccountConformance,
    ErasingConformance,
    UpkeepConformance,
    RetentionConformance,
    KeyConformance,
    MovingConformance,
    DocumentConformance,
):
    """Every sentence of the protocol ``ports.Store`` as tests. A subclass says how to make an empty store."""
