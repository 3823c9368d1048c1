"""Where a server may listen: on this machine as it likes, elsewhere only with keys; and how it does."""

from __future__ import annotations

import ipaddress
import os
from typing import Any

from onrecord.errors import InvalidInput

#: Seconds that requests under way have to end when a server is told to stop.
_GRACE = 30


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def workers(most: int) -> int:
    """How many threads work on requests: at most ``most``, and two more than there are processors.

    Of those that compute one goes on at a time, the event loop is one of them, and its turn comes later the more there are; the
    further ones are for those that wait for the disk."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(most, there + 2)


def refuse_open(host: str, fix: str) -> None:
    """Raises ``InvalidInput`` for a host that others can reach."""
    if not is_loopback(host):
        raise InvalidInput("--host", f"{host} can be reached by others", fix)


def serve(app: Any, host: str, port: int) -> None:
    """Serves an ASGI app until interrupted; requests under way are answered first. Its log is that of the process."""
    import uvicorn

    config = uvicorn.Config(app, host=host, port=port, log_config=None, access_log=False, server_header=False)
    config.timeout_graceful_shutdown = _GRACE
    uvicorn.Server(config).run()
