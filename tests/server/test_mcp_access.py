"""Whose memory an MCP server reaches: asked of every tool and resource that it has, so that a new one is asked too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from fastapi.testclient import TestClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.server.mcp_calls import ask, called, program, refused, serving
from tests.server.web import secret

from onrecord import Memory
from onrecord.model.key import Right
from onrecord.server.access import of_tenant
from onrecord.server.mcp import mcp_server
from onrecord.server.mcp_http import mcp_app
from onrecord.server.tools import VERBS

#: What each tool is asked beside an owner; one that stands not here fails the tests.
ASKED: dict[str, dict[str, Any]] = {
    "add_memory": {"text": "I like tea.", "said_by": "user"},
    "search_memories": {"query": "What opens the vault?"},
    "search_knowledge": {"query": "What opens the vault?"},
    "get_memory": {"id": "{id}"},
    "list_memories": {},
    "why": {"id": "{id}"},
    "lineage": {"id": "{id}"},
    "get_context": {"message": "What opens the vault?", "session_id": "s1"},
    "update_memory": {"id": "{id}", "statement": "Changed."},
    "forget": {"id": "{id}"},
    "delete_memory": {"id": "{id}"},
    "review_memories": {},
    "confirm_memory": {"id": "{id}", "holds": True},
    "list_sessions": {},
    "read_session": {"session_id": "s1"},
    "end_session": {"session_id": "s1"},
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db") as opened:
        yield opened


def planted(memory: Memory, user: str) -> str:
    memory.add("The vault code word is marzipan.", user_id=user, session_id="s1")
    memory.knowledge.add("The vault is opened with marzipan.", name="vault", user_id=user)
    return memory.remember("Marzipan opens the vault.", user_id=user).records[0].id


def untouched(memory: Memory, id: str, user: str) -> None:
    record = memory.get(id, user_id=user)
    assert (record.version, record.status) == (1, "active")
    assert [turn.text for turn in memory.session("s1", user_id=user).turns()] == ["The vault code word is marzipan."]


def asked(tool: str, id: str) -> dict[str, Any]:
    return {name: id if value == "{id}" else value for name, value in ASKED[tool].items()}


class _Bearer(httpx2.Auth):
    def __init__(self, key: str) -> None:
        self._key = key

    def auth_flow(self, request: httpx2.Request) -> Any:
        request.headers["Authorization"] = f"Bearer {self._key}"
        yield request


def over_http(url: str, key: str, asking: Callable[[Client], Any]) -> None:
    """Asks with a key."""

    async def run() -> None:
        async with httpx2.AsyncClient(auth=_Bearer(key), timeout=120) as http:
            transport: AbstractAsyncContextManager[Any] = streamable_http_client(url, http_client=http)
            async with Client(transport, read_timeout_seconds=120) as client:
                await asking(client)

    anyio.run(run)


def test_a_server_for_everyone_takes_an_owner_with_every_call(memory: Memory) -> None:
    id = planted(memory, "bo")

    async def asking(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            assert {"user_id", "subject"} <= set(tool.input_schema["properties"]), tool.name
            assert "user_id: is missing" in await refused(client, tool.name, **asked(tool.name, id))
        assert (await called(client, "get_memory", id=id, user_id="bo"))["statement"] == "Marzipan opens the vault."
        assert (await called(client, "get_memory", id=id, subject="user:bo"))["id"] == id
        assert "no record" in await refused(client, "get_memory", id=id, user_id="ana")

    ask(mcp_server(memory, None), asking)


def test_a_key_of_one_tenant_or_owner_gets_nothing_of_another_through_any_tool_or_resource(
    memory: Memory, tmp_path: Path
) -> None:
    theirs = of_tenant(memory, "globex")
    elsewhere, beside = planted(theirs, "ana"), planted(memory, "bo")
    tenant = secret(memory, Right.ADMIN, tenant="acme")
    bound = secret(memory, Right.ADMIN, subject="user:ana")

    async def through_tools(client: Client, id: str, owner: dict[str, str]) -> None:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert sorted(tools) == sorted(ASKED) == sorted(verb.function.__name__ for verb in VERBS)
        for tool in tools:
            result = await client.call_tool(tool, {**asked(tool, id), **owner})
            assert "marzipan" not in str(result).lower(), (tool, owner)

    async def through_resources(client: Client, subject: str) -> None:
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        assert templates
        assert (await client.list_resources()).resources == []
        for template in templates:
            uri = template.replace("{subject}", subject).replace("{session_id}", "s1")
            try:
                assert "marzipan" not in str(await client.read_resource(uri)).lower(), uri
            except MCPError as error:
                assert "alone" in str(error) or "not found" in str(error).lower()  # noqa: PT017

    async def of_another_tenant(client: Client) -> None:
        await through_tools(client, elsewhere, {"user_id": "ana"})
        await through_resources(client, "user%3Aana")

    async def of_another_owner(client: Client) -> None:
        for owner in ({"user_id": "bo"}, {"subject": "user:bo"}):
            await through_tools(client, beside, owner)
            assert "this key is for user:ana alone" in await refused(client, "list_memories", **owner)
        await through_tools(client, beside, {})
        await through_resources(client, "user%3Abo")

    with serving(tmp_path / "memory.db", "--everyone") as url:
        over_http(url, tenant, of_another_tenant)
        over_http(url, bound, of_another_owner)
    untouched(theirs, elsewhere, "ana")
    untouched(memory, beside, "bo")


def test_a_right_covers_what_is_below_it_and_no_more(memory: Memory, tmp_path: Path) -> None:
    key = secret(memory, Right.READ)

    async def reading(client: Client) -> None:
        for verb in VERBS:
            name = verb.function.__name__
            told = str(await client.call_tool(name, {**asked(name, "rec_1"), "user_id": "ana"}))
            assert ("this key may read, not write" in told) == (verb.right is Right.WRITE), name

    with serving(tmp_path / "memory.db", "--everyone") as url:
        over_http(url, key, reading)


def test_a_server_for_one_owner_takes_no_key_of_another(memory: Memory, tmp_path: Path) -> None:
    planted(memory, "ana")
    theirs, own = secret(memory, Right.READ, subject="user:bo"), secret(memory, Right.READ, subject="user:ana")

    async def shut_out(client: Client) -> None:
        assert "this key is for user:bo alone" in await refused(client, "list_memories")
        with pytest.raises(MCPError, match="alone"):
            await client.read_resource("memory://profile")

    async def let_in(client: Client) -> None:
        assert len((await called(client, "list_memories"))["memories"]) == 1
        assert len(json.loads((await client.read_resource("memory://profile")).contents[0].text)) == 1  # type: ignore[union-attr]

    with serving(tmp_path / "memory.db") as url:
        over_http(url, theirs, shut_out)
        over_http(url, own, let_in)


@pytest.mark.parametrize("authorization", [None, "Bearer onr_wrong", "Bearer", "Basic x", ""])
@pytest.mark.parametrize(("verb", "body"), [("GET", None), ("POST", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})])
def test_without_a_key_no_message_gets_through(memory: Memory, authorization: str | None, verb: str, body: Any) -> None:
    secret(memory, Right.READ)
    app = TestClient(mcp_app(memory, None), base_url="http://127.0.0.1:8765", raise_server_exceptions=False)
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = app.request(verb, "/mcp", json=body, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")


def test_where_others_reach_it_a_key_is_asked_for_even_if_none_is_left(memory: Memory) -> None:
    app = TestClient(mcp_app(memory, None, host="0.0.0.0"), raise_server_exceptions=False)
    assert app.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 401


def test_over_the_standard_streams_everyone_is_served_without_a_key(memory: Memory, tmp_path: Path) -> None:
    planted(memory, "bo")
    secret(memory, Right.READ)

    async def asking(client: Client) -> None:
        assert len((await called(client, "list_memories", user_id="bo"))["memories"]) == 1

    ask(program(tmp_path / "memory.db", "--everyone"), asking)
