"""The published suite over every store of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from onrecord.ports import Store
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.conformance import StoreConformance


class TestInMemoryStore(StoreConformance):
    def make_store(self) -> Store:
        return InMemoryStore()


class TestSQLiteInMemory(StoreConformance):
    def make_store(self) -> Store:
        return SQLiteStore(":memory:")


class TestSQLiteStore(StoreConformance):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make_store(self) -> Store:
        return SQLiteStore(self.folder / "memory.db", synchronous="NORMAL")

    def make_another(self) -> Store:
        return SQLiteStore(self.folder / "another.db", synchronous="NORMAL")
