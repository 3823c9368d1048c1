"""Where a server may listen: on this machine as it likes, elsewhere only with keys."""

from __future__ import annotations

import ipaddress

from onrecord.errors import InvalidInput


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def refuse_open(host: str, fix: str) -> None:
    """Raises ``InvalidInput`` for a host that others can reach."""
    if not is_loopback(host):
        raise InvalidInput("--host", f"{host} can be reached by others", fix)
