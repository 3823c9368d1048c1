"""Reads a pointer over HTTP: from hosts that are named, at public addresses, within a size and a time."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Collection
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from onrecord.errors import InvalidInput, ResolverError
from onrecord.ports import Pointer

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_CHUNK = 16_384


class HttpResolver:
    """GETs ``url`` with the pointer's value in place of ``{value}``, percent-encoded, so that it stays one part of the path.

    Args:
        url: such as ``https://orders.example/api/orders/{value}``. The credentials of the subject are sent as headers.
        hosts: the hosts that may be asked, redirects included; the URL's own alone if not given.
        private: whether addresses that are not public (loopback, private, link-local, ...) may be asked, and plain HTTP spoken.
        size: bytes of an answer; a longer one is refused.
        redirects: how many are followed, each checked like the first; to another host no credentials go.

    Raises:
        InvalidInput: the URL has no host, or is not HTTPS.
    """

    def __init__(
        self, url: str, *, hosts: Collection[str] = (), private: bool = False, size: int = 65_536, redirects: int = 3
    ) -> None:
        parts = urlsplit(url)
        if not parts.hostname or "{" in parts.netloc or parts.scheme not in (("https", "http") if private else ("https",)):
            raise InvalidInput("url", f"{url[:60]!r} can't be asked", "write https://host/path/{value}")
        self._url, self._private, self._size, self._redirects = url, private, size, redirects
        self._hosts = frozenset(host.lower() for host in hosts) or frozenset((parts.hostname.lower(),))

    def resolve(self, pointer: Pointer) -> str:
        """The body of the answer as text. Raises ``ResolverError``."""
        deadline = time.monotonic() + pointer.timeout
        url = self._url.replace("{value}", quote(pointer.value, safe=""))
        headers = dict(pointer.credentials)
        for _ in range(self._redirects + 1):
            try:
                answer = self._get(urlsplit(url), headers, deadline)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise ResolverError(_why(error)) from error
            if isinstance(answer, str):
                return answer
            target = urljoin(url, answer.location)
            if urlsplit(target).netloc != urlsplit(url).netloc or urlsplit(target).scheme != urlsplit(url).scheme:
                headers = {}
            url = target
        raise ResolverError(f"more than {self._redirects} redirects")

    def _get(self, url: SplitResult, headers: dict[str, str], deadline: float) -> str | _Redirect:
        host = (url.hostname or "").lower()
        if host not in self._hosts:
            raise ResolverError(f"the host {host[:60]!r} is not among those allowed")
        if url.scheme != "https" and not (self._private and url.scheme == "http"):
            raise ResolverError(f"the scheme {url.scheme[:20]!r} is not allowed")
        connection = self._connect(host, url, deadline)
        try:
            path = (url.path or "/") + (f"?{url.query}" if url.query else "")
            connection.request("GET", path, headers={"Accept-Encoding": "identity", **headers})
            response = connection.getresponse()
            if response.status in _REDIRECTS:
                return _Redirect(response.headers.get("Location") or "")
            if response.status != 200:
                raise ResolverError(f"the answer is {response.status}")
            return self._read(response, connection, deadline)
        finally:
            connection.close()

    def _connect(self, host: str, url: SplitResult, deadline: float) -> http.client.HTTPConnection:
        """A connection to an address that was checked, so that the name cannot mean another one a moment later."""
        port = url.port or (443 if url.scheme == "https" else 80)
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        every = [str(entry[4][0]) for entry in found]
        addresses = [address for address in every if self._private or _public(address)]
        if not addresses:
            raise ResolverError(f"{host[:60]} has no public address")
        raw = socket.create_connection((addresses[0], port), timeout=_left(deadline))
        connection = http.client.HTTPConnection(host, port, timeout=_left(deadline))
        connection.sock = ssl.create_default_context().wrap_socket(raw, server_hostname=host) if url.scheme == "https" else raw
        return connection

    def _read(self, response: http.client.HTTPResponse, connection: http.client.HTTPConnection, deadline: float) -> str:
        body = b""
        while True:
            if connection.sock is not None:
                connection.sock.settimeout(_left(deadline))
            chunk = response.read1(_CHUNK)
            body += chunk
            if len(body) > self._size:
                raise ResolverError(f"the answer is longer than {self._size} bytes")
            if not chunk:
                return body.decode("utf-8", errors="replace")


class _Redirect:
    def __init__(self, location: str) -> None:
        self.location = location


def _left(deadline: float, now: Callable[[], float] = time.monotonic) -> float:
    left = deadline - now()
    if left <= 0:
        raise TimeoutError
    return left


def _public(address: str) -> bool:
    found = ipaddress.ip_address(address.split("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)  # ::ffff:127.0.0.1 is the loopback too
    found = mapped or found
    return found.is_global and not found.is_multicast


def _why(error: Exception) -> str:
    return "no answer in time" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {str(error)[:120]}"
