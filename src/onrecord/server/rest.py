"""Runs the REST server until it is told to stop; requests under way are answered first."""

from __future__ import annotations

import uvicorn

from onrecord.memory import Memory
from onrecord.server.app import rest_app
from onrecord.server.host import is_loopback, refuse_open
from onrecord.server.limits import Limits

#: Seconds that requests under way have to end when the server is told to stop.
_GRACE = 30


def serve_rest(memory: Memory, host: str, port: int, limits: Limits | None = None) -> None:
    """Serves at ``http://host:port`` until interrupted.

    Raises ``InvalidInput`` for a host that others can reach while no key is kept."""
    if not memory.engine.store.keys():
        refuse_open(host, "make a key first: onrecord keys add NAME --right write")
    app = rest_app(memory, local=is_loopback(host), limits=limits)
    uvicorn.run(
        app, host=host, port=port, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=_GRACE
    )
