"""Keys to a server: made with a secret that is shown once, and recognised by its digest."""

from __future__ import annotations

import hashlib

from onrecord.model.key import ApiKey, Right
from onrecord.ports import Engine

#: What a secret begins with, so that scanners of leaked secrets know it.
PREFIX = "onr_"


def new_key(engine: Engine, tenant: str, name: str, right: Right, subject: str | None) -> tuple[ApiKey, str]:
    """A key, kept, and its secret, which is nowhere else. Raises ``InvalidInput`` for a malformed name or subject."""
    secret = PREFIX + engine.secret()
    key = ApiKey(
        id=engine.ids("key"),
        tenant=tenant,
        name=name,
        right=right,
        digest=digest(secret),
        created_at=engine.clock(),
        subject=subject,
    )
    engine.store.put_key(key)
    return key, secret


def key_of(engine: Engine, secret: str) -> ApiKey | None:
    """The key of a secret, or ``None``."""
    return engine.store.key(digest(secret))


def digest(secret: str) -> str:
    """What is kept of a secret. It is random and long, so a fast hash does."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
