"""Resolvers against real servers on loopback: what is read, and everything that must not be."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput, ResolverError
from onrecord.ports import Pointer
from onrecord.providers.resolvers import HttpResolver, McpResolver, SqlResolver
from onrecord.providers.resolvers.http import _public


def pointer(value: str = "4417", timeout: float = 5.0, **credentials: str) -> Pointer:
    return Pointer("active_order_id", value, "default", "user:ana", credentials, timeout)


@dataclass
class Site:
    """A server on loopback: what it answers by path, and what it was asked."""

    port: int = 0
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append((self.path, dict(self.headers)))
            if self.path == "/slow":
                made.stop.wait(30)
            status, headers, body = made.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.stop.set()
    server.shutdown()
    server.server_close()


def test_an_answer_comes_back_with_the_value_as_one_part_of_the_path_and_the_credentials_as_headers(site: Site) -> None:
    site.answers["/orders/44%2F17%3Fx"] = 200, {}, b'{"status": "paid"}'
    found = HttpResolver(site.url("/orders/{value}"), private=True).resolve(pointer("44/17?x", Authorization="Bearer ana"))
    assert found == '{"status": "paid"}'
    assert site.asked[0][1]["Authorization"] == "Bearer ana"


def test_private_addresses_are_not_asked_unless_that_is_allowed(site: Site) -> None:
    with pytest.raises(InvalidInput, match="https"):
        HttpResolver(site.url("/x"))
    for host in ("127.0.0.1", "localhost", "169.254.169.254", "[::1]"):
        with pytest.raises(ResolverError, match="no public address"):
            HttpResolver(f"https://{host}:{site.port}/x").resolve(pointer())
    assert site.asked == []


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("10.0.0.1", False), ("172.16.0.1", False), ("192.168.1.1", False), ("100.64.0.1", False),
     ("0.0.0.0", False), ("169.254.169.254", False), ("::1", False), ("fe80::1%eth0", False), ("fc00::1", False),
     ("::ffff:127.0.0.1", False),
     ("::ffff:10.0.0.1", False), ("224.0.0.1", False), ("2606:4700::1111", True)],
)  # fmt: skip
def test_only_addresses_of_the_open_net_are_public(address: str, public: bool) -> None:
    assert _public(address) is public


def test_a_redirect_is_checked_like_the_first_address_and_takes_no_credentials_to_another_host(site: Site) -> None:
    site.answers["/a"] = 302, {"Location": "/b"}, b""
    site.answers["/b"] = 302, {"Location": site.url("/c", "localhost")}, b""
    site.answers["/c"] = 200, {}, b"there"
    both = HttpResolver(site.url("/a"), private=True, hosts=("127.0.0.1", "localhost"))
    assert both.resolve(pointer(Authorization="Bearer ana")) == "there"
    assert [("Authorization" in headers) for _, headers in site.asked] == [True, True, False]
    with pytest.raises(ResolverError, match="not among those allowed"):
        HttpResolver(site.url("/a"), private=True).resolve(pointer())
    site.answers["/file"] = 302, {"Location": "file://127.0.0.1/etc/passwd"}, b""
    with pytest.raises(ResolverError, match="scheme"):
        HttpResolver(site.url("/file"), private=True).resolve(pointer())
    site.answers["/round"] = 302, {"Location": "/round"}, b""
    with pytest.raises(ResolverError, match="redirects"):
        HttpResolver(site.url("/round"), private=True).resolve(pointer())


def test_an_answer_that_is_too_long_too_late_or_no_answer_is_refused(site: Site) -> None:
    site.answers["/long"] = 200, {}, b"x" * 2_000
    with pytest.raises(ResolverError, match="longer than 1000 bytes"):
        HttpResolver(site.url("/long"), private=True, size=1_000).resolve(pointer())
    with pytest.raises(ResolverError, match="404"):
        HttpResolver(site.url("/none"), private=True).resolve(pointer())
    with pytest.raises(ResolverError, match="in time"):
        HttpResolver(site.url("/slow"), private=True).resolve(pointer(timeout=0.2))


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders of the shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table orders (id text, owner text, status text)")
        connection.execute("insert into orders values ('4417', 'user:ana', 'paid'), ('4418', 'user:bob', 'open')")
    connection.close()
    return path


def test_a_row_is_read_with_its_parameters_bound(orders: Path) -> None:
    resolver = SqlResolver(orders, "select status from orders where id = :value and owner = :subject")
    assert resolver.resolve(pointer()) == '{"status": "paid"}'
    assert resolver.resolve(pointer("4418")) == ""
    assert resolver.resolve(pointer("4417' or 1=1 --")) == ""


@pytest.mark.parametrize(
    "query",
    ["delete from orders", "update orders set status = 'x'", "attach 'other.db' as o", "pragma writable_schema = on",
     "create table t (x)", "select load_extension('x')", "insert into orders values (1, 2, 3)"],
)  # fmt: skip
def test_nothing_but_reading_is_authorised(orders: Path, query: str) -> None:
    before = orders.read_bytes()
    with pytest.raises(ResolverError, match="refused"):
        SqlResolver(orders, query).resolve(pointer())
    assert orders.read_bytes() == before


def test_a_query_that_never_ends_or_gives_too_much_is_stopped(orders: Path, tmp_path: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    with pytest.raises(ResolverError, match="in time"):
        SqlResolver(orders, endless).resolve(pointer(timeout=0.2))
    with pytest.raises(ResolverError, match="longer"):
        SqlResolver(orders, "select printf('%.*c', 5000, 'x') as x", size=1_000).resolve(pointer())
    with pytest.raises(ResolverError, match="refused"):
        SqlResolver(tmp_path / "absent.db", "select 1").resolve(pointer())
    assert not (tmp_path / "absent.db").exists()


def test_a_tool_of_an_mcp_server_is_called_with_the_value() -> None:
    server = pytest.importorskip("mcp.server").MCPServer("shop")

    @server.tool()  # type: ignore[untyped-decorator]
    def order(id: str, token: str) -> str:
        """The state of an order."""
        if id == "none":
            raise ValueError("there is no such order")
        return f"{id} is paid ({token})"

    resolver = McpResolver(server, "order", argument="id")
    assert resolver.resolve(pointer(token="ana")) == "4417 is paid (ana)"
    with pytest.raises(ResolverError, match="the tool says"):
        resolver.resolve(pointer("none", token="ana"))
    with pytest.raises(ResolverError, match="longer"):
        McpResolver(server, "order", argument="id", size=5).resolve(pointer(token="ana"))
