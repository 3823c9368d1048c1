"""Keys to a server in the database."""

from __future__ import annotations

from typing import Any

import apsw

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.key import ApiKey, Right
from onrecord.model.moment import from_us, to_us
from onrecord.stores.sqlite.statements import every, first, run


def put_key(connection: apsw.Connection, key: ApiKey) -> None:
    """See ``Store.put_key``."""
    if first(connection, "key_there", key.id, key.digest):
        raise InvalidInput("key", f"{key.id} is there already", "make a new one")
    run(connection, "add_key", key.id, key.tenant, key.subject, key.name, key.right, key.digest, to_us(key.created_at))


def key(connection: apsw.Connection, digest: str) -> ApiKey | None:
    """See ``Store.key``."""
    row = first(connection, "key", digest)
    return _key(row) if row else None


def keys(connection: apsw.Connection) -> list[ApiKey]:
    """See ``Store.keys``."""
    return [_key(row) for row in every(connection, "keys")]


def drop_key(connection: apsw.Connection, id: str) -> None:
    """See ``Store.drop_key``."""
    if first(connection, "drop_key", id) is None:
        raise NotFound("key", id)


def _key(row: Any) -> ApiKey:
    id, tenant, subject, name, right, digest, created = row
    return ApiKey(
        id=id, tenant=tenant, subject=subject, name=name, right=Right(right), digest=digest, created_at=from_us(created)
    )
