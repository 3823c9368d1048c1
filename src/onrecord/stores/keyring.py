"""The methods of the in-memory store on keys to a server."""

from __future__ import annotations

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.key import ApiKey
from onrecord.stores.guarded import Guarded


class Keyring(Guarded):
    """Keys by id, and found by digest."""

    def put_key(self, key: ApiKey) -> None:
        """See ``Store.put_key``."""
        with self._writing() as state:
            if any(key.id == other.id or key.digest == other.digest for other in state.keys.values()):
                raise InvalidInput("key", f"{key.id} is there already", "make a new one")
            state.keys[key.id] = key

    def key(self, digest: str) -> ApiKey | None:
        """See ``Store.key``."""
        with self._reading() as state:
            return next((key for key in state.keys.values() if key.digest == digest), None)

    def keys(self) -> list[ApiKey]:
        """See ``Store.keys``."""
        with self._reading() as state:
            return [state.keys[id] for id in sorted(state.keys)]

    def drop_key(self, id: str) -> None:
        """See ``Store.drop_key``."""
        with self._writing() as state:
            if state.keys.pop(id, None) is None:
                raise NotFound("key", id)
