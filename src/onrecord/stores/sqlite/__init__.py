"""A store in one SQLite file, which several processes may read and write at once."""

from onrecord.stores.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]
